// Where the time of a network's batch goes as graphs grow, and that its work does not: batches of
// GraphSAGE at its defaults, on generated user-item graphs of mean degree 20, d = 32, one thread.
//
// Counted an edge of the batch: rows of all levels, and arcs drawn. Measured, in turns over the
// sizes: the same loops as in training without anything between them,
//   field    drawing neighbours and numbering the nodes
//   sums     rows summed along the arcs, forward
//   back     arcs grouped, and gradients added to rows
//   stream   input rows copied, in ascending order, and their gradients through Adam
// with as many instructions an edge at every size, so what grows is what memory takes. The last
// column is a bare loop: a random row of a table with a row a node, summed.
//
//   bench_networks [--rounds 5] [EDGES ...]        default: 10^5 10^6 10^7
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "mcns/core/generate.h"
#include "mcns/core/rng.h"
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/parameter.h"
#include "mcns/encoders/receptive_field.h"
#include "mcns/plan/plan.h"
#include "mcns/positives/registry.h"

#include "bench/timing.h"

namespace mcns {
namespace {

constexpr int kDim = 32;

/// A graph and one batch of it after the other.
class World {
 public:
  World(EdgeId edges, ThreadPool& pool)
      : pool_(pool),
        graph_(generate_graph("bipartite",
                              {.nodes = static_cast<NodeId>(edges / 10), .edges = edges}, pool)
                   .graph),
        adjacency_(graph_, Weighting::kMean, pool),
        field_(adjacency_, fanouts()),
        table_("input", graph_.num_nodes(), kDim, 2),
        rows_(kDim, graph_.num_nodes()),
        above_(kDim, graph_.num_nodes()),
        members_(graph_.num_nodes()) {
    TrainOptions options;
    options.encoder = "graphsage";
    batch_ = *make_plan(options, Task::kRecommend, graph_).options.batch;
    positives_ = make_positives("edges", {graph_, batch_, pool});
    table_.dense = false;
    next();
    build();
  }

  EdgeId edges() const { return graph_.num_edges(); }
  int batch() const { return batch_; }
  double rows_per_edge() const {
    double rows = 0;
    for (int level = 0; level <= field_.layers(); ++level)
      rows += static_cast<double>(field_.nodes(level).size());
    return rows / batch_;
  }
  double arcs_per_edge() const {
    double arcs = 0;
    for (int layer = 1; layer <= field_.layers(); ++layer)
      arcs += static_cast<double>(field_.block(layer).columns.size());
    return arcs / batch_;
  }

  /// The nodes of another batch, a full one: sources, targets, and a uniform item each.
  void next() {
    key_ = {1, 0, ++number_ % (graph_.num_edges() / batch_)};
    positives_->fill(key_, pool_, pairs_);
    Rng rng(2, Domain::kGenerate, static_cast<std::uint64_t>(number_));
    const NodeId users = graph_.num_users();
    for (const Pair pair : pairs_.pairs) {
      members_.add(pair.source);
      members_.add(pair.target);
      members_.add(users + static_cast<NodeId>(rng.below(graph_.num_nodes() - users)));
    }
    nodes_.clear();
    members_.drain([&](NodeId v) { nodes_.push_back(v); });
  }

  void build() { field_.build(key_, nodes_, pool_); }

  void sums() {
    for (int layer = 1; layer <= field_.layers(); ++layer) {
      const Block& block = field_.block(layer);
      const ConstMatrixRef below = rows_.rows(block.inputs);
      const MatrixRef above = above_.rows(block.outputs);
      for (std::int64_t i = 0; i < block.outputs; ++i) {
        std::fill_n(above.row(i), above.stride, 0.0F);
        block.aggregate(i, below, above.row(i));
      }
    }
  }

  void back() {
    for (int layer = field_.layers(); layer >= 1; --layer) {
      Block& block = field_.block(layer);
      const MatrixRef below = table_.gradient.rows(block.inputs);
      block.give_back(above_.rows(block.outputs), below, 0, pool_);
    }
  }

  void stream() {
    const auto nodes = field_.nodes(0);
    const MatrixRef rows = rows_.rows(static_cast<std::int64_t>(nodes.size()));
    table_.touched.assign(nodes.begin(), nodes.end());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      std::copy_n(table_.value.row(nodes[i]), rows.stride, rows.row(static_cast<std::int64_t>(i)));
    table_.update(Adam{}, {1e-4F, ++steps_}, pool_);
  }

  /// Rows drawn at random from all, twenty summed at a time.
  double seconds_per_random_row() {
    constexpr EdgeId kTogether = 20, kRows = 100'000 * kTogether;
    if (random_.empty()) {
      Rng rng(3, Domain::kGenerate);
      for (EdgeId i = 0; i < kRows; ++i)
        random_.push_back(static_cast<NodeId>(rng.below(graph_.num_nodes())));
    }
    const std::vector<float> ones(kRows, 1.0F);
    Matrix sum(1, kDim);
    const double spent = seconds([&] {
      for (EdgeId i = 0; i < kRows; i += kTogether)
        gather_sum(i, i + kTogether, random_, ones.data(), table_.value.view(), sum.row(0));
    });
    keep(sum);
    return spent / kRows;
  }

 private:
  static std::vector<int> fanouts() {
    return read_graphsage(
               builtin_encoders().parameters("graphsage", {{"dim", std::to_string(kDim)}}), kDim)
        .fanouts;
  }

  ThreadPool& pool_;
  Graph graph_;
  Adjacency adjacency_;
  ReceptiveField field_;
  Parameter table_;
  RowBuffer rows_, above_;
  NodeSet members_;
  std::unique_ptr<PositiveSampler> positives_;
  PairBuffer pairs_;
  std::vector<NodeId> nodes_, random_;
  int batch_ = 0;
  BatchKey key_{};
  std::int64_t number_ = 0, steps_ = 0;
};

void run(const std::vector<EdgeId>& sizes, int rounds) {
  constexpr std::pair<const char*, void (World::*)()> kParts[] = {{"field", &World::build},
                                                                  {"sums", &World::sums},
                                                                  {"back", &World::back},
                                                                  {"stream", &World::stream}};
  constexpr EdgeId kEdgesATurn = 100'000;  // small batches are repeated
  ThreadPool pool(1);
  std::vector<std::unique_ptr<World>> worlds;
  std::vector<Subject> subjects;
  for (const EdgeId size : sizes) worlds.push_back(std::make_unique<World>(size, pool));
  for (const auto& [name, part] : kParts)
    for (const auto& world : worlds)
      subjects.push_back({name, [&world = *world, part = part] {
                            const EdgeId times = std::max<EdgeId>(1, kEdgesATurn / world.batch());
                            double spent = 0;
                            for (EdgeId i = 0; i < times; ++i) {
                              if (part == &World::build) world.next();
                              spent += seconds([&] { (world.*part)(); });
                            }
                            return spent / static_cast<double>(times * world.batch());
                          }});
  for (const auto& world : worlds)
    subjects.push_back({"row", [&world = *world] { return world.seconds_per_random_row(); }});
  measure_in_turns(subjects, rounds);
  fmt::print("{:>10} {:>8} {:>10} {:>10}", "edges", "batch", "rows/edge", "arcs/edge");
  for (const auto& [name, part] : kParts) fmt::print(" {:>9} ns", name);
  fmt::print(" {:>10} {:>8} {:>10}\n", "all ns", "x first", "row ns");
  double first = 0;
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    fmt::print("{:>10} {:>8} {:>10.1f} {:>10.1f}", worlds[w]->edges(), worlds[w]->batch(),
               worlds[w]->rows_per_edge(), worlds[w]->arcs_per_edge());
    double all = 0;
    for (std::size_t part = 0; part < std::size(kParts); ++part) {
      const double spent = subjects[part * worlds.size() + w].best * 1e9;
      all += spent;
      fmt::print(" {:>12.0f}", spent);
    }
    if (w == 0) first = all;
    fmt::print(" {:>10.0f} {:>8.2f} {:>10.1f}\n", all, all / first,
               subjects[std::size(kParts) * worlds.size() + w].best * 1e9);
  }
}

}  // namespace
}  // namespace mcns

int main(int argc, char** argv) {
  int rounds = 5;
  std::vector<mcns::EdgeId> sizes;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--rounds" && i + 1 < argc)
      rounds = std::atoi(argv[++i]);
    else
      sizes.push_back(std::atoll(argv[i]));
  if (rounds < 1 || std::ranges::any_of(sizes, [](auto edges) { return edges < 10'000; })) {
    fmt::print(stderr, "usage: bench_networks [--rounds N] [EDGES ...], at least 10000 edges\n");
    return 2;
  }
  if (sizes.empty()) sizes = {100'000, 1'000'000, 10'000'000};
  mcns::run(sizes, rounds);
}

// What samplers cost, measured as in training: PairSampling over batches of edges, on
// one thread. First a table: nanoseconds and score evaluations per negative of every sampler. Then
// three bars:
//   a chain step of MCNS        against the dot product it needs, gathered from the same table: 2.5
//   rns with its exclusion      against a plain uniform draw from the pair's stream, into the same
//                               array: 5
//   degree                      against the same: 4. Without exclusion; with it, for context
// Beside them, for context, a bare loop over one generator, which has no name for its numbers and
// so could not be repeated on another number of threads.
// Everything of one comparison is measured in turns; the best turn counts.
//
//   bench_samplers [--negatives 1] [--batch 2048] [--rounds 9] [--bars] [ml-100k] [gowalla]
//   [generated]
//
// --bars leaves the table out, whose exact and irgan take a minute on gowalla.
//
// ml-100k (d = 128) and gowalla (d = 64) are read from $MCNS_DATA; what is not there is replaced by
// a generated user-item graph of the same size.
#include <cstdlib>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "mcns/samplers/pair_sampling.h"
#include "mcns/samplers/registry.h"

#include "bench/sampler_world.h"
#include "bench/timing.h"

namespace mcns {
namespace {

struct Settings {
  int negatives = 1, batch = 2048, rounds = 9;
  bool bars_only = false;
  std::vector<std::string> data;
};

constexpr double kTurnSeconds = 4e-3;

std::int64_t scores_counted = 0;

/// The CPU's kernels, counting the scores that samplers ask for.
const Kernels& counting_kernels() {
  static const Kernels counting = [] {
    Kernels out = kernels();
    out.dot = [](const float* a, const float* b, int n) {
      ++scores_counted;
      return kernels().dot(a, b, n);
    };
    out.dots = [](const float* a, RowList list, int n, float* to) {
      scores_counted += list.count;
      kernels().dots(a, list, n, to);
    };
    out.paired_dots = [](RowList rows, RowList columns, int n, float* to) {
      scores_counted += rows.count;
      kernels().paired_dots(rows, columns, n, to);
    };
    out.products = [](RowList rows, RowList columns, int n, float* to) {
      scores_counted += std::int64_t{rows.count} * columns.count;
      kernels().products(rows, columns, n, to);
    };
    return out;
  }();
  return counting;
}

/// A sampler on the path that training takes.
class Sampled {
 public:
  Sampled(World& world, const std::string& spec, int k, Filter filter = Filter::kTrain)
      : world_(world), sampler_(make_sampler(spec, world.context(k, filter))) {
    k_ = sampler_->negatives_per_positive(k);
    sampling_ =
        std::make_unique<PairSampling>(*sampler_, k_, world.loaded.graph.num_nodes(), world.pool);
    sampler_->begin_epoch(0, world.scorer, world.pool);
    for (int b = 0; b < kBatches; ++b) seconds_of_next(world.scorer);  // chains and tails exist now
  }

  /// Seconds per negative.
  double turn() {
    double total = 0;
    std::int64_t count = 0;
    while (total < kTurnSeconds) total += seconds_of_next(world_.scorer, &count);
    return total / static_cast<double>(count);
  }

  double scores_per_negative() {
    Scorer counting = world_.scorer;
    counting.kernel = &counting_kernels();
    scores_counted = 0;
    std::int64_t count = 0;
    for (int b = 0; b < kBatches; ++b) seconds_of_next(counting, &count);
    return static_cast<double>(scores_counted) / static_cast<double>(count);
  }

  int k() const { return k_; }
  bool learns() const { return sampler_->wants_feedback(); }

 private:
  /// Learning from feedback is part of what a generator costs; the scores it learns from are not.
  double seconds_of_next(const Scorer& scorer, std::int64_t* count = nullptr) {
    const PairBatch& batch = world_.batches[next_ % kBatches];
    const BatchKey key{1, next_ / kBatches, next_ % kBatches};
    ++next_;
    sampling_->run(key, batch, scorer);
    double spent = sampling_->counts(key).seconds;
    if (learns()) {
      const std::vector<float> scores(batch.pairs.size() * (k_ + 1));
      spent += seconds([&] { sampling_->feedback(key, batch, scores); });
    }
    if (count != nullptr) *count += static_cast<std::int64_t>(batch.pairs.size()) * k_;
    return spent;
  }

  World& world_;
  std::unique_ptr<NegativeSampler> sampler_;
  std::unique_ptr<PairSampling> sampling_;
  int k_ = 1;
  std::int64_t next_ = 0;
};

/// Twenty negatives of every source, for the sampler that reads a file.
std::string write_lists(const World& world) {
  const auto path =
      (std::filesystem::temp_directory_path() / fmt::format("mcns-bench-{}.tsv", ::getpid()))
          .string();
  std::ofstream out(path);
  Rng rng(1, Domain::kGenerate);
  const Names& names = world.loaded.names;
  for (NodeId u = 0; u < world.loaded.graph.sources().end; ++u) {
    out << names.name(u);
    for (int i = 0; i < 20; ++i) out << '\t' << names.name(world.exclusion.draw_uniform(u, rng));
    out << '\n';
  }
  return path;
}

/// Every sampler of the registry with its defaults, and the other settings of mcns and pinsage.
std::vector<std::string> all_specs(const std::string& lists) {
  std::vector<std::string> out = {"rns"};
  for (const Component& info : builtin_samplers()) {
    if (info.name == "rns") continue;
    if (info.name == "file")
      out.push_back("file:" + lists);
    else if (info.name == "mix")
      out.emplace_back("mix:0.8*mcns+0.2*rns");
    else
      out.push_back(info.name);
  }
  for (const char* spec : {"mcns:form=exp", "mcns:form=paper", "mcns:pool=8,steps=10",
                           "mcns:pool=8,steps=10,local=0", "pinsage:mode=paper"})
    out.emplace_back(spec);
  return out;
}

void print_table(World& world, const Settings& settings) {
  const std::string lists = write_lists(world);
  std::vector<std::unique_ptr<Sampled>> samplers;
  std::vector<Subject> subjects;
  for (const std::string& spec : all_specs(lists)) {
    samplers.push_back(std::make_unique<Sampled>(world, spec, settings.negatives));
    subjects.push_back({spec.starts_with("file:") ? "file" : spec,
                        [s = samplers.back().get()] { return s->turn(); }});
  }
  std::filesystem::remove(lists);
  measure_in_turns(subjects, settings.rounds);
  fmt::print("{:32} {:>12} {:>10} {:>16}\n", "sampler", "ns/negative", "x rns", "scores/negative");
  for (std::size_t i = 0; i < subjects.size(); ++i)
    fmt::print("{:32} {:12.1f} {:10.2f} {:16.1f}{}\n", subjects[i].name, subjects[i].best * 1e9,
               subjects[i].best / subjects[0].best, samplers[i]->scores_per_negative(),
               samplers[i]->learns() ? "  and its generator's, learning included" : "");
}

void print_bar(const std::string& what, double ours, double bare, double bar) {
  fmt::print("{:32} {:8.2f} ns  against {:8.2f} ns  ratio {:5.2f}  bar {:.1f}  {}\n", what,
             ours * 1e9, bare * 1e9, ours / bare, bar, ours <= bar * bare ? "PASS" : "OVER");
}

/// The dot products that chains of `steps` steps need, and nothing else: seconds per product.
Subject bare_dots(World& world, int steps) {
  auto targets = std::make_shared<std::vector<NodeId>>();
  Rng rng(1, Domain::kGenerate);
  const NodeRange range = world.targets();
  for (std::size_t i = 0; i < world.batches[0].pairs.size() * steps; ++i)
    targets->push_back(range.begin + static_cast<NodeId>(rng.below(range.size())));
  return {"dot", [&world, steps, targets] {
            const Scorer& scorer = world.scorer;
            const auto& pairs = world.batches[0].pairs;
            double total = 0;
            std::int64_t count = 0;
            while (total < kTurnSeconds) {
              float sum = 0;
              total += seconds([&] {
                const NodeId* at = targets->data();
                for (const Pair& pair : pairs)
                  for (int step = 0; step < steps; ++step) sum += scorer(pair.source, *at++);
              });
              keep(sum);
              count += static_cast<std::int64_t>(targets->size());
            }
            return total / static_cast<double>(count);
          }};
}

/// Uniform draws by `fill` into an array as long as a batch's negatives: seconds per draw.
template <class Fill>
Subject plain_draws(World& world, int k, Fill fill) {
  const std::size_t size = world.batches[0].pairs.size() * k;
  return {"draw", [&world, fill, k, out = std::vector<NodeId>(size)]() mutable {
            double total = 0;
            std::int64_t count = 0;
            while (total < kTurnSeconds) {
              total += seconds([&] {
                fill(world.targets(), world.batches[0].serials, k, out);
                keep(out);
              });
              count += static_cast<std::int64_t>(out.size());
            }
            return total / static_cast<double>(count);
          }};
}

void draw_from_streams(NodeRange range, std::span<const std::uint64_t> names, int k,
                       std::vector<NodeId>& out) {
  const Streams streams{1, Domain::kNegatives, 0};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Rng rng = streams.at(names[i]);
    for (int j = 0; j < k; ++j)
      out[i * k + j] = range.begin + static_cast<NodeId>(rng.below(range.size()));
  }
}

void draw_from_one(NodeRange range, std::span<const std::uint64_t>, int, std::vector<NodeId>& out) {
  Rng rng(1, Domain::kGenerate);
  for (NodeId& v : out) v = range.begin + static_cast<NodeId>(rng.below(range.size()));
}

Subject of_sampler(World& world, const std::string& spec, int k, Filter filter = Filter::kTrain) {
  auto sampled = std::make_shared<Sampled>(world, spec, k, filter);
  return {spec, [sampled] { return sampled->turn(); }};
}

/// Sources of a batch, on average: a pool of n gives each of them n steps.
double sources_per_negative(const World& world) {
  RowGroups groups(world.loaded.graph.num_nodes());
  double sources = 0, pairs = 0;
  for (const PairBatch& batch : world.batches) {
    std::vector<NodeId> keys;
    for (const Pair& pair : batch.pairs) keys.push_back(pair.source);
    groups.build(keys);
    sources += groups.size();
    pairs += static_cast<double>(keys.size());
  }
  return sources / pairs;
}

void chain_bars(World& world, const Settings& settings) {
  constexpr int kFew = 8, kMany = 40, kSmall = 64, kLarge = 320;
  std::vector<Subject> subjects = {bare_dots(world, kMany - kFew)};
  for (const char* form : {"quantile", "exp", "paper"})
    for (const int steps : {kFew, kMany})
      subjects.push_back(of_sampler(
          world, fmt::format("mcns:form={},proposal=walk,pool=1,local=0,steps={}", form, steps),
          1));
  for (const int steps : {kFew, kMany})
    subjects.push_back(of_sampler(world, fmt::format("mcns:pool=1,steps={}", steps), 1));
  for (const int steps : {kFew, kMany})
    subjects.push_back(of_sampler(world, fmt::format("mcns:form=paper,steps={}", steps), 1));
  for (const int pool : {kSmall, kLarge})
    subjects.push_back(of_sampler(world, fmt::format("mcns:pool={},least=1", pool), 1));
  measure_in_turns(subjects, settings.rounds);
  const double dot = subjects[0].best;
  const auto step = [&](int at, double steps) {
    return (subjects[at + 1].best - subjects[at].best) / steps;
  };
  print_bar("step of mcns, form=quantile", step(1, kMany - kFew), dot, 2.5);
  print_bar("step of mcns, form=exp", step(3, kMany - kFew), dot, 2.5);
  print_bar("step of mcns, form=paper", step(5, kMany - kFew), dot, 2.5);
  print_bar("step of mcns, from the pool",
            step(11, (kLarge - kSmall) * sources_per_negative(world)), dot, 2.5);
  print_bar("step of mcns, half of them local", step(7, kMany - kFew), dot, 2.5);
  print_bar("step of mcns, as in the paper", step(9, kMany - kFew), dot, 2.5);
}

void draw_bars(World& world, const Settings& settings) {
  for (const int k : {1, 5}) {
    std::vector<Subject> subjects = {
        plain_draws(world, k, draw_from_streams), of_sampler(world, "rns", k),
        of_sampler(world, "degree", k, Filter::kNone), of_sampler(world, "degree", k),
        plain_draws(world, k, draw_from_one)};
    measure_in_turns(subjects, settings.rounds);
    const double plain = subjects[0].best;
    print_bar(fmt::format("rns with exclusion, k = {}", k), subjects[1].best, plain, 5);
    print_bar(fmt::format("degree, k = {}", k), subjects[2].best, plain, 4);
    fmt::print("{:32} {:8.2f} ns, ratio {:.2f}\n", "degree with exclusion", subjects[3].best * 1e9,
               subjects[3].best / plain);
    fmt::print("{:32} {:8.2f} ns\n", "a bare loop over one generator", subjects[4].best * 1e9);
  }
}

void run(const DataInfo& info, const Settings& settings) {
  ThreadPool pool(1);
  World world(load(info, pool), info.dim, settings.batch);
  const Graph& graph = world.loaded.graph;
  fmt::print("\n{}{}: {} users, {} items, {} edges, d = {}; batch {}, k = {}, best of {} turns\n",
             info.name, world.loaded.generated ? " (generated in its size)" : "", graph.num_users(),
             graph.num_items(), graph.num_edges(), info.dim, settings.batch, settings.negatives,
             settings.rounds);
  if (!settings.bars_only) print_table(world, settings);
  chain_bars(world, settings);
  draw_bars(world, settings);
}

Settings parse(int argc, char** argv) {
  Settings out;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 1; };
    if (flag == "--negatives")
      out.negatives = value();
    else if (flag == "--batch")
      out.batch = value();
    else if (flag == "--rounds")
      out.rounds = value();
    else if (flag == "--bars")
      out.bars_only = true;
    else
      out.data.push_back(flag);
  }
  if (out.data.empty()) out.data = {"ml-100k", "gowalla"};
  return out;
}

}  // namespace
}  // namespace mcns

int main(int argc, char** argv) {
  const mcns::Settings settings = mcns::parse(argc, argv);
  for (const std::string& name : settings.data)
    for (const mcns::DataInfo& info : mcns::known_data())
      if (name == info.name) mcns::run(info, settings);
}

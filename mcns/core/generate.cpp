#include "mcns/core/generate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mcns/core/alias_table.h"
#include "mcns/core/error.h"
#include "mcns/core/rng.h"

namespace mcns {
namespace {

constexpr std::int64_t kGrain = 1 << 14;

/// What a generator hands to build_graph.
struct Draft {
  EdgeList edges;
  BuildOptions build = {};
  std::vector<std::int32_t> labels = {};
};

/// The stream of edge `i`; `use` separates the streams of one edge.
Rng stream(const GenerateOptions& options, std::uint64_t i, std::uint64_t use = 0) {
  return {options.seed, Domain::kGenerate, i, use};
}

template <class Draw>
EdgeList draw_edges(const GenerateOptions& options, ThreadPool& pool, const Draw& draw) {
  EdgeList list;
  list.pairs.resize(options.edges);
  pool.for_ranges(options.edges, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) list.pairs[i] = draw(i);
  });
  return list;
}

/// A keyed permutation of [0, size): a Feistel network on the next even number of bits, walked
/// until the value falls into the range (under four rounds of it on average).
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed)
      : size_(size), half_bits_(std::max(1, static_cast<int>(std::bit_width(size - 1) + 1) / 2)) {
    for (int round = 0; round < kRounds; ++round)
      keys_[round] = Rng(seed, Domain::kGenerate, round, 1).next();
  }
  std::uint64_t operator()(std::uint64_t value) const {
    do value = encrypt(value);
    while (value >= size_);
    return value;
  }

 private:
  static constexpr int kRounds = 6;
  std::uint64_t encrypt(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_, right = value & mask;
    for (const auto key : keys_) {
      const std::uint64_t next = left ^ (mix64(right ^ key) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t size_;
  int half_bits_;
  std::uint64_t keys_[kRounds];
};

/// The k-th pair (u, v), u < v, in the order (0,1), (0,2), (1,2), (0,3) ...
Pair unrank_pair(std::uint64_t k) {
  auto v = static_cast<std::uint64_t>((1 + std::sqrt(8.0 * static_cast<double>(k) + 1)) / 2);
  while (v * (v - 1) / 2 > k) --v;  // the square root is rounded
  while (v * (v + 1) / 2 <= k) ++v;
  return {static_cast<NodeId>(k - v * (v - 1) / 2), static_cast<NodeId>(v)};
}

Draft erdos_renyi(const GenerateOptions& options, ThreadPool& pool) {
  const auto nodes = static_cast<std::uint64_t>(options.nodes);
  const std::uint64_t all = nodes * (nodes - 1) / 2;
  require(static_cast<std::uint64_t>(options.edges) <= all,
          "{} nodes have at most {} edges, got --edges {}", nodes, all, options.edges);
  const Permutation permutation(std::max<std::uint64_t>(all, 1), options.seed);
  return {draw_edges(options, pool, [&](std::int64_t i) { return unrank_pair(permutation(i)); })};
}

// The edge array lists the ends of all edges: place 2i holds the source of edge i, place 2i + 1 a
// copy of a uniformly drawn earlier place. Instead of reading that place the draw is repeated for
// it, as it is named by the place, until an even one comes: half of them are.
Draft barabasi_albert(const GenerateOptions& options, ThreadPool& pool) {
  const auto source = [&](std::uint64_t edge) {
    return static_cast<NodeId>(static_cast<unsigned __int128>(edge) * options.nodes /
                               static_cast<std::uint64_t>(options.edges));
  };
  return {draw_edges(options, pool, [&](std::int64_t i) {
    auto place = 2 * static_cast<std::uint64_t>(i) + 1;
    do place = stream(options, place).below(place);
    while (place % 2 == 1);
    return Pair{source(i), source(place / 2)};
  })};
}

AliasTable power_law(NodeId nodes, double exponent) {
  std::vector<double> weights(nodes);
  const double power = -1.0 / (exponent - 1.0);
  for (NodeId rank = 0; rank < nodes; ++rank) weights[rank] = std::pow(rank + 1.0, power);
  return AliasTable(weights);
}

Draft chung_lu(const GenerateOptions& options, ThreadPool& pool) {
  require(options.nodes >= 2, "power-law needs at least 2 nodes, got {}", options.nodes);
  const auto ends = power_law(options.nodes, options.exponent);
  return {draw_edges(options, pool, [&](std::int64_t i) {
    auto rng = stream(options, i);
    Pair pair;
    do pair = {ends.draw(rng), ends.draw(rng)};
    while (pair.source == pair.target);
    return pair;
  })};
}

Draft bipartite(const GenerateOptions& options, ThreadPool& pool) {
  const NodeId users = options.users == 0 ? options.nodes / 2 : options.users;
  require(users >= 1 && users < options.nodes, "users must be in 1..{}, got {}", options.nodes - 1,
          users);
  const auto user_ranks = power_law(users, options.exponent);
  const auto item_ranks = power_law(options.nodes - users, options.exponent);
  auto edges = draw_edges(options, pool, [&](std::int64_t i) {
    auto rng = stream(options, i);
    const NodeId user = user_ranks.draw(rng);
    return Pair{user, users + item_ranks.draw(rng)};
  });
  return {std::move(edges), {.kind = GraphKind::kBipartite, .users = users}};
}

/// Blocks are contiguous: block b holds the nodes [b n / B, (b + 1) n / B).
NodeId block_begin(const GenerateOptions& options, int block) {
  return static_cast<NodeId>(static_cast<std::int64_t>(block) * options.nodes / options.blocks);
}

Draft stochastic_blocks(const GenerateOptions& options, ThreadPool& pool) {
  require(options.blocks >= 1 && options.nodes / options.blocks >= 2,
          "sbm needs at least 2 nodes in each block, got {} nodes in {} blocks", options.nodes,
          options.blocks);
  require(options.within >= 0 && options.within <= 1, "within must be in [0, 1], got {}",
          options.within);
  require(options.blocks > 1 || options.within == 1, "one block needs within = 1, got {}",
          options.within);
  std::vector<std::int32_t> labels(options.nodes);
  for (int block = 0; block < options.blocks; ++block)
    std::fill(labels.begin() + block_begin(options, block),
              labels.begin() + block_begin(options, block + 1), block);
  auto edges = draw_edges(options, pool, [&](std::int64_t i) {
    auto rng = stream(options, i);
    const auto u = static_cast<NodeId>(rng.below(options.nodes));
    const bool stays = rng.uniform() < options.within;
    const NodeId begin = block_begin(options, labels[u]);
    const NodeId size = block_begin(options, labels[u] + 1) - begin;
    if (stays) {
      // One of the others: a number for all but one place, shifted past u.
      const auto other = begin + static_cast<NodeId>(rng.below(size - 1));
      return Pair{u, other < u ? other : other + 1};
    }
    const auto outside = static_cast<NodeId>(rng.below(options.nodes - size));
    return Pair{u, outside < begin ? outside : outside + size};
  });
  return {std::move(edges), {}, std::move(labels)};
}

struct Generator {
  GeneratorInfo info;
  Draft (*draw)(const GenerateOptions&, ThreadPool&);
};

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = {
      {{"erdos-renyi", "exactly M edges, all equally likely"}, erdos_renyi},
      {{"barabasi-albert", "preferential attachment: each new node adds M/N edges"},
       barabasi_albert},
      {{"power-law", "ends drawn by a power of the rank (Chung-Lu), --exponent"}, chung_lu},
      {{"bipartite", "users and items, a power law on each side, --users, --exponent"}, bipartite},
      {{"sbm", "stochastic blocks with labels, --blocks, --within, --labels-out"},
       stochastic_blocks}};
  return table;
}

}  // namespace

std::vector<GeneratorInfo> list_generators() {
  std::vector<GeneratorInfo> out;
  for (const auto& generator : generators()) out.push_back(generator.info);
  return out;
}

GeneratedGraph generate_graph(const std::string& kind, const GenerateOptions& options,
                              ThreadPool& pool) {
  const auto& table = generators();
  const auto found = std::ranges::find(table, kind, [](const auto& g) { return g.info.name; });
  if (found == table.end()) {
    std::vector<std::string> known;
    for (const auto& info : list_generators()) known.push_back(info.name);
    throw_unknown("kind of graph", kind, known);
  }
  require(options.nodes >= 1 && options.nodes < std::numeric_limits<NodeId>::max(),
          "nodes must be in 1..{}, got {}", std::numeric_limits<NodeId>::max() - 1, options.nodes);
  require(options.edges >= 0, "edges must not be negative, got {}", options.edges);
  require(options.exponent > 1, "exponent must be above 1, got {}", options.exponent);
  Draft draft = found->draw(options, pool);
  GeneratedGraph out;
  out.labels = std::move(draft.labels);
  out.graph = build_graph(std::move(draft.edges), options.nodes, draft.build, pool, &out.counts);
  return out;
}

}  // namespace mcns

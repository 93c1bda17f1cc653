// The binary form of a graph: round trips, and clean errors for every way a file can be broken.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include <gtest/gtest.h>
#include <zlib.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/io/files.h"
#include "mcns/io/graph_file.h"

#include "tests/paths.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

std::string scratch(const std::string& name) {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = fs::path(kTestScratch) / "graph_file" / info->name();
  fs::create_directories(folder);
  return (folder / name).string();
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

EdgeList random_edges(NodeId sources, NodeRange targets, int edges, bool weighted) {
  Rng rng(7, Domain::kTest);
  EdgeList list;
  for (int i = 0; i < edges; ++i) {
    const auto u = static_cast<NodeId>(rng.below(sources));
    const auto v = targets.begin + static_cast<NodeId>(rng.below(targets.size()));
    list.pairs.push_back({u, v});
    if (weighted) list.weights.push_back(rng.uniformf());
  }
  return list;
}

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  return std::ranges::equal(a, b);
}

void expect_same(const NamedGraph& a, const NamedGraph& b) {
  EXPECT_EQ(a.graph.kind(), b.graph.kind());
  EXPECT_EQ(a.graph.num_users(), b.graph.num_users());
  EXPECT_EQ(a.graph.num_edges(), b.graph.num_edges());
  EXPECT_TRUE(same(a.graph.arrays().offsets, b.graph.arrays().offsets));
  EXPECT_TRUE(same(a.graph.arrays().neighbors, b.graph.arrays().neighbors));
  EXPECT_TRUE(same(a.graph.arrays().weights, b.graph.arrays().weights));
  EXPECT_EQ(a.counts.read, b.counts.read);
  EXPECT_EQ(a.counts.merged, b.counts.merged);
  EXPECT_EQ(a.counts.self_loops, b.counts.self_loops);
  ASSERT_EQ(a.names.size(), b.names.size());
  for (NodeId v = 0; v < a.names.size(); ++v) EXPECT_EQ(a.names.name(v), b.names.name(v));
}

NamedGraph make(GraphKind kind, bool weighted, bool text) {
  constexpr NodeId kNodes = 50, kUsers = 20;
  ThreadPool pool(1);
  BuildOptions options;
  options.kind = kind;
  options.self_loops = SelfLoops::kKeep;
  const bool bipartite = kind == GraphKind::kBipartite;
  if (bipartite) options.users = kUsers;
  NamedGraph out;
  out.graph = build_graph(bipartite ? random_edges(kUsers, {kUsers, kNodes - 1}, 200, weighted)
                                    : random_edges(kNodes - 1, {0, kNodes - 1}, 200, weighted),
                          kNodes, options, pool, &out.counts);
  if (text) {
    std::vector<std::string> names;
    for (int i = 0; i < kNodes; ++i)
      names.push_back(std::string(i % 7, 'x') + "é'\"" + std::to_string(i / 7));
    out.names = Names(names);
  } else {
    std::vector<std::int64_t> ids;
    for (int i = 0; i < kNodes; ++i) ids.push_back(i * 123456789012LL);
    out.names = Names(std::move(ids));
  }
  return out;
}

TEST(GraphFile, RoundTripsEveryKind) {
  const auto path = scratch("g.bin");
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite})
    for (const bool weighted : {false, true})
      for (const bool text : {false, true}) {
        const auto graph = make(kind, weighted, text);
        save_graph(path, graph.graph, graph.names, graph.counts);
        expect_same(graph, load_graph_file(path));
      }
}

TEST(GraphFile, MappingOutlivesTheFileAndTheFirstOwner) {
  const auto path = scratch("g.bin");
  const auto graph = make(GraphKind::kUndirected, true, false);
  save_graph(path, graph.graph, graph.names);
  Graph copy;
  {
    auto loaded = load_graph_file(path);
    copy = loaded.graph;
  }
  fs::remove(path);
  EXPECT_TRUE(same(copy.arrays().neighbors, graph.graph.arrays().neighbors));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.arrays().neighbors.data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.arrays().weights.data()) % 64, 0U);
}

TEST(GraphFile, HoldsGraphsWithoutEdgesAndWithoutNodes) {
  const auto path = scratch("g.bin");
  ThreadPool pool(1);
  for (const NodeId nodes : {0, 3}) {
    NamedGraph graph;
    graph.graph = build_graph({}, nodes, {}, pool);
    std::vector<std::int64_t> ids(nodes);
    std::iota(ids.begin(), ids.end(), 5);
    graph.names = Names(std::move(ids));
    save_graph(path, graph.graph, graph.names);
    expect_same(graph, load_graph_file(path));
  }
}

/// The message, "" when the load went through; anything but a clean data error fails the test.
std::string data_error(const std::string& path) {
  try {
    load_graph_file(path);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_EQ(std::string(error.what()).rfind(path, 0), 0U) << error.what();
    return error.what();
  }
}

TEST(GraphFile, EveryTruncationIsAnError) {
  const auto path = scratch("g.bin"), cut = scratch("cut.bin");
  const auto graph = make(GraphKind::kBipartite, true, true);
  save_graph(path, graph.graph, graph.names);
  const auto bytes = read(path);
  for (std::size_t size = 0; size < bytes.size(); size += size < 160 ? 1 : 37) {
    write(cut, bytes.substr(0, size));
    EXPECT_NE(data_error(cut), "") << size;
  }
  write(cut, bytes + "x");
  EXPECT_NE(data_error(cut), "");
}

TEST(GraphFile, EveryFlippedByteIsAnError) {
  const auto path = scratch("g.bin"), bad = scratch("bad.bin");
  const auto graph = make(GraphKind::kUndirected, false, true);
  save_graph(path, graph.graph, graph.names);
  auto bytes = read(path);
  for (std::size_t i = 0; i < bytes.size(); i += i < 128 ? 1 : 5) {
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
    write(bad, bytes);
    EXPECT_NE(data_error(bad), "") << i;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
  }
}

/// Changes one number and makes both checksums right again, as a hostile or buggy writer would.
template <class T>
std::string forged(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  const auto body = static_cast<std::uint32_t>(crc32_z(0, data + 128, bytes.size() - 128));
  std::memcpy(bytes.data() + 120, &body, 4);
  const auto head = static_cast<std::uint32_t>(crc32_z(0, data, 124));
  std::memcpy(bytes.data() + 124, &head, 4);
  return bytes;
}

TEST(GraphFile, ForgedChecksumsDoNotOpenTheDoor) {
  const auto path = scratch("g.bin"), bad = scratch("bad.bin");
  const auto graph = make(GraphKind::kUndirected, false, true);
  save_graph(path, graph.graph, graph.names);
  const auto bytes = read(path);
  write(bad, forged(bytes, 72, graph.counts.read));
  EXPECT_EQ(data_error(bad), "");  // a valid change passes, so forged() does what it says
  const auto refused = [&](std::size_t at, auto value, const std::string& expected) {
    write(bad, forged(bytes, at, value));
    const auto what = data_error(bad);
    EXPECT_NE(what.find(expected), std::string::npos) << at << ": " << what;
  };
  refused(8, std::uint32_t{0x04030201}, "byte order");
  refused(12, std::uint32_t{2}, "format 2");
  refused(16, std::uint32_t{3}, "inconsistent");
  refused(24, std::int64_t{1} << 40, "inconsistent");
  refused(24, std::int64_t{-1}, "inconsistent");
  refused(32, std::int64_t{1} << 62, "inconsistent");
  refused(40, std::int64_t{51}, "inconsistent");
  refused(48, std::int64_t{-64}, "inconsistent");
  refused(128 + 8, std::int64_t{1} << 40, "offsets");
  const std::size_t neighbors = 128 + 448;  // 51 offsets, rounded up to 64 bytes
  refused(neighbors, NodeId{50}, "neighbour");
  refused(neighbors, NodeId{-1}, "neighbour");
}

TEST(GraphFile, ForeignAndMissingFiles) {
  const auto path = scratch("foreign.bin");
  write(path, std::string(1000, 'x'));
  EXPECT_NE(data_error(path).find("not a binary graph"), std::string::npos);
  for (const auto& unreadable : {scratch("missing.bin"), fs::path(path).parent_path().string()}) {
    try {
      load_graph_file(unreadable);
      ADD_FAILURE() << unreadable;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIo);
      EXPECT_NE(std::string(error.what()).find(unreadable), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mcns

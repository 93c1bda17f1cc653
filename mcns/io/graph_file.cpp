#include "mcns/io/graph_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include <zlib.h>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/files.h"
#include "mcns/io/mapped_file.h"

namespace mcns {
namespace {

constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kAlign = 64;

constexpr std::uint32_t kWeighted = 1, kTextNames = 2;  // flags

constexpr std::array<char, 8> magic_bytes() {
  std::array<char, 8> out{};
  std::ranges::copy(kGraphMagic, out.begin());
  return out;
}

struct Header {
  std::array<char, 8> magic = magic_bytes();
  std::uint32_t byte_order = kByteOrder, version = kVersion;
  std::uint32_t kind = 0, flags = 0;
  std::int64_t nodes = 0, arcs = 0, users = 0;
  std::int64_t name_bytes = 0;
  std::int64_t read = 0, merged = 0, self_loops = 0;
  std::uint64_t file_bytes = 0;
  std::array<std::uint32_t, 8> reserved = {};
  std::uint32_t data_crc = 0;    ///< of everything behind the header
  std::uint32_t header_crc = 0;  ///< of the bytes before this field
};
static_assert(sizeof(Header) == 128 && std::is_trivially_copyable_v<Header>);

struct Bytes {
  const void* data;
  std::uint64_t size;
};

constexpr std::uint64_t aligned(std::uint64_t size) {
  return (size + kAlign - 1) / kAlign * kAlign;
}

std::uint32_t header_crc(const Header& header) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(&header), offsetof(Header, header_crc)));
}

/// Names as they lie in the file: numbers where all are plain integers, else offsets and text.
struct PackedNames {
  std::vector<std::int64_t> numbers;  ///< ids, or nodes + 1 offsets into `text`
  std::string text;
  bool is_text = false;
};

PackedNames pack(const Names& names) {
  PackedNames out;
  out.numbers.reserve(names.size() + 1);
  for (NodeId row = 0; row < names.size() && !out.is_text; ++row) {
    const auto id = plain_integer(names.name(row));
    out.is_text = !id;
    if (id) out.numbers.push_back(*id);
  }
  if (!out.is_text) return out;
  out.numbers.assign(1, 0);
  for (NodeId row = 0; row < names.size(); ++row) {
    out.text += names.name(row);
    out.numbers.push_back(static_cast<std::int64_t>(out.text.size()));
  }
  return out;
}

/// Calls sink(data, size) for every section and for the zeros between them.
template <class Sink>
void emit(const std::vector<Bytes>& sections, const Sink& sink) {
  static constexpr std::array<char, kAlign> kZeros = {};
  for (const auto& section : sections) {
    sink(section.data, section.size);
    sink(kZeros.data(), aligned(section.size) - section.size);
  }
}

/// Hands out the sections one after the other. The sizes come from a checked header.
class Cursor {
 public:
  explicit Cursor(std::string_view file) : at_(file.data() + sizeof(Header)) {}
  template <class T>
  std::span<const T> take(std::int64_t count) {
    const auto* begin = reinterpret_cast<const T*>(at_);
    at_ += aligned(static_cast<std::uint64_t>(count) * sizeof(T));
    return {begin, static_cast<std::size_t>(count)};
  }

 private:
  const char* at_;
};

std::uint64_t expected_bytes(const Header& header) {
  const auto nodes = static_cast<std::uint64_t>(header.nodes);
  const auto arcs = static_cast<std::uint64_t>(header.arcs);
  const bool text = (header.flags & kTextNames) != 0;
  return sizeof(Header) + aligned((nodes + 1) * sizeof(EdgeId)) + aligned(arcs * sizeof(NodeId)) +
         ((header.flags & kWeighted) != 0 ? aligned(arcs * sizeof(float)) : 0) +
         aligned((nodes + (text ? 1 : 0)) * sizeof(std::int64_t)) +
         aligned(static_cast<std::uint64_t>(header.name_bytes));
}

Header check_header(const std::string& path, std::string_view file) {
  Header header;
  if (file.size() < sizeof header ||
      std::memcmp(file.data(), kGraphMagic.data(), kGraphMagic.size()) != 0)
    throw_bad_data(path, 0, "not a binary graph; `mcns data convert IN OUT.bin` makes one");
  std::memcpy(&header, file.data(), sizeof header);
  if (header.byte_order != kByteOrder)
    throw_bad_data(path, 0, "written on a machine with another byte order; convert it again here");
  if (header.version != kVersion)
    throw_bad_data(
        path, 0,
        fmt::format("format {} of the binary graph, this program reads {}; read it with the "
                    "version of mcns that wrote it, or make it anew from its source",
                    header.version, kVersion));
  if (header.header_crc != header_crc(header)) throw_bad_data(path, 0, "damaged header");
  if (header.file_bytes != file.size())
    throw_bad_data(path, 0,
                   fmt::format("truncated or damaged: {} bytes, {} were written", file.size(),
                               header.file_bytes));
  // The bounds keep the arithmetic of expected_bytes from overflowing.
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  const bool sound = header.kind <= static_cast<std::uint32_t>(GraphKind::kBipartite) &&
                     header.nodes >= 0 && header.nodes < std::numeric_limits<NodeId>::max() &&
                     header.arcs >= 0 && header.arcs < kMost && header.users >= 0 &&
                     header.users <= header.nodes && header.name_bytes >= 0 &&
                     header.name_bytes < kMost && header.flags <= (kWeighted | kTextNames) &&
                     header.read >= 0 && header.merged >= 0 && header.self_loops >= 0 &&
                     expected_bytes(header) == header.file_bytes;
  if (!sound) throw_bad_data(path, 0, "header is inconsistent");
  return header;
}

bool is_ascending(std::span<const std::int64_t> offsets, std::int64_t last) {
  return offsets.front() == 0 && offsets.back() == last && std::ranges::is_sorted(offsets);
}

/// Neighbours ascend; repeated ones are those of --duplicates keep. Users have items only, and
/// items users.
void check_rows(const std::string& path, const Graph::Arrays& arrays, const Header& header) {
  const bool sides = static_cast<GraphKind>(header.kind) == GraphKind::kBipartite;
  for (std::int64_t u = 0; u < header.nodes; ++u) {
    const auto row =
        arrays.neighbors.subspan(arrays.offsets[u], arrays.offsets[u + 1] - arrays.offsets[u]);
    if (!std::ranges::is_sorted(row))
      throw_bad_data(path, 0, fmt::format("the neighbours of node {} do not ascend", u));
    if (row.empty() || !sides) continue;
    if (u < header.users ? row.front() < header.users : row.back() >= header.users)
      throw_bad_data(path, 0,
                     fmt::format("an edge of node {} does not join a user and an item", u));
  }
}

/// Every arc (u, v) has its (v, u) with the same weight. Rows ascend, so the arcs into a node come
/// in the order of its own row: O(arcs).
void check_symmetry(const std::string& path, const Graph::Arrays& arrays) {
  std::vector<EdgeId> next(arrays.offsets.begin(), arrays.offsets.end() - 1);
  for (std::size_t u = 0; u < next.size(); ++u)
    for (EdgeId arc = arrays.offsets[u]; arc < arrays.offsets[u + 1]; ++arc) {
      const NodeId v = arrays.neighbors[arc];
      const EdgeId back = next[v]++;
      if (back >= arrays.offsets[v + 1] || arrays.neighbors[back] != static_cast<NodeId>(u))
        throw_bad_data(path, 0, fmt::format("the edge of nodes {} and {} has one direction", u, v));
      // Bits, as NaN differs from itself and is named later.
      if (!arrays.weights.empty() && std::bit_cast<std::uint32_t>(arrays.weights[back]) !=
                                         std::bit_cast<std::uint32_t>(arrays.weights[arc]))
        throw_bad_data(path, 0, fmt::format("the edge of nodes {} and {} has two weights", u, v));
    }
}

void check_weights(const std::string& path, std::span<const float> weights) {
  for (const float w : weights)
    if (!(w >= 0 && w <= std::numeric_limits<float>::max()))
      throw_bad_data(path, 0, fmt::format("an edge weighs {}, expected a finite number >= 0", w));
  if (!weights.empty() && std::ranges::all_of(weights, [](float w) { return w == 0; }))
    throw_bad_data(path, 0, "all edges weigh 0");
}

/// The checksum does not show that the file holds a valid graph.
void check_arrays(const std::string& path, const Graph::Arrays& arrays, const Header& header) {
  if (!is_ascending(arrays.offsets, header.arcs)) throw_bad_data(path, 0, "offsets do not ascend");
  NodeId low = 0, high = -1;
  for (const NodeId v : arrays.neighbors) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (low < 0 || high >= header.nodes)
    throw_bad_data(path, 0, fmt::format("a neighbour is no node of 0..{}", header.nodes - 1));
  check_rows(path, arrays, header);
  if (static_cast<GraphKind>(header.kind) != GraphKind::kDirected) check_symmetry(path, arrays);
  if (!arrays.weights.empty()) check_weights(path, arrays.weights);
}

/// No two nodes of a side have one name: the second could never be asked for. `keys` stand for the
/// names of rows: equal ones have equal keys, and `same` compares two names of equal keys.
template <class Key, class Same>
void check_distinct(const std::string& path, std::vector<std::pair<Key, NodeId>>& keys,
                    const Header& header, const Same& same) {
  const bool sides = static_cast<GraphKind>(header.kind) == GraphKind::kBipartite;
  const auto middle = keys.begin() + (sides ? header.users : 0);
  for (const auto& [begin, end] :
       {std::pair(keys.begin(), middle), std::pair(middle, keys.end())}) {
    if (std::is_sorted(begin, end) &&
        std::adjacent_find(begin, end, [](auto& a, auto& b) { return a.first == b.first; }) == end)
      continue;
    std::sort(begin, end);
    for (auto first = begin; first != end; ++first)
      for (auto next = first + 1; next != end && next->first == first->first; ++next)
        if (same(first->second, next->second))
          throw_bad_data(
              path, 0,
              fmt::format("nodes {} and {} have the same id", first->second, next->second));
  }
}

Names number_names(const std::string& path, const Header& header, Cursor& cursor) {
  const auto ids = cursor.take<std::int64_t>(header.nodes);
  std::vector<std::pair<std::int64_t, NodeId>> keys;
  keys.reserve(ids.size());
  for (const std::int64_t id : ids) {
    if (id < 0) throw_bad_data(path, 0, fmt::format("{} is no id, expected a number >= 0", id));
    keys.emplace_back(id, static_cast<NodeId>(keys.size()));
  }
  check_distinct(path, keys, header, [](NodeId, NodeId) { return true; });
  return Names(std::vector<std::int64_t>(ids.begin(), ids.end()));
}

Names unpack_names(const std::string& path, const Header& header, Cursor& cursor) {
  if ((header.flags & kTextNames) == 0) return number_names(path, header, cursor);
  const auto offsets = cursor.take<std::int64_t>(header.nodes + 1);
  const auto text = cursor.take<char>(header.name_bytes);
  if (!is_ascending(offsets, header.name_bytes)) throw_bad_data(path, 0, "names are damaged");
  std::vector<std::string> names;
  std::vector<std::pair<std::size_t, NodeId>> keys;
  names.reserve(header.nodes);
  keys.reserve(header.nodes);
  for (std::int64_t i = 0; i < header.nodes; ++i) {
    names.emplace_back(text.data() + offsets[i], text.data() + offsets[i + 1]);
    if (names.back().empty()) throw_bad_data(path, 0, fmt::format("node {} has no id", i));
    if (const std::string problem = id_problem(names.back()); !problem.empty())
      throw_bad_data(path, 0, problem);
    keys.emplace_back(std::hash<std::string>()(names.back()), static_cast<NodeId>(i));
  }
  check_distinct(path, keys, header, [&](NodeId a, NodeId b) { return names[a] == names[b]; });
  return Names(names);
}

}  // namespace

void save_graph(const std::string& path, const Graph& graph, const Names& names,
                const BuildCounts& counts) {
  MCNS_ASSERT(names.size() == graph.num_nodes());
  const auto& arrays = graph.arrays();
  const auto packed = pack(names);
  std::vector<Bytes> sections = {{arrays.offsets.data(), arrays.offsets.size_bytes()},
                                 {arrays.neighbors.data(), arrays.neighbors.size_bytes()}};
  if (graph.is_weighted()) sections.push_back({arrays.weights.data(), arrays.weights.size_bytes()});
  sections.push_back({packed.numbers.data(), packed.numbers.size() * sizeof(std::int64_t)});
  sections.push_back({packed.text.data(), packed.text.size()});

  Header header;
  header.kind = static_cast<std::uint32_t>(graph.kind());
  header.flags = (graph.is_weighted() ? kWeighted : 0U) | (packed.is_text ? kTextNames : 0U);
  header.nodes = graph.num_nodes();
  header.arcs = graph.num_arcs();
  header.users = graph.num_users();
  header.name_bytes = static_cast<std::int64_t>(packed.text.size());
  header.read = counts.read;
  header.merged = counts.merged;
  header.self_loops = counts.self_loops;
  header.file_bytes = expected_bytes(header);
  uLong crc = 0;
  emit(sections, [&](const void* data, std::uint64_t size) {
    if (size != 0) crc = crc32_z(crc, static_cast<const Bytef*>(data), size);
  });
  header.data_crc = static_cast<std::uint32_t>(crc);
  header.header_crc = header_crc(header);

  AtomicFile file(path);
  file.write(&header, sizeof header);
  emit(sections, [&](const void* data, std::uint64_t size) { file.write(data, size); });
  file.commit();
}

NamedGraph load_graph_file(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const auto bytes = file->bytes();
  const Header header = check_header(path, bytes);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data() + sizeof header),
                           bytes.size() - sizeof header);
  if (crc != header.data_crc) throw_bad_data(path, 0, "damaged: the checksum differs");

  Cursor cursor(bytes);
  Graph::Arrays arrays;
  arrays.offsets = cursor.take<EdgeId>(header.nodes + 1);
  arrays.neighbors = cursor.take<NodeId>(header.arcs);
  if ((header.flags & kWeighted) != 0) arrays.weights = cursor.take<float>(header.arcs);
  check_arrays(path, arrays, header);
  NamedGraph out;
  out.names = unpack_names(path, header, cursor);
  out.graph =
      Graph(arrays, static_cast<GraphKind>(header.kind), static_cast<NodeId>(header.users), file);
  out.counts = {header.read, header.merged, header.self_loops};
  return out;
}

RawEdges read_graph_edges(const std::string& path) {
  const NamedGraph named = load_graph_file(path);
  const Graph& graph = named.graph;
  const Names& names = named.names;
  RawEdges out;
  out.user_item = graph.is_bipartite();
  out.directed = graph.is_directed();
  auto edges = edge_list(graph);
  out.pairs = std::move(edges.pairs);
  out.values = std::move(edges.weights);
  std::vector<bool> seen(graph.num_nodes());
  for (const auto& [u, v] : out.pairs) seen[u] = seen[v] = true;
  for (NodeId v = 0; v < graph.num_nodes(); ++v)
    if (!seen[v])
      (out.user_item && v >= graph.num_users() ? out.isolated_items : out.isolated).push_back(v);

  std::vector<NodeId> ids(graph.num_nodes());
  for (NodeId v = 0; v < graph.num_nodes() && out.numeric; ++v) {
    const auto id = plain_integer(names.name(v));
    out.numeric = id && *id <= std::numeric_limits<NodeId>::max();
    if (out.numeric) ids[v] = static_cast<NodeId>(*id);
  }
  if (!out.numeric) {
    for (NodeId v = 0; v < graph.num_nodes(); ++v) out.names.push_back(names.name(v));
    return out;  // rows index the names
  }
  for (auto& [u, v] : out.pairs) u = ids[u], v = ids[v];
  for (auto* isolated : {&out.isolated, &out.isolated_items})
    for (NodeId& v : *isolated) v = ids[v];
  return out;
}

}  // namespace mcns

#include "mcns/io/load_options.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include "mcns/core/error.h"
#include "mcns/io/input.h"
#include "mcns/io/raw_edges.h"
#include "mcns/io/text_layout.h"
#include "mcns/io/text_sample.h"

namespace mcns {
namespace {

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

// The first word of a table is the default.
constexpr Word<Bipartite> kBipartite[] = {
    {"none", Bipartite::kNone}, {"shared", Bipartite::kShared}, {"separate", Bipartite::kSeparate}};
enum class Duplicates { kMerge, kKeep, kLast };
constexpr Word<Duplicates> kDuplicates[] = {
    {"merge", Duplicates::kMerge}, {"keep", Duplicates::kKeep}, {"last", Duplicates::kLast}};
constexpr Word<std::optional<bool>> kHeader[] = {{"auto", {}}, {"yes", true}, {"no", false}};
constexpr Word<SelfLoops> kSelfLoops[] = {{"drop", SelfLoops::kDrop}, {"keep", SelfLoops::kKeep}};

template <class Value, std::size_t n>
Value value_of(const char* flag, const std::optional<std::string>& given,
               const Word<Value> (&table)[n]) {
  if (!given) return table[0].value;
  const auto found = std::ranges::find(table, std::string_view(*given), &Word<Value>::word);
  if (found != std::end(table)) return found->value;
  std::vector<std::string> known;
  for (const auto& entry : table) known.emplace_back(entry.word);
  throw_unknown(fmt::format("value of {}", flag), *given, known);
}

template <class Value, std::size_t n>
std::string word_of(Value value, const Word<Value> (&table)[n]) {
  return std::string(std::ranges::find(table, value, &Word<Value>::value)->word);
}

std::string ending(const std::string& path) {
  return std::filesystem::path(unpacked_name(path)).extension().string();
}

}  // namespace

Bipartite LoadOptions::bipartite_kind() const {
  return value_of("--bipartite", bipartite, kBipartite);
}

Repeated LoadOptions::repeated() const {
  const Duplicates kind = value_of("--duplicates", duplicates, kDuplicates);
  return kind == Duplicates::kKeep ? Repeated::kKeep : Repeated::kMerge;
}

bool LoadOptions::keeps_last() const {
  return value_of("--duplicates", duplicates, kDuplicates) == Duplicates::kLast;
}

std::string LoadOptions::format_name() const {
  const std::string name = format.value_or("auto");
  return name == "auto" ? "" : name;
}

TextOptions LoadOptions::text() const {
  TextOptions out;
  out.columns = ColumnSpec(columns.value_or(""));
  out.separator = separator_of(sep.value_or("auto"));
  out.header = value_of("--header", header, kHeader);
  out.min_rating = min_rating;
  if (bipartite) out.user_item = bipartite_kind() != Bipartite::kNone;
  return out;
}

SelfLoops LoadOptions::self_loops_kind() const {
  return value_of("--self-loops", self_loops, kSelfLoops);
}

GraphKind LoadOptions::graph_kind() const {
  if (bipartite_kind() == Bipartite::kNone)
    return is_directed() ? GraphKind::kDirected : GraphKind::kUndirected;
  require(!is_directed(), "a user-item graph has no direction: drop --directed or --bipartite");
  return GraphKind::kBipartite;
}

ColumnSpec LoadOptions::label_spec() const {
  return label_columns ? ColumnSpec::of_labels(*label_columns) : ColumnSpec();
}

void LoadOptions::check() const {
  graph_kind();
  repeated();
  self_loops_kind();
  text();
  label_spec();
  require(core.value_or(0) >= 0, "--core must be a number from 0, got {}", *core);
  require(std::isfinite(min_rating.value_or(0)), "--min-rating must be a number");
}

std::string bipartite_word(Bipartite kind) { return word_of(kind, kBipartite); }

LoadOptions completed(LoadOptions given, const LoadOptions& other) {
  for_each_load_field([&](const char*, auto member, const char*) {
    if (!(given.*member)) given.*member = other.*member;
  });
  if (!given.on_read) given.on_read = other.on_read;
  return given;
}

LoadOptions for_task(LoadOptions given, Task task, std::optional<Bipartite> known) {
  const bool recommend = task == Task::kRecommend;
  if (given.bipartite) {
    require(!recommend || given.bipartite_kind() != Bipartite::kNone,
            "--task recommend needs a user-item graph: --bipartite shared or separate, got none");
    return given;
  }
  const Bipartite kind = known.value_or(recommend ? Bipartite::kSeparate : Bipartite::kNone);
  // Unset and not "none": the format of the file may still say that it has users and items.
  if (kind != Bipartite::kNone) given.bipartite = bipartite_word(kind);
  return given;
}

LoadOptions settled(LoadOptions given, const RawEdges& edges, const std::string& path) {
  const bool named = edges.named_user_item && !given.is_directed();
  if ((edges.user_item || named) && !given.bipartite)
    given.bipartite = bipartite_word(Bipartite::kSeparate);
  if (given.format_name().empty()) given.format.reset();
  const Bipartite kind = given.bipartite_kind();
  require(!edges.user_item || kind != Bipartite::kNone,
          "{} has users and items with ids of their own, which --bipartite none would mix; valid: "
          "shared, separate",
          path);
  if (edges.directed && !given.directed) given.directed = kind == Bipartite::kNone;
  given.check();
  LoadOptions found;
  found.bipartite = word_of(kind, kBipartite);
  found.directed = given.is_directed();
  found.duplicates = std::string(kDuplicates[0].word);
  found.self_loops = word_of(given.self_loops_kind(), kSelfLoops);
  found.format = edges.report.format;
  found.sep = "auto";
  found.header = std::string(kHeader[0].word);
  return completed(given, found);
}

void require_saved_as(const LoadOptions& given, const Graph& graph, const std::string& path) {
  const bool two = given.bipartite_kind() != Bipartite::kNone;
  require(!given.bipartite || two == graph.is_bipartite(),
          "{} was saved as {}; convert its source again with --bipartite", path,
          graph.is_bipartite() ? "users and items" : "one set of nodes");
  require(!given.directed || *given.directed == graph.is_directed(),
          "{} was saved {} directions; convert its source again {} --directed", path,
          graph.is_directed() ? "with" : "without", graph.is_directed() ? "without" : "with");
}

std::string format_beside(const std::string& path, const std::string& first,
                          const std::string& format) {
  return ending(path) == ending(first) ? format : "";
}

}  // namespace mcns

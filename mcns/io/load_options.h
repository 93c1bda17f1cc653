// How a graph file is read: one struct with one visitor over it. The flags of every command that
// reads a graph, their help and the "load" part of run.json come from for_each_load_option.
//
// A field without a value means that the user gave none: the format of the file decides, else the
// default of the accessors. Words become values in load_options.cpp only.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mcns/core/graph.h"
#include "mcns/core/task.h"

namespace mcns {

struct RawEdges;
struct ReadReport;
struct TextOptions;
class ColumnSpec;

enum class Bipartite {
  kNone,      ///< one set of nodes
  kShared,    ///< first column users, second items, one id space: no id may be both
  kSeparate,  ///< first column users, second items, two id spaces
};

struct LoadOptions {
  std::optional<std::string> bipartite;
  std::optional<bool> directed;
  std::optional<std::string> duplicates, self_loops, format, columns, sep, header;
  std::optional<double> min_rating;
  std::optional<int> core;
  std::optional<std::string> label_columns;
  /// Told what was understood of the graph's file, once it is read; may be empty.
  std::function<void(const ReadReport&)> on_read = {};

  /// Values of the words; an unknown word is an Error of kind kUsage that lists the known ones.
  Bipartite bipartite_kind() const;
  bool is_directed() const { return directed.value_or(false); }
  Repeated repeated() const;
  /// Of repeated edges only the last one counts.
  bool keeps_last() const;
  SelfLoops self_loops_kind() const;
  /// One of edge_formats(); empty: by the file.
  std::string format_name() const;
  /// How text is read. Throws as above.
  TextOptions text() const;
  ColumnSpec label_spec() const;
  /// Throws for a user-item graph with directions.
  GraphKind graph_kind() const;

  /// Throws what the accessors would throw: to be called before a large file is read.
  void check() const;
};

/// Calls f(name, member, help) for every field; the only list of them.
template <class F>
void for_each_load_field(F&& f) {
  f("bipartite", &LoadOptions::bipartite,
    "none; or users in column 1 and items in column 2, with one id space (shared) or two "
    "(separate)");
  f("directed", &LoadOptions::directed, "edges have a direction");
  f("duplicates", &LoadOptions::duplicates,
    "repeated edges: merge (add their weights, where weights are in use), keep all, or keep the "
    "last (by time, else by line)");
  f("self-loops", &LoadOptions::self_loops, "edges from a node to itself: drop or keep");
  f("format", &LoadOptions::format,
    "format of the input: auto (by name and content) or one that mcns doctor lists");
  f("columns", &LoadOptions::columns,
    "which columns are what, as user=userId,item=2: user and item or source and target, weight, "
    "rating, time, label; by name in the header or by number from 1");
  f("sep", &LoadOptions::sep,
    "separator of columns: auto, tab, comma, semicolon, pipe, blank, or itself");
  f("header", &LoadOptions::header, "whether the first line is a header: yes, no, auto");
  f("min-rating", &LoadOptions::min_rating,
    "keep only edges whose rating is at least this; ratings are no weights");
  f("core", &LoadOptions::core,
    "keep only the k-core: edges of nodes that have at least this many in it");
  f("label-columns", &LoadOptions::label_columns,
    "columns of --labels, as node=id,label=subject, by name or number");
}

/// Calls f(name, value, help) for every field of `options`, which may be const.
template <class Options, class F>
void for_each_load_option(Options& options, F&& f) {
  for_each_load_field(
      [&](const char* name, auto member, const char* help) { f(name, options.*member, help); });
}

/// "none", "shared" or "separate"
std::string bipartite_word(Bipartite kind);

/// `given`, and from `other` what it leaves unset.
LoadOptions completed(LoadOptions given, const LoadOptions& other);

/// How `task` reads a graph where the user does not say: as `known`, what the table of datasets
/// has, else recommend as users and items with ids of their own. Refuses recommend on one set.
LoadOptions for_task(LoadOptions given, Task task, std::optional<Bipartite> known = {});

/// Every field set: what the user gave, else what the format of the file at `path` says, else the
/// default. Throws where the user contradicts the format.
LoadOptions settled(LoadOptions given, const RawEdges& edges, const std::string& path);

/// Throws where the options contradict a graph that is as it was saved at `path`.
void require_saved_as(const LoadOptions& given, const Graph& graph, const std::string& path);

/// The format of `path` beside a file `first` that is read as `format`: the same where both names
/// have the same ending, else empty (by the name).
std::string format_beside(const std::string& path, const std::string& first,
                          const std::string& format);

}  // namespace mcns

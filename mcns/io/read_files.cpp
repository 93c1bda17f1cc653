#include "mcns/io/read_files.h"

#include "mcns/core/error.h"
#include "mcns/io/memory_files.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/select_edges.h"

namespace mcns {
namespace {

/// The format of a held-out file: that of the training file where the options say that it is text
/// or the names end alike; else empty.
std::string held_out_format(const DatasetFiles& files, const std::string& path,
                            const LoadOptions& given) {
  std::string format = given.format_name();
  return format == "edges" ? format : format_beside(path, files.train, format);
}

const RawEdges* in_memory(const DatasetFiles& files, const std::string& path) {
  if (!files.memory) return nullptr;
  const auto found = files.memory->edges.find(path);
  return found == files.memory->edges.end() ? nullptr : found->second.get();
}

}  // namespace

void take_memory(SourceFile& table, const LoadOptions& given, Times times) {
  require(!given.columns && !given.sep && !given.header && !given.min_rating &&
              given.format_name().empty(),
          "{}: --columns, --sep, --header, --format and --min-rating are for files; this table is "
          "in memory",
          table.path);
  RawEdges& edges = table.edges;
  if (times == Times::kNeed && edges.times.empty())
    throw_bad_data(table.path, 0, "the pairs have no times");
  if (times == Times::kDrop && !given.keeps_last()) edges.times = {};
  edges.report.file = table.path;
  edges.report.format = "memory";
  edges.report.rows = std::ssize(edges.pairs);
}

ReadFiles read_files(const DatasetFiles& files, std::optional<Task> task, const LoadOptions& given,
                     ThreadPool& pool, Times times) {
  given.check();
  require(!files.train.empty(), "no training file was given");
  TextOptions text = given.text();
  text.times = times == Times::kDrop && given.keeps_last() ? Times::kIfAny : times;
  ReadFiles out;
  if (const RawEdges* table = in_memory(files, files.train)) {
    out.sources.push_back({files.train, *table});
    take_memory(out.sources[0], given, text.times);
  } else {
    out.sources.push_back({files.train, read_edges(files.train, text, pool, given.format_name())});
  }
  out.options = settled(given, out.sources[0].edges, files.train);
  TextOptions judged = out.options.text();
  const bool links =
      task ? *task == Task::kLinkpred : out.options.bipartite_kind() == Bipartite::kNone;
  judged.third = links ? ThirdColumn::kLabel : ThirdColumn::kIgnore;
  std::vector<std::string> warnings;
  for (const std::string& path : {files.valid, files.test}) {
    if (path.empty()) continue;
    if (const RawEdges* table = in_memory(files, path)) {
      out.sources.push_back({path, *table});
      if (judged.third != ThirdColumn::kLabel) out.sources.back().edges.values = {};
      continue;
    }
    const std::string format = held_out_format(files, path, given);
    out.sources.push_back({path, read_edges(path, judged, pool, format)});
    const auto& more = out.sources.back().edges.report.warnings;
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  auto& all = out.sources[0].edges.report.warnings;
  all.insert(all.end(), warnings.begin(), warnings.end());
  return out;
}

void select_training_edges(RawEdges& edges, const LoadOptions& options, const std::string& path) {
  const SameEdges same{options.bipartite_kind() == Bipartite::kSeparate, options.is_directed()};
  if (options.keeps_last()) edges.report.merged += keep_last(edges, same);
  const int core = options.core.value_or(0);
  if (core < 1) return;
  edges.report.out_of_core = keep_core(edges, core, same);
  if (edges.pairs.empty())
    throw_bad_data(
        path, 0, fmt::format("nothing is left: no edges have ends with {} neighbours each", core));
}

}  // namespace mcns

#include "mcns/io/get_dataset.h"

#include <algorithm>
#include <filesystem>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/io/formats/formats.h"
#include "mcns/io/input.h"
#include "mcns/io/sha256.h"
#include "mcns/io/text_file.h"

namespace mcns {
namespace {

std::int64_t lines_of(const std::string& path) {
  const Input file(path);
  const std::string_view text = file.bytes();
  const std::int64_t ends = std::ranges::count(text, '\n');
  return ends + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

/// The parts beside the first file. One that is cut off, or is a page of an error, has other lines.
void get_parts(const Downloadable& dataset, const std::string& folder, bool force,
               const DownloadProgress& progress) {
  const std::string from = dataset.url.substr(0, dataset.url.rfind('/') + 1);
  for (const Downloadable::Part& part : dataset.parts) {
    const auto path = (std::filesystem::path(folder) / part.file).string();
    const bool there =
        std::filesystem::is_regular_file(path) && (part.lines == 0 || lines_of(path) == part.lines);
    if (force || !there) download(from + part.file, path, "", progress);
    const std::int64_t lines = lines_of(path);
    if (part.lines > 0 && lines != part.lines)
      throw_bad_data(path, 0,
                     fmt::format("has {} lines where the authors' file has {}: not the same file, "
                                 "or not all of it",
                                 lines, part.lines));
  }
}

}  // namespace

GetReport get_dataset(const Downloadable& dataset, const std::string& folder, bool force,
                      ThreadPool& pool, const DownloadProgress& progress) {
  namespace fs = std::filesystem;
  GetReport report;
  report.folder = folder;
  report.pinned = !dataset.sha256.empty();
  make_directories(folder);
  const auto file = (fs::path(folder) / dataset.file).string();
  if (!force && fs::is_regular_file(file)) report.digest = sha256_of_file(file);
  report.downloaded = report.digest.empty() || (report.pinned && report.digest != dataset.sha256);
  if (report.downloaded) report.digest = download(dataset.url, file, dataset.sha256, progress);

  get_parts(dataset, folder, force, progress);
  LoadOptions options;
  options.format = dataset.format;
  if (!dataset.parts.empty()) options.bipartite = "shared";
  const auto loaded = load_graph(file, options, pool);
  report.counts = loaded.counts;
  report.edges = loaded.graph.num_edges();
  report.nodes = loaded.graph.num_nodes();
  if (dataset.edges.empty()) return report;
  write_text_edges((fs::path(folder) / dataset.edges).string(), loaded.graph, loaded.names);
  if (dataset.format == "mat") {
    std::vector<LabelLine> lines;
    for (const auto& [node, label] : read_mat(file).labels)
      lines.push_back({std::to_string(node), std::to_string(label)});
    write_labels((fs::path(folder) / "labels.tsv").string(), lines);
  }
  return report;
}

}  // namespace mcns

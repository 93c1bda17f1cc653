#include "mcns/io/get_dataset.h"

#include <filesystem>

#include "mcns/io/files.h"
#include "mcns/io/formats/formats.h"
#include "mcns/io/sha256.h"
#include "mcns/io/text_file.h"

namespace mcns {

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

  LoadOptions options;
  options.format = dataset.format;
  const auto loaded = load_graph(file, options, pool);
  report.counts = loaded.counts;
  report.edges = loaded.graph.num_edges();
  report.nodes = loaded.graph.num_nodes();
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

// Datasets by name: those that come with the program, those in $MCNS_DATA, and those that can be
// downloaded. A dataset is a folder; its files are found by their names:
//   train.* with valid.* (or val.*) and test.*, else edges.*, else ratings.*; labels.* beside them
// where * is tsv, csv or txt, perhaps with .gz or .zst, or (edges) bin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcns/io/dataset.h"

namespace mcns {

struct DatasetEntry {
  std::string name, help;
  Bipartite recommend = Bipartite::kNone;  ///< how the task recommend reads it
  Bipartite otherwise = Bipartite::kNone;  ///< how the other tasks do
};

/// Datasets whose kind is known; others may lie in $MCNS_DATA.
const std::vector<DatasetEntry>& known_datasets();

struct ResolvedDataset {
  std::string name, folder;
  DatasetFiles files;
  std::optional<Bipartite> bipartite;  ///< none where the name is not in the table
};

/// `name_or_folder` with a slash, or "." or "..", is a folder. Other text is looked up as a name in
/// the data that came with the program, then in $MCNS_DATA, and at last as a folder here. An
/// unknown name is an Error of kind kUsage that lists the known ones.
ResolvedDataset resolve_dataset(const std::string& name_or_folder, Task task);

/// A folder that holds a dataset.
struct FoundDataset {
  std::string name, folder;
  bool embedded = false;
};

/// Everything resolve_dataset would find by name, embedded ones first, then by name.
std::vector<FoundDataset> found_datasets();

/// A folder of datasets that comes with the program, beside those known when it was built: for
/// programs that are moved after their build. Before any other call.
void add_embedded_folder(const std::string& folder);

/// Folders that are searched, in order, whether they exist or not.
std::vector<std::string> embedded_folders();
std::optional<std::string> data_folder();  ///< $MCNS_DATA

/// A public dataset of the paper, as its authors offer it.
struct Downloadable {
  std::string name, help, url;
  std::string file;    ///< what the download is called in its folder
  std::string sha256;  ///< empty where no digest is known for certain
  std::string format;  ///< one of edge_formats()
  std::string edges;   ///< what the converted edges are called
  std::string licence;
  /// Further files in the folder of the url: a dataset that comes as train, valid and test keeps
  /// its parts as they are, and `edges` is empty.
  struct Part {
    std::string file;
    std::int64_t lines = 0;  ///< that its authors' file has; 0: not known
  };
  std::vector<Part> parts = {};
};

const std::vector<Downloadable>& downloadable_datasets();

}  // namespace mcns

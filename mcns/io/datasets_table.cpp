#include "mcns/io/datasets_table.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <set>

#include "mcns/core/error.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTextEndings = {".tsv", ".csv", ".txt"};
constexpr std::array kPackings = {"", ".gz", ".zst"};

/// The first of the files `stem`.* that exists; empty if none does.
std::string find_file(const fs::path& folder, std::initializer_list<const char*> stems,
                      bool binary = false) {
  std::error_code ignored;
  for (const std::string stem : stems) {
    for (const auto* ending : kTextEndings)
      for (const auto* packing : kPackings)
        if (const auto path = folder / (stem + ending + packing);
            fs::is_regular_file(path, ignored))
          return path.string();
    if (const auto path = folder / (stem + ".bin"); binary && fs::is_regular_file(path, ignored))
      return path.string();
  }
  return "";
}

DatasetFiles find_files(const fs::path& folder) {
  DatasetFiles files;
  files.train = find_file(folder, {"train"}, true);
  if (!files.train.empty()) {
    files.valid = find_file(folder, {"valid", "val"});
    files.test = find_file(folder, {"test"});
  } else {
    files.train = find_file(folder, {"edges", "ratings"}, true);
  }
  files.labels = find_file(folder, {"labels"});
  return files;
}

bool holds_dataset(const fs::path& folder) { return !find_files(folder).train.empty(); }

const DatasetEntry* find_entry(const std::string& name) {
  const auto& table = known_datasets();
  const auto found = std::ranges::find(table, name, &DatasetEntry::name);
  return found == table.end() ? nullptr : &*found;
}

void add_found(const std::string& root, bool embedded, std::vector<FoundDataset>& out) {
  std::error_code ignored;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(root, ignored))
    if (entry.is_directory(ignored) && holds_dataset(entry.path()))
      names.insert(entry.path().filename().string());
  for (const auto& name : names)
    if (std::ranges::find(out, name, &FoundDataset::name) == out.end())
      out.push_back({name, (fs::path(root) / name).string(), embedded});
}

std::vector<std::string>& moved_folders() {
  static std::vector<std::string> folders;
  return folders;
}

bool is_spelled_as_folder(const std::string& text) {
  return text.find('/') != text.npos || text == "." || text == "..";
}

std::string find_folder(const std::string& name) {
  const auto found = found_datasets();
  const auto by_name = std::ranges::find(found, name, &FoundDataset::name);
  if (by_name != found.end()) return by_name->folder;
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) return name;
  const auto& offered = downloadable_datasets();
  if (std::ranges::find(offered, name, &Downloadable::name) != offered.end())
    throw_error(ErrorKind::kUsage,
                "dataset '{0}' is not here; `mcns data get {0}` downloads it, $MCNS_DATA names the "
                "folder of datasets",
                name);
  std::vector<std::string> known;
  known.reserve(found.size() + offered.size());
  for (const auto& dataset : found) known.push_back(dataset.name);
  for (const auto& dataset : offered) known.push_back(dataset.name);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw_unknown("dataset", name, known);
}

}  // namespace

const std::vector<DatasetEntry>& known_datasets() {
  using enum Bipartite;
  static const std::vector<DatasetEntry> table = {
      {"debian", "packages, their dependencies, section as label", kSeparate, kNone},
      {"ml-100k", "MovieLens 100K: users, films, ratings", kSeparate, kSeparate},
      {"amazon-electronics", "Amazon Electronics reviews, 5-core", kSeparate, kSeparate},
      {"amazon-electronics-small", "Amazon Electronics, a 10-core", kSeparate, kSeparate},
      {"gowalla", "check-ins, the split of LightGCN", kSeparate, kSeparate},
      {"taobao-ghcf", "Taobao purchases", kSeparate, kSeparate},
      {"alibaba", "the paper's Alibaba data: users and items, ids in one space", kShared, kShared},
      {"amazon", "the paper's Amazon data: users and items, ids in one space", kShared, kShared},
      {"ca-grqc", "arXiv GR-QC co-authorship", kNone, kNone},
      {"blogcatalog", "bloggers, 39 groups as labels", kNone, kNone},
      {"cora", "citations, 7 subjects as labels", kNone, kNone},
      {"pubmed", "citations, 3 subjects as labels", kNone, kNone},
      {"wikipedia-pos", "words, 40 parts of speech as labels", kNone, kNone},
      {"npm-deps", "npm packages and their dependencies", kSeparate, kNone},
  };
  return table;
}

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Downloadable>& downloadable_datasets() {
  static const std::string authors =
      "https://raw.githubusercontent.com/zyang-16/MCNS/91d34f2b1113ed619dcd3c713efc1c7bc9f204a9/"
      "recommendation/data/";
  static const std::string authors_licence = "no licence stated; https://github.com/zyang-16/MCNS";
  static const std::vector<Downloadable> table = {
      {.name = "ml-100k",
       .help = "MovieLens 100K (2 MB)",
       .url = "https://files.grouplens.org/datasets/movielens/ml-100k/u.data",
       .file = "u.data",
       .sha256 = "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490",
       .format = "movielens",
       .edges = "ratings.tsv",
       .licence = "research use, no redistribution; https://grouplens.org/datasets/movielens/100k"},
      {.name = "amazon-electronics",
       .help = "Amazon Electronics 5-core reviews (496 MB)",
       .url = "https://snap.stanford.edu/data/amazon/productGraph/categoryFiles/"
              "reviews_Electronics_5.json.gz",
       .file = "reviews_Electronics_5.json.gz",
       .sha256 = "",
       .format = "amazon",
       .edges = "ratings.tsv.gz",
       .licence = "research use; https://jmcauley.ucsd.edu/data/amazon"},
      {.name = "ca-grqc",
       .help = "arXiv GR-QC co-authorship, SNAP (0.1 MB)",
       .url = "https://snap.stanford.edu/data/ca-GrQc.txt.gz",
       .file = "ca-GrQc.txt.gz",
       .sha256 = "",
       .format = "edges",
       .edges = "edges.tsv",
       .licence = "no licence stated; https://snap.stanford.edu/data/ca-GrQc.html"},
      {.name = "blogcatalog",
       .help = "BlogCatalog with groups (1 MB)",
       .url = "https://raw.githubusercontent.com/phanein/deepwalk/"
              "6e6dff245e4692e9bea47e9017c1034e51afbf29/example_graphs/blogcatalog.mat",
       .file = "blogcatalog.mat",
       .sha256 = "",
       .format = "mat",
       .edges = "edges.tsv",
       .licence = "no licence stated; ASU Social Computing Repository (Tang and Liu, 2009)"},
      // No digest is known of these two; the lines of their parts are checked instead.
      {.name = "alibaba",
       .help = "the paper's Alibaba data, as its authors split them (159,633 nodes)",
       .url = authors + "alibaba/train.txt",
       .file = "train.txt",
       .sha256 = "",
       .format = "edges",
       .edges = "",
       .licence = authors_licence,
       .parts = {{"valid.txt", 81788}, {"test.txt", 90771}}},
      {.name = "amazon",
       .help = "the paper's Amazon data, as its authors split them",
       .url = authors + "amazon/train.txt",
       .file = "train.txt",
       .sha256 = "",
       .format = "edges",
       .edges = "",
       .licence = authors_licence,
       .parts = {{"valid.txt"}, {"test.txt"}}},
  };
  return table;
}

void add_embedded_folder(const std::string& folder) { moved_folders().push_back(folder); }

std::vector<std::string> embedded_folders() {
  std::vector<std::string> out;
  if (const char* folder = std::getenv("MCNS_EMBEDDED"); folder != nullptr && *folder != '\0')
    out.emplace_back(folder);
  for (const std::string& folder : moved_folders()) out.push_back(folder);
  for (const std::string folder : {MCNS_SOURCE_DATA_DIR, MCNS_INSTALL_DATA_DIR})
    if (!folder.empty()) out.push_back(folder);
  return out;
}

std::optional<std::string> data_folder() {
  const char* folder = std::getenv("MCNS_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  return folder;
}

std::vector<FoundDataset> found_datasets() {
  std::vector<FoundDataset> out;
  for (const auto& root : embedded_folders()) add_found(root, true, out);
  if (const auto root = data_folder()) add_found(*root, false, out);
  return out;
}

ResolvedDataset resolve_dataset(const std::string& name_or_folder, Task task) {
  require(!name_or_folder.empty(), "a dataset needs a name or a folder, got ''");
  ResolvedDataset out;
  if (is_spelled_as_folder(name_or_folder)) {
    out.folder = name_or_folder;
    std::error_code error;
    if (!fs::is_directory(out.folder, error))
      throw_error(ErrorKind::kIo, "{}: not a folder", out.folder);
  } else {
    out.folder = find_folder(name_or_folder);
  }
  const auto absolute = fs::absolute(out.folder).lexically_normal();
  out.name = (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
  out.files = find_files(out.folder);
  if (out.files.train.empty())
    throw_error(ErrorKind::kIo,
                "{}: no train.*, edges.* or ratings.* (tsv, csv, txt) in this folder", out.folder);
  if (const auto* entry = find_entry(out.name))
    out.bipartite = task == Task::kRecommend ? entry->recommend : entry->otherwise;
  return out;
}

}  // namespace mcns

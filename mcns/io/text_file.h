// Text written whole or not at all, packed as its name says: .gz by zlib, .zst by zstd, else plain.
// The same text gives the same bytes (no times or names inside).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"

namespace mcns {

class TextFile {
 public:
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  void write(std::string_view text);
  /// Call once, last; without it nothing stays behind.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One edge a line, with its weight where there are weights; tabs, or commas for .csv. A header is
/// written unless all names are integers, so that no name can pass for one. Isolated nodes have no
/// line. A name that such a file cannot hold is an Error of kind kData.
void write_text_edges(const std::string& path, const Graph& graph, const Names& names);

/// One pair a line, in the order given, with a third column called `third` where there are values;
/// header and names as above, "user" and "item" above the columns where `user_item`.
struct TextPairs {
  std::span<const Pair> pairs;
  std::span<const float> values = {};  ///< as many as pairs, or none
  std::string third = "weight";
  bool user_item = false;
};
void write_text_pairs(const std::string& path, const TextPairs& pairs, const Names& names);

/// Lines of "node, label", in the order given.
struct LabelLine {
  std::string node, label;
};
void write_labels(const std::string& path, const std::vector<LabelLine>& labels);

}  // namespace mcns

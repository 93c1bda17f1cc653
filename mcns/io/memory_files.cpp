#include "mcns/io/memory_files.h"

#include "mcns/io/sha256.h"

namespace mcns {
namespace {

/// Numbers with their count before them, so that no two tables have the same bytes.
template <class T>
void add(Sha256& hash, const std::vector<T>& values) {
  const std::uint64_t size = values.size();
  hash.update(&size, sizeof size);
  if (size > 0) hash.update(values.data(), size * sizeof(T));
}

void add(Sha256& hash, const std::string& text) {
  hash.update(text.c_str(), text.size() + 1);  // ids have no zero byte, which ends each
}

}  // namespace

std::string sha256_of_edges(const RawEdges& edges) {
  Sha256 hash;
  add(hash, edges.pairs);
  add(hash, edges.values);
  add(hash, edges.times);
  add(hash, edges.isolated);
  add(hash, edges.isolated_items);
  for (const std::string& name : edges.names) add(hash, name);
  return hash.finish();
}

std::string sha256_of_labels(const std::vector<NamedLabel>& labels) {
  Sha256 hash;
  for (const auto& [node, label] : labels) {
    add(hash, node);
    add(hash, label);
  }
  return hash.finish();
}

}  // namespace mcns

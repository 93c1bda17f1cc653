#include "mcns/io/read_edges.h"

#include <string_view>

#include "mcns/io/input.h"

namespace mcns {
namespace {

struct EdgeFormat {
  std::string_view ending;
  RawEdges (*read)(const std::string& path, const TextOptions& options, ThreadPool& pool);
};

constexpr EdgeFormat kFormats[] = {
    {".tsv", &read_text_edges},
    {".csv", &read_text_edges},
    {".txt", &read_text_edges},
};

}  // namespace

RawEdges read_edges(const std::string& path, const TextOptions& options, ThreadPool& pool) {
  for (const EdgeFormat& format : kFormats)
    if (unpacked_name(path).ends_with(format.ending)) return format.read(path, options, pool);
  return read_text_edges(path, options, pool);
}

}  // namespace mcns

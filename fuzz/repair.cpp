// Sizes and checksums put right after a mutation: without that, nearly all mutated binary files
// fail at the first check, and what stands behind it is never tried.
#include <algorithm>
#include <cstring>
#include <vector>

#include <zlib.h>

#include "fuzz/targets.h"

namespace mcns::fuzz {
namespace {

std::uint32_t crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <class T>
T get(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::uint64_t aligned(std::uint64_t size) { return (size + 63) / 64 * 64; }

}  // namespace

/// Of a binary graph (io/graph_file.cpp): magic 0, order 8, version 12, kind 16, flags 20, nodes
/// 24, arcs 32, users 40, bytes of names 48, counts 56 to 80, bytes of the file 80, checksum of the
/// data 120, of the header 124.
void repair_graph(std::string& bytes, std::uint64_t choice) {
  constexpr std::size_t kHeader = 128;
  if (bytes.size() < kHeader) bytes.resize(kHeader);
  std::memcpy(bytes.data(), "MCNSGRF\n", 8);
  put<std::uint32_t>(bytes, 8, 0x01020304);
  if (choice % 16 != 0) put<std::uint32_t>(bytes, 12, 1);
  if (choice % 4 != 0) {  // sizes that fit each other
    put<std::uint32_t>(bytes, 16, get<std::uint32_t>(bytes, 16) % 3);
    const std::uint32_t flags = get<std::uint32_t>(bytes, 20) % 4;
    const std::uint64_t nodes = get<std::uint64_t>(bytes, 24) % 48;
    const std::uint64_t arcs = get<std::uint64_t>(bytes, 32) % 128;
    const std::uint64_t names = (flags & 2) != 0 ? get<std::uint64_t>(bytes, 48) % 256 : 0;
    put(bytes, 20, flags);
    put(bytes, 24, nodes);
    put(bytes, 32, arcs);
    put(bytes, 40, get<std::uint64_t>(bytes, 40) % (nodes + 1));
    put(bytes, 48, names);
    for (const std::size_t at : {56, 64, 72}) put(bytes, at, get<std::uint64_t>(bytes, at) >> 1);
    bytes.resize(kHeader + aligned((nodes + 1) * 8) + aligned(arcs * 4) +
                 ((flags & 1) != 0 ? aligned(arcs * 4) : 0) +
                 aligned((nodes + ((flags & 2) != 0 ? 1 : 0)) * 8) + aligned(names));
    if (choice % 8 != 1) {  // offsets that ascend to the number of arcs
      for (std::uint64_t i = 0; i <= nodes; ++i) {
        const std::size_t at = kHeader + i * 8;
        put(bytes, at, std::min(get<std::uint64_t>(bytes, at), arcs));
      }
      auto* offsets = reinterpret_cast<std::uint64_t*>(bytes.data() + kHeader);
      std::sort(offsets, offsets + nodes + 1);
      offsets[0] = 0;
      offsets[nodes] = nodes == 0 ? 0 : arcs;
    }
  }
  put<std::uint64_t>(bytes, 80, bytes.size());
  put(bytes, 120, crc(std::string_view(bytes).substr(kHeader)));
  put(bytes, 124, crc(std::string_view(bytes).substr(0, 124)));
}

/// The length of the header, and data of the size that its shape says.
void repair_npy(std::string& bytes, std::uint64_t choice) {
  constexpr std::size_t kBefore = 10;
  if (bytes.size() < kBefore + 1) bytes.resize(kBefore + 1, ' ');
  std::memcpy(bytes.data(), "\x93NUMPY\x01", 7);
  const std::size_t brace = bytes.find('}', kBefore);
  if (brace == std::string::npos) return;
  const std::size_t length = std::min<std::size_t>(brace + 1 - kBefore, 65535);
  put(bytes, 8, static_cast<std::uint16_t>(length));
  if (choice % 4 == 0) return;
  const std::size_t open = bytes.find('(', kBefore);
  if (open == std::string::npos || open > brace) return;
  std::uint64_t elements = 1, number = 0;
  for (std::size_t i = open + 1; i < brace && bytes[i] != ')'; ++i) {
    if (bytes[i] >= '0' && bytes[i] <= '9')
      number = std::min<std::uint64_t>(number * 10 + (bytes[i] - '0'), 1 << 20);
    if (bytes[i] == ',' || bytes[i + 1] == ')') {
      elements *= number;
      number = 0;
    }
    if (elements > 4096) return;
  }
  const std::size_t size = bytes.find("f8", kBefore) < brace ? 8 : 4;
  bytes.resize(kBefore + length + elements * size);
}

/// Of a saved state (io/checkpoint.cpp): eight bytes of magic, records of a name and bytes, the
/// checksum. Mutations fall on names and sizes mostly, so bytes of a record are changed here too.
void repair_state(std::string& bytes, std::uint64_t choice) {
  constexpr std::size_t kMagic = 8, kSum = 4;
  if (bytes.size() < kMagic + kSum) bytes.resize(kMagic + kSum);
  std::memcpy(bytes.data(), "MCNSCKP1", kMagic);
  struct Place {
    std::size_t at, size;
  };
  std::vector<Place> records;
  for (std::size_t at = kMagic; at + kSum + 12 <= bytes.size();) {
    const std::uint64_t name = get<std::uint32_t>(bytes, at);
    if (name > 64 || at + 12 + name > bytes.size()) break;
    const auto size = get<std::uint64_t>(bytes, at + 4 + name);
    at += 12 + name;
    if (size > bytes.size() - at) break;
    if (size > 0) records.push_back({at, size});
    at += size;
  }
  if (!records.empty() && choice % 4 != 0) {
    constexpr std::uint64_t kValues[] = {0,
                                         1,
                                         2,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x7fffffffffffffff,
                                         ~std::uint64_t{0},
                                         0x7fc000007fc00000,
                                         0x7f8000007f800000,
                                         1ULL << 40};
    const Place place = records[(choice >> 8) % records.size()];
    const std::size_t width = std::min<std::size_t>(place.size, 8);
    const std::uint64_t value = kValues[(choice >> 32) % std::size(kValues)];
    const std::size_t offset = (choice >> 40) % (place.size / width) * width;
    std::memcpy(bytes.data() + place.at + offset, &value, width);
  }
  put(bytes, bytes.size() - kSum, crc(std::string_view(bytes).substr(0, bytes.size() - kSum)));
}

}  // namespace mcns::fuzz

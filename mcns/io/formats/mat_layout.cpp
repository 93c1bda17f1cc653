// A header of 128 bytes, then elements: a type, a size in bytes, the data. An element is a matrix,
// or one that is packed by zlib. A matrix consists of elements itself, padded to 8 bytes each:
// flags, dimensions, name, then its numbers or the matrices in its cells. One of up to 4 bytes has
// type, size and data within 8 bytes.
#include "mcns/io/formats/mat_layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include <zlib.h>

#include "mcns/core/error.h"
#include "mcns/io/input.h"

namespace mcns {
namespace {

constexpr std::size_t kHeader = 128, kTag = 8;
constexpr std::uint32_t kMatrix = 14, kPacked = 15;                     // types of elements
constexpr std::uint32_t kCells = 1, kStruct = 2, kFunctionHandle = 16;  // classes of matrices
constexpr int kMostLevels = 32;

class Layout {
 public:
  Layout(const std::string& path, bool swapped, std::size_t size)
      : path_(path), swapped_(swapped), room_(most_unpacked(size)) {}

  void check(std::string_view elements) {
    while (!elements.empty()) {
      const Element element = take(elements, false);
      if (element.type == kPacked) {
        const std::string bytes = unpacked(element.data);
        std::string_view inner = bytes;
        check_matrix(take(inner, true).data, 0);
      } else if (element.type == kMatrix) {
        check_matrix(element.data, 0);
      } else {
        fail(fmt::format("type {} where a variable belongs", element.type));
      }
    }
  }

 private:
  struct Element {
    std::uint32_t type;
    std::string_view data;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw_bad_data(path_, 0, "damaged MATLAB file: " + what);
  }
  std::uint32_t word(std::string_view bytes, std::size_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return swapped_ ? __builtin_bswap32(value) : value;
  }

  /// The first of `rest`, which is left without it. `inner` ones are padded and may be short.
  Element take(std::string_view& rest, bool inner) const {
    if (rest.size() < kTag) fail("it ends within a variable");
    const std::uint32_t first = word(rest, 0);
    Element out{first, {}};
    std::size_t used = kTag;
    if (inner && first >> 16 != 0) {
      if (first >> 16 > 4) fail(fmt::format("{} bytes where 4 fit", first >> 16));
      out = {first & 0xffff, rest.substr(4, first >> 16)};
    } else {
      const std::size_t size = word(rest, 4);
      if (size > rest.size() - kTag)
        fail(fmt::format("a part of {} bytes, where {} are left", size, rest.size() - kTag));
      out.data = rest.substr(kTag, size);
      used += inner ? (size + 7) / 8 * 8 : size;
    }
    rest.remove_prefix(std::min(used, rest.size()));
    return out;
  }

  void check_matrix(std::string_view rest, int level) const {
    if (rest.empty()) return;  // an empty cell
    if (level == kMostLevels) fail(fmt::format("cells within cells, more than {}", kMostLevels));
    const std::size_t size = rest.size();
    const Element flags = take(rest, true);
    if (flags.data.size() < 8) fail("a variable without flags");
    const std::uint32_t kind = word(flags.data, 0) & 0xff;
    if (kind == kCells || kind == kStruct || kind == kFunctionHandle)
      check_cells(rest, size, kind == kStruct);
    while (!rest.empty()) {
      const Element part = take(rest, true);
      if (part.type == kMatrix) check_matrix(part.data, level + 1);
    }
  }

  /// There is an element for every cell, and for every field of every struct.
  void check_cells(std::string_view rest, std::size_t size, bool fields) const {
    const Element shape = take(rest, true);
    double cells = 1;
    for (std::size_t at = 0; at + 4 <= shape.data.size(); at += 4) cells *= word(shape.data, at);
    if (fields) {
      take(rest, true);  // the name
      const Element width = take(rest, true), names = take(rest, true);
      const std::uint32_t length = width.data.size() == 4 ? word(width.data, 0) : 0;
      if (length == 0) fail("a struct whose fields have names of no length");
      const std::size_t count = names.data.size() / length;
      cells *= static_cast<double>(count);
    }
    const std::size_t most = size / kTag;
    if (cells > static_cast<double>(most)) fail(fmt::format("{} cells in {} bytes", cells, size));
  }

  /// By zlib.
  std::string unpacked(std::string_view packed) {
    constexpr std::size_t kStep = std::size_t{1} << 16;
    z_stream stream = {};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());  // the size of an element has 32 bits
    std::string out;
    std::size_t size = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      if (size == room_) throw_bad_data(path_, 0, "unpacks to more than files of its size may");
      if (size == out.size()) out.resize(std::min(room_, std::max(kStep, 2 * size)));
      const auto free = std::min(out.size() - size, std::size_t{1} << 30);
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
      stream.avail_out = static_cast<uInt>(free);
      status = inflate(&stream, Z_NO_FLUSH);
      size += free - stream.avail_out;
      if (status != Z_OK && status != Z_STREAM_END)
        fail("a packed variable that cannot be unpacked");
    }
    room_ -= size;
    out.resize(size);
    return out;
  }

  const std::string& path_;
  bool swapped_;
  std::size_t room_;  ///< bytes that may still be unpacked
};

}  // namespace

void check_mat_layout(const std::string& path, std::string_view bytes) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const std::string_view order = bytes.size() < kHeader ? "" : bytes.substr(kHeader - 2, 2);
  const bool swapped = order == "MI";
  const int version = order.empty() ? 0
                      : swapped     ? byte(kHeader - 4) * 256 + byte(kHeader - 3)
                                    : byte(kHeader - 3) * 256 + byte(kHeader - 4);
  if (bytes.starts_with("\x89HDF") || version == 0x0200)
    throw_bad_data(path, 0, "a MATLAB file of version 7.3 (HDF5), expected 5 to 7: save with -v7");
  if ((order != "IM" && !swapped) || version != 0x0100)
    throw_bad_data(path, 0, "not a MATLAB file of version 5 to 7, as `save -v7` writes it");
  Layout(path, swapped, bytes.size()).check(bytes.substr(kHeader));
}

}  // namespace mcns

// Ids in arrays of NumPy. Text is `<U`: each id has as many 32-bit characters as the longest, the
// rest zero.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "mcns/core/error.h"
#include "mcns/core/names.h"
#include "mcns/io/delimited.h"
#include "mcns/io/npy.h"

namespace mcns {
namespace {

std::u32string to_utf32(const std::string& id) {
  std::u32string out;
  const std::string text = as_utf8(id);
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    char32_t code = more == 0 ? first : first & (0x3F >> more);
    for (int k = 1; k <= more; ++k)
      code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    out += code;
    i += more + 1;
  }
  return out;
}

void append_utf8(std::string& out, char32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned char kFirst[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kFirst[more] | (code >> (6 * more)));
  for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | ((code >> (6 * k)) & 0x3F));
}

template <class T>
std::vector<std::string> integers(std::string_view data) {
  std::vector<std::string> out(data.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
    out[i] = std::to_string(value);
  }
  return out;
}

std::vector<std::string> texts(const std::string& path, std::string_view data, std::size_t width,
                               bool wide) {
  std::vector<std::string> out;
  if (width == 0 || width > data.size()) return out;  // a wider one would overflow the step
  const std::size_t step = width * (wide ? 4 : 1);
  for (std::size_t at = 0; at + step <= data.size(); at += step) {
    std::string id;
    for (std::size_t k = 0; k < width; ++k) {
      char32_t code = static_cast<unsigned char>(data[at + k]);
      if (wide) std::memcpy(&code, data.data() + at + 4 * k, 4);
      if (code == 0) break;
      if (code > 0x10FFFF || (wide && code >= 0xD800 && code <= 0xDFFF))
        throw_bad_data(path, 0, fmt::format("{:#x} in an id is no character", std::uint32_t{code}));
      if (wide)
        append_utf8(id, code);
      else
        id += static_cast<char>(code);
    }
    out.push_back(std::move(id));
  }
  return out;
}

}  // namespace

NpyIds npy_of_ids(const std::vector<std::string>& ids) {
  NpyIds out;
  if (std::ranges::all_of(ids, [](const auto& id) { return plain_integer(id).has_value(); })) {
    out.descr = "<i8";
    for (const auto& id : ids) {
      const std::int64_t value = *plain_integer(id);
      out.data.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return out;
  }
  std::size_t width = 1;
  for (const auto& id : ids) width = std::max(width, to_utf32(id).size());
  out.descr = fmt::format("<U{}", width);
  out.data.reserve(ids.size() * width * 4);
  for (const auto& id : ids) {
    std::u32string text = to_utf32(id);
    text.resize(width, 0);
    out.data.append(reinterpret_cast<const char*>(text.data()), width * 4);
  }
  return out;
}

std::vector<std::string> ids_of_npy(const std::string& path, const NpyArray& array) {
  if (array.shape.size() != 1)
    throw_bad_data(path, 0,
                   fmt::format("{} dimensions, expected a list of ids", array.shape.size()));
  std::vector<std::string> out;
  const std::string& type = array.descr;
  std::size_t width = 0;
  if (type.size() > 2) std::from_chars(type.data() + 2, type.data() + type.size(), width);
  if (type == "<i8")
    out = integers<std::int64_t>(array.data);
  else if (type == "<i4")
    out = integers<std::int32_t>(array.data);
  else if (type == "<u8")
    out = integers<std::uint64_t>(array.data);
  else if (type == "<u4")
    out = integers<std::uint32_t>(array.data);
  else if (type.starts_with("<U") || type.starts_with("|S"))
    out = texts(path, array.data, width, type[1] == 'U');
  else
    throw_bad_data(path, 0, "ids of type '" + type + "', expected integers or text ('<U')");
  if (static_cast<std::int64_t>(out.size()) != array.shape[0])
    throw_bad_data(path, 0, fmt::format("{} ids do not fit its data", array.shape[0]));
  return out;
}

}  // namespace mcns

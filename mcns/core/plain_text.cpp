#include "mcns/core/plain_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace mcns {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = true;  ///< false: a byte that is no UTF-8
};

/// The first character; the text is not empty.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {lead, 1, false};
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= kLeast[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return valid ? Character{code, bytes} : Character{lead, 1, false};
}

const char* problem_of(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return "a control character";
  if (code == 0x2028 || code == 0x2029) return "a line separator";
  if ((code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069))
    return "a character that overrides the direction of text";
  return nullptr;
}

}  // namespace

std::string id_problem(std::string_view id) { return text_problem("id", id); }

std::string text_problem(const char* what, std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const Character c = first_of(rest);
    rest.remove_prefix(c.bytes);
    if (const char* problem = c.valid ? problem_of(c.code) : nullptr)
      return fmt::format("the {0} '{1}' holds {2} (U+{3:04X}); {0}s are text without any", what,
                         printable(text), problem, c.code);
  }
  return "";
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_of(text);
    const bool plain = c.valid && problem_of(c.code) == nullptr;
    for (std::size_t i = 0; i < c.bytes; ++i)
      if (plain)
        out += text[i];
      else
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    text.remove_prefix(c.bytes);
  }
  return out;
}

bool is_plain_integer(std::string_view text) {
  if (text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text[0] != '0' && text.find_first_not_of("0123456789") == text.npos;
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("_-./:=,@%+", c);
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace mcns

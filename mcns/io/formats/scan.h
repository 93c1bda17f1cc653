// What the line-based readers share: numbered lines, blank-separated tokens, and ids that are
// integers until one is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mcns/core/error.h"
#include "mcns/io/raw_edges.h"

namespace mcns::formats {

/// Lines of a text, counted from 1; a line with control characters is bad data.
class Lines {
 public:
  Lines(std::string_view content, const std::string& path) : rest_(content), path_(path) {}
  /// The next line without its end; none at the end of the text.
  std::optional<std::string_view> next();
  std::int64_t number() const { return number_; }
  [[noreturn]] void fail(const std::string& what) const { throw_bad_data(path_, number_, what); }

 private:
  std::string_view rest_;
  const std::string& path_;
  std::int64_t number_ = 0;
};

/// Cuts the next run of non-blanks off `line`; empty when there is none.
std::string_view take_token(std::string_view& line);

/// A finite number that is not negative: a weight or a rating.
float parse_weight(std::string_view text, const char* what, const Lines& lines);

/// Provisional ids. Numeric ids are the integers; text ids are numbered by first appearance in
/// `names`.
class Ids {
 public:
  Ids(bool numeric, std::vector<std::string>& names) : numeric_(numeric), names_(names) {}
  /// None if ids were to be numeric and this one is no plain integer that fits.
  std::optional<NodeId> operator()(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  bool numeric_;
  std::vector<std::string>& names_;
  std::unordered_map<std::string, NodeId, Hash, std::equal_to<>> rows_;
};

/// Runs `parse(out, ids)` with numeric ids; where it gives up (false) on an id that is no number,
/// once more with text ids.
template <class Parse>
RawEdges parse_with_ids(const Parse& parse) {
  for (const bool numeric : {true, false}) {
    RawEdges out;
    out.numeric = numeric;
    Ids ids(numeric, out.names);
    if (parse(out, ids)) return out;
  }
  throw std::logic_error("text ids are never refused");
}

}  // namespace mcns::formats

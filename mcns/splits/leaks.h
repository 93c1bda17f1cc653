// Finds what makes a split give better or other figures than it should: pairs that training and
// testing share, false negatives, repeated lines, nodes that training never sees.
//
// Works on the lines as they are written, before anything is merged or dropped. Sorted keys and
// binary search: O(n log n) for n lines, 16 bytes a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/splits/part.h"
#include "mcns/splits/raw_split.h"

namespace mcns {

enum class FindingKind {
  kSharedPair,      ///< a true pair of one file is a true pair of another
  kReversedPair,    ///< its reverse is; undirected only
  kFalseNegative,   ///< a false pair is a true pair, in either direction where undirected
  kSharedNegative,  ///< a false pair of test is a false pair of valid, direction likewise
  kRepeatedLine,    ///< a pair occurs again in its file with the same label
  kBothDirections,  ///< a pair of valid or test occurs again as its reverse; undirected only
  kSelfPair,
  kUnseenNode,  ///< a node that train does not have; users and items apart on user-item data
  kUnseenUser,
  kUnseenItem,
};
enum class Severity { kLeak, kNotice };

struct Finding {
  FindingKind kind;
  Severity severity;
  Part part;                  ///< the file whose lines are counted
  Part other = Part::kTrain;  ///< the file they are compared with, where there is one
  std::uint8_t label = 1;     ///< label of the counted lines, where it matters
  std::int64_t count = 0;     ///< lines; nodes for the unseen kinds
  std::int64_t of = 0;        ///< how many there are of what is counted
  std::int64_t lines = 0;     ///< unseen kinds: lines that have such a node
  /// Up to three, in the order they occur: the ids of a pair, or of one node, as written.
  std::vector<std::vector<std::string>> examples = {};
};

/// "shared-pair" and the like: the names of the kinds in JSON.
std::string_view finding_name(FindingKind kind);
/// "valid positives whose reverse is in train"
std::string describe(const Finding& finding);

struct LeakReport {
  std::vector<Finding> findings;  ///< only with a count above 0; leaks first
  std::int64_t leaks() const;     ///< findings that are no mere notices
};

struct LeakOptions {
  /// (a, b) and (b, a) are the same edge: link prediction on a graph that is not directed.
  bool undirected = false;
};

LeakReport check_split(const RawSplit& split, const LeakOptions& options);

}  // namespace mcns

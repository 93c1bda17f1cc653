#include "mcns/splits/leaks.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace mcns {
namespace {

constexpr std::size_t kExamples = 3;
constexpr Part kParts[] = {Part::kTrain, Part::kValid, Part::kTest};
constexpr Part kHeldOut[] = {Part::kValid, Part::kTest};

std::uint64_t key_of(Pair pair) {
  return static_cast<std::uint64_t>(pair.source) << 32 | static_cast<std::uint32_t>(pair.target);
}
Pair reverse(Pair pair) { return {pair.target, pair.source}; }

/// Lines of one file with one label, in order, and as a set.
struct Lines {
  std::vector<Pair> pairs;
  std::vector<std::uint64_t> sorted;  ///< distinct keys
  bool has(Pair pair) const {
    return std::binary_search(sorted.begin(), sorted.end(), key_of(pair));
  }
};

Lines lines_of(std::span<const Pair> pairs, std::span<const std::uint8_t> labels,
               std::uint8_t label) {
  Lines out;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (labels.empty() ? label == 1 : labels[i] == label) out.pairs.push_back(pairs[i]);
  out.sorted.reserve(out.pairs.size());
  for (const Pair pair : out.pairs) out.sorted.push_back(key_of(pair));
  std::sort(out.sorted.begin(), out.sorted.end());
  out.sorted.erase(std::unique(out.sorted.begin(), out.sorted.end()), out.sorted.end());
  return out;
}

class Checker {
 public:
  Checker(const RawSplit& split, const LeakOptions& options)
      : split_(split), undirected_(options.undirected && split.users == 0) {
    for (const std::uint8_t label : {0, 1}) {
      lines_[0][label] = lines_of(split.train, {}, label);
      lines_[1][label] = lines_of(split.valid.pairs, split.valid.labels, label);
      lines_[2][label] = lines_of(split.test.pairs, split.test.labels, label);
    }
  }

  LeakReport run() {
    find_shared(Part::kValid, Part::kTrain);
    find_shared(Part::kTest, Part::kTrain);
    find_shared(Part::kTest, Part::kValid);
    for (const Part part : kHeldOut)
      for (const Part other : kParts) find_false_negatives(part, other);
    find_shared_negatives();
    for (const Part part : kParts) find_within(part);
    find_unseen();
    return std::move(report_);
  }

 private:
  const Lines& lines(Part part, std::uint8_t label) const {
    return lines_[static_cast<int>(part)][label];
  }

  bool has_either(const Lines& lines, Pair pair) const {
    return lines.has(pair) || (undirected_ && lines.has(reverse(pair)));
  }

  /// Counts the lines of finding.part and finding.label that `matches` accepts.
  template <class Matches>
  void count_lines(Finding finding, const Matches& matches) {
    const Lines& counted = lines(finding.part, finding.label);
    finding.of = std::ssize(counted.pairs);
    for (const Pair pair : counted.pairs) {
      if (!matches(pair)) continue;
      ++finding.count;
      if (finding.examples.size() < kExamples)
        finding.examples.push_back(
            {split_.names.name(pair.source), split_.names.name(pair.target)});
    }
    add(std::move(finding));
  }

  void add(Finding finding) {
    if (finding.count > 0) report_.findings.push_back(std::move(finding));
  }

  void find_shared(Part part, Part other) {
    const Lines& others = lines(other, 1);
    count_lines({FindingKind::kSharedPair, Severity::kLeak, part, other},
                [&](Pair pair) { return others.has(pair); });
    if (!undirected_) return;
    count_lines({FindingKind::kReversedPair, Severity::kLeak, part, other},
                [&](Pair pair) { return pair.source != pair.target && others.has(reverse(pair)); });
  }

  void find_false_negatives(Part part, Part other) {
    count_lines({FindingKind::kFalseNegative, Severity::kLeak, part, other, 0},
                [&](Pair pair) { return has_either(lines(other, 1), pair); });
  }

  void find_shared_negatives() {
    count_lines({FindingKind::kSharedNegative, Severity::kLeak, Part::kTest, Part::kValid, 0},
                [&](Pair pair) { return has_either(lines(Part::kValid, 0), pair); });
  }

  void find_within(Part part) {
    for (const std::uint8_t label : {1, 0}) {
      const Lines& own = lines(part, label);
      if (own.sorted.size() != own.pairs.size()) {
        std::unordered_set<std::uint64_t> seen;
        count_lines({FindingKind::kRepeatedLine, Severity::kNotice, part, part, label},
                    [&](Pair pair) { return !seen.insert(key_of(pair)).second; });
      }
      if (undirected_ && part != Part::kTrain)
        count_lines({FindingKind::kBothDirections, Severity::kNotice, part, part, label},
                    [&](Pair pair) { return pair.source > pair.target && own.has(reverse(pair)); });
      if (split_.users == 0)
        count_lines({FindingKind::kSelfPair, Severity::kNotice, part, part, label},
                    [](Pair pair) { return pair.source == pair.target; });
    }
  }

  void find_unseen() {
    std::vector<std::uint8_t> in_train(split_.names.size(), 0);
    for (const auto [u, v] : split_.train) in_train[u] = in_train[v] = 1;
    for (const Part part : kHeldOut) {
      const auto& pairs = part == Part::kValid ? split_.valid.pairs : split_.test.pairs;
      if (split_.users == 0) {
        find_unseen(part, pairs, in_train, FindingKind::kUnseenNode, {0, split_.names.size()});
      } else {
        find_unseen(part, pairs, in_train, FindingKind::kUnseenUser, {0, split_.users});
        find_unseen(part, pairs, in_train, FindingKind::kUnseenItem,
                    {split_.users, split_.names.size()});
      }
    }
  }

  void find_unseen(Part part, const std::vector<Pair>& pairs,
                   const std::vector<std::uint8_t>& in_train, FindingKind kind, NodeRange range) {
    Finding finding{kind, Severity::kNotice, part};
    std::vector<std::uint8_t> met(split_.names.size(), 0);
    const auto meet = [&](NodeId v) {
      if (!range.contains(v)) return false;
      const bool unseen = in_train[v] == 0;
      if (met[v] == 0) {
        met[v] = 1;
        ++finding.of;
        if (unseen && ++finding.count <= static_cast<std::int64_t>(kExamples))
          finding.examples.push_back({split_.names.name(v)});
      }
      return unseen;
    };
    for (const auto [u, v] : pairs) {
      const bool source_unseen = meet(u), target_unseen = meet(v);
      if (source_unseen || target_unseen) ++finding.lines;
    }
    add(std::move(finding));
  }

  const RawSplit& split_;
  bool undirected_;
  Lines lines_[3][2];
  LeakReport report_;
};

}  // namespace

std::string_view finding_name(FindingKind kind) {
  constexpr std::string_view kNames[] = {
      "shared-pair",     "reversed-pair", "false-negative", "shared-negative", "repeated-line",
      "both-directions", "self-pair",     "unseen-node",    "unseen-user",     "unseen-item"};
  return kNames[static_cast<int>(kind)];
}

std::string describe(const Finding& finding) {
  const auto part = part_name(finding.part), other = part_name(finding.other);
  const std::string_view lines = finding.part == Part::kTrain ? "pairs"
                                 : finding.label == 1         ? "positives"
                                                              : "negatives";
  switch (finding.kind) {
    case FindingKind::kSharedPair:
      return fmt::format("{} {} also in {}", part, lines, other);
    case FindingKind::kReversedPair:
      return fmt::format("{} {} whose reverse is in {}", part, lines, other);
    case FindingKind::kFalseNegative:
      return fmt::format("{} {} that are true pairs of {}", part, lines, other);
    case FindingKind::kSharedNegative:
      return fmt::format("{} {} also negatives of {}", part, lines, other);
    case FindingKind::kRepeatedLine:
      return fmt::format("{} {} on repeated lines", part, lines);
    case FindingKind::kBothDirections:
      return fmt::format("{} {} listed in both directions", part, lines);
    case FindingKind::kSelfPair:
      return fmt::format("{} {} that are self loops", part, lines);
    case FindingKind::kUnseenNode:
      return fmt::format("{} nodes never in train", part);
    case FindingKind::kUnseenUser:
      return fmt::format("{} users never in train", part);
    case FindingKind::kUnseenItem:
      return fmt::format("{} items never in train", part);
  }
  return {};
}

std::int64_t LeakReport::leaks() const {
  return std::ranges::count(findings, Severity::kLeak, &Finding::severity);
}

LeakReport check_split(const RawSplit& split, const LeakOptions& options) {
  return Checker(split, options).run();
}

}  // namespace mcns

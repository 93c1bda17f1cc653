// How held-out pairs are made where no files with them are given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mcns/plan/option_info.h"

namespace mcns {

struct SplitOptions {
  std::optional<double> valid_share, test_share;
  std::optional<int> parts, fold;
  std::optional<std::int64_t> candidates;
  std::optional<std::string> reciprocal;
};

/// Calls f(field, OptionInfo) for every option.
template <class Options, class F>
requires requires(Options& o) { o.valid_share; }
void for_each_option(Options& o, F&& f) {
  constexpr OptionGroup kData = OptionGroup::kData;
  f(o.valid_share, option(kData, number_parameter("valid-share", "", {0, 0.9},
                                                  "share of train that is held out for early "
                                                  "stopping, without --valid")));
  f(o.test_share, option(kData, number_parameter("test-share", "", {0, 0.9},
                                                 "linkpred: share of the edges that is held out, "
                                                 "without --test")));
  f(o.parts, option(kData, integer_parameter("parts", "", {3, 1000},
                                             "recommend: parts of the data, without --test")));
  f(o.fold, option(kData, integer_parameter("fold", "", {1, 999}, "which part is the test set")));
  f(o.reciprocal,
    option(kData, choice_parameter("reciprocal", {"apart", "together"}, "",
                                   "directed linkpred: (a, b) and (b, a) are two pairs, each held "
                                   "out or a non-edge on its own, or one")));
  f(o.candidates, option(kData, integer_parameter("candidates", "", {0, 1e15},
                                                  "recommend: items to rank against; 0: all")));
}

}  // namespace mcns

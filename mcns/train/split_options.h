// How held-out pairs are made where no files with them are given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mcns/plan/option_info.h"

namespace mcns {

struct SplitOptions {
  std::optional<std::string> split, time_cut;
  std::optional<std::int64_t> split_seed;
  std::optional<double> valid_share, test_share;
  std::optional<int> parts, fold, repeats;
  std::optional<std::int64_t> candidates;
  std::optional<std::string> reciprocal, non_edges, metrics, learn_from;
  std::optional<bool> allow_leaks, groups;
};

/// Calls f(field, OptionInfo) for every option.
template <class Options, class F>
requires requires(Options& o) { o.valid_share; }
void for_each_option(Options& o, F&& f) {
  constexpr OptionGroup kData = OptionGroup::kData;
  f(o.split,
    option(kData,
           choice_parameter("split",
                            {"random", "time", "leave-one-out", "paper", "connected", "hidden"}, "",
                            "how pairs are held out: at random, the latest, one per user, the "
                            "paper's parts; linkpred: keep components connected, or hide any")));
  f(o.time_cut, option(kData, choice_parameter("time-cut", {"global", "user"}, "",
                                               "--split time: one cut for all pairs, or the latest "
                                               "of each user")));
  f(o.split_seed, option(kData, integer_parameter("split-seed", "", {0, 1LL << 53},
                                                  "random seed of the split; default: --seed")));
  f(o.valid_share, option(kData, number_parameter("valid-share", "", {0, 0.9},
                                                  "share of train that is held out for early "
                                                  "stopping, without --valid; classify: of the "
                                                  "labels that train its classifier")));
  f(o.test_share, option(kData, number_parameter("test-share", "", {0, 0.9},
                                                 "share of the pairs that is held out, without "
                                                 "--test; not for --split paper of recommend")));
  f(o.parts, option(kData, integer_parameter("parts", "", {3, 1000},
                                             "recommend, --split paper: parts of the data")));
  f(o.fold, option(kData, integer_parameter("fold", "", {1, 999}, "which part is the test set")));
  f(o.reciprocal,
    option(kData, choice_parameter("reciprocal", {"apart", "together"}, "",
                                   "directed linkpred: (a, b) and (b, a) are two pairs, each held "
                                   "out or a non-edge on its own, or one")));
  f(o.non_edges,
    option(kData,
           choice_parameter("non-edges", {"uniform", "degree", "two-hop"}, "",
                            "linkpred: what held-out edges are told from: pairs at random, by the "
                            "product of degrees, or those with a common neighbour")));
  f(o.learn_from,
    option(kData, choice_parameter("learn-from", {"train", "both"}, "",
                                   "recommend, linkpred: train; both: train and valid pairs, with "
                                   "no early stopping (as after --tune where the last epoch was "
                                   "the best)")));
  f(o.candidates, option(kData, integer_parameter("candidates", "", {0, 1e15},
                                                  "recommend: items to rank against; 0: all")));
  f(o.allow_leaks,
    option(kData, flag_parameter("allow-leaks", false, "go on where test pairs are in train")));
  f(o.metrics, option(kData, text_parameter("metrics", "",
                                            "more metrics: mrr, auc, hits@K, ndcg@K, recall@K, "
                                            "precision@K, map@K, coverage@K (recommend)")));
  f(o.repeats, option(kData, integer_parameter("repeats", "", {1, 1000},
                                               "models to train, of consecutive seeds on the same "
                                               "split; figures are their mean")));
  f(o.groups,
    option(kData, flag_parameter("groups", false,
                                 "recommend: print the metrics by groups of users and items "
                                 "as well; metrics.json has them always")));
}

}  // namespace mcns

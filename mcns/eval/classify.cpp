#include "mcns/eval/classify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>

#include <linear.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/eval/logistic.h"

namespace mcns {
namespace {

void silence_liblinear() {
  static std::once_flag once;
  std::call_once(once, [] { set_print_string_function([](const char*) {}); });
}

/// The labelled nodes' vectors, row by row, scaled where asked, and a column of ones for the bias.
Matrix labelled_vectors(ConstMatrixRef table, const std::vector<NodeId>& nodes, bool normalize) {
  Matrix vectors(static_cast<std::int64_t>(nodes.size()), table.dim + 1);
  for (std::int64_t i = 0; i < vectors.rows(); ++i) {
    double squares = 0;
    for (const float x : table[nodes[i]]) squares += static_cast<double>(x) * x;
    if (!std::isfinite(squares))
      throw_error(ErrorKind::kRuntime, "the vector of node {} is not finite", nodes[i]);
    const double scale = normalize && squares > 0 ? 1.0 / std::sqrt(squares) : 1.0;
    for (int k = 0; k < table.dim; ++k)
      vectors.row(i)[k] = static_cast<float>(scale * table.row(nodes[i])[k]);
    vectors.row(i)[table.dim] = 1.0F;
  }
  return vectors;
}

/// Makes the first `count` entries of `best` the labels of the highest decision values; equal ones
/// in the order of their numbers.
void rank_labels(std::span<const double> decisions, std::size_t count,
                 std::vector<std::int32_t>& best) {
  best.resize(decisions.size());
  std::iota(best.begin(), best.end(), 0);
  std::ranges::partial_sort(best, best.begin() + count, [&](std::int32_t a, std::int32_t b) {
    return decisions[a] != decisions[b] ? decisions[a] > decisions[b] : a < b;
  });
}

}  // namespace

/// The vectors twice: dense, and as LIBLINEAR's sparse rows, whose indices start at 1 and end at
/// -1.
class FeatureRows {
 public:
  explicit FeatureRows(Matrix dense)
      : dense_(std::move(dense)), length_(dense_.dim() + 1), entries_(dense_.rows() * length_) {
    for (std::int64_t i = 0; i < dense_.rows(); ++i) {
      feature_node* entry = row(i);
      for (int k = 0; k < dense_.dim(); ++k) *entry++ = {k + 1, dense_.row(i)[k]};
      *entry = {-1, 0.0};
    }
  }
  /// LIBLINEAR takes rows as mutable but only reads them.
  feature_node* row(std::int64_t i) const { return entries_.data() + i * length_; }
  ConstMatrixRef dense() const { return dense_.view(); }
  int features() const { return dense_.dim(); }

 private:
  Matrix dense_;
  std::int64_t length_;
  mutable std::vector<feature_node> entries_;
};

ClassifyEvaluator::ClassifyEvaluator(const NodeLabels& labels, ClassifyOptions options)
    : options_(std::move(options)) {
  require(!options_.train_percents.empty() && options_.repeats > 0,
          "classification needs a train ratio and a repeat, got {} and {}",
          options_.train_percents.size(), options_.repeats);
  int last = 0;
  for (const int percent : options_.train_percents) {
    require(percent > last && percent < 100,
            "train ratios must ascend within 1 and 99 %, got {} after {}", percent, last);
    last = percent;
  }
  require(options_.cost > 0 && options_.tolerance > 0,
          "cost and tolerance must be positive, got {} and {}", options_.cost, options_.tolerance);
  auto entries = labels.entries;
  std::ranges::sort(entries, {}, [](const auto& e) { return std::pair(e.node, e.label); });
  for (const auto& [node, label] : entries) {
    if (nodes_.empty() || nodes_.back() != node) {
      nodes_.push_back(node);
      offsets_.push_back(static_cast<std::int64_t>(labels_.size()));
    } else if (labels_.back() == label) {
      continue;
    }
    labels_.push_back(label);
    num_labels_ = std::max(num_labels_, label + 1);
  }
  offsets_.push_back(static_cast<std::int64_t>(labels_.size()));
  num_labels_ = std::max(num_labels_, static_cast<std::int32_t>(labels.label_names.size()));
  if (nodes_.size() < 2)
    throw_error(ErrorKind::kData, "classification needs at least two labelled nodes, got {}",
                nodes_.size());
  selection_metric_ = fmt::format("{}/micro_f1", middle_ratio());
  require(options_.validation >= 0 && options_.validation < 1,
          "the validation share of the train part must be in [0, 1), got {}", options_.validation);
  const auto smallest =
      static_cast<std::int64_t>(nodes_.size()) * options_.train_percents.front() / 100;
  if (options_.validation > 0 && smallest < 2)
    throw_error(ErrorKind::kData,
                "validation takes a share of the labelled nodes that train the classifier, and {} "
                "% of {} are fewer than two; give more labels",
                options_.train_percents.front(), nodes_.size());
}

std::span<const std::int32_t> ClassifyEvaluator::labels_of(std::int64_t position) const {
  return std::span(labels_).subspan(offsets_[position],
                                    offsets_[position + 1] - offsets_[position]);
}

ClassifyEvaluator::Split ClassifyEvaluator::make_split(int percent, int repeat) const {
  const auto count = static_cast<std::int64_t>(nodes_.size());
  Split split{std::vector<std::int32_t>(count),
              std::clamp<std::int64_t>(count * percent / 100, 1, count - 1), count, percent};
  std::iota(split.order.begin(), split.order.end(), 0);
  Rng rng(options_.seed, Domain::kEvaluation, percent, repeat);
  for (std::int64_t i = count - 1; i > 0; --i)
    std::swap(split.order[i], split.order[rng.below(i + 1)]);
  if (options_.validation > 0) {
    split.end = split.train;
    const auto held_out = std::llround(options_.validation * static_cast<double>(split.train));
    split.train -= std::clamp<std::int64_t>(held_out, 1, split.train - 1);
  }
  return split;
}

std::vector<double> ClassifyEvaluator::fit(const FeatureRows& features, const Split& split,
                                           std::int32_t label) const {
  std::vector<feature_node*> rows(split.train);
  std::vector<double> classes(split.train, -1.0);
  std::int64_t members = 0;
  for (std::int64_t i = 0; i < split.train; ++i) {
    rows[i] = features.row(split.order[i]);
    if (!std::ranges::binary_search(labels_of(split.order[i]), label)) continue;
    classes[i] = 1.0;
    ++members;
  }
  std::vector<double> weights(features.features(), 0.0);
  if (members == 0 || members == split.train) {
    const double infinity = std::numeric_limits<double>::infinity();
    weights.back() = members == 0 ? -infinity : infinity;
    return weights;
  }
  const problem data{static_cast<int>(split.train), features.features(), classes.data(),
                     rows.data(), 1.0};
  parameter how{};
  how.solver_type = L2R_LR;
  how.eps = options_.tolerance;
  how.C = options_.cost;
  // LIBLINEAR scales its tolerance by the share of the rarer class; a little below that, it accepts
  // the start as it is.
  const double share = static_cast<double>(std::min(members, split.train - members)) / split.train;
  weights = approximate_logistic({features.dense(), std::span(split.order).first(split.train),
                                  classes, options_.cost, 0.5 * options_.tolerance * share});
  how.init_sol = weights.data();
  const auto release = [](model* fitted) { free_and_destroy_model(&fitted); };
  const std::unique_ptr<model, decltype(release)> fitted(train(&data, &how), release);
  // With classes +1 and -1 LIBLINEAR's one weight vector is that of +1.
  std::copy_n(fitted->w, weights.size(), weights.begin());
  return weights;
}

ClassifyEvaluator::Scores ClassifyEvaluator::score(
    const ConstMatrixRef& vectors, const Split& split,
    std::span<const std::vector<double>> weights) const {
  std::vector<std::int64_t> hits(num_labels_), predicted(num_labels_), actual(num_labels_);
  std::vector<double> decisions(num_labels_);
  std::vector<std::int32_t> best;
  for (std::int64_t i = split.train; i < split.end; ++i) {
    const auto truth = labels_of(split.order[i]);
    const auto vector = vectors[split.order[i]];
    for (std::int32_t label = 0; label < num_labels_; ++label)
      decisions[label] =
          std::inner_product(vector.begin(), vector.end(), weights[label].begin(), 0.0);
    rank_labels(decisions, truth.size(), best);
    for (const std::int32_t label : truth) ++actual[label];
    for (std::size_t k = 0; k < truth.size(); ++k) {
      ++predicted[best[k]];
      if (std::ranges::binary_search(truth, best[k])) ++hits[best[k]];
    }
  }
  Scores scores;
  double all_hits = 0, all = 0;
  for (std::int32_t label = 0; label < num_labels_; ++label) {
    const auto sum = static_cast<double>(predicted[label] + actual[label]);
    all_hits += static_cast<double>(hits[label]);
    all += sum;
    if (sum > 0) scores.macro_f1 += 2.0 * static_cast<double>(hits[label]) / sum / num_labels_;
  }
  scores.micro_f1 = 2.0 * all_hits / all;
  return scores;
}

Metrics ClassifyEvaluator::evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const {
  const int chooses = middle_ratio();
  if (options_.validation > 0) return evaluate_ratios({&chooses, 1}, embeddings, pool);
  return evaluate_ratios(options_.train_percents, embeddings, pool);
}

Evaluation ClassifyEvaluator::evaluate_fully(const EmbeddingView& embeddings,
                                             ThreadPool& pool) const {
  return {evaluate_ratios(options_.train_percents, embeddings, pool), {}};
}

Metrics ClassifyEvaluator::evaluate_ratios(std::span<const int> percents,
                                           const EmbeddingView& embeddings,
                                           ThreadPool& pool) const {
  require(nodes_.back() < embeddings.source.rows && nodes_.front() >= 0,
          "labels name node {}, but there are {} rows of embeddings", nodes_.back(),
          embeddings.source.rows);
  silence_liblinear();
  const FeatureRows features(labelled_vectors(embeddings.source, nodes_, options_.normalize));
  std::vector<Split> splits;
  for (const int percent : percents)
    for (int repeat = 0; repeat < options_.repeats; ++repeat)
      splits.push_back(make_split(percent, repeat));
  // The largest fits first: a long one that starts last would leave other threads idle.
  std::ranges::stable_sort(splits, std::greater{}, &Split::train);
  const auto count = static_cast<std::int64_t>(splits.size());
  std::vector<std::vector<double>> weights(count * num_labels_);
  pool.run(count * num_labels_, [&](std::int64_t i) {
    weights[i] = fit(features, splits[i / num_labels_], static_cast<int>(i % num_labels_));
  });
  std::vector<Scores> scores(count);
  pool.run(count, [&](std::int64_t i) {
    scores[i] = score(features.dense(), splits[i],
                      std::span(weights).subspan(i * num_labels_, num_labels_));
  });
  Metrics metrics;
  for (const int percent : percents) {
    Scores mean;
    for (std::int64_t i = 0; i < count; ++i) {
      if (splits[i].percent != percent) continue;
      mean.micro_f1 += scores[i].micro_f1 / options_.repeats;
      mean.macro_f1 += scores[i].macro_f1 / options_.repeats;
    }
    metrics.push_back({fmt::format("{}/micro_f1", percent), mean.micro_f1});
    metrics.push_back({fmt::format("{}/macro_f1", percent), mean.macro_f1});
  }
  return metrics;
}

}  // namespace mcns

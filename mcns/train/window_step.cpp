// The step of lookup tables where the pairs of a walk's window share their negatives.
//
// A window is t sources, their common target and k negatives: its scores are one t x (k + 1)
// product of rows that stay in the first-level cache, where separate pairs would fetch t (k + 2)
// rows from far away. Or it is a source, its t targets and k negatives, for samplers whose
// negatives depend on the source: t + k scores. A walk's rows are its nodes, each in many windows,
// and the middle and the negatives of each window; parameters are frozen while their gradients are
// summed.
//   batch  They are frozen for the whole batch. Gradients are written walk by walk, then the
//          owner of each row sums its own in the order of the batch and updates it: the same bits
//          for any number of threads.
//   async  Each walk updates its rows in place, Hogwild (async_step.cpp).
#include <chrono>

#include "mcns/core/row_groups.h"
#include "mcns/core/thread_scratch.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

template <class LossFn, class OptimizerFn>
class WindowStep final : public HostStep {
 public:
  WindowStep(const StepParts& parts, Lookup& lookup, bool async, LossFn loss, OptimizerFn optimizer)
      : HostStep(lookup, parts.pool),
        lookup_(lookup),
        sampling_(parts.session.batches()),
        loss_(loss),
        optimizer_(optimizer),
        rows_per_window_(parts.session.negatives_per_positive() + 1),
        stride_(lookup.parameters().stride()),
        l2_(parts.l2),
        async_(async),
        pool_(parts.pool),
        groups_(lookup.parameters().rows()) {}

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    const auto start = std::chrono::steady_clock::now();
    sampling_.run_windows(key, batch, lookup_.scorer());
    update_ = {optimizer_, {lr, ++steps_}};
    list_rows(batch);
    const double loss = async_ ? learn_in_place(batch) : write_gradients(batch);
    require_finite(loss, key);
    if (!async_) update_rows();
    totals.loss += loss;
    totals.add(sampling_.counts(key), batch.pairs.size());
    totals.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  static constexpr std::int32_t kPlacesPerPiece = 256;

  /// What a window needs beside its gradients.
  struct Scratch {
    std::vector<float> scores, column;
    std::vector<NodeId> others;        ///< rows around the middle
    std::vector<std::int32_t> places;  ///< of these, among the walk's rows
    Matrix gradients;                  ///< of a walk

    float* gradients_for(std::int64_t places, int stride) {
      if (gradients.rows() < places || gradients.stride() != stride)
        gradients = Matrix(places, stride);
      return gradients.row(0);
    }
  };

  /// A walk's rows: its nodes, then the middle and the negatives of each window.
  std::int64_t first_place(const WalkWindows& all, std::int64_t walk) const {
    return all.first_node[walk] + std::int64_t{all.first_window[walk]} * rows_per_window_;
  }

  void list_rows(const PairBatch& batch) {
    const WalkWindows& all = batch.windows;
    rows_.resize(first_place(all, all.walks()));
    pool_.run(all.walks(), [&](std::int64_t walk) {
      NodeId* row = rows_.data() + first_place(all, walk);
      for (std::int32_t i = all.first_node[walk]; i < all.first_node[walk + 1]; ++i)
        *row++ = all.middle_is_source ? lookup_.target_row(all.nodes[i])
                                      : lookup_.source_row(all.nodes[i]);
      for (std::int32_t w = all.first_window[walk]; w < all.first_window[walk + 1]; ++w) {
        const Pair pair = batch.pairs[all.first_pair[w]];
        *row++ = all.middle_is_source ? lookup_.source_row(pair.source)
                                      : lookup_.target_row(pair.target);
        for (int j = 0; j < negatives(); ++j)
          *row++ = lookup_.target_row(sampling_.negatives().ids[w * negatives() + j]);
      }
    });
  }

  /// Loss of a walk; gradients + i * stride becomes the gradient of its i-th row.
  double gradients_of(const PairBatch& batch, std::int64_t walk, Scratch& scratch,
                      float* gradients) {
    const WalkWindows& all = batch.windows;
    const std::int64_t nodes = all.first_node[walk + 1] - all.first_node[walk];
    std::fill_n(gradients, nodes * stride_, 0.0F);
    double loss = 0;
    for (std::int32_t w = all.first_window[walk]; w < all.first_window[walk + 1]; ++w)
      loss += add_window(batch, walk, w, scratch, gradients);
    return loss;
  }

  /// Rows of a window: `around` the middle, with their places among the walk's; and the middle with
  /// the negatives, from `place` on.
  struct Window {
    RowList around, middle_first;
    const std::int32_t* places;
    float* gradients;  ///< of the walk
    std::int64_t place;
    int t;
  };

  double add_window(const PairBatch& batch, std::int64_t walk, std::int32_t w, Scratch& scratch,
                    float* gradients) {
    const WalkWindows& all = batch.windows;
    const std::size_t step = stride_;
    const std::int32_t first = all.first_pair[w], t = all.first_pair[w + 1] - first;
    const std::int32_t first_node = all.first_node[walk];
    const NodeId* rows = rows_.data() + first_place(all, walk);
    const std::int64_t place = all.first_node[walk + 1] - first_node +
                               std::int64_t{w - all.first_window[walk]} * rows_per_window_;
    scratch.others.resize(t);
    scratch.places.resize(t);
    for (int i = 0; i < t; ++i) {
      scratch.places[i] = all.other[first + i] - first_node;
      scratch.others[i] = rows[scratch.places[i]];
    }
    const float* data = lookup_.parameters().data();
    scratch.scores.resize(std::size_t(t) * rows_per_window_);
    scratch.column.resize(std::max(t, rows_per_window_));
    const Window window{{data, step, scratch.others.data(), t},
                        {data, step, rows + place, rows_per_window_},
                        scratch.places.data(),
                        gradients,
                        place,
                        t};
    return all.middle_is_source ? add_targets(window, scratch) : add_sources(window, scratch);
  }

  /// t sources, one target and the negatives.
  double add_sources(const Window& w, Scratch& scratch) {
    const Kernels& k = kernels();
    float* s = scratch.scores.data();
    k.products(w.around, w.middle_first, stride_, s);
    const double loss = loss_of_pairs(loss_, s, nullptr, w.t, rows_per_window_);
    for (int i = 0; i < w.t; ++i) {
      float* gradient = w.gradients + std::int64_t{w.places[i]} * stride_;
      k.accumulate(gradient, w.middle_first, s + i * rows_per_window_, stride_);
      add_l2(gradient, 1, w.around.rows[i]);
    }
    for (int j = 0; j < rows_per_window_; ++j) {
      for (int i = 0; i < w.t; ++i) scratch.column[i] = s[i * rows_per_window_ + j];
      float* gradient = w.gradients + (w.place + j) * stride_;
      k.combine(gradient, w.around, scratch.column.data(), stride_);
      add_l2(gradient, w.t, w.middle_first.rows[j]);
    }
    return loss;
  }

  /// One source, its t targets and the negatives: each pair's loss is over the same negatives.
  double add_targets(const Window& w, Scratch& scratch) {
    const Kernels& k = kernels();
    const Matrix& parameters = lookup_.parameters();
    const float* source = parameters.row(w.middle_first.rows[0]);
    float *s = scratch.scores.data(), *column = scratch.column.data();
    k.dots(source, w.around, stride_, column);
    for (int i = 0; i < w.t; ++i) s[i * rows_per_window_] = column[i];
    k.dots(source, w.middle_first, stride_,
           column);  // the first one, the source's own, is not used
    for (int i = 0; i < w.t; ++i)
      std::copy_n(column + 1, negatives(), s + i * rows_per_window_ + 1);
    const double loss = loss_of_pairs(loss_, s, nullptr, w.t, rows_per_window_);
    std::fill_n(column, rows_per_window_, 0.0F);
    for (int i = 0; i < w.t; ++i)
      for (int j = 1; j < rows_per_window_; ++j) column[j] += s[i * rows_per_window_ + j];
    float* own = w.gradients + w.place * stride_;
    k.combine(own, w.middle_first, column, stride_);
    for (int j = 1; j < rows_per_window_; ++j) {
      float* gradient = own + std::int64_t{j} * stride_;
      std::fill_n(gradient, stride_, 0.0F);
      k.axpy(gradient, column[j], source, stride_);
      add_l2(gradient, w.t, w.middle_first.rows[j]);
    }
    add_l2(own, w.t, w.middle_first.rows[0]);
    for (int i = 0; i < w.t; ++i) column[i] = s[i * rows_per_window_];
    k.accumulate(own, w.around, column, stride_);
    for (int i = 0; i < w.t; ++i) {
      float* gradient = w.gradients + std::int64_t{w.places[i]} * stride_;
      k.axpy(gradient, column[i], source, stride_);
      add_l2(gradient, 1, w.around.rows[i]);
    }
    return loss;
  }

  /// Of a row that is part of so many pairs.
  void add_l2(float* gradient, int pairs, NodeId row) const {
    if (l2_ != 0)
      kernels().axpy(gradient, l2_ * static_cast<float>(pairs), lookup_.parameters().row(row),
                     stride_);
  }
  int negatives() const { return rows_per_window_ - 1; }

  double write_gradients(const PairBatch& batch) {
    const WalkWindows& all = batch.windows;
    const auto places = static_cast<std::int64_t>(rows_.size());
    if (gradients_.rows() < places) gradients_ = Matrix(places * 5 / 4, stride_);
    losses_.assign(all.walks(), 0.0);
    // Grouping the rows is serial and needs no scores: it is one more piece.
    pool_.run(all.walks() + 1, [&](std::int64_t piece) {
      if (piece == 0) return groups_.build(rows_);
      const std::int64_t walk = piece - 1;
      losses_[walk] = gradients_of(batch, walk, thread_scratch<Scratch>(),
                                   gradients_.row(first_place(all, walk)));
    });
    return total_loss();
  }

  void update_rows() {
    Matrix& parameters = lookup_.parameters();
    groups_.cut(0, groups_.size(), kPlacesPerPiece, bounds_);
    pool_.run(static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t piece) {
      const Kernels& k = kernels();
      for (std::int32_t g = bounds_[piece]; g < bounds_[piece + 1]; ++g) {
        const auto members = groups_.members(g);
        float* total = gradients_.row(members[0]);
        for (const std::int32_t place : members.subspan(1))
          k.axpy(total, 1.0F, gradients_.row(place), stride_);
        const NodeId row = groups_.key(g);
        update_(parameters.row(row), total, lookup_.state(row), stride_);
      }
    });
  }

  double learn_in_place(const PairBatch& batch) {
    losses_.assign(batch.windows.walks(), 0.0);
    pool_.run(batch.windows.walks(), [&](std::int64_t walk) {
      losses_[walk] = learn_walk(batch, walk, thread_scratch<Scratch>());
    });
    return total_loss();
  }

  MCNS_RACY double learn_walk(const PairBatch& batch, std::int64_t walk, Scratch& scratch) {
    Matrix& parameters = lookup_.parameters();
    const std::int64_t first = first_place(batch.windows, walk);
    const std::int64_t last = first_place(batch.windows, walk + 1);
    float* gradient = scratch.gradients_for(last - first, stride_);
    const double loss = gradients_of(batch, walk, scratch, gradient);
    for (std::int64_t place = first; place < last; ++place, gradient += stride_)
      update_(parameters.row(rows_[place]), gradient, lookup_.state(rows_[place]), stride_);
    return loss;
  }

  double total_loss() const {
    double total = 0;
    for (const double loss : losses_) total += loss;
    return total;
  }

  Lookup& lookup_;
  PairSampling& sampling_;
  LossFn loss_;
  OptimizerFn optimizer_;
  int rows_per_window_;  ///< the middle and the negatives
  int stride_;
  float l2_;
  bool async_;
  ThreadPool& pool_;
  RowGroups groups_;
  std::vector<NodeId> rows_;  ///< of all walks
  Matrix gradients_;          ///< of these rows
  std::vector<double> losses_;
  std::vector<std::int32_t> bounds_;
  RowUpdate<OptimizerFn> update_{optimizer_, {}};  ///< of this batch
};

}  // namespace

std::unique_ptr<Step> make_window_step(const StepParts& parts, Lookup& lookup, bool async) {
  return std::visit(
      [&](auto loss, auto optimizer) -> std::unique_ptr<Step> {
        return std::make_unique<WindowStep<decltype(loss), decltype(optimizer)>>(
            parts, lookup, async, loss, optimizer);
      },
      parts.loss, parts.optimizer);
}

}  // namespace mcns

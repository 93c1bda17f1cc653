#include "mcns/train/trainer.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>

#include "mcns/core/error.h"

namespace mcns {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Sources linked to every target, which have no negative at all: refused, unless their pairs are
/// to be skipped. Empty where there are none.
std::vector<bool> saturated_sources(const TrainOptions& options, const Exclusion& exclusion,
                                    const Names* names) {
  if (exclusion.filter() == Filter::kNone) return {};
  const Graph& graph = exclusion.graph();
  std::vector<bool> saturated;
  NodeId linked = 0, skipped = 0;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
    if (graph.degree(u) == 0) continue;
    ++linked;
    if (exclusion.allowed(u) > 0) continue;
    if (options.saturated == "error")
      throw_error(
          ErrorKind::kData,
          "node '{}' is linked to every target, so it has no negatives; use --saturated skip "
          "to leave it out or --filter none to allow positives as negatives",
          names != nullptr ? names->name(u) : std::to_string(u));
    saturated.resize(graph.sources().end);
    saturated[u] = true;
    ++skipped;
  }
  if (skipped > 0 && skipped == linked)
    throw_error(ErrorKind::kData,
                "every node with an edge is linked to every target, so --saturated skip leaves no "
                "pair to learn from; --filter none allows positives as negatives");
  return saturated;
}

bool is_sound(const StepTotals& totals) {
  return totals.pairs >= 0 && 0 <= totals.skipped && totals.skipped <= totals.pairs &&
         totals.checked >= 0 && totals.collisions >= 0 && totals.seconds >= 0 &&
         std::isfinite(totals.loss) &&
         std::isfinite(totals.seconds + totals.sample_seconds + totals.update_seconds);
}

/// A metric may have nothing to measure, and is then no number, but not the one that decides.
bool is_sound(const EpochRecord& record, std::string_view deciding) {
  const auto is_plain_name = [](const std::string& name) {
    return std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
  };
  const auto is_value = [&](const Metric& metric) {
    return is_plain_name(metric.name) && !std::isinf(metric.value) &&
           !(metric.name == deciding && std::isnan(metric.value));
  };
  return std::isfinite(record.loss) && std::isfinite(record.lr) && record.seconds >= 0 &&
         std::isfinite(record.seconds + record.sample_seconds + record.eval_seconds) &&
         std::ranges::all_of(record.valid, is_value);
}

}  // namespace

Trainer::Trainer(const Plan& plan, std::uint64_t seed, const Graph& graph, const Evaluator* valid,
                 ThreadPool& pool, const TrainerInputs& inputs)
    : options_(plan.options),
      seed_(seed),
      graph_(graph),
      valid_(valid),
      pool_(pool),
      session_(graph,
               {.sampler = *options_.sampler,
                .negatives = options_.negatives->count,
                .dim = *options_.dim,
                .filter = parse_filter(*options_.filter),
                .seed = seed,
                .names = inputs.names,
                .registry = &plan.components->samplers,
                .log_q = *options_.log_q == "on",
                .observer = inputs.negatives},
               pool),
      saturated_(saturated_sources(options_, session_.exclusion(), inputs.names)),
      optimizer_(plan.components->optimizers.find(*options_.optimizer).optimizer),
      encoder_(make_encoder(
          *options_.encoder,
          {graph,
           *options_.dim,
           *options_.init_scale,
           slots_of(optimizer_),
           seed,
           pool,
           inputs.features,
           *options_.tables,
           {*options_.similarity == "cosine", *options_.temperature, *options_.popularity}},
          plan.components->encoders)),
      positives_(make_positives(*options_.positives,
                                {graph, *options_.batch, pool, shares_by_source()},
                                plan.components->positives)) {
  check_batch();
  make_step(make_loss(*options_.loss, *options_.margin, plan.components->losses), inputs.wrap_step);
  if (*options_.log_q == "on" && !options_.negatives->shared) check_log_q();
  if (valid_ != nullptr) step_->keep_best();
}

/// Steps count the rows of a batch in 32 bits: of a pair its source, its target and its negatives.
void Trainer::check_batch() const {
  const std::int64_t pairs = positives_->most_pairs();
  const std::int64_t k = options_.negatives->shared ? 1 : negatives_per_positive();
  const std::int64_t most = std::numeric_limits<std::int32_t>::max() / (k + 2);
  require(pairs <= most,
          "--batch {}: a batch of positives '{}' has up to {} pairs, and with {} negatives each it "
          "may have {}; use a smaller --batch, shorter walks or fewer --negatives",
          *options_.batch, *options_.positives, pairs, k, most);
}

/// Whether windows of walks are to have one source each, whose pairs share negatives.
bool Trainer::shares_by_source() const {
  return session_.sampler().can_share_source() && !session_.sampler().can_share(1) &&
         encoder_->in_place() != nullptr && !graph_.is_bipartite() && !graph_.is_directed() &&
         saturated_.empty() && *options_.log_q == "off";
}

/// The step that fits encoder, positives and sampler.
void Trainer::make_step(Loss loss, const WrapStep& wrap) {
  const StepParts parts{session_, std::move(loss), optimizer_, static_cast<float>(*options_.l2),
                        pool_};
  Lookup* const table = encoder_->in_place();
  const bool async = *options_.update == "async";
  const int pairs = positives_->pairs_per_window();
  const bool windows = pairs > 0 && saturated_.empty() && *options_.log_q == "off" &&
                       (shares_by_source() || session_.sampler().can_share(pairs));
  const bool fresh = *options_.sampler_view == "fresh";
  if (options_.negatives->shared)
    step_ = make_shared_step(parts, *encoder_, options_.negatives->count, fresh,
                             *options_.log_q == "on");
  else if (table == nullptr)
    step_ = make_gnn_step(parts, *encoder_, fresh);
  else if (windows)
    step_ = make_window_step(parts, *table, async);
  else
    step_ = async ? make_async_step(parts, *table) : make_batch_step(parts, *table);
  if (wrap) step_ = wrap(std::move(step_));
}

/// Whether the sampler can say how probable its negatives are.
void Trainer::check_log_q() const {
  const NodeId source = graph_.sources().begin;
  require(session_.log_q(source, graph_.targets().begin, model().scorer()).has_value(),
          "--log-q on: the probability of a negative of '{}' cannot be evaluated; use --log-q off "
          "or another sampler",
          *options_.sampler);
}

Trainer::~Trainer() = default;

bool Trainer::run(const TrainerHooks& hooks) {
  while (!should_stop()) {
    const bool whole = epoch(hooks);
    // The scores of the last batch may be finite where its update is not: no such state is saved.
    if (!step_->is_finite())
      throw_error(ErrorKind::kRuntime,
                  "a parameter is not finite in epoch {}; a smaller --lr or a larger --l2 may help",
                  epoch_ + 1);
    if (!whole) {
      if (hooks.checkpoint) hooks.checkpoint();
      return false;
    }
    finish_epoch(hooks);
    const bool due = hooks.checkpoint_every > 0 && epoch_ % hooks.checkpoint_every == 0;
    if (hooks.checkpoint && due) hooks.checkpoint();
  }
  restore_best();
  return true;
}

/// The batches that are left of the current epoch; false if interrupted.
bool Trainer::epoch(const TrainerHooks& hooks) {
  PairBuffer pairs;
  const std::int64_t batches = positives_->batches_per_epoch();
  if (batch_ == 0) {
    step_->refresh();
    session_.begin_epoch(epoch_, model().scorer());
  }
  for (; batch_ < batches; ++batch_) {
    if (hooks.interrupted != nullptr && hooks.interrupted->load()) return false;
    const BatchKey key{seed_, epoch_, batch_};
    const auto start = std::chrono::steady_clock::now();
    positives_->fill(key, pool_, pairs);
    const std::int64_t dropped = drop_saturated(pairs);
    epoch_totals_.pairs += dropped;
    epoch_totals_.skipped += dropped;
    epoch_totals_.seconds += seconds_since(start);
    if (!pairs.pairs.empty()) step_->run(key, pairs, learning_rate(), epoch_totals_);
    if (hooks.observer != nullptr)
      hooks.observer->batch_done(epoch_, batch_ + 1, batches, epoch_totals_);
  }
  return true;
}

/// Leaves out the pairs for which no negative exists; returns how many.
std::int64_t Trainer::drop_saturated(PairBuffer& batch) const {
  if (saturated_.empty()) return 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
    if (saturated_[batch.pairs[i].source]) continue;
    batch.pairs[kept] = batch.pairs[i];
    batch.serials[kept++] = batch.serials[i];
  }
  batch.windows = {};
  const auto dropped = static_cast<std::int64_t>(batch.pairs.size() - kept);
  batch.resize(kept);
  return dropped;
}

void Trainer::finish_epoch(const TrainerHooks& hooks) {
  EpochRecord record;
  record.lr = learning_rate();
  record.loss =
      epoch_totals_.loss / static_cast<double>(std::max<std::int64_t>(1, epoch_totals_.pairs));
  totals_.add(epoch_totals_);
  epoch_totals_ = {};
  step_->refresh();
  record.epoch = ++epoch_;
  batch_ = 0;
  if (valid_ != nullptr && (epoch_ % *options_.eval_every == 0 || epoch_ == *options_.epochs)) {
    const auto start = std::chrono::steady_clock::now();
    record.valid = valid_->evaluate(scores_view(), pool_);
    eval_seconds_ += seconds_since(start);
    const double value = value_of(record.valid, valid_->selection_metric());
    // Of equally good epochs the later one is kept, but standing still is no progress.
    const bool better = best_epoch_ == 0 || value > best_value_;
    evaluations_since_best_ = better ? 0 : evaluations_since_best_ + 1;
    if (better) best_value_ = value;
    record.best = value >= best_value_ - valid_->standard_error(best_value_);
    if (record.best) {
      step_->keep_best();
      best_epoch_ = epoch_;
    }
  }
  record.seconds = totals_.seconds;
  record.sample_seconds = totals_.sample_seconds;
  record.eval_seconds = eval_seconds_;
  if (hooks.observer != nullptr) hooks.observer->epoch_done(record);
  history_.push_back(std::move(record));
  if (hooks.observer != nullptr) hooks.observer->epoch_saved();
}

bool Trainer::should_stop() const {
  if (epoch_ >= *options_.epochs) return true;
  return *options_.patience > 0 && evaluations_since_best_ >= *options_.patience;
}

float Trainer::learning_rate() const {
  if (*options_.schedule == "constant") return static_cast<float>(*options_.lr);
  const auto batches = static_cast<double>(positives_->batches_per_epoch());
  const double done = (static_cast<double>(epoch_) + static_cast<double>(batch_) / batches) /
                      std::max(1, *options_.epochs);
  return static_cast<float>(*options_.lr * std::max(1e-4, 1 - done));
}

EmbeddingView Trainer::scores_view() const {
  const bool in_out = *options_.scores == "in-out";
  const Encoder& encoder = model();
  return {encoder.node_table(), in_out ? encoder.context_table() : encoder.node_table()};
}

void Trainer::restore_best() {
  if (valid_ != nullptr && best_epoch_ > 0)  // else no copy of it was kept
    step_->restore_best();
  else
    best_epoch_ = epoch_;
  step_->refresh();
}

void Trainer::change_model(const std::function<void(Encoder&)>& change) {
  change(step_->host());
  step_->host_changed();
}

void Trainer::visit_state(Archive& archive) {
  step_->visit_state(archive);
  session_.visit_state(archive);
  archive("epoch", epoch_);
  archive("batch", batch_);
  archive("totals", totals_);
  archive("epoch_totals", epoch_totals_);
  archive("eval_seconds", eval_seconds_);
  archive("best_value", best_value_);
  archive("best_epoch", best_epoch_);
  archive("evaluations_since_best", evaluations_since_best_);
  visit_history(archive);
}

void Trainer::visit_history(Archive& archive) {
  std::size_t count = history_.size();
  archive("history", count);
  if (archive.is_loading()) archive.check_count("history", count, sizeof(EpochRecord::loss));
  history_.resize(count);
  for (auto& record : history_) {
    archive("history.epoch", record.epoch);
    archive("history.loss", record.loss);
    archive("history.lr", record.lr);
    archive("history.seconds", record.seconds);
    archive("history.sample_seconds", record.sample_seconds);
    archive("history.eval_seconds", record.eval_seconds);
    archive("history.best", record.best);
    std::size_t metrics = record.valid.size();
    archive("history.valid", metrics);
    if (archive.is_loading()) archive.check_count("history.valid", metrics, sizeof(Metric::value));
    record.valid.resize(metrics);
    for (auto& metric : record.valid) {
      archive("history.name", metric.name);
      archive("history.value", metric.value);
    }
  }
  if (archive.is_loading()) check_state();
}

/// A checksum shows that a state was saved as it is, not that it is one of this run.
void Trainer::check_state() const {
  const auto within = [](std::int64_t value, std::int64_t low, std::int64_t high) {
    return low <= value && value <= high;
  };
  const std::string_view deciding = valid_ != nullptr ? valid_->selection_metric() : "";
  const auto has_best = [&](const EpochRecord& record) {
    return std::ranges::count(record.valid, best_value_, &Metric::value) > 0;
  };
  const auto done = static_cast<std::int64_t>(history_.size());
  bool sound = epoch_ == done && within(batch_, 0, positives_->batches_per_epoch()) &&
               within(best_epoch_, 0, epoch_) && within(evaluations_since_best_, 0, epoch_) &&
               std::isfinite(best_value_) && std::isfinite(eval_seconds_) && eval_seconds_ >= 0 &&
               is_sound(totals_) && is_sound(epoch_totals_) && step_->is_finite();
  for (std::int64_t i = 0; i < done; ++i)
    sound = sound && history_[i].epoch == i + 1 && is_sound(history_[i], deciding);
  if (valid_ != nullptr && best_epoch_ > 0)
    sound = sound && std::ranges::any_of(history_, has_best);
  if (!sound)
    throw_error(ErrorKind::kData,
                "the checkpoint holds epochs, counts or numbers that no run of this graph has; "
                "--force starts anew");
}

}  // namespace mcns

#include "mcns/reproduce/reproduce.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "mcns/compare/compare.h"
#include "mcns/compare/plan_digest.h"
#include "mcns/compare/tuned_piece.h"
#include "mcns/core/error.h"
#include "mcns/reproduce/mixing_piece.h"

namespace mcns {
namespace {

/// Where nothing is known of a cell.
constexpr double kGuessSeconds = 60;
/// A search of 20 settings costs about as much as so many runs.
constexpr double kRunsPerSearch = 6.4 / 20;

std::string cell_file(const CellSpec& cell) {
  return fmt::format("{}/{}/{}.{}", cell.dataset, cell.model,
                     file_name_of(cell.name().substr(cell.column().size() + 1)), cell.kind);
}

std::string search_file(const CellSpec& cell) { return cell_file(cell) + ".settings.json"; }

class Work {
 public:
  Work(const ExperimentSpec& spec, const ReproduceOptions& options, const ReproduceHooks& hooks)
      : spec_(spec),
        options_(options),
        hooks_(hooks),
        store_(options.out + "/" + spec.name + (options.quick ? "-quick" : "")),
        folds_(options.folds > 0 ? std::min(options.folds, spec.folds)
               : options.quick   ? spec.quick.folds
                                 : spec.folds),
        tune_(options.quick ? spec.quick.tune : spec.tune) {}

  ReproduceResult run() {
    ReproduceResult out;
    out.spec = spec_;
    for (const CellSpec& cell : spec_.cells) {
      out.cells.push_back({cell, {}, wanted(cell)});
      if (!has_data(cell)) out.cells.back().trouble = "no data";
      out.has_data |= out.cells.back().wanted && has_data(cell);
    }
    require(std::ranges::any_of(out.cells, &CellResult::wanted),
            "no cell of {} is called so; its first is {}", spec_.name, spec_.cells[0].name());
    out.finished = options_.stored || run_all(out);
    for (CellResult& cell : out.cells) {
      read_runs(cell);
      const auto failure = failures_.find(name_of(cell.cell));
      if (failure != failures_.end()) cell.trouble = "failed: " + failure->second;
    }
    out.failures = static_cast<int>(failures_.size());
    return out;
  }

 private:
  bool wanted(const CellSpec& cell) const {
    const auto& only = options_.quick && options_.only.empty() ? spec_.quick.only : options_.only;
    const auto& kinds =
        options_.quick && options_.kinds.empty() ? spec_.quick.kinds : options_.kinds;
    const bool kind = kinds.empty() || std::ranges::count(kinds, cell.kind) > 0;
    return kind && matches(cell.name(), only);
  }
  static std::string name_of(const CellSpec& cell) { return cell.name() + " " + cell.kind; }

  bool has_data(const CellSpec& cell) {
    const auto [found, is_new] = has_data_.try_emplace(cell.data, true);
    if (is_new) found->second = data_is_here(experiment(cell, 1));
    return found->second;
  }

  struct Task {
    const CellSpec* cell;
    int fold;  ///< 0: the search
  };

  /// Fold by fold, so that a run that is stopped early has some of every cell.
  std::vector<Task> all_tasks(const ReproduceResult& result) const {
    std::vector<Task> tasks;
    std::set<std::string> files;  // a measurement of chains is one piece for all its points
    for (int fold = 1; fold <= folds_; ++fold)
      for (const CellResult& cell : result.cells) {
        if (!cell.wanted) continue;
        if (fold == 1 && cell.cell.kind == "tuned") tasks.push_back({&cell.cell, 0});
        const Task task{&cell.cell, fold};
        if (files.insert(file_of(task)).second) tasks.push_back(task);
      }
    return tasks;
  }

  bool run_all(const ReproduceResult& result) {
    std::vector<Task> left;
    ReproducePlan plan;
    for (const Task& task : all_tasks(result)) {
      if (is_stored(task)) {
        ++plan.stored;
      } else if (!has_data(*task.cell)) {
        ++plan.without_data;
      } else {
        left.push_back(task);
        ++(task.fold == 0 ? plan.searches : plan.runs);
      }
    }
    for (const Task& task : left) plan.seconds += seconds_of(task);
    if (hooks_.planned) hooks_.planned(plan);
    return options_.plan || run_tasks(left, plan.seconds);
  }

  /// Tasks that another process is at are put off to the end.
  bool run_tasks(const std::vector<Task>& left, double seconds) {
    const int all = static_cast<int>(left.size());
    int number = 0;
    std::vector<Task> busy;
    for (const Task& task : left) {
      if (stopped()) return false;
      if (hooks_.begins) hooks_.begins(text_of(task), ++number, all, seconds);
      seconds = std::max(0.0, seconds - seconds_of(task));
      const auto outcome = attempt(task);
      if (outcome == RecordStore::Outcome::kInterrupted) return false;
      if (outcome == RecordStore::Outcome::kBusy) busy.push_back(task);
    }
    while (!busy.empty()) {
      std::vector<Task> still;
      for (const Task& task : busy) {
        if (stopped()) return false;
        const auto outcome = attempt(task);
        if (outcome == RecordStore::Outcome::kInterrupted) return false;
        if (outcome == RecordStore::Outcome::kBusy) still.push_back(task);
      }
      if (still.size() == busy.size()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      busy = std::move(still);
    }
    return true;
  }

  bool stopped() const { return hooks_.interrupted != nullptr && hooks_.interrupted->load(); }

  /// One task. What fails is noted, and the other folds of the cell are left out.
  RecordStore::Outcome attempt(const Task& task) {
    using enum RecordStore::Outcome;
    if (failures_.contains(name_of(*task.cell))) return kThere;
    try {
      // Where the search that it needs is not stored, another process is at it.
      const std::optional<Piece> piece = piece_of(task);
      if (!piece) return kBusy;
      const auto outcome = store_.run(*piece);
      if (outcome == kDone && task.fold > 0 && !spec_.mixing && hooks_.done)
        hooks_.done(parse_record(*store_.find(piece->file, piece->key), piece->file));
      return outcome;
    } catch (const std::exception& error) {
      failures_[name_of(*task.cell)] = error.what();
      if (hooks_.failed) hooks_.failed(text_of(task), error.what());
      return kThere;
    }
  }

  std::string text_of(const Task& task) const {
    return task.fold == 0 ? fmt::format("{}, tuning", task.cell->name())
                          : fmt::format("{}, {} settings, fold {}", task.cell->name(),
                                        task.cell->kind, task.fold);
  }

  double seconds_of(const Task& task) {
    const auto known = measured_.find(name_of(*task.cell));
    const double run = known != measured_.end() ? known->second
                       : task.cell->seconds > 0 ? task.cell->seconds
                                                : kGuessSeconds;
    return task.fold == 0 ? run * tune_ * kRunsPerSearch : run;
  }

  Experiment experiment(const CellSpec& cell, int fold) const {
    Experiment out = cell_experiment(spec_, cell, fold);
    out.threads = options_.threads;
    return out;
  }

  /// Empty where the data are not here.
  std::string plan_of(const Experiment& experiment, const CellSpec& cell) {
    return has_data(cell) ? plans_.of(experiment) : "";
  }

  Piece search_piece(const CellSpec& cell) {
    TuneHooks hooks;
    hooks.interrupted = hooks_.interrupted;
    const Experiment first = experiment(cell, 1);
    return tuned_piece(store_, search_file(cell), first, plan_of(first, cell), tune_, hooks);
  }

  std::string file_of(const Task& task) const {
    if (spec_.mixing) return mixing_file(*task.cell);
    return task.fold == 0 ? search_file(*task.cell) : fold_file(*task.cell, task.fold);
  }

  /// Nothing where the search that it needs is not finished.
  std::optional<Piece> piece_of(const Task& task) {
    const CellSpec& cell = *task.cell;
    Experiment one = experiment(cell, std::max(1, task.fold));
    if (spec_.mixing)
      return mixing_piece(cell, one, plan_of(one, cell), store_, hooks_.interrupted);
    if (task.fold == 0) return search_piece(cell);
    if (cell.kind == "tuned") {
      const Piece search = search_piece(cell);
      const auto text = store_.find(search.file, search.key);
      if (!text) return std::nullopt;
      one.tuned = parse_tuned(*text, search.file).tuned;
    }
    const std::string key = experiment_key(one, "reproduce") + "-" + plan_of(one, cell);
    const auto work = [=, this]() -> std::optional<std::string> {
      auto record = record_run(one, {.observer = hooks_.observer,
                                     .interrupted = hooks_.interrupted,
                                     .ready = {},
                                     .negatives = {},
                                     .notice = {},
                                     .warning = hooks_.warning});
      if (!record) return std::nullopt;
      record->name = cell.name();
      record->kind = cell.kind;
      record->repeat = task.fold;
      record->key = key;
      record->command = run_command(one, record->settings);
      return record_json(*record);
    };
    return Piece{fold_file(cell, task.fold), key, work};
  }

  std::optional<RunRecord> stored_run(const CellSpec& cell, int fold) {
    if (!store_.has_file(file_of({&cell, fold})))
      return std::nullopt;  // no key, no reading of data
    const auto piece = piece_of({&cell, fold});
    const auto text = piece ? store_.find(piece->file, piece->key) : std::nullopt;
    if (!text) return std::nullopt;
    if (spec_.mixing) return mixing_record(cell, *text, store_.path(piece->file));
    return parse_record(*text, store_.path(piece->file));
  }

  bool is_stored(const Task& task) {
    if (task.fold == 0) {
      if (!store_.has_file(file_of(task))) return false;
      const Piece piece = search_piece(*task.cell);
      return store_.find(piece.file, piece.key).has_value();
    }
    const auto run = stored_run(*task.cell, task.fold);
    if (run && run->wall_seconds > 0) measured_[name_of(*task.cell)] = run->wall_seconds;
    return run.has_value();
  }

  void read_runs(CellResult& cell) {
    for (int fold = 1; fold <= spec_.folds; ++fold)
      if (auto run = stored_run(cell.cell, fold)) cell.runs.push_back(std::move(*run));
  }

  const ExperimentSpec& spec_;
  const ReproduceOptions& options_;
  const ReproduceHooks& hooks_;
  RecordStore store_;
  PlanDigests plans_;
  int folds_, tune_;
  std::map<std::string, double> measured_;       ///< seconds of a fold, by cell and kind
  std::map<std::string, bool> has_data_;         ///< by dataset
  std::map<std::string, std::string> failures_;  ///< by cell and kind
};

}  // namespace

std::string fold_file(const CellSpec& cell, int fold) {
  return fmt::format("{}.fold{:02}.json", cell_file(cell), fold);
}

ReproduceResult reproduce(const ExperimentSpec& spec, const ReproduceOptions& options,
                          const ReproduceHooks& hooks) {
  require(options.stored || !options.out.empty(), "reproduce needs --out DIR");
  return Work(spec, options, hooks).run();
}

}  // namespace mcns

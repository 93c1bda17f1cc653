#include "mcns/reproduce/reproduce.h"

#include <algorithm>
#include <map>

#include "mcns/compare/compare.h"
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
    for (const CellSpec& cell : spec_.cells) out.cells.push_back({cell, {}, wanted(cell)});
    require(std::ranges::any_of(out.cells, &CellResult::wanted),
            "no cell of {} is called so; its first is {}", spec_.name, spec_.cells[0].name());
    out.finished = options_.stored || run_all(out);
    for (CellResult& cell : out.cells) read_runs(cell);
    return out;
  }

 private:
  bool wanted(const CellSpec& cell) const {
    const auto& only = options_.quick && options_.only.empty() ? spec_.quick.only : options_.only;
    const bool kind = options_.kinds.empty() || std::ranges::count(options_.kinds, cell.kind) > 0;
    return kind && matches(cell.name(), only);
  }

  struct Task {
    const CellSpec* cell;
    int fold;  ///< 0: the search
  };

  bool run_all(const ReproduceResult& result) {
    // Fold by fold, so that a run that is stopped early has some of every cell.
    std::vector<Task> tasks;
    for (int fold = 1; fold <= folds_; ++fold)
      for (const CellResult& cell : result.cells) {
        if (!cell.wanted) continue;
        if (fold == 1 && cell.cell.kind == "tuned") tasks.push_back({&cell.cell, 0});
        tasks.push_back({&cell.cell, fold});
      }
    std::vector<Task> left;
    ReproducePlan plan;
    for (const Task& task : tasks) {
      if (is_stored(task)) {
        ++plan.stored;
        continue;
      }
      left.push_back(task);
      ++(task.fold == 0 ? plan.searches : plan.runs);
      plan.seconds += seconds_of(task);
    }
    if (hooks_.planned) hooks_.planned(plan);
    return run_tasks(left, plan.seconds);
  }

  /// Tasks that another process is at are put off to the end.
  bool run_tasks(std::vector<Task> left, double seconds) {
    const int all = static_cast<int>(left.size());
    int number = 0;
    std::vector<Task> busy;
    for (const Task& task : left) {
      if (hooks_.interrupted != nullptr && hooks_.interrupted->load()) return false;
      if (hooks_.begins) hooks_.begins(text_of(task), ++number, all, seconds);
      seconds = std::max(0.0, seconds - seconds_of(task));
      const std::optional<Piece> piece = piece_of(task);
      const auto outcome = piece ? store_.run(*piece) : RecordStore::Outcome::kBusy;
      if (outcome == RecordStore::Outcome::kInterrupted) return false;
      if (outcome == RecordStore::Outcome::kBusy) busy.push_back(task);
      const bool run = task.fold > 0 && !spec_.mixing;
      if (outcome == RecordStore::Outcome::kDone && run && hooks_.done)
        hooks_.done(parse_record(*store_.find(piece->file, piece->key), piece->file));
    }
    for (const Task& task : busy) {
      if (task.fold > 0 && task.cell->kind == "tuned" && !search_is_stored(*task.cell) &&
          !store_.run_all({search_piece(*task.cell)}, {}, hooks_.interrupted))
        return false;
      if (!store_.run_all({*piece_of(task)}, {}, hooks_.interrupted)) return false;
    }
    return true;
  }

  std::string text_of(const Task& task) const {
    return task.fold == 0 ? fmt::format("{}, tuning", task.cell->name())
                          : fmt::format("{}, {} settings, fold {}", task.cell->name(),
                                        task.cell->kind, task.fold);
  }

  double seconds_of(const Task& task) {
    const auto known = measured_.find(task.cell->name() + task.cell->kind);
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

  Piece search_piece(const CellSpec& cell) const {
    TuneHooks hooks;
    hooks.interrupted = hooks_.interrupted;
    return tuned_piece(cell_file(cell) + ".settings.json", experiment(cell, 1), tune_, hooks);
  }
  bool search_is_stored(const CellSpec& cell) const {
    const Piece piece = search_piece(cell);
    return store_.find(piece.file, piece.key).has_value();
  }

  /// Nothing where the search that it needs is not finished.
  std::optional<Piece> piece_of(const Task& task) const {
    const CellSpec& cell = *task.cell;
    if (spec_.mixing) return mixing_piece(cell, experiment(cell, 1), store_, hooks_.interrupted);
    if (task.fold == 0) return search_piece(cell);
    Experiment one = experiment(cell, task.fold);
    if (cell.kind == "tuned") {
      const Piece search = search_piece(cell);
      const auto text = store_.find(search.file, search.key);
      if (!text) return std::nullopt;
      one.tuned = parse_tuned(*text, search.file).tuned;
    }
    const std::string key = experiment_key(one, "reproduce");
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

  std::optional<RunRecord> stored_run(const CellSpec& cell, int fold) const {
    const auto piece = piece_of({&cell, fold});
    const auto text = piece ? store_.find(piece->file, piece->key) : std::nullopt;
    if (!text) return std::nullopt;
    if (spec_.mixing) return mixing_record(cell, *text, store_.path(piece->file));
    return parse_record(*text, store_.path(piece->file));
  }

  bool is_stored(const Task& task) {
    if (task.fold == 0) return search_is_stored(*task.cell);
    const auto run = stored_run(*task.cell, task.fold);
    if (run) measured_[task.cell->name() + task.cell->kind] = run->wall_seconds;
    return run.has_value();
  }

  void read_runs(CellResult& cell) const {
    for (int fold = 1; fold <= spec_.folds; ++fold)
      if (auto run = stored_run(cell.cell, fold)) cell.runs.push_back(std::move(*run));
  }

  const ExperimentSpec& spec_;
  const ReproduceOptions& options_;
  const ReproduceHooks& hooks_;
  RecordStore store_;
  int folds_, tune_;
  std::map<std::string, double> measured_;
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

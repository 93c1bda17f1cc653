#include "mcns/compare/compare.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "mcns/compare/baseline_runs.h"
#include "mcns/compare/plan_digest.h"
#include "mcns/compare/tuned_piece.h"
#include "mcns/core/error.h"
#include "mcns/core/json_object.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

class Race {
 public:
  Race(const std::vector<Contestant>& contestants, const CompareOptions& options,
       const CompareHooks& hooks)
      : contestants_(contestants), options_(options), hooks_(hooks), store_(options.out) {
    const int before = options.budget == Budget::kEpochs ? 0 : 1;
    pieces_ = static_cast<int>(contestants.size()) * (options.seeds + before) +
              static_cast<int>(options.baselines.size()) * options.seeds;
  }

  bool run(CompareResult& out) {
    for (const Contestant& contestant : contestants_) {
      out.rows.push_back({contestant.label, {}, {}, 1, Verdict::kTied});
      Experiment experiment = contestant.experiment;
      if (!prepare(contestant.label, experiment)) return false;
      for (int repeat = 1; repeat <= options_.seeds; ++repeat)
        if (!run_seed(contestant.label, experiment, repeat, out.rows.back().runs)) return false;
    }
    for (const std::string& name : options_.baselines) {
      out.rows.push_back({name, {}, {}, 1, Verdict::kTied});
      for (int repeat = 1; repeat <= options_.seeds; ++repeat)
        if (!run_baseline_seed(name, repeat, out.rows.back().runs)) return false;
    }
    return true;
  }

 private:
  bool stopped() const { return hooks_.interrupted != nullptr && hooks_.interrupted->load(); }
  void begin(const std::string& what) {
    ++begun_;
    if (hooks_.begins) hooks_.begins(what, begun_, pieces_);
  }

  /// What is found before the seeds: settings, or how many epochs fit into the seconds.
  bool prepare(const std::string& label, Experiment& experiment) {
    if (options_.budget == Budget::kEpochs) return true;
    const bool tunes = options_.budget == Budget::kTuning;
    begin(label + (tunes ? ", tuning" : ", pace"));
    const std::string file =
        fmt::format("{}/{}.json", tunes ? "tuned" : "pace", file_name_of(label));
    const Piece piece = tunes ? tuned_piece(store_, file, experiment, plans_.of(experiment),
                                            options_.tune, {.interrupted = hooks_.interrupted})
                              : pace_piece(file, experiment);
    if (!store_.run_all({piece}, {}, hooks_.interrupted)) return false;
    const std::string text = *store_.find(file, piece.key);
    if (tunes) {
      experiment.tuned = parse_tuned(text, store_.path(file)).tuned;
    } else {
      const double pace = Json::parse(text).at("seconds_per_epoch");
      const double epochs = std::clamp(options_.seconds / std::max(pace, 1e-6), 1.0, 1e6);
      experiment.train.epochs = static_cast<int>(epochs);
    }
    return true;
  }

  std::string key_of(const Experiment& experiment, const std::string& more) {
    return experiment_key(experiment, more) + "-" + plans_.of(experiment);
  }

  /// Seconds of an epoch, from a short run.
  Piece pace_piece(const std::string& file, Experiment experiment) {
    experiment.train.epochs = 3;
    experiment.train.eval_every = 3;
    const std::string key = key_of(experiment, "pace");
    return {file, key, [=, this]() -> std::optional<std::string> {
              const auto record = record_run(experiment, run_hooks());
              if (!record) return std::nullopt;
              return Json{{"key", key}, {"seconds_per_epoch", record->seconds / 3}}.dump() + "\n";
            }};
  }

  bool run_seed(const std::string& label, Experiment experiment, int repeat,
                std::vector<RunRecord>& runs) {
    experiment.seed = experiment.random_seed() + repeat - 1;
    const std::string key = key_of(experiment, "compare");
    const auto work = [&]() -> std::optional<RunRecord> {
      auto record = record_run(experiment, run_hooks());
      if (record) record->command = run_command(experiment, record->settings);
      return record;
    };
    return keep(label, options_.budget == Budget::kTuning ? "tuned" : "default", repeat, key, work,
                runs);
  }

  bool run_baseline_seed(const std::string& name, int repeat, std::vector<RunRecord>& runs) {
    const Experiment& experiment = contestants_[0].experiment;
    const std::uint64_t seed = experiment.random_seed() + repeat - 1;
    const std::string key = key_of(experiment, fmt::format("baseline {} {}", name, seed));
    const auto work = [&]() -> std::optional<RunRecord> {
      ThreadPool pool(experiment.threads);
      if (!prepared_) prepared_ = prepare_experiment(experiment, pool);
      return run_baseline(name, *prepared_, seed, pool);
    };
    return keep(name, "baseline", repeat, key, work, runs);
  }

  /// One run, from the store or done now.
  bool keep(const std::string& label, const std::string& kind, int repeat, const std::string& key,
            const std::function<std::optional<RunRecord>()>& work, std::vector<RunRecord>& runs) {
    if (stopped()) return false;
    begin(fmt::format("{}, seed {}", label, repeat));
    const std::string file = fmt::format("runs/{}.seed{:02}.json", file_name_of(label), repeat);
    const bool before = store_.find(file, key).has_value();
    const Piece piece{file, key, [&]() -> std::optional<std::string> {
                        auto record = work();
                        if (!record) return std::nullopt;
                        record->name = label;
                        record->kind = kind;
                        record->repeat = repeat;
                        record->key = key;
                        return record_json(*record);
                      }};
    if (!store_.run_all({piece}, {}, hooks_.interrupted)) return false;
    runs.push_back(parse_record(*store_.find(file, key), store_.path(file)));
    if (hooks_.done) hooks_.done(runs.back(), before);
    return true;
  }

  ExperimentHooks run_hooks() const {
    return {.observer = hooks_.observer,
            .interrupted = hooks_.interrupted,
            .ready = {},
            .negatives = {},
            .notice = {},
            .warning = hooks_.warning};
  }

  const std::vector<Contestant>& contestants_;
  const CompareOptions& options_;
  const CompareHooks& hooks_;
  RecordStore store_;
  PlanDigests plans_;
  std::optional<PreparedExperiment> prepared_;
  int pieces_ = 0, begun_ = 0;
};

void check(const std::vector<Contestant>& contestants, const CompareOptions& o) {
  require(!contestants.empty(), "compare needs samplers or settings to compare");
  require(!o.out.empty(), "compare needs --out DIR");
  require(o.seeds >= 1 && o.seeds <= 1000, "--seeds must be between 1 and 1000, got {}", o.seeds);
  require(o.budget != Budget::kSeconds || o.seconds > 0,
          "--budget seconds needs --seconds S, above 0");
  require(o.budget != Budget::kTuning || o.tune >= 1, "--budget tuning needs --tune N, at least 1");
  std::set<std::string> files;
  for (const Contestant& contestant : contestants) {
    require(files.insert(file_name_of(contestant.label)).second, "'{}' is compared twice",
            contestant.label);
    require(contestant.experiment.task.has_value(), "compare needs --task");
    check_components(given_settings(contestant.experiment.train),
                     *contestant.experiment.components);
  }
  for (const std::string& name : o.baselines) {
    if (std::ranges::count(baseline_names(), name) == 0)
      throw_unknown("baseline", name, baseline_names());
    require(contestants[0].experiment.task == Task::kRecommend,
            "--baselines are for --task recommend");
    require(files.insert(name).second, "'{}' is compared twice", name);
  }
}

int resolved_epochs(const Experiment& experiment) {
  const ExperimentPlan plan = plan_experiment(experiment);
  const auto found = std::ranges::find(plan.settings, "epochs", &Setting::name);
  int epochs = 0;
  read_text(found->value, epochs);
  return epochs;
}

/// Nothing ends a run before its epochs or its seconds are over.
void without_patience(std::vector<Contestant>& contestants) {
  for (Contestant& one : contestants) {
    require(one.experiment.train.patience.value_or(0) == 0,
            "--budget epochs and --budget seconds let nothing stop early, but {} has --patience "
            "{}: give --patience 0, or --budget tuning",
            one.label, one.experiment.train.patience.value_or(0));
    one.experiment.train.patience = 0;
  }
}

/// The same number for all: the one that was given, else the largest of their defaults, so that
/// nobody gets fewer than it would have alone.
int equal_epochs(std::vector<Contestant>& contestants) {
  const Contestant* given = nullptr;
  for (const Contestant& one : contestants) {
    const auto& epochs = one.experiment.train.epochs;
    if (!epochs) continue;
    require(given == nullptr || given->experiment.train.epochs == epochs,
            "--budget epochs: {} has {} epochs and {} has {}; --epochs N is for all", one.label,
            *epochs, given == nullptr ? "" : given->label,
            given == nullptr ? 0 : given->experiment.train.epochs.value_or(0));
    given = &one;
  }
  int epochs = given == nullptr ? 0 : *given->experiment.train.epochs;
  if (given == nullptr)
    for (const Contestant& one : contestants)
      epochs = std::max(epochs, resolved_epochs(one.experiment));
  for (Contestant& one : contestants) one.experiment.train.epochs = epochs;
  return epochs;
}

void judge_rows(CompareResult& result) {
  std::vector<double> p_values;
  std::vector<std::vector<RunRecord>> runs;
  for (const auto& row : result.rows) runs.push_back(row.runs);
  result.strongest = strongest(runs, 0);
  for (std::size_t i = 1; i < result.rows.size(); ++i) {
    result.rows[i].against = compare_runs(runs[0], runs[i], result.metric, 0);
    p_values.push_back(result.rows[i].against.repeats.p_value);
  }
  const std::vector<double> corrected = holm(p_values);
  for (std::size_t i = 1; i < result.rows.size(); ++i) {
    auto& row = result.rows[i];
    row.p_value = corrected[i - 1];
    row.verdict = judge(row.against.repeats.difference, row.p_value);
  }
}

Json summary_json(const MeanAndSpread& summary) {
  return {{"mean", summary.mean}, {"deviation", summary.deviation}};
}

}  // namespace

Budget parse_budget(const std::string& name) {
  if (name == "epochs") return Budget::kEpochs;
  if (name == "seconds") return Budget::kSeconds;
  if (name == "tuning") return Budget::kTuning;
  throw_unknown("budget", name, {"epochs", "seconds", "tuning"});
}

std::string file_name_of(const std::string& label) {
  std::string out;
  for (const char c : label)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '='
               ? c
               : '_';
  return out;
}

CompareResult compare(std::vector<Contestant> contestants, const CompareOptions& options,
                      const CompareHooks& hooks) {
  check(contestants, options);
  CompareResult out;
  out.options = options;
  if (options.budget != Budget::kTuning) without_patience(contestants);
  if (options.budget == Budget::kEpochs) out.epochs = equal_epochs(contestants);
  out.finished = Race(contestants, options, hooks).run(out);
  if (!out.finished) return out;
  out.metric = out.rows[0].runs[0].metric;
  judge_rows(out);
  return out;
}

std::vector<DifferingSetting> differing_settings(const CompareResult& result) {
  std::map<std::string, DifferingSetting> all;
  for (const auto& row : result.rows) {
    if (row.runs.empty() || row.runs[0].kind == "baseline") continue;
    for (const auto& [name, value] : row.runs[0].settings)
      if (name != "seed" && !name.starts_with("sampler"))
        all[name].values.emplace_back(row.label, value);
  }
  std::vector<DifferingSetting> out;
  for (auto& [name, setting] : all) {
    const auto& first = setting.values[0].second;
    if (std::ranges::all_of(setting.values, [&](const auto& v) { return v.second == first; }))
      continue;
    setting.name = name;
    out.push_back(std::move(setting));
  }
  return out;
}

std::string compare_json(const CompareResult& result) {
  Json out{{"metric", result.metric}, {"seeds", result.options.seeds}};
  if (result.epochs > 0) out["epochs"] = result.epochs;
  out["differing_settings"] = Json::object();
  for (const DifferingSetting& setting : differing_settings(result))
    for (const auto& [label, value] : setting.values)
      object_at(out["differing_settings"], setting.name)[label] = value;
  out["rows"] = Json::array();
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const auto& row = result.rows[i];
    Json line{{"label", row.label}, {"kind", row.runs[0].kind}};
    object_at(line, "valid")[result.metric] = summary_json(summarize_validation(row.runs));
    for (const Metric& metric : row.runs[0].test)
      object_at(line, "test")[metric.name] = summary_json(summarize(row.runs, metric.name));
    double seconds = 0, sampling = 0, update = 0;
    for (const RunRecord& run : row.runs) {
      seconds += run.seconds / static_cast<double>(row.runs.size());
      sampling += run.sample_seconds / static_cast<double>(row.runs.size());
      update += run.update_seconds / static_cast<double>(row.runs.size());
    }
    line["seconds"] = {{"train", seconds}, {"sample", sampling}, {"update", update}};
    if (i > 0) {
      line["first_minus_this"] = {{"difference", row.against.repeats.difference},
                                  {"p_seeds", row.against.repeats.p_value},
                                  {"p_seeds_holm", row.p_value},
                                  {"verdict", verdict_name(row.verdict)}};
      if (row.against.users)
        line["first_minus_this"].update({{"p_users", row.against.users->p_value},
                                         {"difference_users", row.against.users->difference}});
    }
    line["strongest_other"] = result.strongest == i;
    out["rows"].push_back(std::move(line));
  }
  return out.dump(2) + "\n";
}

}  // namespace mcns

#include "mcns/compare/run_record.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/core/stopwatch.h"
#include "mcns/io/sha256.h"
#include "mcns/system/version.h"
#include "mcns/train/experiment_settings.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

Json metrics_json(const Metrics& metrics) {
  Json out = Json::object();
  for (const Metric& metric : metrics) out[metric.name] = metric.value;
  return out;
}

Metrics read_metrics(const Json& json) {
  Metrics out;
  for (const auto& [name, value] : json.items()) out.push_back({name, value.get<double>()});
  return out;
}

/// Throws unless the deciding metric is there and all metrics are what a metric can be.
void require_fractions(const RunRecord& record) {
  const auto check = [](const std::string& what, double value) {
    constexpr double kRounding = 1e-9;
    require(value >= -kRounding && value <= 1 + kRounding,
            "{} is {}, expected a number from 0 to 1", what, value);
  };
  for (const Metrics* part : {&record.valid, &record.test})
    for (const auto& [name, value] : *part) check(name, value);
  for (const auto& point : record.curve) check("a value of the curve", point.value);
  for (const UserValue& user : record.users) check("the value of a user", user.value);
  static_cast<void>(record.selection());
}

/// Users' figures are many; four digits tell them apart.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

/// Everything that was given, by name of its flag.
std::vector<std::pair<std::string, std::string>> given_flags(const Experiment& e) {
  std::vector<std::pair<std::string, std::string>> out;
  if (e.task) out.emplace_back("task", task_name(*e.task));
  if (!e.data.empty()) {
    out.emplace_back("data", e.data);
  } else {
    for (const auto& [name, path] : {std::pair{"train", e.files.train},
                                     {"valid", e.files.valid},
                                     {"test", e.files.test},
                                     {"labels", e.files.labels}})
      if (!path.empty()) out.emplace_back(name, path);
  }
  for_each_load_option(e.load, [&](const std::string& name, const auto& value, const char*) {
    if (value) out.emplace_back(name, setting_text(*value));
  });
  for (const auto& given : {given_settings(e.split), given_settings(e.train)})
    for (const GivenSetting& one : given)
      if (one.value) out.emplace_back(one.info.name, *one.value);
  if (e.seed) out.emplace_back("seed", std::to_string(*e.seed));
  return out;
}

}  // namespace

double RunRecord::selection() const {
  const Metrics& from = valid.empty() ? test : valid;
  return value_of(from, metric);
}

Environment environment_here() { return {version(), cpu_name()}; }

std::string record_json(const RunRecord& r) {
  Json out{{"name", r.name},
           {"kind", r.kind},
           {"repeat", r.repeat},
           {"key", r.key},
           {"command", r.command},
           {"metric", r.metric},
           {"valid", metrics_json(r.valid)},
           {"test", metrics_json(r.test)},
           {"epochs", r.epochs},
           {"best_epoch", r.best_epoch},
           {"positives", r.positives},
           {"train_seconds", r.seconds},
           {"sample_seconds", r.sample_seconds},
           {"update_seconds", r.update_seconds},
           {"wall_seconds", r.wall_seconds}};
  out["figures"] = Json::object();
  for (const auto& [name, value] : r.figures) out["figures"][name] = value;
  out["curve"] = Json::array();
  for (const auto& point : r.curve)
    out["curve"].push_back({point.epoch, rounded(point.seconds), point.value});
  out["settings"] = Json::object();
  for (const auto& [name, value] : r.settings) out["settings"][name] = value;
  out["version"] = r.version;
  out["cpu"] = r.cpu;
  out["threads"] = r.threads;
  Json ids = Json::array(), values = Json::array();
  for (const UserValue& user : r.users) {
    ids.push_back(user.user);
    values.push_back(rounded(user.value));
  }
  out["users"] = {{"ids", std::move(ids)}, {"values", std::move(values)}};
  // One member a line; long lists stay on theirs.
  std::string text = "{\n";
  for (const auto& [name, value] : out.items())
    text += fmt::format("{}{}: {}", text.size() > 2 ? ",\n" : "", Json(name).dump(), value.dump());
  return text + "\n}\n";
}

RunRecord parse_record(const std::string& text, const std::string& path) {
  try {
    const Json in = Json::parse(text);
    RunRecord r;
    r.name = in.at("name");
    r.kind = in.at("kind");
    r.repeat = in.at("repeat");
    r.key = in.at("key");
    r.command = in.at("command");
    r.metric = in.at("metric");
    r.valid = read_metrics(in.at("valid"));
    r.test = read_metrics(in.at("test"));
    r.epochs = in.at("epochs");
    r.best_epoch = in.at("best_epoch");
    r.positives = in.at("positives");
    r.seconds = in.at("train_seconds");
    r.sample_seconds = in.at("sample_seconds");
    r.update_seconds = in.at("update_seconds");
    r.wall_seconds = in.at("wall_seconds");
    for (const auto& [name, value] : in.at("figures").items()) r.figures[name] = value;
    for (const auto& point : in.at("curve"))
      r.curve.push_back({point.at(0), point.at(1), point.at(2)});
    for (const auto& [name, value] : in.at("settings").items()) r.settings[name] = value;
    r.version = in.at("version");
    r.cpu = in.at("cpu");
    r.threads = in.at("threads");
    const Json &ids = in.at("users").at("ids"), &values = in.at("users").at("values");
    for (std::size_t i = 0; i < ids.size(); ++i) r.users.push_back({ids.at(i), values.at(i)});
    require_fractions(r);
    return r;
  } catch (const nlohmann::json::exception&) {
    throw_bad_data(path, 0, "not the record of a run; remove the file and it is run again");
  } catch (const Error& error) {
    throw_bad_data(path, 0, std::string("not the record of a run: ") + error.what());
  }
}

std::optional<RunRecord> record_run(const Experiment& experiment, const ExperimentHooks& hooks) {
  const Stopwatch watch;
  const ExperimentResult result = run_experiment(experiment, hooks);
  if (!result.finished) return std::nullopt;
  RunRecord out;
  out.wall_seconds = watch.seconds();
  const Json metrics = Json::parse(result.metrics_json);
  out.valid = result.valid;
  out.test = result.test;
  switch (*experiment.task) {
    case Task::kRecommend:
      out.metric = "mrr";
      break;
    case Task::kLinkpred:
      out.metric = "auc";
      break;
    case Task::kClassify:
      out.metric = "50/micro_f1";
      break;
  }
  out.users = result.test_by_user;
  for (const EpochRecord& record : result.history)
    if (!record.valid.empty())
      out.curve.push_back({record.epoch, record.seconds, value_of(record.valid, out.metric)});
  out.epochs = static_cast<std::int64_t>(result.history.size());
  out.best_epoch = result.best_epoch;
  out.positives = result.totals.pairs;
  out.seconds = result.totals.seconds;
  out.sample_seconds = result.totals.sample_seconds;
  out.update_seconds = result.totals.update_seconds;
  if (metrics.contains("sampler_figures"))
    for (const auto& [name, value] : metrics["sampler_figures"].items()) out.figures[name] = value;
  for (const Setting& setting : result.settings) out.settings[setting.name] = setting.value;
  const Environment here = environment_here();
  out.version = here.version;
  out.cpu = here.cpu;
  out.threads = metrics.value("threads", 0);
  return out;
}

std::string run_command(const Experiment& experiment,
                        const std::map<std::string, std::string>& settings) {
  auto flags = given_flags(experiment);
  for (const auto& [name, value] : experiment.tuned) {
    const std::string flag = name.substr(0, name.find('.'));
    auto found = std::ranges::find(flags, flag, [](const auto& one) { return one.first; });
    if (found == flags.end()) {
      const auto resolved = settings.find(flag);
      flags.emplace_back(flag, resolved == settings.end() ? value : resolved->second);
      found = flags.end() - 1;
    }
    if (flag == name)
      found->second = value;
    else  // a parameter stands with its component
      found->second +=
          fmt::format("{}{}={}", found->second.find(':') == std::string::npos ? ":" : ",",
                      name.substr(flag.size() + 1), value);
  }
  std::string out = "mcns run";
  for (const auto& [name, value] : flags)
    out += fmt::format(" --{}", name) + (value == "true" ? "" : " " + quoted(value));
  return out;
}

std::string short_digest(const std::string& text) {
  Sha256 digest;
  digest.update(text.data(), text.size());
  return digest.finish().substr(0, 16);
}

std::string experiment_key(const Experiment& experiment, const std::string& more) {
  std::string text = more;
  for (const auto& [name, value] : given_flags(experiment)) text += "\n" + name + "=" + value;
  for (const auto& [name, value] : experiment.tuned) text += "\ntuned " + name + "=" + value;
  return short_digest(text);
}

void set_option(Experiment& experiment, const std::string& name, const std::string& value) {
  bool found = false;
  const auto set = [&](auto& field, const OptionInfo& info) {
    if (info.name != name) return;
    found = true;
    check_value(info, "--" + name, value);
    read_text(value, field.emplace());
  };
  for_each_option(experiment.train, set);
  for_each_option(experiment.split, set);
  if (name == "seed") {
    experiment.seed = parse_seed(value);
    return;
  }
  require(found, "unknown setting '{}'", name);
}

}  // namespace mcns

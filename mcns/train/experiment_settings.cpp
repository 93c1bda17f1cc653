#include "mcns/train/experiment_settings.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "mcns/core/error.h"
#include "mcns/core/kernels.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/memory_files.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/sha256.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

bool reads(const std::string& text, std::uint64_t& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

Json value_of(const Setting& setting) {
  const Parameters one({{"", setting.value}});
  switch (setting.type) {
    case ParameterType::kNumber:
      return one.number("");
    case ParameterType::kInteger: {
      std::uint64_t natural = 0;  // a seed may have 64 bits
      if (reads(setting.value, natural)) return natural;
      return one.integer("");
    }
    case ParameterType::kFlag:
      return one.flag("");
    default:
      return setting.value;
  }
}

class Collector {
 public:
  explicit Collector(const FromConfig& from_config) : from_config_(from_config) {}

  void add(const std::string& name, const std::string& value, bool given,
           ParameterType type = ParameterType::kText) {
    const Origin origin = from_config_.contains(name) ? Origin::kConfig : Origin::kGiven;
    out.push_back({name, value, given ? origin : Origin::kDefault, type});
  }
  void add_file(const std::string& name, const std::string& path) {
    if (!path.empty()) add(name, path, true);
  }

  std::vector<Setting> out;

 private:
  const FromConfig& from_config_;
};

std::string digest(const DatasetFiles& files, const std::string& path) {
  const MemoryFiles* memory = files.memory.get();
  if (memory != nullptr && memory->edges.contains(path))
    return sha256_of_edges(*memory->edges.at(path));
  if (memory != nullptr && memory->labels.contains(path))
    return sha256_of_labels(memory->labels.at(path));
  return sha256_of_file(path);
}

Json data_hashes(const Experiment& e) {
  const DatasetFiles& files = e.files;
  const std::string features = e.train.features.value_or("");
  Json out = Json::object();
  const std::pair<const char*, const std::string&> all[] = {{"train", files.train},
                                                            {"valid", files.valid},
                                                            {"test", files.test},
                                                            {"labels", files.labels},
                                                            {"features", features}};
  for (const auto& [role, path] : all)
    if (!path.empty()) out[role] = {{"path", path}, {"sha256", digest(files, path)}};
  return out;
}

constexpr const char* kFileSettings[] = {"data", "graph",  "train", "valid",
                                         "test", "labels", "init"};

/// Whether the name is that of a load option, whose value then fits.
bool check_load_setting(const Setting& setting) {
  bool found = false;
  LoadOptions options;
  for_each_load_option(options, [&](const std::string& name, auto& value, const char*) {
    if (name != setting.name) return;
    found = true;
    using Value = std::decay_t<decltype(*value)>;
    if constexpr (std::is_same_v<Value, bool>)
      check_value(flag_parameter(name, false, ""), "--" + name, setting.value);
    else if constexpr (std::is_same_v<Value, double>)
      check_value(number_parameter(name, "0", {-1e300, 1e300}, ""), "--" + name, setting.value);
    else if constexpr (std::is_same_v<Value, int>)
      check_value(integer_parameter(name, "0", {0, 1e9}, ""), "--" + name, setting.value);
    else if (name == "format")
      check_value(choice_parameter(name, edge_formats(), "", ""), "--" + name, setting.value);
    else
      value = setting.value;
  });
  options.check();
  return found;
}

}  // namespace

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  require(reads(text, seed) && is_plain_integer(text),
          "--seed must be an integer from 0 to 2^64 - 1 without leading zeros, got '{}'", text);
  return seed;
}

void check_setting(const Setting& setting) {
  const std::string& name = setting.name;
  std::vector<GivenSetting> known = given_settings(TrainOptions{});
  for (GivenSetting& one : given_settings(SplitOptions{})) known.push_back(std::move(one));
  for (GivenSetting& one : known)
    if (one.info.name == name) {
      one.value = setting.value;
      return check_components({one}, builtin_components());
    }
  if (name == "task")
    parse_task(setting.value);
  else if (name == "seed")
    parse_seed(setting.value);
  else
    require(std::ranges::count(kFileSettings, name) > 0 || check_load_setting(setting),
            "unknown setting '{}'", name);
}

std::vector<Setting> experiment_settings(const Experiment& e, const ExperimentData& data,
                                         const Plan& plan) {
  Collector all(e.from_config);
  if (e.task) all.add("task", task_name(*e.task), true);
  all.add("seed", std::to_string(e.random_seed()), e.seed.has_value(), ParameterType::kInteger);
  if (!e.data.empty()) {
    all.add("data", e.data, true);
  } else {
    all.add_file(e.task ? "train" : "graph", e.files.train);
    all.add_file("valid", e.files.valid);
    all.add_file("test", e.files.test);
    all.add_file("labels", e.files.labels);
  }
  for_each_load_field([&](const char* name, auto member, const char*) {
    const auto& used = data.set.report.options.*member;
    using Value = std::decay_t<decltype(*used)>;
    constexpr ParameterType kType = std::is_same_v<Value, bool>     ? ParameterType::kFlag
                                    : std::is_same_v<Value, double> ? ParameterType::kNumber
                                    : std::is_same_v<Value, int>    ? ParameterType::kInteger
                                                                    : ParameterType::kText;
    if (used) all.add(name, setting_text(*used), (e.load.*member).has_value(), kType);
  });
  all.out.insert(all.out.end(), data.split_settings.begin(), data.split_settings.end());
  all.add_file("init", e.output.init);
  all.out.insert(all.out.end(), plan.settings.begin(), plan.settings.end());
  return all.out;
}

std::string settings_json(const std::vector<Setting>& settings) {
  Json out = Json::object();
  for (const Setting& setting : settings)
    out[setting.name] = {{"value", value_of(setting)}, {"from", origin_name(setting.from)}};
  return out.dump();
}

std::string resume_json(const std::vector<Setting>& settings, const Experiment& experiment) {
  Json values = Json::object();
  for (const Setting& setting : settings) values[setting.name] = value_of(setting);
  // The same files may be elsewhere, and a longer or more patient run may go on from a shorter one.
  for (const char* name : {"data", "graph", "train", "valid", "test", "labels", "features",
                           "epochs", "patience", "metrics", "groups", "repeats"})
    values.erase(name);
  const Json files = data_hashes(experiment);
  for (const auto& [role, file] : files.items()) values["sha256 of " + role] = file["sha256"];
  values["simd"] = kernels().name;
  return values.dump();
}

void require_same_settings(const std::string& before, const std::string& now) {
  if (before.empty()) return;
  auto old_settings = Json::parse(before), new_settings = Json::parse(now);
  for (auto* settings : {&old_settings, &new_settings}) settings->erase("simd");
  old_settings.emplace("popularity", 0.0);  // version 0.1 had neither
  if (new_settings.contains("learn-from")) old_settings.emplace("learn-from", "train");
  const Json difference = Json::diff(old_settings, new_settings);
  if (difference.empty()) return;
  const auto path = difference[0]["path"].get<std::string>();
  const Json::json_pointer pointer(path);
  throw_error(ErrorKind::kUsage, "cannot resume: {} was {} and is now {}; --force starts anew",
              path.substr(1),
              old_settings.contains(pointer) ? old_settings[pointer].dump() : "unset",
              new_settings.contains(pointer) ? new_settings[pointer].dump() : "unset");
}

void require_same_kernels(const std::string& before, const std::string& now) {
  if (before.empty()) return;
  const auto simd = [](const std::string& settings) {
    return Json::parse(settings).value("simd", std::string());
  };
  const std::string then = simd(before), today = simd(now);
  if (then.empty() || then == today) return;
  throw_error(
      ErrorKind::kUsage,
      "cannot resume to the same bits: the checkpoint was made with {} kernels, and these are {} "
      "ones, which round otherwise; MCNS_SIMD={} asks for the same, --other-kernels goes on anyway",
      then, today, then);
}

std::string data_json(const Experiment& experiment) { return data_hashes(experiment).dump(); }

}  // namespace mcns

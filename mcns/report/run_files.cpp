#include "mcns/report/run_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/plan/saved_settings.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

struct Place {
  std::string path;
  std::int64_t line = 0;
};

std::string content(const std::string& path) {
  require_regular_file(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_error(ErrorKind::kIo, "cannot read {}; a report needs a finished run", path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

Json parse(const Place& place, const std::string& text) {
  Json out = Json::parse(text, nullptr, false);
  if (!out.is_object())
    throw_bad_data(place.path, place.line, "is not what a run writes; was the file cut short?");
  return out;
}

enum class Kind { kText, kNumber, kObject };

bool is_of(const Json& value, Kind kind) {
  return kind == Kind::kText     ? value.is_string()
         : kind == Kind::kNumber ? value.is_number()
                                 : value.is_object();
}

/// Those of the names that are there have values of this kind.
void expect(const Place& place, const Json& object, Kind kind,
            std::initializer_list<const char*> names) {
  constexpr const char* kWords[] = {"a text", "a number", "an object"};
  for (const char* name : names) {
    const auto found = object.find(name);
    if (found != object.end() && !is_of(*found, kind))
      throw_bad_data(place.path, place.line,
                     fmt::format("'{}' must be {}, got {}", name, kWords[static_cast<int>(kind)],
                                 found->type_name()));
  }
}

/// Numbers, or one level of objects with numbers; null stands for what was not measured.
void expect_metrics(const Place& place, const Json& metrics) {
  const auto is_value = [](const Json& value) { return value.is_number() || value.is_null(); };
  for (const auto& [name, value] : metrics.items())
    if (!is_value(value) && !(value.is_object() && std::ranges::all_of(value, is_value)))
      throw_bad_data(place.path, place.line, fmt::format("the metric '{}' is no number", name));
}

Json read_metrics(const std::string& path) {
  const Place place{path};
  Json out = parse(place, content(path));
  expect(place, out, Kind::kText, {"task", "sampler", "encoder", "loss"});
  expect(place, out, Kind::kNumber, {"seed", "train_seconds"});
  expect(place, out, Kind::kObject, {"valid", "test", "sampler_figures"});
  for (const char* part : {"valid", "test"})
    if (out.contains(part)) expect_metrics(place, out[part]);
  return out;
}

Json read_settings(const std::string& path) {
  const Place place{path};
  const std::string text = content(path);
  Json out = parse(place, text);
  SavedSettings(text, path).check_values();
  for (const auto& [name, setting] : out["settings"].items())
    expect(place, setting, Kind::kText, {"from"});
  expect(place, out, Kind::kObject, {"data"});
  const Json files = out.value("data", Json::object());
  for (const auto& [role, file] : files.items()) {
    expect(place, files, Kind::kObject, {role.c_str()});
    expect(place, file, Kind::kText, {"path", "sha256"});
  }
  return out;
}

std::vector<Json> read_history(const std::string& path) {
  std::vector<Json> out;
  std::istringstream lines(content(path));
  for (std::string line; std::getline(lines, line);) {
    const Place place{path, std::ssize(out) + 1};
    Json epoch = parse(place, line);
    expect(place, epoch, Kind::kNumber, {"epoch", "loss", "train_seconds"});
    expect(place, epoch, Kind::kObject, {"valid"});
    if (epoch.contains("valid")) expect_metrics(place, epoch["valid"]);
    out.push_back(std::move(epoch));
  }
  return out;
}

}  // namespace

RunFiles read_run(const std::string& folder) {
  const std::string clean = std::filesystem::path(folder + "/.").lexically_normal().parent_path();
  return {folder, std::filesystem::path(clean).filename(), read_metrics(folder + "/metrics.json"),
          read_settings(folder + "/run.json"), read_history(folder + "/history.jsonl")};
}

}  // namespace mcns

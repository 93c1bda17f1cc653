#include "mcns/reproduce/spec.h"

#include <algorithm>
#include <filesystem>

#include <fnmatch.h>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "mcns/compare/run_record.h"
#include "mcns/core/error.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

toml::table parse(const std::string& path) {
  if (!fs::is_regular_file(path)) throw_error(ErrorKind::kIo, "cannot read {}: no such file", path);
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    throw_bad_data(path, error.source().begin.line, std::string(error.description()));
  }
}

std::string text_of(const toml::node& node, const std::string& path) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return number_text(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  throw_bad_data(path, node.source().begin.line, "expected a text, a number or true or false");
}

/// Reads with messages that name file and line; every key must be known.
class Reader {
 public:
  Reader(const toml::table& table, std::string path) : table_(table), path_(std::move(path)) {}

  void known(std::initializer_list<std::string_view> names) const {
    for (const auto& [key, node] : table_)
      if (std::ranges::find(names, key.str()) == names.end())
        throw_bad_data(path_, key.source().begin.line, fmt::format("unknown key '{}'", key.str()));
  }
  std::string text(const char* name, std::optional<std::string> otherwise = std::nullopt) const {
    const auto* node = table_.get(name);
    if (node != nullptr) return text_of(*node, path_);
    if (!otherwise) missing(name);
    return *otherwise;
  }
  double number(const char* name, std::optional<double> otherwise = std::nullopt) const {
    const auto* node = table_.get(name);
    if (node == nullptr && otherwise) return *otherwise;
    if (node == nullptr) missing(name);
    const auto value = node->value<double>();
    if (!value)
      throw_bad_data(path_, node->source().begin.line, fmt::format("'{}' is no number", name));
    return *value;
  }
  bool flag(const char* name) const { return table_[name].value_or(false); }
  std::vector<std::string> list(const char* name) const {
    std::vector<std::string> out;
    if (const auto* array = table_[name].as_array())
      for (const auto& node : *array) out.push_back(text_of(node, path_));
    return out;
  }
  std::vector<double> numbers(const char* name) const {
    std::vector<double> out;
    if (const auto* array = table_[name].as_array())
      for (const auto& node : *array) out.push_back(node.value_or(0.0));
    return out;
  }
  FlagList flags(const char* name) const {
    FlagList out;
    if (const auto* table = table_[name].as_table())
      for (const auto& [key, node] : *table) out.emplace_back(key.str(), text_of(node, path_));
    return out;
  }
  std::vector<Reader> tables(const char* name) const {
    std::vector<Reader> out;
    if (const auto* array = table_[name].as_array())
      for (const auto& node : *array)
        if (const auto* table = node.as_table()) out.emplace_back(*table, path_);
    return out;
  }
  std::optional<Reader> table(const std::string& name) const {
    const auto* found = table_[name].as_table();
    return found == nullptr ? std::nullopt : std::optional(Reader(*found, path_));
  }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void missing(const char* name) const {
    throw_bad_data(path_, table_.source().begin.line, fmt::format("'{}' is missing", name));
  }
  const toml::table& table_;
  std::string path_;
};

void append(FlagList& to, const FlagList& more) {
  for (const auto& [name, value] : more) {
    const auto found = std::ranges::find(to, name, [](const auto& f) { return f.first; });
    if (found == to.end())
      to.emplace_back(name, value);
    else
      found->second = value;
  }
}

/// `{x}` in a value is the point of the series.
FlagList filled(FlagList flags, double x) {
  for (auto& [name, value] : flags)
    if (const auto at = value.find("{x}"); at != std::string::npos)
      value.replace(at, 3, number_text(x));
  return flags;
}

class SpecReader {
 public:
  SpecReader(const Reader& in, ExperimentSpec& out) : in_(in), out_(out) {}

  void run() {
    in_.known({"title", "note", "claim", "task", "metrics", "folds", "overlap", "tune", "kinds",
               "samplers", "x", "x_log", "mixing", "dataset", "models", "series", "quick",
               "seconds"});
    out_.title = in_.text("title");
    out_.note = in_.text("note", "");
    out_.claim = in_.text("claim", "");
    out_.task = parse_task(in_.text("task"));
    out_.metrics = in_.list("metrics");
    out_.folds = static_cast<int>(in_.number("folds", 1));
    out_.overlap = in_.number("overlap", 0);
    out_.tune = static_cast<int>(in_.number("tune", 0));
    out_.x_label = in_.text("x", "");
    out_.x_log = in_.flag("x_log");
    out_.mixing = in_.flag("mixing");
    out_.samplers = in_.list("samplers");
    out_.figure = !in_.tables("series").empty();
    read_quick();
    for (const Reader& dataset : in_.tables("dataset")) add_dataset(dataset);
    if (out_.cells.empty()) throw_bad_data(in_.path(), 0, "the experiment has no cells");
    if (out_.metrics.empty()) throw_bad_data(in_.path(), 0, "the experiment has no metrics");
  }

 private:
  void read_quick() {
    const auto quick = in_.table("quick");
    if (!quick) return;
    quick->known({"only", "folds", "tune"});
    out_.quick = {quick->list("only"), static_cast<int>(quick->number("folds", 1)),
                  static_cast<int>(quick->number("tune", 4))};
  }

  void add_dataset(const Reader& dataset) {
    dataset.known({"name", "data", "substitute", "fixed_split", "models", "settings"});
    const std::string name = dataset.text("name"), data = dataset.text("data");
    if (const std::string note = dataset.text("substitute", ""); !note.empty())
      out_.substitutes[name] = note;
    for (const std::string& model : dataset.list("models"))
      for (const std::string& kind : in_.list("kinds")) {
        CellSpec cell;
        cell.dataset = name;
        cell.data = data;
        cell.fixed_split = dataset.flag("fixed_split");
        cell.model = model;
        cell.kind = kind;
        append(cell.flags, dataset.flags("settings"));
        const auto settings = in_.table("models");
        const auto own = settings ? settings->table(model) : std::nullopt;
        if (!own) throw_bad_data(in_.path(), 0, fmt::format("[models.{}] is missing", model));
        own->known({"both", "paper", "tuned", "default"});
        append(cell.flags, own->flags("both"));
        append(cell.flags, own->flags(kind.c_str()));
        if (kind == "paper") append(cell.flags, {{"preset", "paper"}});
        if (const auto seconds = in_.table("seconds"))
          cell.seconds = seconds->number((cell.column() + "/" + kind).c_str(), 0);
        if (out_.figure)
          add_series(cell);
        else
          add_samplers(cell);
      }
  }
  void add_samplers(const CellSpec& column) {
    for (const std::string& sampler : out_.samplers) {
      CellSpec cell = column;
      cell.sampler = sampler;
      append(cell.flags, {{"sampler", sampler}});
      out_.cells.push_back(std::move(cell));
    }
  }
  void add_series(const CellSpec& column) {
    for (const Reader& series : in_.tables("series")) {
      series.known({"name", "values", "settings"});
      CellSpec cell = column;
      cell.sampler = series.text("name");
      if (std::ranges::count(out_.samplers, cell.sampler) == 0)
        out_.samplers.push_back(cell.sampler);
      const auto values = series.numbers("values");
      const FlagList flags = series.flags("settings");
      if (values.empty()) {
        append(cell.flags, flags);
        out_.cells.push_back(cell);
      }
      for (const double x : values) {
        CellSpec point = cell;
        point.x = x;
        append(point.flags, filled(flags, x));
        out_.cells.push_back(std::move(point));
      }
    }
  }

  const Reader& in_;
  ExperimentSpec& out_;
};

void flatten(const toml::table& table, const std::string& prefix, const std::string& path,
             std::map<std::string, std::string>& out, const char* joint) {
  for (const auto& [key, node] : table) {
    const std::string name =
        prefix.empty() ? std::string(key.str()) : prefix + joint + std::string(key.str());
    if (const auto* inner = node.as_table())
      flatten(*inner, name, path, out, joint);
    else
      out[name] = text_of(node, path);
  }
}

}  // namespace

std::string CellSpec::name() const {
  return fmt::format("{}/{}/{}{}", dataset, model, sampler, x ? "@" + number_text(*x) : "");
}

std::vector<std::string> experiment_names(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const char* prefix : {"table-", "fig-"}) {
    std::vector<std::string> some;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().extension() == ".toml" &&
          entry.path().filename().string().starts_with(prefix))
        some.push_back(entry.path().stem().string());
    std::ranges::sort(some);
    if (prefix == std::string("table-")) std::ranges::reverse(some);  // recommend comes first
    out.insert(out.end(), some.begin(), some.end());
  }
  if (out.empty())
    throw_error(ErrorKind::kIo, "there are no experiments in {}; --experiments names their folder",
                folder);
  return out;
}

ExperimentSpec read_experiment(const std::string& folder, const std::string& name) {
  const auto known = experiment_names(folder);
  if (std::ranges::count(known, name) == 0) throw_unknown("experiment", name, known);
  const std::string path = folder + "/" + name + ".toml";
  const toml::table table = parse(path);
  ExperimentSpec out;
  out.name = name;
  SpecReader(Reader(table, path), out).run();
  for (const CellSpec& cell : out.cells) {
    try {
      check_components(given_settings(cell_experiment(out, cell, 1).train), builtin_components());
    } catch (const Error& error) {
      throw_bad_data(path, 0, fmt::format("{}: {}", cell.name(), error.what()));
    }
  }
  return out;
}

PaperFigures read_paper_figures(const std::string& folder) {
  const std::string path = folder + "/paper_figures.toml";
  std::map<std::string, std::string> texts;
  flatten(parse(path), "", path, texts, "/");
  PaperFigures out;
  for (const auto& [name, text] : texts) out[name] = Parameters({{"", text}}).number("");
  return out;
}

PaperSettings read_paper_settings(const std::string& path) {
  PaperSettings out;
  flatten(parse(path), "", path, out, ".");
  return out;
}

bool matches(const std::string& cell, const std::vector<std::string>& patterns) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return fnmatch(pattern.c_str(), cell.c_str(), 0) == 0 ||
                  fnmatch((pattern + "[/@]*").c_str(), cell.c_str(), 0) == 0;
         });
}

std::string experiments_folder() {
  return fs::is_directory(MCNS_SOURCE_EXPERIMENTS_DIR) ? MCNS_SOURCE_EXPERIMENTS_DIR
                                                       : MCNS_INSTALL_EXPERIMENTS_DIR;
}

Experiment cell_experiment(const ExperimentSpec& spec, const CellSpec& cell, int fold) {
  Experiment out;
  out.task = spec.task;
  out.data = cell.data;
  out.seed = fold;
  for (const auto& [name, value] : cell.flags) set_option(out, name, value);
  // A fold is a part of the data, or another draw of the split.
  const bool parts = spec.task == Task::kRecommend && !cell.fixed_split;
  out.split.split_seed = parts || cell.fixed_split ? 1 : fold;
  if (parts) out.split.fold = fold;
  return out;
}

}  // namespace mcns

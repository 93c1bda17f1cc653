#include "mcns/reproduce/spec.h"

#include <algorithm>
#include <filesystem>

#include <fnmatch.h>

#include "mcns/compare/run_record.h"
#include "mcns/core/error.h"
#include "mcns/core/toml_reader.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

/// What --folds and --tune may be.
constexpr Range kFolds{1, 1000}, kTune{0, 10000};

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
    in_.known({"title",   "note",    "claim",  "task",     "metrics", "judged", "folds",
               "overlap", "tune",    "kinds",  "samplers", "row",     "x",      "x_log",
               "mixing",  "dataset", "models", "series",   "quick",   "seconds"});
    out_.title = in_.text("title");
    out_.note = in_.text("note", "");
    out_.task = parse_task(in_.text("task"));
    out_.metrics = in_.list("metrics");
    out_.folds = in_.integer("folds", 1, kFolds);
    out_.overlaps = in_.numbers_by_name("overlap");
    out_.tune = in_.integer("tune", 0, kTune);
    out_.mixing = in_.flag("mixing");
    out_.samplers = in_.list("samplers");
    out_.figure = !in_.tables("series").empty();
    if (!out_.figure) out_.claim = in_.text("claim", "");
    out_.judged = in_.list("judged");
    if (out_.judged.empty() && !out_.metrics.empty()) out_.judged = {out_.metrics[0]};
    read_quick();
    for (const Reader& dataset : in_.tables("dataset")) add_dataset(dataset);
    if (out_.cells.empty()) throw_bad_data(in_.path(), 0, "the experiment has no cells");
    if (out_.metrics.empty()) throw_bad_data(in_.path(), 0, "the experiment has no metrics");
  }

 private:
  void read_quick() {
    const auto quick = in_.table("quick");
    if (!quick) return;
    quick->known({"only", "kinds", "folds", "tune"});
    out_.quick = {quick->list("only"), quick->list("kinds"), quick->integer("folds", 1, kFolds),
                  quick->integer("tune", 4, kTune)};
  }

  void add_dataset(const Reader& dataset) {
    dataset.known({"name", "data", "substitute", "fixed_split", "models", "settings", "paper",
                   "paper_samplers"});
    const std::string name = dataset.text("name");
    if (const std::string note = dataset.text("substitute", ""); !note.empty())
      out_.substitutes[name] = note;
    for (const std::string& model : dataset.list("models"))
      for (const std::string& kind : in_.list("kinds")) {
        CellSpec cell;
        cell.dataset = name;
        cell.data = dataset.text("data");
        cell.fixed_split = dataset.flag("fixed_split");
        cell.model = model;
        cell.kind = kind;
        append(cell.flags, dataset.flags("settings"));
        if (kind == "paper") append(cell.flags, dataset.flags("paper"));
        const auto settings = in_.table("models");
        const auto own = settings ? settings->table(model) : std::nullopt;
        if (!own) throw_bad_data(in_.path(), 0, fmt::format("[models.{}] is missing", model));
        own->known({"both", "paper", "tuned"});
        append(cell.flags, own->flags("both"));
        append(cell.flags, own->flags(kind));
        if (kind == "paper") append(cell.flags, {{"preset", "paper"}});
        if (out_.figure) {
          add_series(cell);
          continue;
        }
        add_samplers(cell, kind == "paper" ? dataset.flags("paper_samplers") : FlagList{});
        add_rows(cell);
      }
  }
  /// Of a fold: of the sampler where that is known, else of the column.
  void add_cell(CellSpec cell) {
    if (const auto seconds = in_.table("seconds")) {
      const std::string column = cell.column() + "/" + cell.kind;
      const double general = seconds->number(column.c_str(), 0);
      cell.seconds = seconds->number((column + "/" + cell.sampler).c_str(), general);
    }
    out_.cells.push_back(std::move(cell));
  }
  void add_samplers(const CellSpec& column, const FlagList& with_parameters) {
    for (const std::string& sampler : in_.list("samplers")) {
      CellSpec cell = column;
      cell.sampler = sampler;
      append(cell.flags, {{"sampler", sampler}});
      for (const auto& [name, value] : with_parameters)
        if (name == sampler) append(cell.flags, {{"sampler", value}});
      add_cell(std::move(cell));
    }
  }
  /// Rows beside those of the samplers: controls.
  void add_rows(const CellSpec& column) {
    for (const Reader& row : in_.tables("row")) {
      row.known({"name", "kinds", "settings", "models"});
      const auto kinds = row.list("kinds");
      if (std::ranges::count(kinds, column.kind) == 0) continue;
      CellSpec cell = column;
      cell.sampler = row.text("name");
      append(cell.flags, row.flags("settings"));
      if (const auto models = row.table("models")) append(cell.flags, models->flags(column.model));
      if (std::ranges::count(out_.samplers, cell.sampler) == 0) {
        out_.samplers.push_back(cell.sampler);
        out_.controls.push_back(cell.sampler);
      }
      add_cell(std::move(cell));
    }
  }
  void add_line(const Reader& series, const std::string& name) {
    const std::string claim = series.text("claim", in_.text("claim", ""));
    const auto known = {"", "falls", "rises", "peaks", "below", "fastest", "trend"};
    if (std::ranges::find(known, claim) == known.end() && !claim.starts_with("under "))
      throw_bad_data(in_.path(), 0, fmt::format("series {}: unknown claim '{}'", name, claim));
    out_.samplers.push_back(name);
    out_.series.push_back({name, series.text("x", in_.text("x", "")),
                           series.flag("x_log") || in_.flag("x_log"), claim});
  }
  void add_series(const CellSpec& column) {
    for (const Reader& series : in_.tables("series")) {
      series.known({"name", "values", "settings", "x", "x_log", "claim"});
      CellSpec cell = column;
      cell.sampler = series.text("name");
      if (std::ranges::count(out_.samplers, cell.sampler) == 0) add_line(series, cell.sampler);
      const auto values = series.numbers("values");
      const FlagList flags = series.flags("settings");
      if (values.empty()) {
        append(cell.flags, flags);
        add_cell(cell);
      }
      for (const double x : values) {
        CellSpec point = cell;
        point.x = x;
        append(point.flags, filled(flags, x));
        add_cell(std::move(point));
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
  return fmt::format("{}/{}/{}{}", dataset, model, sampler,
                     x ? fmt::format("@{}", number_text(*x)) : "");
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
  const toml::table table = parse_toml(path);
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
  flatten(parse_toml(path), "", path, texts, "/");
  PaperFigures out;
  for (const auto& [name, text] : texts) out[name] = Parameters({{"", text}}).number("");
  return out;
}

double ExperimentSpec::overlap(const std::string& metric) const {
  auto found = overlaps.find(metric);
  if (found == overlaps.end()) found = overlaps.find("");
  return found == overlaps.end() ? 0 : found->second;
}

const SeriesSpec& ExperimentSpec::series_of(const CellSpec& cell) const {
  const auto found = std::ranges::find(series, cell.sampler, &SeriesSpec::name);
  MCNS_ASSERT(found != series.end());
  return *found;
}

Remarks read_remarks(const std::string& folder) {
  const std::string path = folder + "/remarks.toml";
  Remarks out;
  if (fs::is_regular_file(path)) flatten(parse_toml(path), "", path, out, "/");
  return out;
}

std::string remark_on(const Remarks& remarks, std::string name) {
  while (true) {
    if (const auto found = remarks.find(name); found != remarks.end()) return found->second;
    const auto cut = name.rfind('/');
    if (cut == std::string::npos) return "";
    name.resize(cut);
  }
}

PaperSettings read_paper_settings(const std::string& path) {
  PaperSettings out;
  flatten(parse_toml(path), "", path, out, ".");
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

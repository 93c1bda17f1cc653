// mcns explain: which negatives a node gets and why. Watches the node while a run trains, or draws
// for it against the frozen vectors of a model directory.
#include "mcns/theory/explain.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/delimited.h"
#include "mcns/io/files.h"
#include "mcns/model/evaluate.h"
#include "mcns/model/frozen_model.h"
#include "mcns/report/explain_page.h"

#include "cli/run_flags.h"
#include "cli/table.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    "  mcns explain git --task recommend --data debian\n"
    "  mcns explain git --task recommend --data debian --sampler dns --html git.html\n"
    "  mcns explain git --from model --rounds 500 --sampler mcns:hardness=50 --json\n";

struct ExplainFlags : RunFlags {
  std::string node, from, html;
  int rounds = 200;
};

struct Explained {
  Explanation figures;
  Names names;
  bool frozen = false;
};

/// Trains as `mcns run` would; nothing where it was interrupted.
std::optional<Explained> watch_run(ExplainFlags& flags, const Common& common,
                                   const Session& session) {
  require(!flags.task.empty(), "give --task and --data or --train, or --from DIR");
  finish_run_flags(flags, common, session);
  Explained out;
  Graph graph;
  ExplainOptions options;
  std::unique_ptr<Watch> watch;
  ExperimentHooks hooks;
  hooks.ready = [&](const Dataset& data, const Plan& plan) {
    const NodeId node = find_source(data.graph, data.names, flags.node);
    const Filter filter = parse_filter(*plan.options.filter);
    require_negatives(data.graph, filter, node, flags.node);
    watch = std::make_unique<Watch>(data.graph, filter, node);
    options.sampler = plan.chosen("sampler");
    options.chain =
        plan.components->samplers.find(options.sampler).chain && !plan.options.negatives->shared;
    if (!data.valid.empty() || !data.test.empty())
      options.held_out = held_out_targets(data.graph, node, {&data.valid, &data.test});
    graph = data.graph;
    out.names = data.names;
  };
  hooks.negatives = [&] { return watch.get(); };
  if (!train_with_progress(flags, common, hooks).finished) return std::nullopt;
  out.figures = explain(*watch, graph, options);
  return out;
}

Explained watch_frozen(const ExplainFlags& flags, const Common& common) {
  ThreadPool pool(common.threads);
  const auto& files = flags.experiment.files;
  FrozenModel model = load_frozen_model(flags.from, files.train, flags.experiment.load,
                                        flags.experiment.train.sampler.value_or(""), pool);
  const Graph& graph = model.graph();
  const NodeId node = find_source(graph, model.loaded.names, flags.node);
  require_negatives(graph, model.filter, node, flags.node);
  ExplainOptions options;
  options.sampler = model.sampler;
  options.chain = builtin_samplers().find(model.sampler).chain;
  std::vector<HeldOut> sets;
  for (const std::string& path : {files.valid, files.test})
    if (!path.empty())
      sets.push_back(
          read_pairs(path, model.loaded, model.task == "linkpred", flags.experiment.load, pool));
  std::vector<const HeldOut*> known;
  for (const auto& set : sets) known.push_back(&set);
  if (!known.empty()) options.held_out = held_out_targets(graph, node, known);

  Watch watch(graph, model.filter, node);
  SamplerSession session = make_frozen_session(model, common.seed, pool, &watch);
  draw_frozen(session, model, {{&node, 1}, flags.rounds, common.seed});
  return {explain(watch, graph, options), std::move(model.loaded.names), true};
}

Json to_json(const ExplainBand& band, bool held_out) {
  Json out{{"first_epoch", band.first_epoch},
           {"last_epoch", band.last_epoch},
           {"draws", band.draws},
           {"distinct", band.distinct},
           {"hardness", band.hardness},
           {"above_90", band.above_90},
           {"above_99", band.above_99},
           {"popularity", band.popularity}};
  if (held_out) out["held_out"] = band.held_out;
  if (band.chain) {
    out["moved"] = band.chain->moved;
    out["autocorrelation"] = band.chain->autocorrelation;
    out["effective_draws"] = band.chain->effective;
  }
  return out;
}

void print_json(const ExplainFlags& flags, const Explained& explained) {
  const Explanation& e = explained.figures;
  const bool held_out = e.held_out.has_value();
  Json out{{"node", as_utf8(flags.node)}, {"degree", e.degree},     {"sampler", e.sampler},
           {"allowed", e.allowed},        {"weighted", e.weighted}, {"frozen", explained.frozen}};
  if (held_out) {
    out["held_out_positives"] = *e.held_out;
    out["held_out_uniform"] = e.held_out_uniform;
  }
  out["all"] = to_json(e.all, held_out);
  for (const auto& band : e.bands) out["bands"].push_back(to_json(band, held_out));
  out["histogram"] = e.histogram;
  for (const auto& top : e.top) {
    out["top"].push_back({{"id", as_utf8(explained.names.name(top.node))},
                          {"draws", top.draws},
                          {"score", top.score},
                          {"rank", top.rank},
                          {"degree", top.degree}});
    if (held_out) out["top"].back()["held_out"] = top.held_out;
  }
  fmt::print("{}\n", out.dump(2));
}

void print_bands(const Explanation& e, bool frozen) {
  std::vector<std::vector<std::string>> rows = {{frozen ? "rounds" : "epochs", "draws", "distinct",
                                                 "hardness", "above 90%", "above 99%",
                                                 "popularity"}};
  if (e.held_out) rows[0].emplace_back("held out");
  if (e.all.chain) rows[0].insert(rows[0].end(), {"moved", "lag 1", "effective"});
  const auto add = [&](const ExplainBand& band, std::string epochs) {
    rows.push_back({std::move(epochs), std::to_string(band.draws), std::to_string(band.distinct),
                    fmt::format("{:.3f}", band.hardness), fmt::format("{:.3f}", band.above_90),
                    fmt::format("{:.3f}", band.above_99), fmt::format("{:.3f}", band.popularity)});
    if (e.held_out) rows.back().push_back(fmt::format("{:.4f}", band.held_out));
    if (!band.chain) return;
    rows.back().push_back(fmt::format("{:.3f}", band.chain->moved));
    rows.back().push_back(fmt::format("{:.3f}", band.chain->autocorrelation));
    rows.back().push_back(fmt::format("{:.0f}", band.chain->effective));
  };
  for (const auto& band : e.bands)
    add(band, band.first_epoch == band.last_epoch
                  ? std::to_string(band.first_epoch)
                  : fmt::format("{}-{}", band.first_epoch, band.last_epoch));
  if (e.bands.size() > 1) add(e.all, "all");
  rows.push_back({"uniform", "", "", "0.500", "0.100", "0.010", "0.500"});
  if (e.held_out) rows.back().push_back(fmt::format("{:.4f}", e.held_out_uniform));
  print_table(rows);
}

void print_text(const ExplainFlags& flags, const Explained& explained) {
  const Explanation& e = explained.figures;
  fmt::print("{}: degree {}, sampler {}, {} negatives seen of {} allowed targets\n",
             printable(flags.node), e.degree, e.sampler, e.all.draws, e.allowed);
  if (e.held_out) fmt::print("{} held-out positives are among them\n", *e.held_out);
  if (e.weighted) fmt::print("draws count by their weight in the loss\n");
  fmt::print("\n");
  print_bands(e, explained.frozen);
  fmt::print(
      "\nhardness: mean quantile of a negative's score among all allowed targets when it was "
      "drawn;\n"
      "popularity: the same of its degree{}{}\n\n",
      e.held_out ? "; held out: share of draws that are valid or test pairs" : "",
      e.all.chain
          ? ";\nmoved: draws that differ from the one before; lag 1: autocorrelation of the "
            "quantiles"
          : "");
  std::vector<std::vector<std::string>> rows = {
      {"most drawn", "draws", "score", "rank", "degree", ""}};
  for (const auto& top : e.top)
    rows.push_back({explained.names.name(top.node), std::to_string(top.draws),
                    fmt::format("{:.4f}", top.score), fmt::format("{:.0f}", top.rank),
                    std::to_string(top.degree), top.held_out ? "held-out positive" : ""});
  print_table(rows);
}

int run_explain(ExplainFlags& flags, const Common& common, const Session& session) {
  if (flags.plan) {
    require(flags.from.empty(), "--plan shows the settings of a run; --from has none");
    require(!flags.task.empty(), "--plan needs --task and --data or --train");
    finish_run_flags(flags, common, session);
    return run_with_progress(flags, common);
  }
  const std::optional<Explained> explained =
      flags.from.empty() ? watch_run(flags, common, session) : watch_frozen(flags, common);
  if (!explained) return kInterrupted;
  if (!flags.html.empty())
    write_file_atomically(flags.html,
                          explain_page(explained->figures, explained->names, explained->frozen));
  if (common.json)
    print_json(flags, *explained);
  else
    print_text(flags, *explained);
  return 0;
}

}  // namespace

void add_explain(CLI::App& root, Session& session) {
  CLI::App* command = root.add_subcommand("explain", "which negatives a node gets and why");
  auto flags = std::make_shared<ExplainFlags>();
  command
      ->add_option("node", flags->node,
                   "id of a node that has training edges; a user in a user-item graph")
      ->required();
  command->add_option("--from", flags->from, "model directory: draw for it, train nothing")
      ->type_name("DIR")
      ->group(group_name(OptionGroup::kData));
  command
      ->add_option("--rounds", flags->rounds,
                   "with --from: number of draws for every training pair")
      ->check(whole_number(1, 1000000))
      ->group(group_name(OptionGroup::kData))
      ->capture_default_str();
  add_run_flags(*command, *flags);
  command->remove_option(command->get_option("--repeats"));
  command->add_option("--html", flags->html, "write a page with plots to this file")
      ->type_name("FILE")
      ->group(group_name(OptionGroup::kOutput));
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] { session.exit_code = run_explain(*flags, *common, session); });
}

}  // namespace mcns::cli

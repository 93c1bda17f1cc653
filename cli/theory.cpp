// mcns theory: Theorems 1 and 2 of the paper and its principle p_n ~ p_d^alpha, measured; with
// --from, how closely a trained model's negatives follow the principle.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/io/files.h"
#include "mcns/report/theory_page.h"

#include "cli/load_flags.h"
#include "cli/table.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    "  mcns theory\n"
    "  mcns theory --seed 7 --json\n"
    "  mcns theory --from model --sampler degree:power=0.75 --html departure.html\n";

struct Flags {
  std::string from, train, sampler, html;
  LoadOptions load;
  DepartureOptions departure;
};

struct Findings {
  Theorem1Options options;
  std::vector<Theorem1Case> cases;
  Theorem1Case low;
  Theorem2 second;
  HingeTheory hinge;
  Principle principle;

  /// The slope farthest from 1 of the distributions, and their smallest r.
  double worst_slope() const {
    return std::ranges::max_element(cases, {},
                                    [](const auto& item) { return std::abs(item.slope - 1); })
        ->slope;
  }
  double worst_r() const { return std::ranges::min_element(cases, {}, &Theorem1Case::r)->r; }
  bool first_holds() const {
    return std::ranges::all_of(cases, &Theorem1Case::holds) && !low.holds;
  }
};

Findings measure(std::uint64_t seed, ThreadPool& pool) {
  Findings out;
  const Graph graph = make_known_graph(out.options.nodes, seed, pool);
  for (const char* sampler : {"rns", "degree:power=0.75", "degree:power=-1"})
    out.cases.push_back(check_theorem1(graph, sampler, out.options, seed, pool));
  Theorem1Options low = out.options;
  low.dim = 4;
  out.low = check_theorem1(graph, "rns", low, seed, pool);
  constexpr int kPairs = 20;
  out.second = check_theorem2(kPairs, {}, seed, pool);
  constexpr std::int64_t kSamples = 20000, kReplicates = 200;
  out.hinge = check_hinge(kPairs, out.second.negatives, kSamples, kReplicates, seed, pool);
  SimulationOptions fewer;
  fewer.replicates = 1000;
  fewer.samples = 20000;
  out.principle = check_principle({0, 0.25, 0.5, 0.75, 1}, fewer, seed, pool);
  return out;
}

Json to_json(const Theorem1Case& item) {
  return {{"sampler", item.sampler},
          {"dim", item.dim},
          {"slope", item.slope},
          {"intercept", item.intercept},
          {"r", item.r},
          {"min_expected_samples", item.expected_samples},
          {"gradient", item.gradient},
          {"holds", item.holds}};
}

Json to_json(const Theorem2& second) {
  Json cases = Json::array();
  for (const auto& one : second.cases)
    cases.push_back({{"law", one.distribution.name},
                     {"samples", one.simulation.samples},
                     {"min_expected_samples", one.simulation.expected_samples},
                     {"p_n", one.distribution.probabilities},
                     {"predicted", one.simulation.predicted},
                     {"measured", one.simulation.variance},
                     {"ratio", one.ratios},
                     {"covariance_predicted", one.simulation.predicted_covariance},
                     {"covariance", one.simulation.covariance},
                     {"covariance_ratio", one.covariance_ratio},
                     {"covariance_ratio_error", one.covariance_error},
                     {"covariance_largest_deviation", one.largest_deviation}});
  return {{"min_ratio", second.min_ratio},
          {"max_ratio", second.max_ratio},
          {"mean_ratio", second.mean_ratio},
          {"holds", second.holds},
          {"replicates", second.replicates},
          {"negatives", second.negatives},
          {"pairs", second.p_d.size()},
          {"p_d", second.p_d},
          {"laws", cases}};
}

Json to_json(const HingeTheory& hinge) {
  Json cases = Json::array();
  for (const auto& one : hinge.cases)
    cases.push_back({{"law", one.distribution.name},
                     {"samples", one.samples},
                     {"logistic_optimum", one.logistic},
                     {"logistic_deviation", one.logistic_spread},
                     {"hinge_optimum_over_margin", one.levels},
                     {"hinge_deviation_over_margin", one.spread},
                     {"levels", one.distinct},
                     {"r", one.r},
                     {"ordered_alike", one.ordered},
                     {"tied", one.tied}});
  return {{"theorems_hold", false},
          {"replicates", hinge.replicates},
          {"negatives", hinge.negatives},
          {"p_d", hinge.p_d},
          {"laws", cases}};
}

void print_json(const Findings& found) {
  Json cases = Json::array(), principle = Json::array();
  for (const auto& item : found.cases) cases.push_back(to_json(item));
  for (const auto& item : found.principle.cases)
    principle.push_back({{"alpha", item.alpha},
                         {"order_optimum", item.order_optimum},
                         {"order_estimate", item.order_estimate},
                         {"risk", item.risk},
                         {"risk_predicted", item.predicted}});
  const Json document = {{"theorem1",
                          {{"slope", found.worst_slope()},
                           {"r", found.worst_r()},
                           {"over", "the worst of the distributions"},
                           {"holds", found.first_holds()},
                           {"nodes", found.options.nodes},
                           {"negatives", found.options.negatives},
                           {"laws", cases},
                           {"low_dimension", to_json(found.low)}}},
                         {"theorem2", to_json(found.second)},
                         {"hinge", to_json(found.hinge)},
                         {"principle",
                          {{"samples", found.principle.samples},
                           {"band_p_d", found.principle.band_p_d},
                           {"laws", principle}}}};
  fmt::print("{}\n", document.dump(2));
}

std::string verdict(bool holds) { return holds ? "holds" : "does not hold"; }

void print_first(const Findings& found) {
  fmt::print("Theorem 1: u.v = -log(k p_n / p_d) at the optimum: {}\n",
             verdict(found.first_holds()));
  fmt::print("{} nodes, all pairs, k = {}, logistic loss, two tables, by the trainer\n\n",
             found.options.nodes, found.options.negatives);
  std::vector<std::vector<std::string>> rows = {
      {"p_n", "dim", "slope", "r", "fewest samples", "gradient left", ""}};
  auto cases = found.cases;
  cases.push_back(found.low);
  for (const auto& item : cases)
    rows.push_back({item.sampler, fmt::format("{}", item.dim), fmt::format("{:.4f}", item.slope),
                    fmt::format("{:.4f}", item.r), fmt::format("{:.0f}", item.expected_samples),
                    fmt::format("{:.1e}", item.gradient), verdict(item.holds)});
  print_table(rows);
  fmt::print("The last line must not hold: {} dimensions cannot hold {} x {} scores.\n\n",
             found.low.dim, found.options.nodes, found.options.nodes);
}

void print_second(const Theorem2& second) {
  fmt::print("Theorem 2: covariance = 1/T (diag(1/p_d + 1/(k p_n)) - (1 + 1/k)): {}\n",
             verdict(second.holds));
  fmt::print(
      "{} replicates, {} contexts, k = {}; measured over predicted, of variances and, as a mean,\n"
      "of covariances of two contexts; last, the pair that is farthest off, in standard "
      "errors:\n\n",
      second.replicates, second.p_d.size(), second.negatives);
  std::vector<std::vector<std::string>> rows = {
      {"p_n", "T", "fewest samples", "min", "mean", "max", "covariance", "farthest"}};
  for (const auto& one : second.cases) {
    double mean = 0;
    for (const double ratio : one.ratios) mean += ratio / static_cast<double>(one.ratios.size());
    rows.push_back({one.distribution.name, fmt::format("{}", one.simulation.samples),
                    fmt::format("{:.0f}", one.simulation.expected_samples),
                    fmt::format("{:.3f}", std::ranges::min(one.ratios)),
                    fmt::format("{:.3f}", mean),
                    fmt::format("{:.3f}", std::ranges::max(one.ratios)),
                    fmt::format("{:.3f} ± {:.3f}", one.covariance_ratio, one.covariance_error),
                    fmt::format("{:.1f}", one.largest_deviation)});
  }
  print_table(rows);
}

void print_hinge(const HingeTheory& hinge) {
  fmt::print(
      "\nHinge loss max(0, margin + theta_x - theta_u), which the method uses: neither theorem is\n"
      "about it. The optimum on free scores is a few levels a margin apart, not -log(k p_n / "
      "p_d);\n"
      "scores of {} replicates of T samples differ by whole margins. Contexts by p_d / p_n:\n\n",
      hinge.replicates);
  std::vector<std::vector<std::string>> rows = {{"p_n", "T", "levels", "r with logistic",
                                                 "ordered alike", "tied", "deviation, logistic",
                                                 "deviation, hinge (margins)"}};
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value / static_cast<double>(values.size());
    return fmt::format("{:.3f}", sum);
  };
  for (const auto& one : hinge.cases)
    rows.push_back({one.distribution.name, fmt::format("{}", one.samples),
                    fmt::format("{}", one.distinct), fmt::format("{:.3f}", one.r),
                    fmt::format("{:.3f}", one.ordered), fmt::format("{:.3f}", one.tied),
                    mean(one.logistic_spread), mean(one.spread)});
  print_table(rows);
}

void print_principle(const Principle& principle) {
  fmt::print(
      "\nPrinciple: p_n ~ p_d^alpha keeps the order of p_d (alpha < 1) and is more exact\n"
      "where p_d is large. Order: part of context pairs ranked as p_d ranks them, by the\n"
      "optimum and by estimates of T = {}. Risk: T x mean squared deviation by band of p_d.\n\n",
      principle.samples);
  std::vector<std::vector<std::string>> rows = {{"alpha", "order", "estimated"}};
  for (const double p : principle.band_p_d) rows[0].push_back(fmt::format("p_d {:.4f}", p));
  const auto samples = static_cast<double>(principle.samples);
  for (const auto& item : principle.cases) {
    rows.push_back({fmt::format("{}", item.alpha), fmt::format("{:.3f}", item.order_optimum),
                    fmt::format("{:.3f}", item.order_estimate)});
    for (const double risk : item.risk)
      rows.back().push_back(fmt::format("{:.1f}", risk * samples));
  }
  print_table(rows);
}

/// Whether they hold, as an exit code.
int theorems(const Flags& flags, const Common& common, ThreadPool& pool) {
  const Findings found = measure(common.seed, pool);
  if (!flags.html.empty()) {
    auto cases = found.cases;
    cases.push_back(found.low);
    write_file_atomically(flags.html, theorems_page(cases, found.second, found.hinge));
  }
  if (common.json) {
    print_json(found);
  } else {
    print_first(found);
    print_second(found.second);
    print_hinge(found.hinge);
    print_principle(found.principle);
  }
  return found.first_holds() && found.second.holds ? 0 : 1;
}

void print_json(const Departure& found) {
  Json bands = Json::array();
  for (const auto& band : found.bands)
    bands.push_back({{"degree_low", band.low},
                     {"degree_high", band.high},
                     {"targets", band.targets},
                     {"p_d", band.p_d},
                     {"p_n", band.p_n},
                     {"ratio", band.ratio},
                     {"positives", band.positives},
                     {"negatives", band.negatives},
                     {"positive_risk", band.positive_risk},
                     {"negative_risk", band.negative_risk}});
  const Json document = {{"sampler", found.sampler},
                         {"sources", found.sources},
                         {"positives", found.positives},
                         {"negatives", found.negatives},
                         {"alpha", found.alpha},
                         {"log_factor", found.log_factor},
                         {"bands", bands}};
  fmt::print("{}\n", document.dump(2));
}

void print_text(const Departure& found) {
  fmt::print(
      "{}: {} negatives of {} sources with {} positives\n"
      "over bands of degree p_n goes like p_d^alpha with alpha = {:.3f}\n\n",
      found.sampler, found.negatives, found.sources, found.positives, found.alpha);
  std::vector<std::vector<std::string>> rows = {
      {"degree", "targets", "p_d", "p_n", "p_n / fit", "risk +", "risk -"}};
  const auto text = [](bool known, double value) {
    return known ? fmt::format("{:.3f}", value) : "-";
  };
  for (const auto& band : found.bands)
    rows.push_back({band.low == band.high ? fmt::format("{}", band.low)
                                          : fmt::format("{}-{}", band.low, band.high),
                    fmt::format("{}", band.targets), fmt::format("{:.4f}", band.p_d),
                    fmt::format("{:.4f}", band.p_n), text(band.ratio > 0, band.ratio),
                    text(band.positives > 0, band.positive_risk),
                    text(band.negatives > 0, band.negative_risk)});
  print_table(rows);
  fmt::print(
      "\np_d, p_n: share of all positives and negatives; p_n / fit: departure from the fit;\n"
      "risk: mean logistic loss of the band's positives and negatives\n");
}

void departure(const Flags& flags, const Common& common, ThreadPool& pool) {
  const FrozenModel model =
      load_frozen_model(flags.from, flags.train, flags.load, flags.sampler, pool);
  const Departure found = measure_departure(model, flags.departure, common.seed, pool);
  if (!flags.html.empty()) write_file_atomically(flags.html, departure_page(found));
  if (common.json)
    print_json(found);
  else
    print_text(found);
}

}  // namespace

void add_theory(CLI::App& root, Session& session) {
  auto* command = root.add_subcommand(
      "theory", "measure the theorems of the paper, or the negatives of a model");
  auto flags = std::make_shared<Flags>();
  command
      ->add_option("--from", flags->from,
                   "model directory: compare its negatives p_n with p_d^alpha, and show the risk")
      ->type_name("DIR");
  command
      ->add_option("--train", flags->train,
                   "with --from: file with training edges, if the directory has no graph.bin")
      ->type_name("FILE");
  add_load_flags(*command, flags->load);
  command->add_option("--sampler", flags->sampler,
                      "with --from: sampler, in place of the model's own");
  command
      ->add_option("--sources", flags->departure.sources, "with --from: maximum number of sources")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--rounds", flags->departure.rounds,
                   "with --from: number of draws for every training pair")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  command->add_option("--html", flags->html, "write a page with plots to this file")
      ->type_name("FILE");
  const auto common = add_common(*command, kExamples);
  command->callback([=, &session] {
    ThreadPool pool(common->threads);
    if (flags->from.empty())
      session.exit_code = theorems(*flags, *common, pool);
    else
      departure(*flags, *common, pool);
  });
}

}  // namespace mcns::cli

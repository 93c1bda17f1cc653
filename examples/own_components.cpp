// Components of one's own, used by name beside the built-in ones: a sampler, an encoder, a loss.
// Nothing of the library is edited; the registry that the experiment gets is a copy.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "mcns/mcns.h"

#include "examples/components.h"

namespace {

/// Sum of (1 - positive + negative)^2 where that is above 0: a hinge without a kink. Scores become
/// derivatives.
float squared_hinge(float* s, const float* weight, int n) {
  float loss = 0, positive = 0;
  for (int j = 1; j < n; ++j) {
    const float gap = std::max(0.0F, 1 - s[0] + s[j]);
    const float w = weight == nullptr ? 1.0F : weight[j - 1];
    loss += w * gap * gap;
    s[j] = 2 * w * gap;
    positive -= s[j];
  }
  s[0] = positive;
  return loss;
}

mcns::LossEntry squared_hinge_loss() {
  return {{"squared-hinge", "max(0, 1 - positive + negative)^2, per negative"},
          [](double /*margin*/) -> mcns::Loss { return mcns::CustomLoss{squared_hinge}; }};
}

/// A random graph of ten communities, as a file of edges.
std::string write_graph(const std::filesystem::path& path) {
  mcns::ThreadPool pool;
  const auto generated = mcns::generate_graph("sbm", {.nodes = 1000, .edges = 8000}, pool);
  std::ofstream out(path);
  for (const auto [u, v] : mcns::edge_list(generated.graph).pairs) out << u << '\t' << v << '\n';
  return path.string();
}

}  // namespace

int main() try {
  mcns::Components mine = mcns::builtin_components();
  mine.samplers.add(mcns::two_hop_sampler());
  mine.encoders.add(mcns::mean_encoder());
  mine.losses.add(squared_hinge_loss());
  std::fputs(mcns::describe(mine.samplers.find("two-hop")).c_str(), stdout);

  mcns::Experiment experiment;
  experiment.components = &mine;
  experiment.task = mcns::Task::kLinkpred;
  experiment.files.train = write_graph(std::filesystem::temp_directory_path() / "communities.tsv");
  experiment.train.encoder = "mean:share=0.5";
  experiment.train.sampler = "mix:0.5*two-hop+0.5*rns";
  experiment.train.loss = "squared-hinge";
  experiment.train.epochs = 3;
  const mcns::ExperimentResult result = mcns::run_experiment(experiment, {});
  std::filesystem::remove(experiment.files.train);
  for (const mcns::Metric& metric : result.test)
    std::printf("%s %.4f\n", metric.name.c_str(), metric.value);
} catch (const mcns::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// Defaults by model, preset and task. How they were chosen: docs/results.md.
#include <algorithm>
#include <bit>

#include "mcns/core/error.h"
#include "mcns/core/graph_stats.h"
#include "mcns/core/spec.h"
#include "mcns/encoders/encoder.h"
#include "mcns/samplers/negative_sampler.h"
#include "mcns/plan/options.h"

namespace mcns {
namespace {

template <class T, class U>
void fill(std::optional<T>& option, U value) {
  if (!option) option = value;
}

struct ModelPreset {
  const char *name, *encoder, *positives;  ///< no positives: the task's own
};
constexpr ModelPreset kModels[] = {
    {"deepwalk", "lookup", "walks"},     {"line", "lookup", "edges"},
    {"node2vec", "lookup", "node2vec"},  {"gcn", "gcn", nullptr},
    {"graphsage", "graphsage", nullptr}, {"lightgcn", "lightgcn", nullptr}};

/// A network by task. Link prediction, GCN: outputs of one length, so that the sum over many
/// neighbours does not make hubs near to everything. Classification: a node's own vector comes
/// along, since little is left of it in the mean of many.
std::string network_for(const std::string& model, Task task) {
  if (model == "gcn" && task == Task::kLinkpred) return "gcn:length=3";
  return task == Task::kClassify && model != "lightgcn" ? model + ":residual=true" : model;
}

void fill_model(TrainOptions& o, Task task) {
  if (o.model.empty()) return;
  std::vector<std::string> known;
  for (const auto& model : kModels) {
    known.emplace_back(model.name);
    if (o.model != model.name) continue;
    const bool network = model.positives == nullptr;
    fill(o.encoder, network && o.preset.empty() ? network_for(model.name, task) : model.encoder);
    if (!network) fill(o.positives, model.positives);
    return;
  }
  throw_unknown("model", o.model, known);
}

/// Appendix of the paper: Adam, hinge, one negative per positive, Algorithm 2 as it stands.
void fill_paper(TrainOptions& o, Task task) {
  fill(o.sampler, "mcns:form=paper");
  fill(o.loss, "hinge");
  fill(o.margin, 0.1);
  fill(o.optimizer, "adam");
  fill(o.lr, 1e-3);
  fill(o.schedule, "constant");
  fill(o.negatives, 1);
  fill(o.l2, 0.0);
  fill(o.batch, 256);
  fill(o.dim, task == Task::kClassify ? 128 : 256);
}

struct NetworkDefaults {
  const char* encoder;
  double lr, l2;
  int dim;
};
constexpr NetworkDefaults kNetworks[] = {
    {"gcn", 0.003, 0.015, 128}, {"graphsage", 0.002, 0.02, 128}, {"lightgcn", 0.005, 0.01, 64}};

/// A batch costs its receptive field, soon the whole graph whatever its size is: as many batches
/// for any graph keep an epoch linear in the edges.
int network_batch(const std::string& name, Task task, const Graph& graph) {
  constexpr std::int64_t kLargest = 1 << 20;
  const auto part = [&](std::int64_t batches, std::int64_t smallest) {
    return static_cast<int>(std::clamp(graph.num_edges() / batches, smallest, kLargest));
  };
  switch (task) {
    case Task::kRecommend:
      return part(name == "lightgcn" ? 64 : 100, 1024);
    case Task::kLinkpred:  // of walks: many pairs an edge
      return part(8, 4096);
    case Task::kClassify:
      return part(8, 65536);
  }
  return 0;
}

/// Networks: one table, and steps that suit weights shared by all nodes.
void fill_network(TrainOptions& o, Task task, const Graph& graph) {
  const std::string name = Spec::parse(*o.encoder).name();
  fill(o.tables, 1);
  fill(o.optimizer, "adam");
  fill(o.init_scale, 1.0);
  if (task == Task::kLinkpred) {
    if (o.loss.value_or("softmax") == "softmax") fill(o.margin, 3.0);
    fill(o.epochs, name == "gcn" ? 20 : 8);
  }
  if (task == Task::kClassify) {
    fill(o.loss, "softmax");  // the logistic one, of one table, keeps little but who is popular
    fill(o.lr, 0.01);
    fill(o.l2, 0.006);
    fill(o.epochs, 12);
  }
  for (const auto& network : kNetworks) {
    if (name != network.encoder) continue;
    fill(o.lr, network.lr);
    if (task != Task::kRecommend) continue;
    fill(o.negatives, 1);
    fill(o.l2, network.l2);
    fill(o.dim, network.dim);
  }
  fill(o.batch, network_batch(name, task, graph));
}

/// Larger graphs bear larger batches, which keep more threads busy: 1024 for ml-100k, 4096 for
/// gowalla.
int default_batch(const Graph& graph) {
  const auto wanted = std::bit_ceil(static_cast<std::uint64_t>(graph.num_edges() / 200 + 1));
  return static_cast<int>(std::clamp<std::uint64_t>(wanted, 1024, 8192));
}

void fill_recommend(TrainOptions& o, const Graph& graph) {
  fill(o.positives, "edges");
  fill(o.loss, "bpr");
  fill(o.optimizer, "adagrad");
  fill(o.lr, 0.05);
  fill(o.schedule, "linear");
  // More than one negative steadies what hard ones teach; uniform ones gain nothing by it.
  const bool hard = draws_hard(*o.sampler);
  fill(o.negatives, hard ? 3 : 1);
  // A vector is shrunk once per pair and pulled by each negative.
  fill(o.l2, hard ? 0.02 * (*o.negatives + 1) : 0.01);
  fill(o.dim, 64);
  fill(o.tables, 1);
  fill(o.batch, default_batch(graph));
  fill(o.epochs, 60);
  fill(o.eval_every, 5);  // the best of many noisy evaluations is a lucky one
  fill(o.patience, 4);
  fill(o.filter, "train");
  fill(o.scores, "in-out");
}

/// Whether the walks' parameters are left to the task.
bool bare_walks(const TrainOptions& o) {
  return !o.positives || *o.positives == "walks" || *o.positives == "node2vec";
}

std::string default_walks(const TrainOptions& o, const std::string& parameters) {
  return bare_walks(o) ? o.positives.value_or("walks") + parameters : *o.positives;
}

/// Nodes without any link tell that links were hidden whatever they held together, which no split
/// of ours does. Then hidden links join components too.
bool hidden_at_random(const Graph& graph) {
  constexpr double kShare = 0.01;
  return static_cast<double>(count_isolated(graph)) > kShare * graph.num_nodes();
}

void fill_linkpred(TrainOptions& o, const Graph& graph) {
  std::string walks = ":walks=2,length=40,window=20,share=false";
  if (*o.sampler == "mcns" && bare_walks(o) && o.preset.empty() && hidden_at_random(graph)) {
    // Pairs of different components must not rank below all others, and how the test's non-edges
    // were drawn is not known: these two together do well on all kinds.
    walks += ",teleport=0.02";
    o.sampler = "mcns:power=0.75,hardness=2";
  }
  // Walks that go outward, q < 1 < p, reach the far pairs that are hard to rank.
  fill(o.positives, "node2vec" + walks + ",p=4,q=0.5");
  o.positives = default_walks(o, walks);
  fill(o.loss, "softmax");
  fill(o.optimizer, "adagrad");
  fill(o.lr, 0.05);
  fill(o.schedule, "linear");
  fill(o.l2, 0.0);
  fill(o.dim, 128);
  fill(o.tables, 1);
  fill(o.negatives, 5);
  fill(o.batch, 4096);
  fill(o.epochs, 15);
  fill(o.patience, 0);
  fill(o.filter, "train");
  fill(o.scores, "in-in");
}

/// As word2vec and DeepWalk, negatives come from the whole law: leaving neighbours out costs two
/// points of Micro-F1 on BlogCatalog.
void fill_classify(TrainOptions& o) {
  o.positives = default_walks(o, ":walks=10,length=40,window=10");
  fill(o.loss, "logistic");
  fill(o.optimizer, "adagrad");
  fill(o.lr, 0.2);
  fill(o.schedule, "linear");
  fill(o.l2, 0.01);
  fill(o.dim, 128);
  fill(o.tables, 2);
  fill(o.negatives, 5);
  fill(o.batch, 8192);
  fill(o.epochs, 5);
  fill(o.patience, 0);
  fill(o.filter, "none");
  fill(o.scores, "in-in");
}

void check_range(const char* name, double value, double low, double high) {
  require(value >= low && value <= high, "--{} must be in [{}, {}], got {}", name, low, high,
          value);
}

void check_choice(const char* name, const std::string& value,
                  const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw_unknown(fmt::format("value of --{}", name), value, choices);
}

void check(const TrainOptions& o) {
  if (!is_lookup(*o.encoder)) {
    require(o.update == "batch", "--update {} is for the lookup encoder only", o.update);
    require(*o.tables == 1, "--tables 2 is for the lookup encoder only");
  }
  require(o.features.empty() || !is_lookup(*o.encoder),
          "--features needs --encoder gcn or graphsage");
  check_choice("schedule", *o.schedule, {"constant", "linear"});
  check_choice("log-q", o.log_q, {"on", "off"});
  require(o.log_q == "off" || *o.loss == "softmax",
          "--log-q on corrects the softmax loss; it needs --loss softmax, got {}", *o.loss);
  check_choice("update", o.update, {"batch", "async"});
  check_choice("score", o.score, {"cached", "fresh"});
  check_choice("filter", *o.filter, {"train", "none"});
  check_choice("saturated", o.saturated, {"error", "skip"});
  check_choice("scores", *o.scores, {"in-in", "in-out"});
  check_range("dim", *o.dim, 1, 65536);
  check_range("tables", *o.tables, 1, 2);
  check_range("negatives", *o.negatives, 1, 4096);
  check_range("batch", *o.batch, 1, 1 << 24);
  check_range("epochs", *o.epochs, 0, 1e9);
  check_range("patience", *o.patience, 0, 1e9);
  check_range("eval-every", *o.eval_every, 1, 1e9);
  check_range("lr", *o.lr, 0, 1e6);
  check_range("l2", *o.l2, 0, 1e6);
  check_range("margin", *o.margin, 0, 1e6);
  check_range("init-scale", *o.init_scale, 0, 1e6);
}

}  // namespace

void resolve_options(TrainOptions& o, std::optional<Task> task, const Graph& graph) {
  const Task assumed = task.value_or(graph.is_bipartite() ? Task::kRecommend : Task::kClassify);
  fill_model(o, assumed);
  if (!o.preset.empty()) {
    check_choice("preset", o.preset, {"paper"});
    fill_paper(o, assumed);
  }
  fill(o.encoder, "lookup");
  fill(o.sampler, "mcns");
  if (!is_lookup(*o.encoder)) fill_network(o, assumed, graph);
  if (!task) fill(o.filter, "train");
  if (assumed == Task::kRecommend) fill_recommend(o, graph);
  if (assumed == Task::kLinkpred) fill_linkpred(o, graph);
  if (assumed == Task::kClassify) fill_classify(o);
  fill(o.margin, *o.loss == "hinge" ? 0.1 : 0.0);
  fill(o.init_scale, 0.1);
  fill(o.eval_every, 1);
  // A user-item graph has one vector a node already: users are centres, items are contexts.
  if (graph.is_bipartite()) o.tables = 1;
  check(o);
}

}  // namespace mcns

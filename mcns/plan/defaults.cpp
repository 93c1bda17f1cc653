// Every default and preset, as data. How they were chosen: docs/notes/defaults.md.
//
// A setting takes the value of the first row whose condition holds and whose column for the task is
// not empty; where no row does, a component's parameter takes the component's own default. Numbers
// may be formulas over sizes of the graph and settings above (core/facts.h). Facts: the graph's
// (nodes, edges, arcs, sources, targets, bipartite, directed), `network` (the encoder computes
// vectors from the graph), `hard` (the sampler's negatives are harder than chance), `no_task`
// (`mcns train`), `pools` (the sampler has pools that a batch shares), `shared` (the batch does
// share its negatives), `specified` (the sampler was given with parameters), `breadth` (the share
// of all nodes that are positives of a node and may be its negatives; for parameters), `chooses`
// (settings are tuned, or --patience may end training: classify needs validation nodes), every
// setting resolved above, and every setting that was given. Rows under `model=` and `preset=` are
// presets.
#include "mcns/plan/defaults.h"

#include <algorithm>
#include <iterator>

namespace mcns {
namespace {

struct Row {
  const char *setting, *condition;
  const char *recommend, *linkpred, *classify;
};

/// All three tasks.
constexpr Row all(const char* setting, const char* condition, const char* value) {
  return {setting, condition, value, value, value};
}

// clang-format off
constexpr Row kRows[] = {
    // splitting
    //  setting          condition                recommend       linkpred        classify
    {"split",            "",                      "paper",        "connected",    "random"},
    all("time-cut",      "",                      "global"),
    {"valid-share",      "split=random",          "0.1",          "",             ""},
    {"valid-share",      "split=time",            "0.1",          "",             ""},
    {"valid-share",      "chooses",               "",             "",             "0.2"},
    {"valid-share",      "",                      "0.05",         "0.02",         "0"},
    {"test-share",       "",                      "0.1",          "0.3",          "0.3"},
    all("parts",         "",                      "11"),
    all("fold",          "",                      "1"),
    all("reciprocal",    "",                      "apart"),
    {"candidates",       "preset=paper edges>500000", "500",      "",             ""},
    all("non-edges",     "",                      "uniform"),
    all("candidates",    "",                      "0"),
    all("allow-leaks",   "",                      "false"),
    all("groups",        "",                      "false"),
    all("learn-from",    "",                      "train"),
    all("repeats",       "",                      "1"),
    {"metrics",          "",                "mrr,hits@5,hits@10,hits@30,ndcg@10,recall@20,tie_rate",
                                            "auc,ap", "micro_f1,macro_f1"},

    // components
    all("encoder",       "model=deepwalk",        "lookup"),
    all("encoder",       "model=line",            "lookup"),
    all("encoder",       "model=node2vec",        "lookup"),
    all("encoder",       "model=gcn",             "gcn"),
    all("encoder",       "model=graphsage",       "graphsage"),
    all("encoder",       "model=lightgcn",        "lightgcn"),
    all("encoder",       "",                      "lookup"),
    all("sampler",       "preset=paper",          "mcns"),  // positives depend on it
    all("positives",     "preset=paper sampler=mcns", "dfs"),
    {"positives",        "preset=paper model=deepwalk", "edges",  "walks",        "walks"},
    all("positives",     "model=deepwalk",        "walks"),
    all("positives",     "model=line",            "edges"),
    all("positives",     "model=node2vec",        "node2vec"),
    all("positives",     "preset=paper network",  "edges"),
    {"positives",        "preset=paper",          "edges",        "walks",        "walks"},
    {"positives",        "",                      "edges",        "node2vec",     "walks"},
    all("sampler",       "network",               "mcns"),
    all("sampler",       "directed",              "mcns"),
    {"sampler",          "",                      "mcns",         "rns",          "degree"},
    all("similarity",    "preset=paper",          "dot"),
    all("similarity",    "network",               "dot"),
    all("similarity",    "specified",             "dot"),
    all("similarity",    "shared=false",          "dot"),
    all("similarity",    "loss=bpr",              "dot"),
    all("similarity",    "loss=hinge",            "dot"),
    all("similarity",    "loss=logistic",         "dot"),
    {"similarity",       "bipartite pools",       "cosine",       "",             ""},
    all("similarity",    "",                      "dot"),
    all("loss",          "preset=paper",          "hinge"),
    all("loss",          "shared",                "softmax"),
    all("loss",          "similarity=cosine",     "softmax"),
    {"loss",             "model=deepwalk",        "",             "",             "logistic"},
    {"loss",             "model=line",            "",             "",             "logistic"},
    {"loss",             "model=node2vec",        "",             "",             "logistic"},
    {"loss",             "",                      "bpr",          "softmax",      "softmax"},
    all("optimizer",     "preset=paper",          "adam"),
    all("optimizer",     "network",               "adam"),
    {"optimizer",        "similarity=cosine",     "adam",         "",             ""},
    all("optimizer",     "",                      "adagrad"),

    // training
    {"dim",              "preset=paper edges>500000", "512",      "",             ""},
    {"dim",              "preset=paper",          "256",          "256",          "128"},
    {"dim",              "encoder=gcn",           "128",          "",             ""},
    {"dim",              "encoder=graphsage",     "128",          "",             ""},
    {"dim",              "similarity=cosine",     "128",          "",             ""},
    {"dim",              "",                      "64",           "128",          "128"},
    all("tables",        "bipartite",             "1"),
    all("tables",        "network",               "1"),
    {"tables",           "preset=paper",          "",             "2",            "2"},
    {"tables",           "directed",              "",             "2",            ""},
    {"tables",           "loss=softmax",          "",             "",             "1"},
    {"tables",           "",                      "1",            "1",            "2"},
    {"scores",           "directed",              "",             "in-out",       ""},
    {"scores",           "",                      "in-out",       "in-in",        "in-in"},
    // Where there are validation pairs a run begins here (train/temperature_search.h). A user's own
    // items must stand out among all targets: sharper where they are a small part of them, but not
    // with few links a user, which sharp scores learn by heart.
    {"temperature",      "similarity=cosine",
        "clamp(round(100*max(0.62/log(max(1.1,sources*targets/edges)),2.4*sources/edges))/100,0.1,0.28)",
                                                                  "0.2",          "0.2"},
    all("temperature",   "",                      "1"),
    {"popularity",       "similarity=cosine bipartite dim>1", "0.5", "",         ""},
    all("popularity",    "",                      "0"),
    all("init-scale",    "network",               "1"),
    all("init-scale",    "",                      "0.1"),
    all("negatives",     "preset=paper",          "1"),
    {"negatives",        "similarity=cosine loss=softmax pools", "shared:512", "", ""},
    {"negatives",        "network",               "1",            "",             ""},
    {"negatives",        "hard",                  "3",            "",             ""},
    {"negatives",        "",                      "1",            "5",            "5"},
    all("filter",        "no_task",               "train"),
    {"filter",           "",                      "train",        "train",        "none"},
    all("saturated",     "",                      "error"),
    all("sampler-view",  "",                      "cached"),
    all("log-q",         "",                      "off"),
    all("margin",        "preset=paper",          "0.1"),
    {"margin",           "network loss=softmax",  "",             "3",            ""},
    all("margin",        "loss=hinge",            "0.1"),
    all("margin",        "",                      "0"),
    all("lr",            "preset=paper",          "0.001"),
    {"lr",               "network",               "",             "",             "0.01"},
    all("lr",            "encoder=gcn",           "0.003"),
    all("lr",            "encoder=graphsage",     "0.002"),
    all("lr",            "encoder=lightgcn",      "0.005"),
    {"lr",               "similarity=cosine",     "0.005",        "",             ""},
    {"lr",               "",                      "0.05",         "0.05",         "0.2"},
    all("schedule",      "preset=paper",          "constant"),
    all("schedule",      "",                      "linear"),
    all("l2",            "preset=paper",          "0"),
    all("l2",            "similarity=cosine",     "0"),
    all("l2",            "shared",                "0.01"),
    {"l2",               "network",               "",             "",             "0.006"},
    {"l2",               "encoder=gcn",           "0.015",        "",             ""},
    {"l2",               "encoder=graphsage",     "0.02",         "",             ""},
    {"l2",               "encoder=lightgcn",      "0.01",         "",             ""},
    {"l2",               "hard",                  "0.02*(negatives+1)", "",       ""},
    {"l2",               "directed",              "",             "0.02",         ""},
    {"l2",               "",                      "0.01",         "0",            "0.01"},
    {"batch",            "preset=paper edges>500000", "512",      "",             ""},
    {"batch",            "preset=paper network",  "256",          "256",          "4096"},
    {"batch",            "preset=paper",          "256",          "4096",         "4096"},
    {"batch",            "encoder=lightgcn",      "clamp(edges/64,1024,1048576)", "", ""},
    {"batch",            "network",               "clamp(edges/100,1024,1048576)",
                                                  "clamp(edges/8,4096,1048576)",
                                                  "clamp(edges/8,65536,1048576)"},
    // With many links a node, larger batches still update each node often.
    {"batch",            "similarity=cosine",
                         "clamp(pow2(max(edges/200,64*edges/nodes)+1),1024,8192)", "", ""},
    {"batch",            "",                      "clamp(pow2(edges/200+1),1024,8192)",
                                                                  "4096",         "8192"},
    {"epochs",           "preset=paper network",  "60",           "60",           "10"},
    {"epochs",           "preset=paper",          "60",           "8",            "8"},
    {"epochs",           "encoder=gcn",           "",             "20",           "12"},
    {"epochs",           "network",               "",             "8",            "12"},
    {"epochs",           "similarity=cosine",     "40",           "",             ""},
    {"epochs",           "",                      "60",           "15",           "5"},
    {"patience",         "preset=paper network",  "5",            "5",            "0"},
    {"patience",         "preset=paper",          "5",            "0",            "0"},
    {"patience",         "",                      "4",            "0",            "0"},
    all("eval-every",    "preset=paper",          "1"),
    {"eval-every",       "patience=0",            "",             "",             "1000000"},  // at the end
    {"eval-every",       "",                      "5",            "1",            "1"},
    all("update",        "",                      "batch"),

    // parameters of components
    all("encoder.length",   "preset=paper",       "0"),
    {"encoder.length",   "encoder=gcn",           "",             "3",            ""},
    all("encoder.residual", "preset=paper",       "false"),
    {"encoder.residual", "encoder=gcn",           "",             "",             "true"},
    {"encoder.residual", "encoder=graphsage",     "",             "",             "true"},
    all("positives.draw", "preset=paper network", "edge"),
    {"positives.draw",   "preset=paper",          "edge",         "walk",         "walk"},
    all("positives.passes", "preset=paper network", "max(1,round(edges/(2*nodes)))"),
    // as many pairs as 10 walks of 40 nodes from each node have, windows of 5.5 on average
    {"positives.passes", "preset=paper",          "max(1,round(edges/(2*nodes)))",
                                                                  "10*40*11/2",   "10*40*11/2"},
    {"positives.walks",  "preset=paper",          "",             "10",           "10"},
    {"positives.window", "preset=paper",          "",             "10",           "10"},
    all("positives.share", "preset=paper",        "false"),
    {"positives.walks",  "",                      "",             "2",            "10"},
    {"positives.length", "",                      "",             "40",           "40"},
    {"positives.window", "directed",              "",             "3",            ""},
    {"positives.window", "",                      "",             "20",           "10"},
    {"positives.share",  "",                      "",             "false",        "true"},
    {"positives.forward", "directed",             "",             "true",         ""},
    {"positives.p",      "",                      "",             "4",            ""},
    {"positives.q",      "",                      "",             "0.5",          ""},
    {"sampler.hardness", "directed sampler=mcns", "",             "2",            ""},
    // Hard draws that are positives themselves cancel what is learned, and L2 does the rest.
    {"sampler.hardness", "sampler=mcns breadth>0",
        "clamp(round(3/breadth)/10,1,max(5,round(sqrt(targets)/8)))",
                                                  "clamp(round(0.5/breadth)/10,1,2)",
                                                                  "clamp(round(0.5/breadth)/10,1,2)"},
    all("sampler.form",  "sampler=mcns preset=paper", "paper"),
    all("sampler.margin", "sampler=warp preset=paper", "margin"),
    all("sampler.weight", "sampler=warp preset=paper", "none"),
    all("sampler.mode",  "sampler=pinsage preset=paper", "paper"),
    {"sampler.candidates", "sampler=kbgan preset=paper edges>500000", "200", "",  ""},
    all("sampler.candidates", "sampler=kbgan preset=paper", "100"),
    all("sampler.form",  "sampler=mcns shared",   "exp"),
    all("sampler.step",  "sampler=mcns shared",   "ensemble"),
    all("sampler.pool",  "sampler=mcns shared",   "negatives"),
};
// clang-format on

const char* column(const Row& row, Task task) {
  switch (task) {
    case Task::kRecommend:
      return row.recommend;
    case Task::kLinkpred:
      return row.linkpred;
    case Task::kClassify:
      return row.classify;
  }
  return "";
}

bool is_preset(std::string_view condition) {
  return condition.find("preset=") != std::string_view::npos || condition.starts_with("model=");
}

}  // namespace

std::optional<DefaultValue> find_default(const std::string& setting, Task task,
                                         const Facts& facts) {
  for (const Row& row : kRows) {
    if (row.setting != setting || *column(row, task) == '\0') continue;
    if (!holds(row.condition, facts)) continue;
    return DefaultValue{column(row, task),
                        is_preset(row.condition) ? Origin::kPreset : Origin::kDefault};
  }
  return std::nullopt;
}

std::vector<std::string> settings_in_order() {
  std::vector<std::string> out;
  for (const Row& row : kRows)
    if (std::string_view(row.setting).find('.') == std::string_view::npos &&
        std::ranges::find(out, row.setting) == out.end())
      out.emplace_back(row.setting);
  return out;
}

std::vector<std::string> model_names() {
  constexpr std::string_view kPrefix = "model=";
  std::vector<std::string> out;
  for (const Row& row : kRows)
    if (std::string_view(row.setting) == "encoder" &&
        std::string_view(row.condition).starts_with(kPrefix))
      out.emplace_back(std::string_view(row.condition).substr(kPrefix.size()));
  return out;
}

}  // namespace mcns

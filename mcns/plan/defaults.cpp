// Every default and preset, as data. How they were chosen: docs/notes/defaults.md.
//
// A setting takes the value of the first row whose condition holds and whose column for the task is
// not empty; where no row does, a component's parameter takes the component's own default. Numbers
// may be formulas over sizes of the graph and settings above (core/facts.h). Facts: the graph's
// (nodes, edges, arcs, sources, targets, bipartite, directed), `network` (the encoder computes
// vectors from the graph), `hard` (the sampler's negatives are harder than chance), `no_task`
// (`mcns train`), and every setting resolved above. Rows under `model=` and `preset=` are presets.
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
    {"valid-share",      "",                      "0.05",         "0.02",         "0.05"},
    {"test-share",       "",                      "0.1",          "0.3",          "0.3"},
    all("parts",         "",                      "11"),
    all("fold",          "",                      "1"),
    all("reciprocal",    "",                      "apart"),
    all("candidates",    "",                      "0"),
    all("allow-leaks",   "",                      "false"),
    all("groups",        "",                      "false"),
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
    all("positives",     "model=deepwalk",        "walks"),
    all("positives",     "model=line",            "edges"),
    all("positives",     "model=node2vec",        "node2vec"),
    {"positives",        "",                      "edges",        "node2vec",     "walks"},
    all("sampler",       "",                      "mcns"),
    all("loss",          "preset=paper",          "hinge"),
    {"loss",             "network",               "",             "",             "softmax"},
    {"loss",             "",                      "bpr",          "softmax",      "logistic"},
    all("optimizer",     "preset=paper",          "adam"),
    all("optimizer",     "network",               "adam"),
    all("optimizer",     "",                      "adagrad"),

    // training
    {"dim",              "preset=paper",          "256",          "256",          "128"},
    {"dim",              "encoder=gcn",           "128",          "",             ""},
    {"dim",              "encoder=graphsage",     "128",          "",             ""},
    {"dim",              "",                      "64",           "128",          "128"},
    all("tables",        "bipartite",             "1"),
    all("tables",        "network",               "1"),
    {"tables",           "directed",              "",             "2",            ""},
    {"tables",           "",                      "1",            "1",            "2"},
    {"scores",           "directed",              "",             "in-out",       ""},
    {"scores",           "",                      "in-out",       "in-in",        "in-in"},
    all("init-scale",    "network",               "1"),
    all("init-scale",    "",                      "0.1"),
    all("negatives",     "preset=paper",          "1"),
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
    {"lr",               "",                      "0.05",         "0.05",         "0.2"},
    all("schedule",      "preset=paper",          "constant"),
    all("schedule",      "",                      "linear"),
    all("l2",            "preset=paper",          "0"),
    {"l2",               "network",               "",             "",             "0.006"},
    {"l2",               "encoder=gcn",           "0.015",        "",             ""},
    {"l2",               "encoder=graphsage",     "0.02",         "",             ""},
    {"l2",               "encoder=lightgcn",      "0.01",         "",             ""},
    {"l2",               "hard",                  "0.02*(negatives+1)", "",       ""},
    {"l2",               "directed",              "",             "0.02",         ""},
    {"l2",               "",                      "0.01",         "0",            "0.01"},
    all("batch",         "preset=paper",          "256"),
    {"batch",            "encoder=lightgcn",      "clamp(edges/64,1024,1048576)", "", ""},
    {"batch",            "network",               "clamp(edges/100,1024,1048576)",
                                                  "clamp(edges/8,4096,1048576)",
                                                  "clamp(edges/8,65536,1048576)"},
    {"batch",            "",                      "clamp(pow2(edges/200+1),1024,8192)",
                                                                  "4096",         "8192"},
    {"epochs",           "encoder=gcn",           "",             "20",           "12"},
    {"epochs",           "network",               "",             "8",            "12"},
    {"epochs",           "",                      "60",           "15",           "5"},
    {"patience",         "",                      "4",            "0",            "0"},
    {"eval-every",       "",                      "5",            "1",            "1"},
    all("update",        "",                      "batch"),

    // parameters of components
    all("encoder.length",   "preset=paper",       "0"),
    {"encoder.length",   "encoder=gcn",           "",             "3",            ""},
    all("encoder.residual", "preset=paper",       "false"),
    {"encoder.residual", "encoder=gcn",           "",             "",             "true"},
    {"encoder.residual", "encoder=graphsage",     "",             "",             "true"},
    {"positives.walks",  "",                      "",             "2",            "10"},
    {"positives.length", "",                      "",             "40",           "40"},
    {"positives.window", "directed",              "",             "3",            ""},
    {"positives.window", "",                      "",             "20",           "10"},
    {"positives.share",  "",                      "",             "false",        "true"},
    {"positives.forward", "directed",             "",             "true",         ""},
    {"positives.p",      "",                      "",             "4",            ""},
    {"positives.q",      "",                      "",             "0.5",          ""},
    {"sampler.hardness", "directed sampler=mcns", "",             "2",            ""},
    all("sampler.form",  "sampler=mcns preset=paper", "paper"),
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
        (out.empty() || out.back() != row.setting))
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

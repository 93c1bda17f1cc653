// Model directories that somebody changed: files that are right in form, with values that no run
// writes.
#include "mcns/io/npy.h"
#include "mcns/io/npz.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A small model and a small network, and copies of them to be damaged.
class CraftedSettings : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<ScratchFolder>();
    std::string edges;
    for (int v = 0; v < 20; ++v)
      for (const int step : {1, 3}) edges += fmt::format("v{}\tv{}\n", v, (v + step) % 20);
    graph_ = folder_->write("g.tsv", edges);
    for (const std::string model : {"deepwalk", "graphsage"}) {
      const auto done =
          run_mcns(*folder_, "train " + graph_ + " --epochs 2 --dim 8 --quiet --model " + model +
                                 " --out " + folder_->path(model));
      ASSERT_EQ(done.code, 0) << done.err;
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  /// A copy of the model whose `file` has another value at a place.
  static std::string with(const std::string& model, const std::string& file,
                          const std::string& pointer, const Json& value) {
    const auto path = folder_->path("damaged");
    fs::remove_all(path);
    fs::copy(folder_->path(model), path, fs::copy_options::recursive);
    Json document = Json::parse(content_of(path + "/" + file));
    document[Json::json_pointer(pointer)] = value;
    std::ofstream(path + "/" + file) << document.dump();
    return path;
  }
  static std::string with_setting(const std::string& model, const std::string& name,
                                  const Json& value) {
    return with(model, "run.json", "/settings/" + name, {{"value", value}, {"from", "given"}});
  }

  static std::unique_ptr<ScratchFolder> folder_;
  static std::string graph_;
};
std::unique_ptr<ScratchFolder> CraftedSettings::folder_;
std::string CraftedSettings::graph_;

TEST_F(CraftedSettings, ANetworkIsMadeOfCheckedOnes) {
  const auto encode = [&](const std::string& model) {
    return "encode " + model + " --graph " + graph_ + " --out " + folder_->path("o.npy");
  };
  ASSERT_EQ(run_mcns(*folder_, encode(folder_->path("graphsage"))).code, 0);
  const auto refuse = [&](const std::string& name, const Json& value, const std::string& part) {
    expect_failure(*folder_, encode(with_setting("graphsage", name, value)), 3,
                   "run.json: " + part);
  };
  for (const Json& bad : {Json(-5), Json(0), Json(65537), Json(2147483647), Json(2.5), Json("x")})
    refuse("dim", bad, "--dim must be an integer in [1, 65536]");
  refuse("similarity", "angle", "unknown value of --similarity");
  refuse("temperature", 0, "--temperature");
  refuse("popularity", -1, "--popularity");
  refuse("core", -1, "--core");
  refuse("core", "x", "the setting 'core' is no integer");
  refuse("bipartite", "both", "");
}

TEST_F(CraftedSettings, NegativesAreDrawnWithCheckedOnes) {
  const std::string theory = "theory --rounds 2 --from ", explain = "explain v1 --rounds 2 --from ";
  for (const std::string& command : {explain, theory}) {
    ASSERT_EQ(run_mcns(*folder_, command + folder_->path("deepwalk")).code, 0) << command;
    const auto refuse = [&](const std::string& name, const Json& value, const std::string& part) {
      expect_failure(*folder_, command + with_setting("deepwalk", name, value), 3,
                     "run.json: " + part);
    };
    for (const Json& bad : {Json(0), Json(-1), Json(1 << 30)}) refuse("batch", bad, "--batch");
    for (const Json& bad : {Json(0), Json(-1), Json("shared:0")})
      refuse("negatives", bad, "--negatives");
    refuse("filter", "some", "unknown value of --filter");
    refuse("sampler", "mix:x", "");
  }
}

TEST_F(CraftedSettings, VectorsWhoseProductsOverflowAreRefused) {
  const auto model = with("deepwalk", "run.json", "/version", "x");
  const auto fill = [](Matrix& table, float value) {
    for (std::int64_t v = 0; v < table.rows(); ++v) std::fill_n(table.row(v), table.dim(), value);
  };
  Matrix table = read_npy(model + "/embeddings.npy");
  for (const float value : {9e14F, 3e38F}) {
    fill(table, value);
    write_npy(model + "/embeddings.npy", table.view());
    const auto neighbors = "neighbors " + model + " --node v1";
    if (value < 1e15F) {
      EXPECT_EQ(run_mcns(*folder_, neighbors).code, 0);
      continue;
    }
    expect_failure(*folder_, neighbors, 3, "embeddings.npy: row 0 holds 3e+38");
  }
  const auto network = with("graphsage", "run.json", "/version", "x");
  auto weights = read_npz(network + "/weights.npz");
  std::vector<NpzArray> arrays;
  for (auto& [name, values] : weights) {
    fill(values, 3e38F);
    arrays.push_back({name, values.view()});
  }
  write_npz(network + "/weights.npz", arrays);
  expect_failure(*folder_,
                 "encode " + network + " --graph " + graph_ + " --out " + folder_->path("o.npy"), 3,
                 "NaN or infinite");
}

TEST_F(CraftedSettings, AFileThatCannotBeReadIsNotAMissingOne) {
  const std::string model = with("deepwalk", "run.json", "/version", "x");
  const std::string file = model + "/run.json", neighbors = "neighbors " + model + " --node v1";
  std::ofstream(file) << "";
  expect_failure(*folder_, neighbors, 3, "run.json: is empty");
  fs::remove(file);
  fs::create_symlink("run.json", file);  // a link to itself, which nobody can open
  expect_failure(*folder_, neighbors, 4, "cannot read " + file);
  fs::remove(file);
  EXPECT_EQ(run_mcns(*folder_, neighbors).code, 0) << "the folder of another tool";
}

TEST_F(CraftedSettings, AReportIsMadeOfCheckedOnes) {
  const auto refuse = [&](const std::string& model, const std::string& part) {
    expect_failure(*folder_, "report " + model + " --out " + folder_->path("r.html"), 3, part);
  };
  ASSERT_EQ(run_mcns(*folder_, "report " + folder_->path("deepwalk")).code, 0);
  const auto run = [&](const std::string& pointer, const Json& value, const std::string& part) {
    refuse(with("deepwalk", "run.json", pointer, value), "run.json: " + part);
  };
  run("/settings/seed", Json::object(), "the setting 'seed' has no value");
  run("/settings/seed/from", 1, "'from' must be a text");
  run("/settings/batch/value", 0, "--batch");
  run("/settings", 1, "not the settings");
  run("/data", 1, "'data' must be an object");
  run("/data/train", 1, "'train' must be an object");
  run("/data/train/sha256", 1, "'sha256' must be a text");
  for (const char* name : {"task", "loss", "seed", "train_seconds", "valid", "sampler_figures"})
    refuse(with("deepwalk", "metrics.json", fmt::format("/{}", name), Json::array()),
           fmt::format("metrics.json: '{}' must be", name));
  refuse(with("deepwalk", "metrics.json", "/test", {{"auc", "x"}}), "the metric 'auc'");
  refuse(with("deepwalk", "metrics.json", "/test", {{"9", {{"f1", {{"a", 1}}}}}}), "metric '9'");
  const auto history = with("deepwalk", "run.json", "/version", "x") + "/history.jsonl";
  const std::string lines = content_of(history);
  const auto refuse_lines = [&](const std::string& text, const std::string& part) {
    std::ofstream(history) << text;
    refuse(folder_->path("damaged"), part);
  };
  refuse_lines(lines.substr(0, lines.size() - 9), "history.jsonl:2: is not what a run writes");
  refuse_lines("{\"epoch\":[]}\n" + lines, "history.jsonl:1: 'epoch' must be a number");
  refuse_lines(lines + "{\"valid\":{\"mrr\":\"x\"}}\n", "history.jsonl:3: the metric 'mrr'");
}

}  // namespace
}  // namespace mcns

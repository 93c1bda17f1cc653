// Model directories whose run.json, metrics.json or history.jsonl somebody changed: right in form,
// with values that no run writes.
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
  refuse("similarity", "angle", "--similarity");
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
    refuse("filter", "some", "--filter");
    refuse("sampler", "mix:x", "");
  }
}

}  // namespace
}  // namespace mcns

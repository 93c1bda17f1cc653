// Overfitting: which validation curves are said to fall, what a run then says, and what it shows.
#include <sstream>

#include "mcns/core/rng.h"
#include "mcns/train/overfitting.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

/// Values after every fifth epoch of 60; the first highest is the best.
ValidationCurve curve_of(const std::vector<double>& values, double standard_error = 0) {
  ValidationCurve curve{{}, 0, standard_error, 60};
  for (std::size_t i = 0; i < values.size(); ++i)
    curve.points.push_back({5 * (static_cast<std::int64_t>(i) + 1), values[i]});
  const auto best = std::ranges::max_element(curve.points, {}, &ValidationPoint::value);
  if (best != curve.points.end()) curve.best_epoch = best->epoch;
  return curve;
}

TEST(Overfitting, AFallThatLastsIsSaid) {
  const auto found = find_overfitting(curve_of({0.3, 0.4, 0.38, 0.36, 0.34}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->best_epoch, 10);
  EXPECT_EQ(found->last_epoch, 25);
  EXPECT_EQ(found->planned, 60);
  EXPECT_EQ(found->best, 0.4);
  EXPECT_EQ(found->last, 0.34);
  EXPECT_NEAR(found->fall(), 0.15, 1e-12);
}

TEST(Overfitting, NothingIsSaidOfOtherCurves) {
  EXPECT_FALSE(find_overfitting(curve_of({})));
  EXPECT_FALSE(find_overfitting(curve_of({0.4})));
  EXPECT_FALSE(find_overfitting(curve_of({0.1, 0.2, 0.3, 0.4}))) << "rises";
  EXPECT_FALSE(find_overfitting(curve_of({0.4, 0.4, 0.4, 0.4}))) << "stands still";
  EXPECT_FALSE(find_overfitting(curve_of({0.4, 0.39, 0.39, 0.389}))) << "less than 3 %";
  EXPECT_FALSE(find_overfitting(curve_of({0.3, 0.4, 0.3}))) << "one evaluation is no trend";
  EXPECT_FALSE(find_overfitting(curve_of({0.4, 0.3, 0.3, 0.395, 0.3}))) << "came back";
  EXPECT_FALSE(find_overfitting(curve_of({0.4, 0.3, 0.3, 0.3, 0.395}))) << "came back at the end";
  EXPECT_FALSE(find_overfitting(curve_of({0, 0, 0, 0})));
  ValidationCurve none = curve_of({0.4, 0.3, 0.2});
  none.best_epoch = 7;  // of a run that kept none of them
  EXPECT_FALSE(find_overfitting(none));
}

TEST(Overfitting, AFallWithinTheNoiseIsNotSaid) {
  EXPECT_TRUE(find_overfitting(curve_of({0.4, 0.35, 0.34}, 0.02)));
  EXPECT_FALSE(find_overfitting(curve_of({0.4, 0.37, 0.34}, 0.02))) << "the first is within";
  EXPECT_FALSE(find_overfitting(curve_of({0.4, 0.35, 0.34}, 0.03)));
}

std::string remark(double l2, const char* similarity = "dot") {
  TrainOptions options;
  options.l2 = l2;
  options.similarity = similarity;
  options.temperature = 0.2;
  return overfitting_remark({10, 30, 60, 0.4, 0.35}, "mrr", options);
}

TEST(Overfitting, TheRemarkHasFactsAndWhatToTry) {
  EXPECT_EQ(remark(0.08),
            "overfitting: validation mrr was best at epoch 10 of 60 and fell by 12.5 % until epoch "
            "30; the model is that of epoch 10; try --l2 0.16 or 0.32 (it was 0.08), or --epochs "
            "10, or --tune 20");
  EXPECT_TRUE(contains(remark(0), "try --l2 0.01 (it was 0), or --epochs 10"));
  EXPECT_TRUE(contains(remark(0, "cosine"), "try --temperature 0.3 (it was 0.2), or --epochs 10"));
  // Four times as much is no valid value.
  EXPECT_TRUE(contains(remark(9e5), "; try --epochs 10"));
}

/// Some items are popular, which is learned first; beyond that there is nothing but noise.
class OverfittingRun : public testing::Test {
 protected:
  void SetUp() override {
    Rng rng(1, Domain::kTest);
    std::string parts[3];
    for (int user = 0; user < 200; ++user)
      for (int item = 0; item < 100; ++item) {
        if (rng.uniform() > 0.6 / (1 + 0.1 * item)) continue;
        const double part = rng.uniform();
        parts[part < 0.5 ? 0 : part < 0.9 ? 1 : 2] += fmt::format("u{}\ti{}\n", user, item);
      }
    data_ = "run --task recommend --bipartite separate --train " +
            folder_.write("train.tsv", parts[0]) + " --valid " +
            folder_.write("valid.tsv", parts[1]) + " --test " +
            folder_.write("test.tsv", parts[2]) +
            " --sampler rns --similarity dot --dim 64 --lr 0.1 --l2 0 --schedule constant "
            "--eval-every 2"
            " --patience 0 --out " +
            folder_.path("model") + " --epochs ";
  }
  std::vector<nlohmann::json> history() const {
    std::vector<nlohmann::json> out;
    std::istringstream lines(content_of(folder_.path("model/history.jsonl")));
    for (std::string line; std::getline(lines, line);) out.push_back(nlohmann::json::parse(line));
    return out;
  }

  ScratchFolder folder_;
  std::string data_;
};

TEST_F(OverfittingRun, SaysSoInOneLineAndShowsTheFall) {
  const auto done = run_mcns(folder_, data_ + "20");
  ASSERT_EQ(done.code, 0) << done.err;
  const auto metrics = nlohmann::json::parse(content_of(folder_.path("model/metrics.json")));
  ASSERT_TRUE(metrics.contains("overfitting")) << done.err;
  EXPECT_GT(metrics["overfitting"]["fall"], 0.03);
  EXPECT_EQ(metrics["overfitting"]["last_epoch"], 20);
  EXPECT_EQ(metrics["overfitting"]["best"], metrics["valid"]["mrr"]);
  const int best = metrics["best_epoch"];
  const std::string start = fmt::format(
      "mcns: note: overfitting: validation mrr was best at epoch {} of 20 and fell by", best);
  const auto at = done.err.find(start);
  ASSERT_NE(at, std::string::npos) << done.err;
  EXPECT_EQ(done.err.find("overfitting", at + start.size()), std::string::npos) << done.err;
  EXPECT_TRUE(contains(done.err, fmt::format("% below epoch {}\n", best))) << done.err;
  int marked = 0;
  for (const auto& record : history())
    if (record.contains("best")) marked = marked == 0 ? int{record["epoch"]} : -1;
  EXPECT_EQ(marked, best) << "one epoch is the best";
}

TEST_F(OverfittingRun, SaysNothingWhereThereIsNone) {
  const auto done = run_mcns(folder_, data_ + "4");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_FALSE(contains(done.err, "overfitting")) << done.err;
  EXPECT_FALSE(nlohmann::json::parse(content_of(folder_.path("model/metrics.json")))
                   .contains("overfitting"));
}

}  // namespace
}  // namespace mcns

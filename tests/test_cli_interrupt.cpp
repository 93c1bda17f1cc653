// Signals: Ctrl-C saves and prints how to continue; kill -9 at random moments loses nothing.
#include <sys/stat.h>

#include "mcns/core/kernels.h"
#include "mcns/core/rng.h"

#include "tests/paths.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

/// A run of about a second with enough batches to be stopped in the middle.
std::string training(const ScratchFolder& folder, const std::string& out, int epochs = 20) {
  const auto edges = folder.path("edges.tsv");
  if (!std::filesystem::exists(edges)) {
    std::string text;
    Rng rng(1, Domain::kTest);
    for (int i = 0; i < 10000; ++i)
      text += fmt::format("{} {}\n", rng.below(2000), rng.below(2000));
    folder.write("edges.tsv", text);
  }
  return fmt::format(
      "train {} --positives edges --tables 2 --dim 16 --epochs {} --batch 256 --threads 2 --out {}",
      edges, epochs, folder.path(out));
}

void expect_same_tables(const ScratchFolder& folder, const std::string& a, const std::string& b) {
  for (const char* name : {"/embeddings.npy", "/context.npy"}) {
    const auto one = content_of(folder.path(a + name));
    EXPECT_FALSE(one.empty());
    EXPECT_EQ(one, content_of(folder.path(b + name))) << name;
  }
}

class Signals : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, Signals, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(Signals, SaveAndResumeBitExactly) {
  const ScratchFolder folder;
  ASSERT_EQ(run_mcns(folder, training(folder, "whole") + " --quiet").code, 0);
  Process process(folder, training(folder, "stopped") + " --checkpoint-every 1");
  // The first checkpoint says that training is under way.
  ASSERT_TRUE(process.wait_for(folder.path("stopped/checkpoint/state.bin")));
  process.signal(GetParam());
  const auto stopped = process.wait();
  ASSERT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "--resume")) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, folder.path("stopped"))) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path("stopped/metrics.json")));
  expect_failure(folder, training(folder, "stopped"), 2, "--resume");
  const auto resumed =
      run_for_json(folder, training(folder, "stopped") + " --checkpoint-every 1 --resume --quiet");
  EXPECT_GE(resumed["resumed_from_epoch"], 1);
  EXPECT_EQ(resumed["epochs"], 20);
  expect_same_tables(folder, "whole", "stopped");
}

TEST_P(Signals, ASecondOneWhileSavingIsIgnored) {
  const ScratchFolder folder;
  Process process(folder, training(folder, "stopped") + " --checkpoint-every 1 --quiet");
  ASSERT_TRUE(process.wait_for(folder.path("stopped/checkpoint/state.bin")));
  for (int i = 0; i < 20; ++i) {
    process.signal(GetParam());
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const auto stopped = process.wait();
  ASSERT_EQ(stopped.code, 130) << stopped.err;
  const auto resumed = run_for_json(folder, training(folder, "stopped") + " --resume --quiet");
  EXPECT_EQ(resumed["epochs"], 20);
}

TEST(SignalsAlone, NohupIsRespected) {
  const ScratchFolder folder;
  Process process(folder, training(folder, "model") + " --checkpoint-every 1 --quiet",
                  "trap '' HUP;");
  ASSERT_TRUE(process.wait_for(folder.path("model/checkpoint/state.bin")));
  process.signal(SIGHUP);
  EXPECT_EQ(process.wait().code, 0);
}

TEST(OutInUse, IsRefusedUntilTheOtherRunIsGone) {
  const ScratchFolder folder, other;
  const auto endless = training(folder, "model", 1000000) + " --checkpoint-every 1 --quiet";
  Process process(folder, endless);
  ASSERT_TRUE(process.wait_for(folder.path("model/checkpoint/state.bin")));
  for (const std::string flag : {"", " --force", " --resume"})
    expect_failure(other, training(folder, "model") + flag, 4, "in use by another run (process ");
  // For a moment in every save the last checkpoint has only its other name.
  EXPECT_TRUE(std::filesystem::exists(folder.path("model/checkpoint/state.bin")) ||
              std::filesystem::exists(folder.path("model/checkpoint/previous.bin")));
  process.signal(SIGKILL);
  process.wait();
  EXPECT_EQ(run_mcns(other, training(folder, "model") + " --force --quiet").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path("model/.lock")));
}

/// A checkpoint may be carried to a machine with other instruction sets.
TEST(Resume, OtherKernelsAreRefusedUnlessAskedFor) {
  if (kernels().name == std::string("base")) GTEST_SKIP() << "this CPU has no other kernels";
  const ScratchFolder folder;
  const auto resume = [&](int epochs, const std::string& flags, const std::string& before) {
    return run_mcns(folder,
                    training(folder, "model", epochs) + " --resume --checkpoint-every 1" + flags,
                    before);
  };
  EXPECT_EQ(resume(1, "", "MCNS_SIMD=base").code, 0);
  EXPECT_EQ(resume(2, "", "MCNS_SIMD=base").code, 0);
  const auto refused = resume(3, "", "");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "the checkpoint was made with base kernels")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "MCNS_SIMD=base")) << refused.err;
  EXPECT_EQ(resume(3, " --other-kernels", "").code, 0);
  EXPECT_EQ(resume(4, "", "").code, 0) << "the newest checkpoint has this CPU's kernels";
}

TEST(SignalsAlone, WithoutOutNothingCanBeSaved) {
  const ScratchFolder folder;
  training(folder, "unused");
  Process process(folder, "run --task linkpred --epochs 100000 --patience 0 --dim 32 --train " +
                              folder.path("edges.tsv"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.signal(SIGINT);
  // A signal before the handler is set ends the process by itself; both are interruptions.
  const auto done = process.wait();
  EXPECT_TRUE(done.code == 130 || done.code == -1) << done.err;
  if (done.code == 130) {
    EXPECT_TRUE(contains(done.err, "nothing saved")) << done.err;
  }
}

/// tools/kill_resume.sh with these flags.
void expect_killing_changes_nothing(int rounds, const std::string& flags) {
  const auto script = std::filesystem::path(kSourceFolder) / "tools/kill_resume.sh";
  ASSERT_TRUE(std::filesystem::exists(script));
  const ScratchFolder folder;
  const auto log = folder.path("log.txt");
  const auto command =
      fmt::format("bash '{}' {} '{}' {} >'{}' 2>&1", script.string(), rounds, kBinary, flags, log);
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0) << content_of(log);
  EXPECT_TRUE(contains(content_of(log), fmt::format("{} rounds", rounds))) << content_of(log);
  EXPECT_TRUE(contains(content_of(log), " 0 different")) << content_of(log);
}

TEST(KillResume, ThreeTimesByteIdentical) { expect_killing_changes_nothing(3, ""); }

TEST(KillResume, OfASearchNoTrialIsRepeated) {
  expect_killing_changes_nothing(2, "--tune 3 --sampler dns");
}

}  // namespace
}  // namespace mcns

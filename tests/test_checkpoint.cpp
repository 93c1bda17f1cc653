// Checkpoints: round trips, damage, settings; and runs that stop and continue.
#include <atomic>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "mcns/encoders/registry.h"
#include "mcns/io/checkpoint.h"
#include "mcns/io/files.h"
#include "mcns/samplers/negative_sampler.h"
#include "mcns/samplers/registry.h"
#include "mcns/train/experiment.h"

#include "tests/test_io_files.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

struct State {
  std::int64_t number = 0;
  double real = 0;
  bool flag = false;
  std::vector<std::int32_t> list;
  std::vector<float> nothing;
  std::string text;
  Matrix table{3, 5}, empty;

  void visit(Archive& a) {
    a("number", number);
    a("real", real);
    a("flag", flag);
    a("list", list);
    a("nothing", nothing);
    a("table", table);
    a("empty", empty);
    a("text", text);
  }
  void fill(int seed) {
    number = seed;
    real = 0.1 * seed;
    flag = seed % 2 == 1;
    list.assign(10 + seed, seed);
    text = "state " + std::to_string(seed);
    for (float& x : table.flat()) x = static_cast<float>(seed);
  }
  friend bool operator==(const State& a, const State& b) {
    return a.number == b.number && a.real == b.real && a.flag == b.flag && a.list == b.list &&
           a.text == b.text &&
           std::equal(a.table.flat().begin(), a.table.flat().end(), b.table.flat().begin());
  }
};

void save(const std::string& folder, int seed, const std::string& settings = "settings") {
  State state;
  state.fill(seed);
  save_checkpoint(folder, settings, [&](Archive& a) { state.visit(a); });
}

/// The seed of the state in the folder; 0 where there is none.
int load(const std::string& folder) {
  State state, expected;
  state.list = {9, 9};
  if (!load_checkpoint(folder, [&](Archive& a) { state.visit(a); })) return 0;
  expected.fill(static_cast<int>(state.number));
  EXPECT_EQ(state, expected);
  return static_cast<int>(state.number);
}

TEST(Checkpoint, RoundTripAndPrevious) {
  const ScratchFolder scratch;
  const auto folder = scratch.path("checkpoint");
  EXPECT_EQ(load(folder), 0);
  EXPECT_EQ(checkpoint_settings(folder), "");
  save(folder, 1, "first");
  EXPECT_EQ(load(folder), 1);
  EXPECT_EQ(checkpoint_settings(folder), "first");
  save(folder, 2);
  EXPECT_EQ(load(folder), 2);
  EXPECT_TRUE(fs::exists(folder + "/previous.bin"));
  fs::remove(folder + "/state.bin");  // as if killed between the two renames
  EXPECT_EQ(load(folder), 1);
  save(folder, 3);
  EXPECT_EQ(load(folder), 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2) << "no temporaries stay";
}

/// What damage does with a whole state beside it, and alone.
void expect_damage_is_found(const std::string& folder, const std::string& damaged) {
  const auto previous = bytes_of(folder + "/previous.bin");
  put_bytes(folder + "/state.bin", damaged);
  EXPECT_EQ(load(folder), 1);
  EXPECT_EQ(checkpoint_settings(folder), "settings");
  fs::remove(folder + "/previous.bin");
  const auto message = error_of(ErrorKind::kData, [&] { load(folder); });
  EXPECT_TRUE(contains(message, "state.bin") && contains(message, "damaged")) << message;
  error_of(ErrorKind::kData, [&] { checkpoint_settings(folder); });
  put_bytes(folder + "/previous.bin", previous);
}

TEST(Checkpoint, TruncationAnywhereFallsBack) {
  const ScratchFolder scratch;
  const auto folder = scratch.path("checkpoint");
  save(folder, 1);
  save(folder, 2);
  const auto whole = bytes_of(folder + "/state.bin");
  for (std::size_t length = 0; length < whole.size(); length += length < 40 ? 1 : 13)
    expect_damage_is_found(folder, whole.substr(0, length));
  expect_damage_is_found(folder, whole.substr(0, whole.size() - 1));
  expect_damage_is_found(folder, whole + "x");
  put_bytes(folder + "/state.bin", whole);
  EXPECT_EQ(load(folder), 2);
}

TEST(Checkpoint, AFlippedBitAnywhereFallsBack) {
  const ScratchFolder scratch;
  const auto folder = scratch.path("checkpoint");
  save(folder, 1);
  save(folder, 2);
  const auto whole = bytes_of(folder + "/state.bin");
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    expect_damage_is_found(folder, damaged);
  }
}

TEST(Checkpoint, AnotherShapeIsRefused) {
  const ScratchFolder scratch;
  const auto folder = scratch.path("checkpoint");
  save(folder, 1);
  Matrix other(4, 5);
  std::int64_t number = 0;
  double real = 0;
  const auto message = error_of(ErrorKind::kData, [&] {
    load_checkpoint(folder, [&](Archive& a) {
      a("number", number);
      a("other", real);
    });
  });
  EXPECT_TRUE(contains(message, "'real'") && contains(message, "'other'")) << message;
}

TEST(Checkpoint, LeftoversOfKilledWritersGo) {
  const ScratchFolder scratch;
  const auto folder = scratch.path("checkpoint");
  make_directories(folder);
  put_bytes(folder + "/.state.bin.1234-0.tmp", "half");
  save(folder, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

/// Sets the flag after so many batches.
class StopAfter final : public Observer {
 public:
  explicit StopAfter(std::int64_t batches) : left_(batches) {}
  void batch_done(std::int64_t, std::int64_t, std::int64_t, const StepTotals&) override {
    if (--left_ == 0) flag = true;
  }
  std::atomic<bool> flag{false};

 private:
  std::int64_t left_;
};

std::string random_edges(const ScratchFolder& folder, bool bipartite) {
  std::string text;
  Rng rng(3, Domain::kTest);
  for (int i = 0; i < 400; ++i)
    text += fmt::format("{}\t{}\n", rng.below(50), (bipartite ? 100 : 0) + rng.below(50));
  return folder.write(bipartite ? "user_item.tsv" : "edges.tsv", text);
}

Experiment experiment_on(const ScratchFolder& folder, const std::string& out) {
  Experiment e;
  e.task = Task::kRecommend;
  e.files.train = random_edges(folder, true);
  e.load.bipartite = "separate";
  e.train = ShortRun().options;
  e.train.batch = 64;
  e.train.epochs = 4;
  e.train.schedule = "linear";
  e.output.out = folder.path(out);
  e.threads = 2;
  return e;
}

/// Histories without the times.
std::vector<nlohmann::json> history_of(const std::string& model) {
  std::vector<nlohmann::json> lines;
  std::ifstream in(model + "/history.jsonl");
  for (std::string line; std::getline(in, line);) {
    lines.push_back(nlohmann::json::parse(line));
    for (const char* key : {"train_seconds", "sample_seconds", "eval_seconds"})
      lines.back().erase(key);
  }
  return lines;
}

void expect_same_model(const std::string& a, const std::string& b) {
  for (const char* name : {"embeddings.npy", "context.npy", "nodes.tsv", "graph.bin"}) {
    ASSERT_EQ(fs::exists(a + "/" + name), fs::exists(b + "/" + name)) << name;
    EXPECT_EQ(bytes_of(a + "/" + name), bytes_of(b + "/" + name)) << name;
  }
  EXPECT_EQ(history_of(a), history_of(b));
  auto one = nlohmann::json::parse(bytes_of(a + "/metrics.json"));
  auto two = nlohmann::json::parse(bytes_of(b + "/metrics.json"));
  for (const char* key : {"valid", "test", "epochs", "best_epoch", "positives"})
    EXPECT_EQ(one[key], two[key]) << key;
}

/// Interrupts a run after each of `stops` batches, continues each time, and lets it finish.
void run_in_pieces(Experiment e, const std::vector<std::int64_t>& stops) {
  for (const auto batches : stops) {
    StopAfter stop(batches);
    EXPECT_FALSE(run_experiment(e, {&stop, &stop.flag, {}}).finished);
    EXPECT_FALSE(fs::exists(e.output.out + "/metrics.json"));
    e.output.resume = true;
    e.threads = 1 + e.threads % 3;
  }
  EXPECT_TRUE(run_experiment(e, {}).finished);
}

TEST(Resume, EverySamplerGoesOnBitExactly) {
  const ScratchFolder folder;
  std::uint64_t number = 0;
  for (const auto& sampler : builtin_samplers()) {
    if (sampler.name == "file" || sampler.name == "mix") continue;  // need an argument
    SCOPED_TRACE(sampler.name);
    auto whole = experiment_on(folder, "whole-" + sampler.name);
    whole.train.sampler = sampler.name;
    ASSERT_TRUE(run_experiment(whole, {}).finished);
    auto pieces = whole;
    pieces.output.out = folder.path("pieces-" + sampler.name);
    Rng rng(++number, Domain::kTest);
    run_in_pieces(pieces, {1 + static_cast<std::int64_t>(rng.below(9)), 1,
                           1 + static_cast<std::int64_t>(rng.below(5))});
    expect_same_model(whole.output.out, pieces.output.out);
  }
}

TEST(Resume, EveryEncoderGoesOnBitExactly) {
  const ScratchFolder folder;
  for (const auto& encoder : builtin_encoders())
    for (const std::string sampler : {"rns", "mcns"}) {
      SCOPED_TRACE(encoder.name + " " + sampler);
      auto whole = experiment_on(folder, "whole-" + encoder.name + sampler);
      whole.train.encoder = encoder.name;
      whole.train.sampler = sampler;
      ASSERT_TRUE(run_experiment(whole, {}).finished);
      auto pieces = whole;
      pieces.output.out += "-pieces";
      run_in_pieces(pieces, {2, 1, 6});
      expect_same_model(whole.output.out, pieces.output.out);
    }
}

TEST(Resume, CosineAndSharedPoolsGoOnBitExactly) {
  const ScratchFolder folder;
  for (const std::string encoder : {"lookup", "graphsage", "lightgcn"})
    for (const std::string sampler : {"rns", "mcns"}) {
      SCOPED_TRACE(encoder + " " + sampler);
      auto whole = experiment_on(folder, "whole-" + encoder + sampler);
      whole.train.encoder = encoder;
      whole.train.sampler = sampler;
      whole.train.similarity = "cosine";
      whole.train.loss = "softmax";
      whole.train.l2.reset();
      whole.train.negatives = NegativeCount(30, true);
      ASSERT_TRUE(run_experiment(whole, {}).finished);
      auto pieces = whole;
      pieces.output.out += "-pieces";
      run_in_pieces(pieces, {2, 1, 6});
      expect_same_model(whole.output.out, pieces.output.out);
    }
}

TEST(Resume, EveryOptimizerAndKindOfPositivesGoesOnBitExactly) {
  const ScratchFolder folder;
  for (const std::string optimizer : {"sgd", "adagrad", "adam"})
    for (const std::string positives : {"edges", "walks:walks=1,length=6,window=2", "dfs"}) {
      SCOPED_TRACE(optimizer + " " + positives);
      auto whole = experiment_on(folder, "whole-" + optimizer + positives.substr(0, 3));
      whole.task = std::nullopt;  // nothing to evaluate: no best epoch to keep
      whole.load.bipartite = "none";
      whole.files.train = random_edges(folder, false);
      whole.train.optimizer = optimizer;
      whole.train.positives = positives;
      whole.train.batch = 16;
      ASSERT_TRUE(run_experiment(whole, {}).finished);
      auto pieces = whole;
      pieces.output.out += "-pieces";
      run_in_pieces(pieces, {3, 7});
      expect_same_model(whole.output.out, pieces.output.out);
    }
}

TEST(Resume, SaysFromWhichEpochAndReplacesAFinishedRun) {
  const ScratchFolder folder;
  auto e = experiment_on(folder, "model");
  e.output.checkpoint_every = 1;
  run_experiment(e, {});
  const auto before = bytes_of(e.output.out + "/embeddings.npy");
  e.output.resume = true;
  const auto metrics = nlohmann::json::parse(run_experiment(e, {}).metrics_json);
  EXPECT_EQ(metrics["resumed_from_epoch"], 4);
  EXPECT_EQ(bytes_of(e.output.out + "/embeddings.npy"), before);
}

TEST(Resume, ADamagedStateFallsBackToThePreviousOne) {
  const ScratchFolder folder;
  auto whole = experiment_on(folder, "whole");
  run_experiment(whole, {});
  auto e = experiment_on(folder, "model");
  e.output.checkpoint_every = 1;
  StopAfter stop(12);
  run_experiment(e, {&stop, &stop.flag, {}});
  const auto state = e.output.out + "/checkpoint/state.bin";
  auto bytes = bytes_of(state);
  bytes[bytes.size() / 2] ^= 1;
  put_bytes(state, bytes);
  e.output.resume = true;
  run_experiment(e, {});
  expect_same_model(whole.output.out, e.output.out);
}

TEST(Resume, OtherSettingsAreRefusedByName) {
  const ScratchFolder folder;
  const auto first = experiment_on(folder, "model");
  StopAfter stop(2);
  run_experiment(first, {&stop, &stop.flag, {}});
  const auto refused = [&](const char* name, const std::function<void(Experiment&)>& change) {
    auto e = first;
    e.output.resume = true;
    change(e);
    const auto message = error_of(ErrorKind::kUsage, [&] { run_experiment(e, {}); });
    EXPECT_TRUE(contains(message, "cannot resume") && contains(message, name)) << message;
  };
  refused("lr", [](Experiment& e) { e.train.lr = 0.01; });
  refused("dim", [](Experiment& e) { e.train.dim = 21; });
  refused("sampler", [](Experiment& e) { e.train.sampler = "degree"; });
  refused("seed", [](Experiment& e) { e.seed = 2; });
  refused("candidates", [](Experiment& e) { e.split.candidates = 5; });
  refused("sha256 of train", [&](Experiment& e) {
    e.files.train = folder.write("other.tsv", bytes_of(first.files.train) + "1\t100\n");
  });
  auto longer = first;
  longer.output.resume = true;
  longer.train.epochs = 5;
  EXPECT_TRUE(run_experiment(longer, {}).finished) << "more epochs may follow";
}

}  // namespace
}  // namespace mcns

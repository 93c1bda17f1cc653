// What a run leaves for plots: history.csv, and event files that a parser of their own format reads
// back, and TensorBoard where it is installed.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "mcns/train/event_file.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

/// Bit by bit, for the table's sake.
std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78U : crc >> 1;
  }
  return ~crc;
}

std::uint32_t masked(std::string_view bytes) {
  const std::uint32_t crc = slow_crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

template <class T>
T number(std::string_view bytes) {
  T value;
  EXPECT_GE(bytes.size(), sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// The payloads of a file of TFRecords, both checksums checked.
std::vector<std::string> records(const std::string& file) {
  std::vector<std::string> out;
  std::string_view bytes = file;
  while (!bytes.empty()) {
    const auto size = number<std::uint64_t>(bytes);
    EXPECT_EQ(number<std::uint32_t>(bytes.substr(8)), masked(bytes.substr(0, 8)));
    const auto payload = bytes.substr(12, size);
    EXPECT_EQ(number<std::uint32_t>(bytes.substr(12 + size)), masked(payload));
    out.emplace_back(payload);
    bytes.remove_prefix(16 + size);
  }
  return out;
}

/// Fields of a message: number to contents; a varint as its digits.
std::multimap<int, std::string> fields(std::string_view bytes) {
  std::multimap<int, std::string> out;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[0]);
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  };
  while (!bytes.empty()) {
    const auto key = varint();
    const int type = key & 7;
    if (type == 0) {
      out.emplace(key >> 3, std::to_string(varint()));
      continue;
    }
    const std::size_t size = type == 1 ? 8 : type == 5 ? 4 : varint();
    out.emplace(key >> 3, bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return out;
}

/// tag -> step -> value of all event files in a folder, and the steps at which a session starts.
struct Events {
  std::map<std::string, std::map<int, float>> scalars;
  std::vector<int> starts;
};

Events read_events(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::ranges::sort(files);
  Events out;
  for (const auto& file : files) {
    EXPECT_TRUE(contains(file, "tfevents")) << file;
    const auto all = records(content_of(file));
    EXPECT_EQ(fields(all.at(0)).find(3)->second, "brain.Event:2");
    for (const auto& record : all) {
      const auto event = fields(record);
      EXPECT_GT(number<double>(event.find(1)->second), 1.6e9) << "seconds since 1970";
      const int step = std::stoi(event.find(2)->second);
      if (event.contains(7)) out.starts.push_back(step);
      if (!event.contains(5)) continue;
      const auto summary = fields(event.find(5)->second);
      for (auto [at, end] = summary.equal_range(1); at != end; ++at) {
        const auto value = fields(at->second);
        out.scalars[value.find(1)->second][step] = number<float>(value.find(2)->second);
      }
    }
  }
  return out;
}

TEST(EventFile, ChecksumIsCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U) << "the check value of CRC-32C";
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU) << "RFC 3720";
  for (const std::string text : {"", "a", "negative sampling"})
    EXPECT_EQ(crc32c(text), slow_crc32c(text));
}

TEST(EventFile, HoldsItsScalars) {
  const ScratchFolder folder;
  const auto logs = folder.path("logs/run");
  {
    EventFile file(logs, 1);
    const Metrics first = {{"train/loss", 0.5}, {"valid/mrr", 0.25}};
    file.write(1, first);
    file.write(300, {{{"train/loss", -2}}});
  }
  const Events events = read_events(logs);
  EXPECT_EQ(events.starts, std::vector<int>{1});
  EXPECT_EQ(events.scalars.at("train/loss"), (std::map<int, float>{{1, 0.5F}, {300, -2.0F}}));
  EXPECT_EQ(events.scalars.at("valid/mrr").at(1), 0.25F);
}

/// A run in two parts leaves the history of a run in one.
class PlotLogs : public testing::Test {
 protected:
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 300; ++i)
      for (int j : {1, 7, 12}) text += fmt::format("{} {}\n", i, (i * 3 + j) % 300);
    run_ = "run --task linkpred --quiet --dim 8 --patience 0 --train " +
           folder_.write("edges.tsv", text) + " --out " + folder_.path("model") +
           " --tensorboard " + folder_.path("logs") + " --checkpoint-every 2 --epochs ";
  }
  std::vector<nlohmann::json> history() const {
    std::vector<nlohmann::json> out;
    std::istringstream lines(content_of(folder_.path("model/history.jsonl")));
    for (std::string line; std::getline(lines, line);) out.push_back(nlohmann::json::parse(line));
    return out;
  }

  ScratchFolder folder_;
  std::string run_;
};

TEST_F(PlotLogs, HistoryIsATableToo) {
  ASSERT_EQ(run_mcns(folder_, run_ + "6").code, 0);
  std::istringstream lines(content_of(folder_.path("model/history.csv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "epoch,loss,lr,train_seconds,sample_seconds,eval_seconds,best,valid_auc,valid_ap,"
            "valid_auc_warm");
  for (const auto& record : history()) {
    ASSERT_TRUE(std::getline(lines, line));
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 10U);
    EXPECT_EQ(std::stoi(cells[0]), record["epoch"]);
    EXPECT_EQ(std::stod(cells[1]), record["loss"]);
    EXPECT_EQ(cells[6], record.contains("best") ? "1" : "0");
    EXPECT_EQ(std::stod(cells[7]), record["valid"]["auc"]);
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(PlotLogs, AResumedRunHasAllOfItsEpochs) {
  // An interrupted run: enough epochs that the signal comes in their midst.
  Process process(folder_, run_ + "100000");
  ASSERT_TRUE(process.wait_for(folder_.path("model/checkpoint")));
  process.signal(SIGINT);
  ASSERT_EQ(process.wait().code, 130);
  const int done = static_cast<int>(read_events(folder_.path("logs")).scalars["train/loss"].size());
  Process second(folder_, run_ + "100000 --resume");
  for (int i = 0; i < 1000 && read_events(folder_.path("logs")).starts.size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  second.signal(SIGINT);
  ASSERT_EQ(second.wait().code, 130);
  const Events events = read_events(folder_.path("logs"));
  ASSERT_EQ(events.starts.size(), 2U);
  EXPECT_EQ(events.starts[0], 1);
  EXPECT_GE(events.starts[1], done) << "goes on where the first part ended";
  const auto& loss = events.scalars.at("train/loss");
  int step = 0;
  for (const auto& [epoch, value] : loss) EXPECT_EQ(epoch, ++step) << "no epoch is missing";
}

TEST_F(PlotLogs, TensorBoardReadsThem) {
  const char* named = std::getenv("MCNS_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (std::system((python + " -c 'import tensorboard' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "tensorboard is not installed for " << python
                 << "; MCNS_PYTHON names a Python that has it";
  ASSERT_EQ(run_mcns(folder_, run_ + "4").code, 0);
  const auto script = folder_.write(
      "read.py",
      fmt::format(
          "import json\n"
          "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator\n"
          "events = EventAccumulator('{}'); events.Reload()\n"
          "history = [json.loads(line) for line in open('{}/history.jsonl')]\n"
          "for tag, key in (('train/loss', lambda r: r['loss']), ('valid/auc', lambda r: "
          "r['valid']['auc'])):\n"
          "    found = [(e.step, e.value) for e in events.Scalars(tag)]\n"
          "    assert [s for s, _ in found] == [r['epoch'] for r in history], found\n"
          "    assert all(abs(v - key(r)) < 1e-6 for (_, v), r in zip(found, history)), found\n",
          folder_.path("logs"), folder_.path("model")));
  EXPECT_EQ(std::system((python + " " + script).c_str()), 0);
}

}  // namespace
}  // namespace mcns

// Options in words that C takes for other numbers than people do, and files of options that are
// none.
#include <sstream>

#include <sys/stat.h>

#include "tests/run_binary.h"

namespace mcns {
namespace {

/// The flags of a command that take an integer, as its help lists them.
std::vector<std::string> integer_flags(const ScratchFolder& folder, const std::string& command) {
  std::istringstream help(run_mcns(folder, command + " --help").out);
  std::vector<std::string> out;
  for (std::string line; std::getline(help, line);) {
    std::istringstream words(line);
    std::string flag, type;
    words >> flag >> type;
    if (flag.starts_with("-") && (type.starts_with("INT") || type.starts_with("UINT")))
      out.push_back(flag);
  }
  return out;
}

TEST(CraftedNumbers, OfEveryOptionAreDecimalAndInRange) {
  const ScratchFolder folder;
  for (const std::string command :
       {"run", "tune", "compare", "reproduce", "train", "evaluate", "recommend", "neighbors",
        "score", "encode", "explain", "theory", "info", "data generate", "data split"}) {
    const auto flags = integer_flags(folder, command);
    EXPECT_GE(flags.size(), 2U) << command;
    for (const std::string& flag : flags)
      for (const char* value : {"010", "-1", "99999999999999999999"})
        expect_failure(folder, command + " " + flag + " " + value, 2,
                       fmt::format("got '{}'", value));
  }
}

TEST(CraftedNumbers, RangesAreWordsThatOneCanRead) {
  const ScratchFolder folder;
  expect_failure(folder, "recommend model --user a -k 0", 2, "at least 1 and at most 2147483647");
  expect_failure(folder, "evaluate model --task recommend --candidates -1", 2, "at least 0");
  expect_failure(folder, "train g.tsv --negatives 010", 2, "got '010'");
  for (const char* value : {"0x10", "+1", "1e3", "3x", "00", "-0", "' 3'"})
    expect_failure(folder, std::string("info g.tsv --core ") + value, 2,
                   "expected an integer in decimal digits, without leading zeros");
  EXPECT_EQ(run_mcns(folder, "selftest --help --seed 18446744073709551615").code, 0);
}

TEST(CraftedNumbers, OfComponentsAndOfFilesOfOptionsAreDecimalToo) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\n");
  const std::string train = "train " + edges + " --out " + folder.path("out");
  expect_failure(folder, train + " --config " + folder.write("a.toml", "dim = 010\n"), 3,
                 "a.toml:1: ");
  expect_failure(folder, train + " --config " + folder.write("b.toml", "seed = -1\n"), 2,
                 "got '-1'");
  expect_failure(folder, train + " --sampler dns:candidates=010", 2, "got '010'");
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST(CraftedNumbers, SizesOfMemoryHaveARange) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\n");
  const std::string plan = "train " + edges + " --plan --quiet --memory ";
  for (const char* size : {"-1", "0", "0G", "-1G", "010G", "0x1G", "99999999999999999999",
                           "9999999999G", "2E", "5Q", "5GG", "G", "1.5G"})
    expect_failure(folder, plan + size, 2, "--memory: expected a size of at least 1 byte");
  for (const char* size : {"1E", "8G", "8g", "8GB", "8GiB", "8gi", "500M", "1073741824", "5b"})
    EXPECT_EQ(run_mcns(folder, plan + size).code, 0) << size;
}

class CraftedConfigs : public testing::Test {
 protected:
  CraftedConfigs()
      : train_("train " + folder_.write("edges.tsv", "a b\nb c\nc d\nd a\n") + " --plan --out " +
               folder_.path("out") + " --config ") {}
  ScratchFolder folder_;
  std::string train_;
};

TEST_F(CraftedConfigs, APipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  expect_failure(folder_, train_ + folder_.path("pipe"), 4, "not a regular file");
}

TEST_F(CraftedConfigs, WhatIsNoTomlIsRefusedWithItsLine) {
  const auto refuse = [&](const std::string& text, int code, const std::string& part) {
    expect_failure(folder_, train_ + folder_.write("c.toml", text), code, part);
  };
  refuse("lr = 1\ndim = [4,\n", 3, "c.toml:2: ");
  refuse("dim = 4\ndim = 5\n", 3, "c.toml:2: ");
  refuse("[[train]]\ndim = 4\n", 3, "c.toml:1: [[...]] is a list of sections");
  refuse("lr = 1\nsampler = \"dns\n", 3, "c.toml:2: ");
  refuse("dim = [[4]]\n", 3, "c.toml:1: expected a text, a number");
  refuse("dim\n", 3, "c.toml:1: ");
  refuse("[!]\n", 3, "c.toml:1: ");
  refuse("dim\xC3\xA9 = 4\n", 3, "c.toml:1: ");
  refuse("lr = 1\n\xC3\xA9 = 4\n", 3, "c.toml:2: ");
  refuse("\xEF\xB8\xB0 = 4\n", 3, "c.toml:1: ");
  refuse("dim = 4\n[ =x]\n", 3, "c.toml:2: ");
  refuse("dim = 4\nsampler = dns\n", 3, "a text stands in quotation marks");
  refuse("\"\" = 1\n", 3, "c.toml:1: an option without a name");
  refuse("\"++\" = 1\n", 2, "unknown flag '--++'");
  refuse("[trian]\n", 2, "unknown section 'trian'");
}

TEST_F(CraftedConfigs, WhatIsTomlIsRead) {
  const auto config = folder_.write("c.toml",
                                    "\xEF\xBB\xBF# shared\r\nquiet = true\r\ndim = 0x10\r\n"
                                    "[data.split]\r\nseed = 3\r\n[train]\r\n"
                                    "sampler = '''\r\ndns:candidates=4'''\r\n");
  const auto plan = run_for_json(folder_, train_ + config);
  EXPECT_EQ(plan["settings"]["dim"]["value"], 16);
  EXPECT_EQ(plan["settings"]["sampler.candidates"]["value"], 4);
}

}  // namespace
}  // namespace mcns

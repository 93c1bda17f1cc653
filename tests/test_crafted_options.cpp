// Options in words that C takes for other numbers than people do, and files of options that are
// none.
#include <sstream>

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
      for (const char* value : {"010", "0x10", "+1", "-1", "99999999999999999999"})
        expect_failure(folder, command + " " + flag + " " + value, 2,
                       fmt::format("got '{}'", value));
  }
}

TEST(CraftedNumbers, RangesAreWordsThatOneCanRead) {
  const ScratchFolder folder;
  expect_failure(folder, "recommend model --user a -k 0", 2, "at least 1 and at most 2147483647");
  expect_failure(folder, "evaluate model --task recommend --candidates -1", 2, "at least 0");
  expect_failure(folder, "train g.tsv --negatives 010", 2, "got '010'");
  EXPECT_EQ(run_mcns(folder, "selftest --help --seed 18446744073709551615").code, 0);
}

TEST(CraftedNumbers, OfComponentsAndOfFilesOfOptionsAreDecimalToo) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\n");
  const std::string train = "train " + edges + " --out " + folder.path("out");
  expect_failure(folder, train + " --config " + folder.write("a.toml", "dim = 010\n"), 2,
                 "got '010', with leading zeros");
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

}  // namespace
}  // namespace mcns

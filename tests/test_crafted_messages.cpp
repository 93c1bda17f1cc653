// Faults of files that are told with the file and, where it has lines, the line.
#include "mcns/core/graph.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/npy.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

TEST(CraftedMessages, AnIdOfAReviewIsToldWithItsLine) {
  const ScratchFolder folder;
  const std::string sound = R"({"reviewerID":"a","asin":"x","overall":5})";
  const std::string user = R"({"reviewerID":"a\u001b[31m","asin":"x","overall":5})";
  const std::string item = R"({"reviewerID":"a","asin":"x\u202e","overall":5})";
  expect_failure(folder, "info " + folder.write("u.json", sound + "\n\n" + user + "\n"), 3,
                 "u.json:3: the id 'a\\x1b[31m'");
  expect_failure(folder, "info " + folder.write("i.json", sound + "\n" + item + "\n"), 3,
                 "i.json:2: the id 'x\\xe2\\x80\\xae'");
}

TEST(CraftedMessages, NothingToLearnFromIsBadData) {
  const ScratchFolder folder;
  const auto path = folder.path("empty.bin");
  ThreadPool pool(1);
  save_graph(path, build_graph({}, 0, {}, pool), Names(std::vector<std::string>{}));
  const auto loops = folder.write("loops.tsv", "a\ta\nb\tb\n");
  for (const std::string& graph : {path, loops})
    expect_failure(folder, "train " + graph + " --out " + folder.path("out"), 3,
                   graph + ": has no edges to learn from");
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST(CraftedMessages, AHeaderOfNumpySaysThingsOnce) {
  const auto refuse = [](const std::string& dict, const std::string& part) {
    std::string bytes("\x93NUMPY\x01\0", 8);
    bytes += {static_cast<char>(dict.size()), '\0'};
    bytes += dict + std::string(16, '\0');
    const auto message = error_of(ErrorKind::kData, [&] { parse_npy("v.npy", bytes); });
    EXPECT_TRUE(contains(message, part)) << message;
  };
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), 'shape': (2, 2), }",
         "a second 'shape' in its header");
  refuse("{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
         "a second 'descr' in its header");
}

}  // namespace
}  // namespace mcns

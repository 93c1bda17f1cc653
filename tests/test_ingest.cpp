// Files as tools write them, against the table of what must be understood of each: see
// tests/data/ingest/expected.tsv. Anything else than the table says is a misreading.
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "mcns/io/dataset.h"

#include "tests/paths.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

const std::string kFolder = std::string(kSourceFolder) + "/tests/data/ingest/";

struct Expected {
  std::string file, flags;
  std::vector<std::string> fields;  ///< behind the flags
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) out.push_back(part);
  return out;
}

std::vector<Expected> table() {
  std::vector<Expected> out;
  std::ifstream in(kFolder + "expected.tsv");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const auto fields = split(line, '\t');
    out.push_back({fields[0], fields[1], {fields.begin() + 2, fields.end()}});
  }
  return out;
}

void take(const std::string& text, std::string& value) { value = text; }
void take(const std::string& text, bool& value) { value = text == "true"; }
void take(const std::string& text, int& value) { value = std::stoi(text); }
void take(const std::string& text, double& value) { value = std::stod(text); }

/// "--directed --sep ~" as options.
LoadOptions options_of(const std::string& flags) {
  LoadOptions out;
  const auto words = split(flags, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string flag = words[i].substr(2);
    bool found = false;
    for_each_load_option(out, [&](const std::string& name, auto& value, const char*) {
      if (name != flag) return;
      found = true;
      using Value = std::decay_t<decltype(*value)>;
      take(std::is_same_v<Value, bool> ? "true" : words.at(++i), value.emplace());
    });
    EXPECT_TRUE(found) << flags;
  }
  return out;
}

void expect_edge(const NamedGraph& loaded, const std::string& edge) {
  const auto at = edge.find('>');
  const auto source = loaded.names.find(edge.substr(0, at), loaded.graph.sources());
  const auto target = loaded.names.find(edge.substr(at + 1), loaded.graph.targets());
  ASSERT_TRUE(source && target) << edge;
  EXPECT_TRUE(loaded.graph.has_edge(*source, *target)) << edge;
}

void expect_understood(const Expected& row, const NamedGraph& loaded) {
  const Graph& graph = loaded.graph;
  const auto word = [](bool value) { return value ? "yes" : "no"; };
  std::vector<std::string> columns;
  for (const auto& [role, column] : loaded.report.columns)
    columns.push_back(fmt::format("{}={}", role, column));
  const std::vector<std::string> understood = {
      std::to_string(graph.num_edges()),
      std::to_string(graph.num_nodes()),
      graph.is_bipartite() ? std::to_string(graph.num_users()) : "-",
      word(graph.is_weighted()),
      word(loaded.report.header),
      fmt::format("{}", fmt::join(columns, " "))};
  EXPECT_EQ(understood, (std::vector<std::string>{row.fields.begin(), row.fields.begin() + 6}));
  expect_edge(loaded, row.fields[6]);
}

TEST(Ingest, EveryFileIsUnderstoodOrRefusedAsTheTableSays) {
  ThreadPool pool(1);
  std::set<std::string> files;
  for (const Expected& row : table()) {
    SCOPED_TRACE(row.file + " " + row.flags);
    files.insert(row.file);
    const auto load = [&] { return load_graph(kFolder + row.file, options_of(row.flags), pool); };
    if (row.fields[0] == "refused") {
      const auto kind = static_cast<ErrorKind>(std::stoi(row.fields[1]));
      const std::string what = error_of(kind, load);
      EXPECT_TRUE(contains(what, row.fields[2])) << what;
      EXPECT_TRUE(contains(what, row.file) || kind == ErrorKind::kUsage) << what;
      continue;
    }
    try {
      expect_understood(row, load());
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GE(files.size(), 60U);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    EXPECT_TRUE(files.contains(entry.path().filename()) ||
                entry.path().filename() == "expected.tsv")
        << entry.path() << " is not in the table";
}

TEST(Ingest, EveryCommandThatReadsAGraphSaysWhatItUnderstood) {
  const ScratchFolder folder;
  const std::string edges = kFolder + "pandas.csv";
  const std::string line = "read " + edges +
                           ": edges, separator comma, header; user=userId, item=movieId, "
                           "rating=rating, time=timestamp; unweighted; 3 rows read, 0 merged, "
                           "0 dropped\n";
  const std::string out = " --epochs 1 --dim 4 --out " + folder.path("model");
  for (const std::string command :
       {"info " + edges, "train " + edges + out, "train " + edges + " --plan",
        "data convert " + edges + " " + folder.path("g.bin"),
        "data split " + edges + " --task recommend --test 0.4 --out " + folder.path("split"),
        "data check --task recommend --train " + edges + " --test " + edges}) {
    const auto said = run_mcns(folder, command).err;
    EXPECT_TRUE(contains(said, line)) << command << "\n" << said;
    EXPECT_EQ(said.find("read "), said.rfind("read " + edges)) << command << ": once\n" << said;
    std::filesystem::remove_all(folder.path("split"));
    std::filesystem::remove_all(folder.path("model"));
    EXPECT_FALSE(contains(run_mcns(folder, command + " --quiet").err, "read ")) << command;
    std::filesystem::remove_all(folder.path("split"));
    std::filesystem::remove_all(folder.path("model"));
  }
}

TEST(Ingest, InfoAndPlanHaveItAsJson) {
  const ScratchFolder folder;
  const std::string edges = kFolder + "pandas.csv --min-rating 4";
  const auto expect = [](const nlohmann::json& facts) {
    EXPECT_EQ(facts["edges"], 2);
    EXPECT_EQ(facts["nodes"], 3);
    EXPECT_EQ(facts["users"], 2);
    EXPECT_EQ(facts["items"], 1);
    EXPECT_EQ(facts["weighted"], false);
    EXPECT_EQ(facts["read"], 3);
    EXPECT_EQ(facts["merged"], 0);
    EXPECT_EQ(facts["dropped"], 1);
    EXPECT_EQ(facts["header"], true);
    EXPECT_EQ(facts["format"], "edges");
    EXPECT_EQ(facts["columns"]["user"], "userId");
    EXPECT_EQ(facts["columns"]["rating"], "rating");
  };
  expect(run_for_json(folder, "info " + edges));
  expect(run_for_json(folder, "train --plan " + edges)["data"]);
}

/// Blocks of "$ mcns ARGUMENTS" and the lines on stderr behind it.
TEST(Ingest, TheGuideShowsWhatIsPrinted) {
  const ScratchFolder folder;
  std::ifstream guide(std::string(kSourceFolder) + "/docs/data.md");
  std::string arguments, expected;
  int commands = 0;
  const auto check = [&] {
    if (arguments.empty()) return;
    ++commands;
    EXPECT_EQ(run_mcns(folder, arguments, "cd " + kFolder + " &&").err, expected) << arguments;
    arguments.clear();
  };
  bool inside = false;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("```")) {
      check();
      inside = line == "```console";
    } else if (inside && line.starts_with("$ mcns ")) {
      check();
      arguments = line.substr(7);
      expected.clear();
    } else if (inside) {
      expected += line + "\n";
    }
  }
  EXPECT_GE(commands, 8);
}

TEST(Ingest, AFirstLineThatMayBeAHeaderIsDataWithAWarning) {
  const ScratchFolder folder;
  const std::string file = kFolder + "header_above_text.csv";
  EXPECT_TRUE(contains(run_mcns(folder, "info " + file).err, "--header yes"));
  EXPECT_FALSE(contains(run_mcns(folder, "info " + file + " --header no").err, "--header"));
  EXPECT_FALSE(
      contains(run_mcns(folder, "info " + kFolder + "no_header_names.csv").err, "--header"))
      << "a name that comes again is no header";
}

TEST(Ingest, StandardInputIsAFileToo) {
  const ScratchFolder folder;
  for (const std::string file : {"pandas_index.csv", "packed.csv.gz"}) {
    const auto text = [&](const std::string& flags) {
      return run_mcns(folder, flags + " <" + kFolder + file).out;
    };
    const auto from_file = run_mcns(folder, "info --json " + kFolder + file).out;
    const auto edges = [](const std::string& out) {
      const auto facts = nlohmann::json::parse(out, nullptr, false);
      return facts.is_discarded() ? nlohmann::json(out) : facts["edges"];
    };
    EXPECT_EQ(edges(text("info - --json")), edges(from_file));
  }
  const auto trained = run_mcns(folder, "train - --epochs 1 --dim 4 --quiet --out " +
                                            folder.path("model") + " <" + kFolder + "core.csv");
  EXPECT_EQ(trained.code, 0) << trained.err;
}

TEST(Ingest, LabelsMayHaveMoreColumns) {
  const ScratchFolder folder;
  ThreadPool pool(1);
  const auto edges = folder.write("e.tsv", "1\t2\n2\t3\n");
  const auto labels = [&](const std::string& content, std::optional<std::string> columns) {
    return load_dataset({edges, "", "", folder.write("l.csv", content)}, Task::kClassify,
                        {.label_columns = std::move(columns)}, pool)
        .labels.label_names;
  };
  const std::string table = "paper,year,subject\n1,1999,ML\n2,2001,Theory\n";
  EXPECT_EQ(labels(table, "node=paper,label=subject"), (std::vector<std::string>{"ML", "Theory"}));
  EXPECT_EQ(labels(table, "node=1,label=2"), (std::vector<std::string>{"1999", "2001"}));
  EXPECT_EQ(labels("id,name,label\n1,a,x\n2,b,y\n", {}), (std::vector<std::string>{"x", "y"}));
  const auto refused =
      error_of(ErrorKind::kData, [&] { labels("1,1999,ML\n2,2001,Theory\n", {}); });
  EXPECT_TRUE(contains(refused, "--label-columns node=COLUMN,label=COLUMN")) << refused;
  error_of(ErrorKind::kUsage, [&] { labels(table, "node=paper"); });
  error_of(ErrorKind::kUsage, [&] { labels(table, "node=paper,label=nosuch"); });
}

}  // namespace
}  // namespace mcns

// What a terminal shows: lines that fit it, one updated in place; colour; hints; completion; the
// manual page. Terminals are those of tmux.
#include <filesystem>

#include "tests/paths.h"
#include "tests/run_binary.h"

namespace mcns {
namespace {

int status_of(const std::string& command) { return std::system(command.c_str()); }

bool has(const std::string& program) {
  return status_of("command -v " + program + " >/dev/null 2>&1") == 0;
}

std::string output_of(const ScratchFolder& folder, const std::string& command) {
  const auto path = folder.path("output.txt");
  EXPECT_EQ(status_of(command + " >" + path), 0) << command;
  return content_of(path);
}

int columns(const std::string& line) {
  return static_cast<int>(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A window of tmux with a server of its own.
class Window {
 public:
  Window(const ScratchFolder& folder, int width, const std::string& command)
      : folder_(folder), tmux_(fmt::format("tmux -f /dev/null -S {}", folder.path("tmux"))) {
    // Escape sequences as the program writes them go to a file too.
    EXPECT_EQ(status_of(fmt::format("{} new-session -d -s w -x {} -y 30 'sh'", tmux_, width)), 0);
    status_of(fmt::format("{} pipe-pane -t w 'cat > {}'", tmux_, folder.path("raw.txt")));
    status_of(fmt::format("{} send-keys -t w \"{}\" Enter", tmux_, command));
  }
  ~Window() { status_of(tmux_ + " kill-server 2>/dev/null"); }

  void resize(int width) const {
    EXPECT_EQ(status_of(fmt::format("{} resize-window -t w -x {}", tmux_, width)), 0);
  }
  /// Lines on the screen; those that the terminal wrapped are joined, so they show as too long.
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    std::istringstream in(output_of(folder_, tmux_ + " capture-pane -p -J -S - -t w"));
    for (std::string line; std::getline(in, line);) {
      line.erase(line.find_last_not_of(' ') + 1);
      if (!line.empty()) out.push_back(line);
    }
    return out;
  }
  std::string raw() const { return content_of(folder_.path("raw.txt")); }
  bool wait_for(const std::string& text) const {
    for (int i = 0; i < 1200; ++i) {
      for (const auto& line : lines())
        if (contains(line, text)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

 private:
  const ScratchFolder& folder_;
  std::string tmux_;
};

#define REQUIRE_TMUX() \
  if (!has("tmux")) GTEST_SKIP() << "tmux is not installed"

/// A file with the command, so that the line that starts it is short.
std::string script(const ScratchFolder& folder, const std::string& before,
                   const std::string& arguments) {
  folder.write("go", fmt::format("{} {} {}\necho finished\n", before, kBinary, arguments));
  return "clear; cd " + folder.path("") + "; clear; sh go";
}

constexpr const char* kRun = "run --task recommend --data debian --epochs 3 --dim 16 --batch 256";

TEST(Terminal, NoLineIsWiderThanTheScreen) {
  REQUIRE_TMUX();
  for (const int width : {40, 80, 200}) {
    const ScratchFolder folder;
    const Window window(folder, width, script(folder, "", kRun));
    int seen = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto lines = window.lines();
      int bars = 0;
      bool begun = false, finished = false;
      for (const auto& line : lines) {
        begun = begun || line.starts_with("data:");
        if (begun) EXPECT_LE(columns(line), width) << line;
        bars += contains(line, "left") ? 1 : 0;
        finished = finished || line == "finished";
      }
      EXPECT_LE(bars, 1) << "one line, in place";
      seen += bars;
      if (finished) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    ASSERT_TRUE(window.wait_for("finished"));
    EXPECT_GT(seen, 0) << "a bar was on the screen at " << width;
    for (const auto& line : window.lines())
      EXPECT_FALSE(contains(line, "left")) << "nothing of it stays: " << line;
  }
}

TEST(Terminal, ASearchShowsABarAndLeavesItsTableAlone) {
  REQUIRE_TMUX();
  const ScratchFolder folder;
  const Window window(folder, 120,
                      script(folder, "",
                             "tune --task recommend --data debian --epochs 3 --dim 16 "
                             "--settings 3 --out found"));
  ASSERT_TRUE(window.wait_for("left")) << "a bar";
  ASSERT_TRUE(window.wait_for("finished"));
  bool table = false;
  for (const auto& line : window.lines()) {
    EXPECT_FALSE(contains(line, " left")) << line;
    table = table || line.starts_with("setting  ");
  }
  EXPECT_TRUE(table);
}

TEST(Terminal, ANarrowerWindowLeavesNoTrace) {
  REQUIRE_TMUX();
  const ScratchFolder folder;
  const Window window(folder, 120, script(folder, "", kRun));
  ASSERT_TRUE(window.wait_for("left"));
  window.resize(50);
  ASSERT_TRUE(window.wait_for("finished"));
  int lines = 0;
  for (const auto& line : window.lines()) {
    EXPECT_FALSE(contains(line, "left") || contains(line, "pairs/s")) << line;
    lines += line.starts_with("epoch") ? 1 : 0;
  }
  EXPECT_EQ(lines, 3) << "a line per epoch";
}

TEST(Terminal, ColourOnlyWhereItIsWanted) {
  REQUIRE_TMUX();
  for (const bool wanted : {true, false}) {
    const ScratchFolder folder;
    const Window window(folder, 80, script(folder, wanted ? "" : "NO_COLOR=1", kRun));
    ASSERT_TRUE(window.wait_for("finished"));
    EXPECT_EQ(contains(window.raw(), "\033[36m"), wanted);
  }
}

TEST(Terminal, PipesHaveNoEscapeSequences) {
  const ScratchFolder folder;
  const auto done = run_mcns(folder, kRun);
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(contains(done.err, "epoch   3/3"));
  EXPECT_FALSE(contains(done.err, "\033"));
}

TEST(Terminal, ListsHaveOneColumnOfHelp) {
  const ScratchFolder folder;
  std::istringstream lines(run_mcns(folder, "list datasets").out);
  std::size_t column = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto blank = line.find("  ");
    ASSERT_NE(blank, std::string::npos) << line;
    const auto help = line.find_first_not_of(' ', blank);
    if (column == 0) column = help;
    EXPECT_EQ(help, column) << line;
  }
  EXPECT_GT(column, 0U);
}

TEST(Terminal, AWrongFlagNamesTheNearestOneAndTheHelp) {
  const ScratchFolder folder;
  expect_failure(folder, "run --epohcs 3", 2, "unknown flag '--epohcs'; did you mean '--epochs'?");
  expect_failure(folder, "run --task recommend --epohcs=3", 2, "`mcns run --help` lists the flags");
  expect_failure(folder, "data split --seeed 3", 2, "'--seed'? `mcns data split --help`");
  expect_failure(folder, "train", 2, "see mcns train --help");
}

TEST(Completion, BashCompletesCommandsFlagsAndValues) {
  const ScratchFolder folder;
  const auto script = folder.path("mcns.bash");
  folder.write("mcns.bash", run_mcns(folder, "completion bash").out);
  const auto replies = [&](const std::string& words, int count) {
    return output_of(folder,
                     fmt::format("bash -c 'source {}; COMP_WORDS=({}); COMP_CWORD={}; _mcns; "
                                 "echo \"${{COMPREPLY[@]}}\"'",
                                 script, words, count - 1));
  };
  EXPECT_EQ(replies("mcns rec", 2), "recommend\n");
  EXPECT_TRUE(contains(replies("mcns run --tens", 3), "--tensorboard"));
  EXPECT_EQ(replies("mcns export m --to word2vec-", 5), "word2vec-bin\n");
  EXPECT_TRUE(contains(replies("mcns data \"\"", 3), "split"));
  EXPECT_FALSE(contains(replies("mcns data list --", 4), "--out"));
  EXPECT_EQ(replies("mcns list sam", 3), "samplers\n");
  expect_failure(folder, "completion tcsh", 2, "known: bash, zsh, fish");
}

TEST(Completion, OtherShellsTakeTheirScripts) {
  const ScratchFolder folder;
  int tried = 0;
  for (const std::string shell : {"zsh", "fish"}) {
    const auto done = run_mcns(folder, "completion " + shell);
    ASSERT_EQ(done.code, 0);
    for (const char* word : {"recommend", "tensorboard", "word2vec-bin"})
      EXPECT_TRUE(contains(done.out, word)) << shell << word;
    if (!has(shell)) continue;
    ++tried;
    EXPECT_EQ(status_of(shell + " -n " + folder.write("script", done.out)), 0) << shell;
  }
  if (tried == 0) GTEST_SKIP() << "neither zsh nor fish is installed: the scripts were not run";
}

TEST(ManPage, HasEveryCommandAndFlagOfTheHelp) {
  const ScratchFolder folder;
  const auto page = run_mcns(folder, "help --man");
  ASSERT_EQ(page.code, 0) << page.err;
  std::string text = page.out;
  for (std::size_t at; (at = text.find("\\-")) != std::string::npos;) text.erase(at, 1);
  EXPECT_TRUE(text.starts_with(".TH MCNS 1"));
  for (const std::string command : {"run", "data split", "export", "completion"}) {
    EXPECT_TRUE(contains(text, ".SS mcns " + command + "\n")) << command;
    std::istringstream lines(run_mcns(folder, command + " --help").out);
    for (std::string line; std::getline(lines, line);) {
      const auto flag = line.find("--");
      if (!line.starts_with("  --") || flag == std::string::npos) continue;
      const auto name = line.substr(flag, line.find_first_of(" ,", flag) - flag);
      EXPECT_TRUE(contains(text, "\\fB" + name + "\\fR")) << name;
    }
  }
  if (!has("man")) GTEST_SKIP() << "man is not installed: the page was not formatted";
  const auto warnings = output_of(folder, fmt::format("(man --warnings -l {} 2>&1 >/dev/null)",
                                                      folder.write("mcns.1", page.out)));
  EXPECT_EQ(warnings, "");
}

}  // namespace
}  // namespace mcns

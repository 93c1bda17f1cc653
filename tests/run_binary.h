// The binary as a user calls it: exit status, what it prints, signals.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/paths.h"
#include "tests/test_io_files.h"

namespace mcns {

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Finished {
  int code = -1;  ///< -1 where a signal ended it
  std::string out, err;
};

/// Starts `mcns ARGUMENTS` by the shell.
class Process {
 public:
  Process(const ScratchFolder& folder, const std::string& arguments, const std::string& before = "")
      : out_(folder.path("stdout.txt")), err_(folder.path("stderr.txt")) {
    const auto command = fmt::format("{} exec '{}' {}", before, kBinary, arguments);
    id_ = fork();
    if (id_ != 0) return;
    redirect(out_, STDOUT_FILENO);
    redirect(err_, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }

  void signal(int number) const { kill(id_, number); }

  /// Until the file exists or the process is gone.
  bool wait_for(const std::string& path) {
    while (!std::filesystem::exists(path)) {
      if (waitpid(id_, &status_, WNOHANG) != 0) {
        gone_ = true;
        return std::filesystem::exists(path);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }

  Finished wait() {
    if (!gone_) waitpid(id_, &status_, 0);
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -1, content_of(out_), content_of(err_)};
  }

 private:
  static void redirect(const std::string& path, int handle) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, handle);
    close(file);
  }

  std::string out_, err_;
  pid_t id_ = -1;
  int status_ = 0;
  bool gone_ = false;
};

inline Finished run_mcns(const ScratchFolder& folder, const std::string& arguments,
                         const std::string& before = "") {
  return Process(folder, arguments, before).wait();
}

/// The one document on stdout; parse() fails on anything else around it.
inline nlohmann::json run_for_json(const ScratchFolder& folder, const std::string& arguments) {
  const auto done = run_mcns(folder, arguments + " --json");
  EXPECT_EQ(done.code, 0) << arguments << "\n" << done.err;
  const auto document = nlohmann::json::parse(done.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << arguments << "\n" << done.out;
  return document;
}

/// An error: its exit status, and one line on stderr that holds `part`; nothing on stdout.
inline void expect_failure(const ScratchFolder& folder, const std::string& arguments, int code,
                           const std::string& part, const std::string& before = "") {
  const auto done = run_mcns(folder, arguments + " --quiet", before);
  EXPECT_EQ(done.code, code) << arguments << "\n" << done.err;
  EXPECT_TRUE(contains(done.err, part)) << arguments << "\n" << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  EXPECT_EQ(done.out, "") << arguments;
}

}  // namespace mcns

// The one place with threads: a pool that executes numbered pieces of work.
//
// What a piece computes may depend on its number, never on the thread that runs it or on how many
// threads there are; then results are the same bits for any pool. Pieces are claimed one by one, so
// an uneven or disturbed machine balances itself. Exceptions thrown by a piece reach the caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

namespace mcns {

class ThreadPool {
 public:
  /// `threads` = 0 takes what the machine has. The calling thread works too.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  /// Calls piece(i) once for each i in [0, pieces), and returns when all are done. A call from
  /// inside a piece runs on that piece's thread alone.
  void run(std::int64_t pieces, const std::function<void(std::int64_t)>& piece);

  /// Cuts [0, n) into ranges of `grain` and calls body(begin, end) for each.
  template <class Body>
  void for_ranges(std::int64_t n, std::int64_t grain, const Body& body) {
    const std::int64_t pieces = (n + grain - 1) / grain;
    run(pieces, [&](std::int64_t i) { body(i * grain, std::min(n, (i + 1) * grain)); });
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Threads this process may use.
int hardware_threads();

}  // namespace mcns

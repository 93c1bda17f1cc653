#include "mcns/core/parallel.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "mcns/core/error.h"

namespace mcns {
namespace {

/// How many forks are between this process and the first one. A counter costs a load to look at,
/// where the process id is a system call.
std::atomic<std::uint32_t> g_forks{0};

void count_forks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

}  // namespace

int hardware_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

// A call publishes its work and bumps `generation`; every helper wakes, claims pieces until none is
// left, and signs off in `active`. The caller returns only when all have signed off, so no helper
// can see the work of a later call by mistake. Both sides spin briefly before they sleep: batches
// are short and follow each other closely.
struct ThreadPool::Impl {
  static constexpr int kSpins = 2000;
  /// Whose piece this thread is in: a call from there runs alone, as all threads are busy.
  static thread_local const Impl* working_for;

  std::vector<std::thread> helpers;
  int spins = 0;
  std::uint32_t forks = g_forks.load(std::memory_order_relaxed);
  const std::function<void(std::int64_t)>* work = nullptr;
  std::int64_t pieces = 0;
  alignas(64) std::atomic<std::uint32_t> generation{0};
  alignas(64) std::atomic<std::int64_t> next{0};
  alignas(64) std::atomic<int> active{0};
  std::atomic<bool> stopping{false};
  std::mutex error_mutex;
  std::exception_ptr error;

  void execute() {
    const Impl* const outer = std::exchange(working_for, this);
    for (;;) {
      const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= pieces) break;
      try {
        (*work)(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next.store(pieces, std::memory_order_relaxed);
      }
    }
    working_for = outer;
  }

  void stop() {
    stopping.store(true, std::memory_order_release);
    generation.fetch_add(1, std::memory_order_acq_rel);
    generation.notify_all();
    for (auto& helper : helpers) helper.join();
  }

  /// A child process has no helpers: fork() copies the calling thread alone.
  bool is_of_parent() const { return forks != g_forks.load(std::memory_order_relaxed); }

  template <class Atomic, class T>
  void wait_while_equal(Atomic& atomic, T value) const {
    for (int i = 0; i < spins; ++i) {
      if (atomic.load(std::memory_order_acquire) != value) return;
      __builtin_ia32_pause();
    }
    while (atomic.load(std::memory_order_acquire) == value) atomic.wait(value);
  }

  void helper_loop() {
    std::uint32_t seen = 0;
    for (;;) {
      wait_while_equal(generation, seen);
      seen = generation.load(std::memory_order_acquire);
      if (stopping.load(std::memory_order_acquire)) return;
      execute();
      if (active.fetch_sub(1, std::memory_order_acq_rel) == 1) active.notify_all();
    }
  }
};

thread_local const ThreadPool::Impl* ThreadPool::Impl::working_for = nullptr;

ThreadPool::ThreadPool(int threads) {
  count_forks();
  impl_ = std::make_unique<Impl>();
  require(threads >= 0 && threads <= 4096, "threads must be between 0 (all) and 4096, got {}",
          threads);
  const int cores = hardware_threads();
  const int count = threads == 0 ? cores : threads;
  // More threads than cores: spinning would keep the one that has the work from running.
  impl_->spins = count <= cores ? Impl::kSpins : 0;
  try {
    for (int i = 1; i < count; ++i)
      impl_->helpers.emplace_back([impl = impl_.get()] { impl->helper_loop(); });
  } catch (const std::system_error&) {
    const auto started = impl_->helpers.size() + 1;
    impl_->stop();
    throw_error(ErrorKind::kRuntime, "the system allows {} threads, {} were requested", started,
                count);
  }
}

ThreadPool::~ThreadPool() {
  // Threads that are not there can be neither joined nor detached: their objects are left.
  if (impl_->is_of_parent() && !impl_->helpers.empty())
    static_cast<void>(impl_.release());
  else
    impl_->stop();
}

int ThreadPool::threads() const { return static_cast<int>(impl_->helpers.size()) + 1; }

void ThreadPool::run(std::int64_t pieces, const std::function<void(std::int64_t)>& piece) {
  if (impl_->helpers.empty() || pieces <= 1 || Impl::working_for == impl_.get()) {
    for (std::int64_t i = 0; i < pieces; ++i) piece(i);
    return;
  }
  if (impl_->is_of_parent())
    throw_error(ErrorKind::kRuntime,
                "a pool of {} threads was made before fork() and is used in the child process, "
                "which has none of them; make a pool there",
                threads());
  impl_->work = &piece;
  impl_->pieces = pieces;
  impl_->next.store(0, std::memory_order_relaxed);
  impl_->active.store(static_cast<int>(impl_->helpers.size()), std::memory_order_relaxed);
  impl_->generation.fetch_add(1, std::memory_order_acq_rel);
  impl_->generation.notify_all();
  impl_->execute();
  for (int left; (left = impl_->active.load(std::memory_order_acquire)) != 0;)
    impl_->wait_while_equal(impl_->active, left);
  if (impl_->error) std::rethrow_exception(std::exchange(impl_->error, nullptr));
}

}  // namespace mcns

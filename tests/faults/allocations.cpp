// Preloaded into a program (LD_PRELOAD): lets its N-th allocation fail, counted from main() on.
// MCNS_FAIL_ALLOCATION is N; MCNS_COUNT_ALLOCATIONS a file that gets their number at the end.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<long> g_count{0}, g_fails{0};
std::atomic<bool> g_started{false};

bool fails() {
  if (!g_started.load(std::memory_order_relaxed)) return false;
  if (++g_count != g_fails.load(std::memory_order_relaxed)) return false;
  errno = ENOMEM;
  return true;
}

void tell(long count) {
  const char* path = std::getenv("MCNS_COUNT_ALLOCATIONS");
  if (path == nullptr) return;
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%ld\n", count);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  static_cast<void>(!write(file, text, static_cast<std::size_t>(size)));
  close(file);
}

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;

int started_main(int argc, char** argv, char** environment) {
  if (const char* text = std::getenv("MCNS_FAIL_ALLOCATION")) g_fails = std::atol(text);
  g_started = true;
  return g_main(argc, argv, environment);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

/// The program leaves by _Exit.
void _Exit(int code) {
  g_started = false;
  tell(g_count);
  _exit(code);
}

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  g_main = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(started_main, argc, argv, init, fini, rtld_fini, stack_end);
}
}

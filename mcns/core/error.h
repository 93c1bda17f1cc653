// Errors a user can cause. The library throws Error; the command line turns its kind into an exit
// code, Python into an exception. A message says what is wrong, the value, and what would be valid.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace mcns {

/// The values are the exit codes of the command line.
enum class ErrorKind { kRuntime = 1, kUsage = 2, kData = 3, kIo = 4 };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <class... Args>
[[noreturn]] void throw_error(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

/// A wrong option or argument.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) throw_error(ErrorKind::kUsage, format, std::forward<Args>(args)...);
}

/// Bad content of a file; `line` counts from 1, 0 when no line can be named.
[[noreturn]] void throw_bad_data(const std::string& path, std::int64_t line,
                                 const std::string& what);

/// "unknown sampler 'rnss'; did you mean 'rns'? known: degree, rns"
[[noreturn]] void throw_unknown(std::string_view what, std::string_view given,
                                const std::vector<std::string>& known);

}  // namespace mcns

/// Checks our own invariants; compiled out unless MCNS_ASSERTIONS is defined.
#ifdef MCNS_ASSERTIONS
#define MCNS_ASSERT(condition)                                                          \
  do {                                                                                  \
    if (!(condition))                                                                   \
      throw std::logic_error(fmt::format("{}:{}: {}", __FILE__, __LINE__, #condition)); \
  } while (false)
#else
#define MCNS_ASSERT(condition) static_cast<void>(0)
#endif

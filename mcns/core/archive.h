// One function that visits an object's state, used both to save and to load it:
//   void visit_state(Archive& archive) { archive("chains", chains_); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mcns/core/error.h"
#include "mcns/core/matrix.h"

namespace mcns {

class Archive {
 public:
  virtual ~Archive() = default;

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(std::string_view name, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = value ? 1 : 0;  // a file may hold any byte, a bool may not
      fixed(name, &byte, sizeof byte);
      if (byte > 1)
        throw_error(ErrorKind::kData, "'{}' of the saved state is {}, expected 0 or 1", name, byte);
      value = byte == 1;
    } else {
      fixed(name, &value, sizeof value);
    }
  }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(std::string_view name, std::vector<T>& values) {
    std::size_t count = values.size();
    fixed(std::string(name) + ".size", &count, sizeof count);
    if (is_loading()) {
      check_count(name, count, sizeof(T));
      values.resize(count);
    }
    fixed(name, values.data(), count * sizeof(T));
  }

  void operator()(std::string_view name, std::string& text) {
    std::vector<char> bytes(text.begin(), text.end());
    (*this)(name, bytes);
    text.assign(bytes.begin(), bytes.end());
  }

  /// The shape must be the same on both sides. A loader throws for a number that is not finite.
  void operator()(std::string_view name, Matrix& matrix);

  /// A loader throws where what is left cannot hold `count` things of `bytes` each: a damaged count
  /// must not become an allocation.
  virtual void check_count(std::string_view /*name*/, std::size_t /*count*/,
                           std::size_t /*bytes*/) const {}

  virtual bool is_loading() const = 0;

 protected:
  /// `bytes` bytes under `name`; a loader checks both.
  virtual void fixed(std::string_view name, void* data, std::size_t bytes) = 0;
};

/// Throws unless the last `width` numbers of every row can be sums of squares; for what was loaded.
void require_squares(std::string_view name, const Matrix& matrix, int width);

}  // namespace mcns

#include <algorithm>
#include <atomic>

#include "mcns/train/step.h"

namespace mcns {

bool HostStep::is_finite() {
  std::atomic<bool> finite{true};
  host_.visit_parameters([&](const std::string&, Matrix& values) {
    host_pool_.for_ranges(values.rows(), 4096, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        if (kernels().any_not_finite(values.row(row), values.stride())) finite = false;
    });
  });
  return finite;
}

// Copies in place: a temporary one would be the largest thing in memory.

void HostStep::keep_best() {
  std::size_t i = 0;
  host_.visit_parameters([&](const std::string&, Matrix& value) {
    if (i == best_.size()) best_.emplace_back(value.rows(), value.dim());
    std::copy(value.flat().begin(), value.flat().end(), best_[i++].flat().begin());
  });
}

void HostStep::restore_best() {
  auto from = best_.begin();
  host_.visit_parameters([&](const std::string&, Matrix& value) {
    std::copy(from->flat().begin(), from->flat().end(), value.flat().begin());
    ++from;
  });
}

void HostStep::visit_state(Archive& archive) {
  host_.visit_state(archive);
  for (Matrix& value : best_) archive("best", value);
  archive("steps", steps_);
  constexpr std::int64_t kMost = std::int64_t{1} << 53;  // optimizers count in doubles
  if (steps_ < 0 || steps_ > kMost)
    throw_error(ErrorKind::kData, "'steps' of the saved state is {}", steps_);
}

}  // namespace mcns

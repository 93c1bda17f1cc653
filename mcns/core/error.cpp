#include "mcns/core/error.h"

#include <fmt/ranges.h>

#include "mcns/core/nearest.h"

namespace mcns {
void throw_bad_data(const std::string& path, std::int64_t line, const std::string& what) {
  if (line > 0) throw_error(ErrorKind::kData, "{}:{}: {}", path, line, what);
  throw_error(ErrorKind::kData, "{}: {}", path, what);
}

void throw_unknown(std::string_view what, std::string_view given,
                   const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(given, known);
  const std::string hint = nearest.empty() ? ";" : fmt::format("; did you mean '{}'?", nearest);
  throw_error(ErrorKind::kUsage, "unknown {} '{}'{} known: {}", what, given, hint,
              fmt::join(known, ", "));
}

}  // namespace mcns

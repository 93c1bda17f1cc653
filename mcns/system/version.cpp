#include "mcns/system/version.h"

#include <fstream>

namespace mcns {

std::string version() { return MCNS_VERSION; }
std::string build_type() { return MCNS_BUILD_TYPE; }

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace mcns

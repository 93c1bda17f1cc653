// What was built, and where it runs.
#pragma once

#include <string>

namespace mcns {

std::string version();     ///< "0.1.0"
std::string build_type();  ///< "Release"
std::string cpu_name();    ///< the model name the system gives

}  // namespace mcns

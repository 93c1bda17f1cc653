#include "mcns/system/libraries.h"

#include <nlohmann/json.hpp>

#include <curl/curl.h>
#include <fmt/format.h>
#include <linear.h>
#include <matio.h>
#include <openssl/crypto.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "mcns/core/cpu.h"

namespace mcns {

std::vector<std::pair<std::string, std::string>> library_versions() {
  int matio[3] = {};
  Mat_GetLibraryVersion(&matio[0], &matio[1], &matio[2]);
  return {{"LIBLINEAR", fmt::format("{}.{}", liblinear_version / 100, liblinear_version % 100)},
          {"zlib", zlibVersion()},
          {"zstd", ZSTD_versionString()},
          {"matio", fmt::format("{}.{}.{}", matio[0], matio[1], matio[2])},
          {"libcurl", curl_version_info(CURLVERSION_NOW)->version},
          {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
          {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                              FMT_VERSION % 100)}};
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::vector<std::string> simd_levels() {
  std::vector<std::string> out;
  for (const InstructionSet set : runnable_instruction_sets()) out.emplace_back(name_of(set));
  return out;
}

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace mcns

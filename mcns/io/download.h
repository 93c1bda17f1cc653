// Downloads by libcurl that appear under their final name only when they are whole and, where the
// checksum is known, right.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace mcns {

/// Called now and then with the bytes so far and the bytes expected (0 while unknown); false stops.
using DownloadProgress = std::function<bool(std::int64_t done, std::int64_t total)>;

/// Fetches `url` (http, https or file) to `path` and returns its SHA-256. A digest other than
/// `expected_sha256`, unless that is empty, is an Error of kind kData; a failed transfer one of
/// kind kIo. Either way `path` stays as it was.
std::string download(const std::string& url, const std::string& path,
                     const std::string& expected_sha256, const DownloadProgress& progress = {});

}  // namespace mcns

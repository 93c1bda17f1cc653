#include "mcns/io/download.h"

#include <exception>
#include <memory>

#include <curl/curl.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/io/sha256.h"
#include "mcns/system/version.h"

namespace mcns {
namespace {

/// No dataset that is offered has a quarter of it.
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;

struct Transfer {
  AtomicFile file;
  Sha256 hash;
  const DownloadProgress& progress;
  std::exception_ptr failure;  ///< exceptions must not cross libcurl, which is C
};

std::size_t receive(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    if (size * count > kMostBytes - transfer.file.size())
      throw_error(ErrorKind::kIo, "the server sends more than {} bytes; nothing was kept",
                  kMostBytes);
    transfer.file.write(data, size * count);
    transfer.hash.update(data, size * count);
    return size * count;
  } catch (...) {
    transfer.failure = std::current_exception();
    return 0;
  }
}

int report(void* user, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    return transfer.progress && !transfer.progress(done, total) ? 1 : 0;
  } catch (...) {
    transfer.failure = std::current_exception();
    return 1;
  }
}

/// A server may not redirect to a local file, nor from a protected connection to a plain one.
void allow_protocols(CURL* curl, const std::string& url) {
  const bool is_protected = url.starts_with("https:");
#if LIBCURL_VERSION_NUM < 0x075500
  constexpr long kWeb = CURLPROTO_HTTP | CURLPROTO_HTTPS;
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, kWeb | CURLPROTO_FILE);
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, is_protected ? long{CURLPROTO_HTTPS} : kWeb);
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_protected ? "https" : "http,https");
#endif
}

}  // namespace

std::string download(const std::string& url, const std::string& path,
                     const std::string& expected_sha256, const DownloadProgress& progress) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  if (!curl) throw std::bad_alloc();
  Transfer transfer{AtomicFile(path), {}, progress, nullptr};
  char reason[CURL_ERROR_SIZE] = "";
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(curl.get(), option, value);
  };
  set(CURLOPT_URL, url.c_str());
  allow_protocols(curl.get(), url);
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 10L);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  const std::string agent = "mcns/" + version();
  set(CURLOPT_USERAGENT, agent.c_str());
  set(CURLOPT_CONNECTTIMEOUT, 30L);
  // A server that sends less than this for a minute will not finish.
  set(CURLOPT_LOW_SPEED_LIMIT, 100L);
  set(CURLOPT_LOW_SPEED_TIME, 60L);
  set(CURLOPT_ERRORBUFFER, reason);
  set(CURLOPT_WRITEFUNCTION, &receive);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &report);
  set(CURLOPT_XFERINFODATA, &transfer);
  const CURLcode code = curl_easy_perform(curl.get());
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  if (code != CURLE_OK)
    throw_error(ErrorKind::kIo, "cannot download {}: {}", url,
                reason[0] != '\0' ? reason : curl_easy_strerror(code));
  auto digest = transfer.hash.finish();
  if (!expected_sha256.empty() && digest != expected_sha256)
    throw_error(ErrorKind::kData, "{}: SHA-256 is {}, expected {}; nothing was kept", url, digest,
                expected_sha256);
  transfer.file.commit();
  return digest;
}

}  // namespace mcns

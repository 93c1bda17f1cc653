// SHA-256 by OpenSSL: of downloads before they are believed, of data files for the record of a run.
#pragma once

#include <memory>
#include <string>

namespace mcns {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(const void* data, std::size_t bytes);
  /// 64 lower-case hexadecimal digits; call once, last.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string sha256_of_file(const std::string& path);

}  // namespace mcns

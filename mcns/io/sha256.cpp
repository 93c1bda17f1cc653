#include "mcns/io/sha256.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "mcns/core/error.h"
#include "mcns/io/input.h"

namespace mcns {

namespace {

/// What OpenSSL makes; nothing where memory ends.
template <class T, class Free>
std::unique_ptr<T, Free> made(T* object, Free free) {
  if (object == nullptr) throw std::bad_alloc();
  return {object, free};
}

/// SHA-256 in a context of our own: OpenSSL follows null pointers where memory ends while it makes
/// its default one.
const EVP_MD* sha256_method() {
  static const auto context = made(OSSL_LIB_CTX_new(), &OSSL_LIB_CTX_free);
  static const auto method = made(EVP_MD_fetch(context.get(), "SHA256", nullptr), &EVP_MD_free);
  return method.get();
}

}  // namespace

struct Sha256::Impl {
  decltype(made(EVP_MD_CTX_new(), &EVP_MD_CTX_free)) context =
      made(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  static void check(int ok) {
    if (ok != 1) throw_error(ErrorKind::kRuntime, "OpenSSL has no SHA-256 here");
  }
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  Impl::check(EVP_DigestInit_ex(impl_->context.get(), sha256_method(), nullptr));
}
Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t bytes) {
  Impl::check(EVP_DigestUpdate(impl_->context.get(), data, bytes));
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  Impl::check(EVP_DigestFinal_ex(impl_->context.get(), digest.data(), &size));
  std::string out;
  for (unsigned int i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

std::string sha256_of_file(const std::string& path) {
  if (path == "-") {
    Sha256 hash;
    hash.update(standard_input().data(), standard_input().size());
    return hash.finish();
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) throw_error(ErrorKind::kIo, "cannot read {}: {}", path, std::strerror(errno));
  Sha256 hash;
  std::vector<char> buffer(std::size_t{1} << 18);
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), file.get()))
    hash.update(buffer.data(), bytes);
  if (std::ferror(file.get()) != 0)
    throw_error(ErrorKind::kIo, "cannot read {}: {}", path, std::strerror(errno));
  return hash.finish();
}

}  // namespace mcns

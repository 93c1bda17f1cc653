#include "mcns/model/list_store.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include "mcns/core/error.h"

namespace mcns {
namespace {

std::uint32_t crc_of(std::span<const ScoredNode> entries) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(entries.data()), entries.size_bytes()));
}

bool read_all(int handle, void* to, std::size_t bytes, std::uint64_t at) {
  auto* out = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(handle, out, bytes, static_cast<off_t>(at));
    if (got <= 0) return false;
    out += got;
    at += got;
    bytes -= got;
  }
  return true;
}

/// Whether in lists of k entries every row stands once, with a finite score, and nothing follows
/// the end of a short list.
bool are_answers(std::span<const ScoredNode> entries, std::size_t k) {
  std::vector<NodeId> rows;
  for (std::size_t at = 0; at < entries.size(); at += k) {
    const auto list = entries.subspan(at, k);
    const auto end = std::ranges::find(list, kNoNode);
    rows.clear();
    for (auto entry = list.begin(); entry != end; ++entry) {
      if (!std::isfinite(entry->score)) return false;
      rows.push_back(entry->node);
    }
    std::ranges::sort(rows);
    const bool repeats = std::ranges::adjacent_find(rows) != rows.end();
    if (repeats || std::count(end, list.end(), kNoNode) != list.end() - end) return false;
  }
  return true;
}

}  // namespace

ListStore::ListStore(const std::string& path, const std::string& digest, std::int64_t lists,
                     std::size_t k, NodeRange among, bool resume)
    : path_(path + ".partial"), lists_(lists), k_(k), among_(among) {
  handle_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (handle_ < 0) fail("write");
  try {
    if (flock(handle_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw_error(ErrorKind::kIo, "{}: another process writes it", path_);
    start(fmt::format("mcns lists 1 {}\n", digest), resume);
  } catch (...) {
    close(handle_);
    throw;
  }
}

ListStore::~ListStore() {
  if (handle_ >= 0) close(handle_);
}

void ListStore::fail(const char* doing) const {
  throw_error(ErrorKind::kIo, "cannot {} {}: {}", doing, path_, std::strerror(errno));
}

void ListStore::start(const std::string& title, bool resume) {
  title_ = title.size();
  std::string found(title.size(), '\0');
  // A file that is shorter than its title was cut off before the first block.
  const bool titled = read_all(handle_, found.data(), found.size(), 0);
  if (resume && titled) {
    require(found == title,
            "{} is of another model or request; without --resume the lists are made anew", path_);
    std::vector<ScoredNode> entries;
    while (done_ < blocks() && load(done_, entries) && are_answers(entries, k_)) ++done_;
  }
  const std::uint64_t keep = done_ == 0 ? 0 : offset(done_);
  if (done_ < blocks() && ftruncate(handle_, static_cast<off_t>(keep)) != 0) fail("write");
  write(title.data(), title.size(), 0);
}

std::int64_t ListStore::last(std::int64_t block) const {
  return std::min(lists_, (block + 1) * kBlock);
}

std::uint64_t ListStore::offset(std::int64_t block) const {
  // Only the last block may be shorter, and nothing lies after it.
  return title_ + block * (kBlock * k_ * sizeof(ScoredNode) + sizeof(std::uint32_t));
}

bool ListStore::load(std::int64_t block, std::vector<ScoredNode>& out) const {
  out.resize(entries(block));
  const std::size_t bytes = out.size() * sizeof(ScoredNode);
  std::uint32_t crc = 0;
  if (!read_all(handle_, out.data(), bytes, offset(block)) ||
      !read_all(handle_, &crc, sizeof crc, offset(block) + bytes) || crc != crc_of(out))
    return false;
  return std::ranges::all_of(
      out, [&](ScoredNode entry) { return entry == kNoNode || among_.contains(entry.node); });
}

void ListStore::write(const void* data, std::size_t bytes, std::uint64_t at) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t put = pwrite(handle_, from, bytes, static_cast<off_t>(at));
    if (put < 0) fail("write");
    from += put;
    at += put;
    bytes -= put;
  }
}

void ListStore::append(std::span<const ScoredNode> entries) {
  MCNS_ASSERT(entries.size() == this->entries(done_));
  const std::uint32_t crc = crc_of(entries);
  write(entries.data(), entries.size_bytes(), offset(done_));
  write(&crc, sizeof crc, offset(done_) + entries.size_bytes());
  ++done_;
}

std::vector<ScoredNode> ListStore::read(std::int64_t block) const {
  std::vector<ScoredNode> out;
  if (!load(block, out))
    throw_error(ErrorKind::kIo, "{}: block {} cannot be read back", path_, block);
  return out;
}

void ListStore::remove() { unlink(path_.c_str()); }

}  // namespace mcns

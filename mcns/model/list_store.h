// Finished lists in a file beside the answer, so that an interrupted call can be continued.
//
// Layout: a line that names the lists, then blocks of kBlock lists of k entries (row and score),
// each followed by its CRC. A block that is cut short, does not match its CRC or holds what is no
// answer (rows that are not ranked, one twice, a score that is no number), and all after it, count
// as not done.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mcns/eval/top_k.h"

namespace mcns {

class ListStore {
 public:
  static constexpr std::int64_t kBlock = 4096;

  /// Opens PATH.partial; keeps what is done there if `resume`, which throws where it is of other
  /// lists than `digest` names. Throws where another process has it open. Lists are of rows
  /// `among`.
  ListStore(const std::string& path, const std::string& digest, std::int64_t lists, std::size_t k,
            NodeRange among, bool resume);
  ~ListStore();
  ListStore(const ListStore&) = delete;
  ListStore& operator=(const ListStore&) = delete;

  std::int64_t blocks() const { return (lists_ + kBlock - 1) / kBlock; }
  std::int64_t blocks_done() const { return done_; }
  /// The lists of a block: [first, last).
  std::int64_t first(std::int64_t block) const { return block * kBlock; }
  std::int64_t last(std::int64_t block) const;

  void append(std::span<const ScoredNode> entries);
  std::vector<ScoredNode> read(std::int64_t block) const;
  /// Deletes the file: the answer is written.
  void remove();

 private:
  std::uint64_t offset(std::int64_t block) const;
  std::size_t entries(std::int64_t block) const { return (last(block) - first(block)) * k_; }
  bool load(std::int64_t block, std::vector<ScoredNode>& out) const;
  void start(const std::string& title, bool resume);
  void write(const void* data, std::size_t bytes, std::uint64_t at);
  [[noreturn]] void fail(const char* doing) const;

  std::string path_;
  std::int64_t lists_;
  std::size_t k_;
  NodeRange among_;
  std::uint64_t title_ = 0;  ///< bytes
  std::int64_t done_ = 0;
  int handle_ = -1;
};

}  // namespace mcns

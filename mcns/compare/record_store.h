// A folder of finished pieces of work, one JSON file each, that several processes fill together.
// A file is written whole or not at all, so a process may be killed at any time: what is there is
// finished, what is not there is to be done. Who works on a piece holds a lock beside it, which the
// kernel releases when the process ends.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mcns/io/directory_lock.h"

namespace mcns {

/// One piece of work.
struct Piece {
  std::string file;  ///< below the folder, `movielens/deepwalk/mcns.paper.fold01.json`
  std::string key;   ///< of what is asked for; a file with another one is made anew
  /// The text of the file, which has `"key": KEY`; nothing where it was interrupted.
  std::function<std::optional<std::string>()> work;
};

class RecordStore {
 public:
  explicit RecordStore(std::string folder);

  const std::string& folder() const { return folder_; }
  bool has_file(const std::string& file) const;
  std::string path(const std::string& file) const { return folder_ + "/" + file; }
  /// The content of a finished file with this key. One that ends with `-` is the beginning of a
  /// key: the rest is not known, as where the data are not here.
  std::optional<std::string> find(const std::string& file, const std::string& key) const;

  /// What became of a piece.
  enum class Outcome { kDone, kThere, kBusy, kInterrupted };
  Outcome run(const Piece& piece) const;
  /// All of them, in order; those that another process is at are looked at again until they are
  /// there. `told` hears of every one once. False where it was interrupted.
  bool run_all(const std::vector<Piece>& pieces,
               const std::function<void(std::size_t, Outcome)>& told,
               const std::atomic<bool>* interrupted) const;

 private:
  std::string folder_;
};

}  // namespace mcns

// The folder that a run or a search writes to, locked while it lasts. The model that is there goes
// only when all that can be refused was checked.
#pragma once

#include <optional>

#include "mcns/io/directory_lock.h"
#include "mcns/train/experiment.h"

namespace mcns {

class OutputFolder {
 public:
  /// Makes the folder and locks it, unless there is none or the caller of the run holds it. The
  /// options must outlive the object.
  explicit OutputFolder(const OutputOptions& output);
  /// A folder that was made for a run that was refused goes.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// With --force the old model goes now.
  void begin();
  /// Null where nothing is locked here.
  const DirectoryLock* lock() const { return lock_ ? &*lock_ : nullptr; }

 private:
  const OutputOptions& output_;
  bool existed_, begun_ = false;
  std::optional<DirectoryLock> lock_;
};

}  // namespace mcns

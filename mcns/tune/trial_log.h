// trials.jsonl: the finished trials of a search, so that a search that was killed goes on without
// repeating any.
//
// The first line has the settings of the experiment and the digests of its files, as a checkpoint
// has. Every other line is a trial under a key: a digest of that and of all its own settings.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mcns/io/line_file.h"
#include "mcns/tune/trial.h"

namespace mcns {

class TrialLog {
 public:
  /// `experiment` is resume_json of the experiment. With a folder the log is in its trials.jsonl,
  /// else in memory. Throws where the log there is of another experiment, or damaged.
  TrialLog(const std::string& folder, const std::string& experiment);

  /// The key of a trial with these resolved settings.
  std::string key(const std::vector<Setting>& settings) const;
  /// A combination that cannot be resolved.
  std::string key(const TunedSettings& changes, int epochs) const;

  std::optional<Trial> find(const std::string& key) const;
  /// On the disk when the call returns. May be called from several threads.
  void add(const std::string& key, const Trial& trial);

 private:
  std::string digest(const std::string& text) const;

  std::string experiment_;  ///< without what does not change a result
  std::optional<LineFile> file_;
  std::map<std::string, Trial> trials_;
  mutable std::mutex mutex_;
};

}  // namespace mcns

// Event files of TensorBoard: scalars over steps.
//
// A file is a sequence of TFRecords: length (8 bytes), masked CRC-32C of the length, an Event in
// protobuf, masked CRC-32C of that. Few fields of Event are in use, so they are encoded here:
//   Event    1 wall_time (double), 2 step (varint), 3 file_version, 5 Summary, 7 SessionLog
//   Summary  1 Value {1 tag, 2 simple_value (float)};  SessionLog 1 status (1: start)
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "mcns/eval/metrics.h"

namespace mcns {

/// CRC-32C (Castagnoli).
std::uint32_t crc32c(std::string_view bytes);

class EventFile {
 public:
  /// A new file in the folder, which is made if it is missing. TensorBoard drops what other files
  /// there have from step `first` on: steps that an interrupted run did and a resumed one repeats.
  EventFile(const std::string& folder, std::int64_t first);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Throws unless a file can be made in the folder, which is made if it is missing.
  static void check_folder(const std::string& folder);

  /// Scalars of a step, by tag; on the disk when the call returns.
  void write(std::int64_t step, std::span<const Metric> scalars);

 private:
  void record(const std::string& event);

  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace mcns

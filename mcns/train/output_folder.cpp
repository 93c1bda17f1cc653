#include "mcns/train/output_folder.h"

#include <filesystem>

#include "mcns/io/model_directory.h"

namespace mcns {

OutputFolder::OutputFolder(const OutputOptions& output)
    : output_(output), existed_(std::filesystem::exists(output.out)) {
  if (!output.out.empty() && output.held == nullptr)
    lock_.emplace(lock_model_directory(output.out, output.force, output.resume));
}

OutputFolder::~OutputFolder() {
  if (!lock_ || existed_ || begun_) return;
  lock_.reset();
  std::error_code not_empty;
  std::filesystem::remove(output_.out, not_empty);
}

void OutputFolder::begin() {
  begun_ = true;
  if (lock_ && output_.force && !output_.resume) clear_model_directory(output_.out);
}

}  // namespace mcns

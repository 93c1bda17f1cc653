#include "mcns/compare/record_store.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "mcns/core/error.h"
#include "mcns/io/files.h"

namespace mcns {
namespace {

std::optional<std::string> content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

RecordStore::RecordStore(std::string folder) : folder_(std::move(folder)) {
  make_directories(folder_);
}

bool RecordStore::has_file(const std::string& file) const {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path(file), ignored);
}

std::optional<std::string> RecordStore::find(const std::string& file,
                                             const std::string& key) const {
  auto text = content(path(file));
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("key") || !json["key"].is_string()) return std::nullopt;
  const auto found = json["key"].get<std::string>();
  const bool same = key.ends_with('-') ? found.starts_with(key) : found == key;
  return same ? std::move(text) : std::nullopt;
}

RecordStore::Outcome RecordStore::run(const Piece& piece) const {
  if (find(piece.file, piece.key)) return Outcome::kThere;
  const std::string target = path(piece.file);
  make_directories(std::filesystem::path(target).parent_path().string());
  const auto lock = DirectoryLock::of_file(target + ".lock");
  if (!lock) return Outcome::kBusy;
  // Somebody may have finished it between the first look and the lock.
  if (find(piece.file, piece.key)) return Outcome::kThere;
  const std::optional<std::string> text = piece.work();
  if (!text) return Outcome::kInterrupted;
  write_file_atomically(target, *text);
  return Outcome::kDone;
}

bool RecordStore::run_all(const std::vector<Piece>& pieces,
                          const std::function<void(std::size_t, Outcome)>& told,
                          const std::atomic<bool>* interrupted) const {
  std::vector<std::size_t> left(pieces.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  while (!left.empty()) {
    std::vector<std::size_t> busy;
    for (const std::size_t i : left) {
      if (interrupted != nullptr && interrupted->load()) return false;
      const Outcome outcome = run(pieces[i]);
      if (outcome == Outcome::kInterrupted) return false;
      if (outcome == Outcome::kBusy)
        busy.push_back(i);
      else if (told)
        told(i, outcome);
    }
    const bool waits = busy.size() == left.size();
    left = std::move(busy);
    if (waits && !left.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  return true;
}

}  // namespace mcns

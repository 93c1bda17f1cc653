#include "mcns/io/checkpoint.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include <zlib.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"

namespace mcns {
namespace {

constexpr char kMagic[8] = {'M', 'C', 'N', 'S', 'C', 'K', 'P', '1'};

std::uint32_t crc(std::uint32_t sum, const void* data, std::size_t bytes) {
  if (bytes == 0) return sum;  // zlib takes a null pointer, as an empty table has, for a reset
  return static_cast<std::uint32_t>(crc32_z(sum, static_cast<const Bytef*>(data), bytes));
}

/// Record: u32 length of the name, the name, u64 bytes, the bytes.
class Writer final : public Archive {
 public:
  using Sink = std::function<void(const void* data, std::size_t bytes)>;

  explicit Writer(Sink sink) : sink_(std::move(sink)) {}
  bool is_loading() const override { return false; }
  void put(const void* data, std::size_t bytes) {
    sink_(data, bytes);
    sum_ = crc(sum_, data, bytes);
  }
  std::uint32_t sum() const { return sum_; }

 protected:
  void fixed(std::string_view name, void* data, std::size_t bytes) override {
    const auto length = static_cast<std::uint32_t>(name.size());
    const std::uint64_t size = bytes;
    put(&length, sizeof length);
    put(name.data(), name.size());
    put(&size, sizeof size);
    put(data, bytes);
  }

 private:
  Sink sink_;
  std::uint32_t sum_ = 0;
};

class Reader final : public Archive {
 public:
  Reader(std::string path, std::string content)
      : path_(std::move(path)), content_(std::move(content)), at_(sizeof kMagic) {}
  bool is_loading() const override { return true; }
  const std::string& path() const { return path_; }
  void check_count(std::string_view name, std::size_t count, std::size_t bytes) const override {
    if (count > (content_.size() - at_) / bytes)
      throw_bad_data(
          path_, 0,
          fmt::format("'{}' is said to have {} elements, more than the file holds", name, count));
  }

 protected:
  void fixed(std::string_view name, void* data, std::size_t bytes) override {
    std::uint32_t length = 0;
    std::uint64_t size = 0;
    take(&length, sizeof length);
    std::string found(std::min<std::size_t>(length, 256), '\0');
    take(found.data(), found.size());
    take(&size, sizeof size);
    if (found != name || size != bytes)
      throw_bad_data(
          path_, 0,
          fmt::format("holds '{}' with {} bytes where this run needs '{}' with {}: it was "
                      "written by another version or other settings; --force starts anew",
                      found, size, name, bytes));
    take(data, bytes);
  }

 private:
  void take(void* data, std::size_t bytes) {
    if (bytes > content_.size() - at_) throw_bad_data(path_, 0, "ends too early");
    if (bytes > 0) std::memcpy(data, content_.data() + at_, bytes);
    at_ += bytes;
  }

  std::string path_, content_;
  std::size_t at_;
};

std::string state_path(const std::string& folder) { return folder + "/state.bin"; }
std::string previous_path(const std::string& folder) { return folder + "/previous.bin"; }

/// The content without its checksum if it is whole.
std::optional<std::string> checked(std::string content) {
  std::uint32_t sum = 0;
  if (content.size() < sizeof kMagic + sizeof sum ||
      std::memcmp(content.data(), kMagic, sizeof kMagic) != 0)
    return std::nullopt;
  const std::size_t size = content.size() - sizeof sum;
  std::memcpy(&sum, content.data() + size, sizeof sum);
  content.resize(size);
  if (crc(0, content.data(), content.size()) != sum) return std::nullopt;
  return content;
}

/// A whole file of another format is no damage.
void check_format(const std::string& path, const std::string& content) {
  constexpr std::size_t kName = sizeof kMagic - 1;  // all but the number of the format
  if (content.size() < sizeof kMagic + sizeof(std::uint32_t) ||
      std::memcmp(content.data(), kMagic, kName) != 0 || content[kName] == kMagic[kName])
    return;
  std::uint32_t sum = 0;
  const std::size_t size = content.size() - sizeof sum;
  std::memcpy(&sum, content.data() + size, sizeof sum);
  if (crc(0, content.data(), size) == sum)
    throw_bad_data(path, 0,
                   fmt::format("a checkpoint of format '{}', this program reads '{}'; finish the "
                               "run with the version of mcns that began it, or use --force",
                               content[kName], kMagic[kName]));
}

/// The same of a file, if it is there.
std::optional<std::string> read_whole(const std::string& path) {
  require_regular_file(path);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::error_code error;
  std::string content(std::filesystem::file_size(path, error), '\0');
  const std::size_t got = std::fread(content.data(), 1, content.size(), file);
  std::fclose(file);
  if (error || got != content.size()) return std::nullopt;
  check_format(path, content);
  return checked(std::move(content));
}

std::optional<Reader> open_newest(const std::string& folder) {
  bool any = false;
  for (const auto& path : {state_path(folder), previous_path(folder)}) {
    if (auto content = read_whole(path)) return Reader(path, std::move(*content));
    any = any || std::filesystem::exists(path);
  }
  if (any)
    throw_bad_data(state_path(folder), 0,
                   "the checkpoint is damaged and no whole one is beside it; remove the folder to "
                   "start anew");
  return std::nullopt;
}

}  // namespace

std::string state_to_bytes(const VisitState& visit) {
  std::string out;
  Writer writer([&](const void* data, std::size_t bytes) {
    out.append(static_cast<const char*>(data), bytes);
  });
  writer.put(kMagic, sizeof kMagic);
  visit(writer);
  const std::uint32_t sum = writer.sum();
  out.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return out;
}

void state_from_bytes(const std::string& bytes, const VisitState& visit, const std::string& what) {
  auto content = checked(bytes);
  if (!content) throw_bad_data(what, 0, "is damaged or of another version");
  Reader reader(what, std::move(*content));
  visit(reader);
}

void save_checkpoint(const std::string& folder, const std::string& settings,
                     const VisitState& visit) {
  make_directories(folder);
  remove_temporaries(folder);
  AtomicFile file(state_path(folder));
  Writer writer([&](const void* data, std::size_t bytes) { file.write(data, bytes); });
  writer.put(kMagic, sizeof kMagic);
  std::string text = settings;
  Archive& archive = writer;
  archive("settings", text);
  visit(writer);
  const std::uint32_t sum = writer.sum();
  file.write(&sum, sizeof sum);
  file.commit(previous_path(folder));
}

std::string checkpoint_settings(const std::string& folder) {
  auto reader = open_newest(folder);
  std::string settings;
  if (reader) static_cast<Archive&> (*reader)("settings", settings);
  return settings;
}

bool load_checkpoint(const std::string& folder, const VisitState& visit) {
  auto reader = open_newest(folder);
  if (!reader) return false;
  std::string settings;
  static_cast<Archive&> (*reader)("settings", settings);
  try {
    visit(*reader);
  } catch (const Error& error) {
    // What the parts of a run say of their state does not name the file.
    if (error.kind() != ErrorKind::kData ||
        std::string_view(error.what()).starts_with(reader->path()))
      throw;
    throw_bad_data(reader->path(), 0, error.what());
  }
  return true;
}

}  // namespace mcns

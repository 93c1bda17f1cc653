#include "mcns/train/event_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"

namespace mcns {
namespace {

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82F63B78U : 0);
    table[i] = value;
  }
  return table;
}();

template <class T>
std::string raw(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

std::string masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return raw<std::uint32_t>((crc >> 15 | crc << 17) + 0xA282EAD8U);
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

// Fields of protobuf: number and wire type, then the value.
std::string field(int number, std::uint64_t value) { return varint(number << 3) + varint(value); }
std::string field(int number, double value) { return varint(number << 3 | 1) + raw(value); }
std::string field(int number, float value) { return varint(number << 3 | 5) + raw(value); }
std::string field(int number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

double now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

std::string event(std::int64_t step) {
  return field(1, now()) + field(2, static_cast<std::uint64_t>(step));
}

/// As TensorFlow names them; files of one folder are read in the order of their names.
std::string file_name() {
  static std::atomic<int> counter{0};
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  return fmt::format("events.out.tfevents.{:010}.{}.{}.{}", static_cast<std::int64_t>(now()), host,
                     getpid(), counter++);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes)
    crc = crc >> 8 ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

EventFile::EventFile(const std::string& folder, std::int64_t first) {
  make_directories(folder);
  path_ = folder + "/" + file_name();
  file_ = std::fopen(path_.c_str(), "wb");
  if (file_ == nullptr)
    throw_error(ErrorKind::kIo, "cannot write {}: {}", path_, std::strerror(errno));
  record(event(0) + field(3, std::string_view("brain.Event:2")));
  constexpr std::uint64_t kStart = 1;
  record(event(first) + field(7, field(1, kStart)));
}

void EventFile::check_folder(const std::string& folder) {
  make_directories(folder);
  const AtomicFile can_be_made(folder + "/events");  // not committed: nothing stays
}

EventFile::~EventFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void EventFile::write(std::int64_t step, std::span<const Metric> scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars)
    summary += field(1, field(1, std::string_view(tag)) + field(2, static_cast<float>(value)));
  record(event(step) + field(5, summary));
}

void EventFile::record(const std::string& event) {
  const std::string length = raw<std::uint64_t>(event.size());
  const std::string bytes = length + masked_crc(length) + event + masked_crc(event);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() || std::fflush(file_) != 0)
    throw_error(ErrorKind::kIo, "cannot write {}: {}", path_, std::strerror(errno));
}

}  // namespace mcns

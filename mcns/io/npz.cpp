// Layout of a zip file: for each member a local header, its name and its bytes; then the central
// directory, which repeats the headers with offsets; then the end record. Sizes and offsets are
// always written in their 64-bit form (zip64), so tables of any size take the same path.
#include "mcns/io/npz.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include <fmt/format.h>
#include <zlib.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/io/input.h"
#include "mcns/io/npy.h"

namespace mcns {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator = 0x07064b50;
constexpr std::uint16_t kVersion = 45, kDate = 0x21;  // zip64; 1980-01-01, so bytes do not change

struct Member {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t size = 0, offset = 0;
};

class Record {
 public:
  template <class T>
  Record& put(T value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.append(raw, sizeof raw);
    return *this;
  }
  Record& put(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

using U16 = std::uint16_t;
using U32 = std::uint32_t;
constexpr U32 kIn64 = 0xffffffff;  // look in the 64-bit field

std::string local_header(const Member& m) {
  Record r;
  r.put(kLocal).put(kVersion).put(U16{0}).put(U16{0}).put(U16{0}).put(kDate).put(m.crc);
  r.put(kIn64).put(kIn64).put(U16(m.name.size())).put(U16{20}).put(m.name);
  r.put(U16{1}).put(U16{16}).put(m.size).put(m.size);
  return r.bytes();
}

std::string central_header(const Member& m) {
  Record r;
  r.put(kCentral).put(kVersion).put(kVersion).put(U16{0}).put(U16{0}).put(U16{0}).put(kDate);
  r.put(m.crc).put(kIn64).put(kIn64).put(U16(m.name.size())).put(U16{28}).put(U16{0});
  r.put(U16{0}).put(U16{0}).put(U32{0}).put(kIn64).put(m.name);
  r.put(U16{1}).put(U16{24}).put(m.size).put(m.size).put(m.offset);
  return r.bytes();
}

std::string end_records(std::uint64_t members, std::uint64_t directory, std::uint64_t at) {
  Record r;
  r.put(kEnd64).put(std::uint64_t{44}).put(kVersion).put(kVersion).put(U32{0}).put(U32{0});
  r.put(members).put(members).put(directory).put(at);
  r.put(kLocator).put(U32{0}).put(at + directory).put(U32{1});
  r.put(kEnd).put(U16{0}).put(U16{0}).put(U16(members)).put(U16(members));
  r.put(kIn64).put(kIn64).put(U16{0});
  return r.bytes();
}

std::uint32_t crc_of(std::uint32_t before, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Raw deflate, as in zip files.
std::string inflated(const std::string& path, std::string_view packed, std::uint64_t size) {
  std::string out(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::uint64_t read = 0, written = 0;
  int status = Z_OK;
  constexpr std::uint64_t kMost = 1U << 30;
  while (status == Z_OK) {
    const auto in = std::min(packed.size() - read, kMost), room = std::min(size - written, kMost);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || written != size)
    throw_bad_data(path, 0, "not a NumPy archive (.npz): its compressed data are damaged");
  return out;
}

/// Numbers out of the bytes of a file; asking for what lies outside is a truncated file.
class Reader {
 public:
  Reader(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  template <class T>
  T get(std::uint64_t at) const {
    T value;
    std::memcpy(&value, slice(at, sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view slice(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) fail("truncated");
    return bytes_.substr(at, size);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw_bad_data(path_, 0, "not a NumPy archive (.npz): " + what);
  }
  std::uint64_t size() const { return bytes_.size(); }

 private:
  const std::string& path_;
  std::string_view bytes_;
};

struct Directory {
  std::uint64_t members, at;
};

Directory find_directory(const Reader& file) {
  constexpr std::uint64_t kEndSize = 22, kLocatorSize = 20;
  if (file.size() < kEndSize) file.fail("too short");
  // A comment may follow the end record; it is at most 65,535 bytes.
  std::uint64_t end = file.size() - kEndSize;
  const std::uint64_t stop = end > 65535 ? end - 65535 : 0;
  while (file.get<U32>(end) != kEnd) {
    if (end == stop) file.fail("no end record");
    --end;
  }
  Directory found{file.get<U16>(end + 10), file.get<U32>(end + 16)};
  if (found.at == kIn64) {
    if (end < kLocatorSize || file.get<U32>(end - kLocatorSize) != kLocator)
      file.fail("no 64-bit end record");
    const auto at = file.get<std::uint64_t>(end - kLocatorSize + 8);
    if (file.get<U32>(at) != kEnd64) file.fail("no 64-bit end record");
    found = {file.get<std::uint64_t>(at + 32), file.get<std::uint64_t>(at + 48)};
  }
  return found;
}

/// The 64-bit values of a header's extra field, in their fixed order, for those that are kIn64.
void read_wide(const Reader& file, std::uint64_t at, std::uint64_t size,
               std::initializer_list<std::uint64_t*> values) {
  for (const std::uint64_t end = at + size; at + 4 <= end;) {
    const auto id = file.get<U16>(at), length = file.get<U16>(at + 2);
    at += 4;
    if (id == 1) {
      std::uint64_t from = at;
      for (std::uint64_t* value : values) {
        if (*value != kIn64) continue;
        *value = file.get<std::uint64_t>(from);
        from += 8;
      }
      return;
    }
    at += length;
  }
}

std::string member_bytes(const std::string& path, const Reader& file, const Member& m,
                         std::uint64_t packed, bool compressed) {
  if (file.get<U32>(m.offset) != kLocal) file.fail("'" + m.name + "' has no local header");
  const std::uint64_t skip =
      30 + std::uint64_t{file.get<U16>(m.offset + 26)} + file.get<U16>(m.offset + 28);
  const std::string_view raw = file.slice(m.offset + skip, compressed ? packed : m.size);
  // A few bytes cannot unpack to much more than a thousand times as many.
  if (compressed && m.size / 1100 > packed) file.fail("'" + m.name + "' is damaged: its size");
  std::string bytes = compressed ? inflated(path, raw, m.size) : std::string(raw);
  if (crc_of(0, bytes) != m.crc)
    file.fail("'" + m.name + "' is damaged: its checksum does not match");
  return bytes;
}

}  // namespace

void write_npz(const std::string& path, std::span<const NpzStream> arrays) {
  AtomicFile file(path);
  std::vector<Member> members;
  for (const NpzStream& array : arrays) {
    const std::string header = npy_header(array.descr, array.shape);
    std::uint32_t crc = crc_of(0, header);
    array.make_data([&](std::string_view bytes) { crc = crc_of(crc, bytes); });
    members.push_back({array.name + ".npy", crc, header.size() + array.bytes, file.size()});
    file.write(local_header(members.back()));
    file.write(header);
    array.make_data([&](std::string_view bytes) { file.write(bytes); });
  }
  const std::uint64_t at = file.size();
  for (const Member& member : members) file.write(central_header(member));
  file.write(end_records(members.size(), file.size() - at, at));
  file.commit();
}

void write_npz(const std::string& path, std::span<const NpzArray> arrays) {
  std::vector<NpzStream> streams;
  for (const NpzArray& array : arrays) {
    const ConstMatrixRef values = array.values;
    const std::uint64_t row = sizeof(float) * values.dim;
    streams.push_back({array.name,
                       "<f4",
                       {values.rows, values.dim},
                       row * values.rows,
                       [values, row](const NpzStream::Sink& sink) {
                         for (std::int64_t i = 0; i < values.rows; ++i)
                           sink({reinterpret_cast<const char*>(values.row(i)), row});
                       }});
  }
  write_npz(path, streams);
}

std::vector<NpzMember> read_npz_members(const std::string& path) {
  const Input input(path);
  const Reader file(path, input.bytes());
  const Directory directory = find_directory(file);
  std::vector<NpzMember> out;
  std::uint64_t at = directory.at, unpacked = 0;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    if (file.get<U32>(at) != kCentral) file.fail("its directory is damaged");
    const auto method = file.get<U16>(at + 10), name_size = file.get<U16>(at + 28),
               extra = file.get<U16>(at + 30), comment = file.get<U16>(at + 32);
    Member m{std::string(file.slice(at + 46, name_size)), file.get<U32>(at + 16),
             file.get<U32>(at + 24), file.get<U32>(at + 42)};
    std::uint64_t packed = file.get<U32>(at + 20);
    read_wide(file, at + 46 + name_size, extra, {&m.size, &packed, &m.offset});
    constexpr int kStored = 0, kDeflated = 8;
    if (method != kStored && method != kDeflated)
      file.fail("'" + m.name + "' is packed in an unknown way; save with numpy.savez");
    if (!m.name.ends_with(".npy")) file.fail("'" + m.name + "' is not an array (.npy)");
    // Entries of the directory may share their bytes, so their number bounds nothing.
    const std::uint64_t limit = most_unpacked(file.size());
    if (m.size > limit || (unpacked += m.size) > limit)
      throw_bad_data(path, 0, fmt::format("unpacks to more than {} bytes", limit));
    out.push_back({m.name.substr(0, m.name.size() - 4),
                   member_bytes(path, file, m, packed, method == kDeflated)});
    at += 46 + std::uint64_t{name_size} + extra + comment;
  }
  std::unordered_set<std::string_view> names;
  for (const NpzMember& member : out)
    if (!names.insert(member.name).second) file.fail("two of its arrays are '" + member.name + "'");
  return out;
}

std::vector<NamedMatrix> read_npz(const std::string& path) {
  std::vector<NamedMatrix> out;
  for (const auto& [name, bytes] : read_npz_members(path))
    out.push_back({name, parse_npy(fmt::format("{}:{}.npy", path, name), bytes)});
  return out;
}

}  // namespace mcns

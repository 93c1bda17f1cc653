// NumPy's .npz: a zip file of .npy arrays, not compressed, readable by numpy.load.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/core/matrix.h"

namespace mcns {

struct NpzArray {
  std::string name;  ///< without .npy
  ConstMatrixRef values;
};

/// Whole or not at all.
void write_npz(const std::string& path, std::span<const NpzArray> arrays);

/// An array whose bytes are made while they are written, for those that do not fit into memory.
struct NpzStream {
  using Sink = std::function<void(std::string_view bytes)>;
  std::string name, descr;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes;                         ///< of the data
  std::function<void(const Sink&)> make_data;  ///< called twice: the checksum comes first
};
void write_npz(const std::string& path, std::span<const NpzStream> arrays);

/// The names of a file's arrays, each with its bytes as of a .npy file; compressed ones are
/// unpacked. Damage is Error(kData).
struct NpzMember {
  std::string name, bytes;
};
std::vector<NpzMember> read_npz_members(const std::string& path);

struct NamedMatrix {
  std::string name;
  Matrix values;
};

/// Tables in the order of the file; anything else in it is Error(kData).
std::vector<NamedMatrix> read_npz(const std::string& path);

}  // namespace mcns

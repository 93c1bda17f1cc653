// NumPy's .npz: a zip file of .npy arrays, not compressed, readable by numpy.load.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mcns/core/matrix.h"

namespace mcns {

struct NpzArray {
  std::string name;  ///< without .npy
  ConstMatrixRef values;
};

/// Whole or not at all.
void write_npz(const std::string& path, std::span<const NpzArray> arrays);

struct NamedMatrix {
  std::string name;
  Matrix values;
};

/// Arrays in the order of the file. Compressed ones are refused; damage is Error(kData).
std::vector<NamedMatrix> read_npz(const std::string& path);

}  // namespace mcns

// MATLAB files whose sizes fit nothing that follows: libmatio would allocate by them.
#include <zlib.h>

#include "mcns/io/formats/formats.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

std::string word(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), 4}; }

template <class T>
std::string numbers(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// With padding, and with the size that the file is to say.
std::string element(std::uint32_t type, const std::string& data, std::uint32_t size) {
  return word(type) + word(size) + data + std::string((8 - data.size() % 8) % 8, '\0');
}
std::string element(std::uint32_t type, const std::string& data) {
  return element(type, data, static_cast<std::uint32_t>(data.size()));
}

constexpr std::uint32_t kInt8 = 1, kInt32 = 5, kUint32 = 6, kDouble = 9, kMatrix = 14, kPacked = 15;
constexpr std::uint32_t kCells = 1, kSparse = 5;  // classes

/// The path 0 - 1 - 2 - 3.
std::string network(double weight = 1, std::uint32_t name_size = 7) {
  using Numbers = std::vector<std::int32_t>;
  return element(kMatrix, element(kUint32, word(kSparse) + word(6)) +
                              element(kInt32, numbers(Numbers{4, 4})) +
                              element(kInt8, "network", name_size) +
                              element(kInt32, numbers(Numbers{1, 0, 2, 1, 3, 2})) +
                              element(kInt32, numbers(Numbers{0, 1, 3, 5, 6})) +
                              element(kDouble, numbers(std::vector<double>(6, weight))));
}

std::string cells(std::int32_t count) {
  return element(kMatrix, element(kUint32, word(kCells) + word(0)) +
                              element(kInt32, numbers(std::vector<std::int32_t>{count, 1})) +
                              element(kInt8, "c"));
}

std::string packed(const std::string& bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  compress(reinterpret_cast<Bytef*>(out.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return word(kPacked) + word(static_cast<std::uint32_t>(size)) + out;
}

class CraftedMat : public testing::Test {
 protected:
  std::string write(const std::string& elements, char version = '\x01') {
    std::string header = "MATLAB 5.0 MAT-file";
    header.resize(124, ' ');
    return folder_.write("a.mat", header + '\0' + version + "IM" + elements);
  }
  void refuse(const std::string& path, const std::string& part) {
    const auto message = error_of(ErrorKind::kData, [&] { read_mat(path); });
    EXPECT_TRUE(contains(message, part)) << message;
  }
  ScratchFolder folder_;
};

TEST_F(CraftedMat, SoundOnesAreRead) {
  for (const std::string& elements :
       std::vector<std::string>{network(), packed(network()), cells(0) + network()}) {
    const MatFile mat = read_mat(write(elements));
    EXPECT_EQ(mat.edges.pairs, (std::vector<Pair>{{1, 2}, {2, 3}, {3, 4}}));
  }
}

TEST_F(CraftedMat, SizesMustFitWhatFollows) {
  const std::string huge = network(1, 0xE1FFFFFF);
  refuse(write(huge), "a part of 3791650815 bytes, where ");
  refuse(write(packed(huge)), "a part of 3791650815 bytes, where ");
  refuse(write(cells(1 << 30) + network()), "cells in");
  refuse(write(packed(cells(1 << 30)) + network()), "cells in");
  refuse(write(element(7, "nothing.") + network()), "type 7 where a variable belongs");
  const std::string sound = packed(network());
  refuse(write(sound.substr(0, sound.size() - 9)), "a part of");
}

TEST_F(CraftedMat, PackedVariablesMustNotFillTheMemory) {
  refuse(write(packed(std::string(std::size_t{80} << 20, '\0')) + network()), "unpacks to more");
}

TEST_F(CraftedMat, OtherVersionsAreNamed) {
  refuse(write(network(), '\x02'), "version 7.3 (HDF5), expected 5 to 7: save with -v7");
  refuse(folder_.write("b.mat", "\x89HDF\r\n\x1a\n"), "version 7.3");
}

TEST_F(CraftedMat, WeightsMustFitAFloat) { refuse(write(network(1e300)), "has 1e+300 at (2, 1)"); }

}  // namespace
}  // namespace mcns

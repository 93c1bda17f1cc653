// NumPy tables: round trips, every accepted form of header, every refused one.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/io/npy.h"

#include "tests/paths.h"

namespace mcns {
namespace {

class Npy : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::string(kTestScratch) + "/npy_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string path(const std::string& name = "x.npy") const { return folder_ + "/" + name; }

  template <class T>
  std::string file(const std::string& dict, const std::vector<T>& values, int version = 1) const {
    std::string bytes = "\x93NUMPY";
    bytes += {static_cast<char>(version), '\0', static_cast<char>(dict.size() % 256),
              static_cast<char>(dict.size() / 256)};
    if (version > 1) bytes += {'\0', '\0'};
    bytes += dict;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    std::ofstream(path(), std::ios::binary) << bytes;
    return path();
  }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string refusal(const std::string& path) const {
    try {
      read_npy(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }
  std::string folder_;
};

TEST_F(Npy, RoundTrip) {
  for (const auto& [rows, dim] : {std::pair{7, 3}, {1, 16}, {5, 33}, {0, 4}}) {
    Matrix matrix(rows, dim);
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < dim; ++k) matrix.row(i)[k] = 1.0F / static_cast<float>(1 + i * dim + k);
    write_npy(path(), matrix.view());
    const Matrix back = read_npy(path());
    ASSERT_EQ(back.rows(), rows);
    ASSERT_EQ(back.dim(), dim);
    EXPECT_TRUE(std::equal(back.flat().begin(), back.flat().end(), matrix.flat().begin()));
  }
}

// What numpy.save writes for numpy.array([[1, 2, 3]], dtype='float32').
TEST_F(Npy, WritesWhatNumpyWrites) {
  Matrix matrix(1, 3);
  for (int k = 0; k < 3; ++k) matrix.row(0)[k] = static_cast<float>(k + 1);
  write_npy(path(), matrix.view());
  std::string expected = "\x93NUMPY";
  expected += {'\x01', '\0', '\x76', '\0'};
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }";
  expected.resize(127, ' ');
  expected += '\n';
  const float values[] = {1, 2, 3};
  expected.append(reinterpret_cast<const char*>(values), sizeof values);
  EXPECT_EQ(content(path()), expected);
}

TEST_F(Npy, ReadsTheFormsThatNumpyWrites) {
  const auto expect_123456 = [](const Matrix& matrix) {
    ASSERT_EQ(matrix.rows(), 2);
    ASSERT_EQ(matrix.dim(), 3);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(matrix.row(i / 3)[i % 3], static_cast<float>(i + 1));
  };
  const std::vector<float> c = {1, 2, 3, 4, 5, 6}, fortran = {1, 4, 2, 5, 3, 6};
  const std::vector<double> doubles(c.begin(), c.end());
  const std::string rest = "'fortran_order': False, 'shape': (2, 3), }\n";
  expect_123456(read_npy(file("{'descr': '<f4', " + rest, c)));
  expect_123456(read_npy(file("{'descr': '<f4', " + rest, c, 2)));
  expect_123456(read_npy(file("{'descr': '<f4', " + rest, c, 3)));
  expect_123456(read_npy(file("{'descr': '<f8', " + rest, doubles)));
  expect_123456(
      read_npy(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }  \n", fortran)));
  expect_123456(read_npy(file("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}", c)));
}

TEST_F(Npy, RefusesBadFiles) {
  const std::vector<float> c = {1, 2, 3, 4, 5, 6};
  const std::string rest = "'fortran_order': False, 'shape': (2, 3), }";
  const std::string dict = "{'descr': '<f4', " + rest;
  EXPECT_NE(refusal(file("{'descr': '>f4', " + rest, c)).find("'>f4'"), std::string::npos);
  refusal(file("{'descr': '<i4', " + rest, c));
  refusal(file("{'descr': [('a', '<f4')], " + rest, c));
  refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", c));
  refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }", c));
  refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", c));
  refusal(file("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3), }", c));
  refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }", c));
  refusal(file(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2147483600)}", c));
  refusal(file("{'descr': '<f4', 'fortran_order': False}", c));
  refusal(file("{'descr': '<f4', 'wrong': 1}", c));
  refusal(file("{'descr': '<f4", c));
  refusal(file("", c));
  refusal(file(dict, c, 9));
  refusal(file("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }",
               std::vector<double>{1e300}));
  const std::string good = content(file(dict, c));
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{9}, std::size_t{30}, good.size() - 1}) {
    std::ofstream(path(), std::ios::binary) << good.substr(0, size);
    refusal(path());
  }
  std::ofstream(path(), std::ios::binary) << "1 2 3\n";
  refusal(path());
  EXPECT_THROW(read_npy(path("missing.npy")), Error);
}

}  // namespace
}  // namespace mcns

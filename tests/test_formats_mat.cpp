// MATLAB files in BlogCatalog's layout, written by libmatio as MATLAB would.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <matio.h>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/io/formats/formats.h"

#include "tests/paths.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

std::string scratch(const std::string& name) {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = fs::path(kTestScratch) / "mat" / info->name();
  fs::create_directories(folder);
  return (folder / name).string();
}

using Dense = std::vector<std::vector<double>>;

void put_sparse(mat_t* file, const char* name, const Dense& dense, matio_compression compression) {
  const std::size_t rows = dense.size(), columns = dense[0].size();
  std::vector<mat_uint32_t> ir, jc = {0};
  std::vector<double> values;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i)
      if (dense[i][j] != 0) {
        ir.push_back(static_cast<mat_uint32_t>(i));
        values.push_back(dense[i][j]);
      }
    jc.push_back(static_cast<mat_uint32_t>(ir.size()));
  }
  const auto entries = static_cast<mat_uint32_t>(ir.size());
  mat_sparse_t sparse = {};
  sparse.nzmax = sparse.nir = sparse.ndata = entries;
  sparse.ir = ir.data();
  sparse.jc = jc.data();
  sparse.njc = static_cast<mat_uint32_t>(jc.size());
  sparse.data = values.data();
  std::size_t dims[2] = {rows, columns};
  auto* variable =
      Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &sparse, MAT_F_DONT_COPY_DATA);
  ASSERT_NE(variable, nullptr);
  ASSERT_EQ(Mat_VarWrite(file, variable, compression), 0);
  Mat_VarFree(variable);
}

void put_full(mat_t* file, const char* name) {
  double values[4] = {1, 0, 0, 1};
  std::size_t dims[2] = {2, 2};
  auto* variable = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values, 0);
  ASSERT_EQ(Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE), 0);
  Mat_VarFree(variable);
}

void write_mat(const std::string& path, const std::vector<std::pair<const char*, Dense>>& matrices,
               matio_compression compression = MAT_COMPRESSION_ZLIB) {
  fs::remove(path);
  auto* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  ASSERT_NE(file, nullptr);
  for (const auto& [name, dense] : matrices) put_sparse(file, name, dense, compression);
  Mat_Close(file);
}

const Dense kNetwork = {{0, 1, 1, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}};
const Dense kGroup = {{1, 0, 1}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};

TEST(Mat, ReadsNetworkAndGroup) {
  const auto path = scratch("blog.mat");
  for (const auto compression : {MAT_COMPRESSION_ZLIB, MAT_COMPRESSION_NONE}) {
    write_mat(path, {{"group", kGroup}, {"network", kNetwork}}, compression);
    const auto mat = read_mat(path);
    EXPECT_EQ(mat.edges.pairs, (std::vector<Pair>{{1, 2}, {1, 3}}));
    EXPECT_TRUE(mat.edges.symmetric);
    EXPECT_TRUE(mat.edges.values.empty());
    EXPECT_TRUE(mat.edges.numeric);
    EXPECT_EQ(mat.edges.isolated, (std::vector<NodeId>{4}));
    std::vector<std::pair<int, int>> labels;
    for (const auto& [node, label] : mat.labels) labels.emplace_back(node, label);
    EXPECT_EQ(labels, (std::vector<std::pair<int, int>>{{1, 1}, {1, 3}, {2, 2}, {3, 3}, {4, 1}}));
  }
}

TEST(Mat, KeepsDirectionsAndWeightsWhereTheyDiffer) {
  const auto path = scratch("directed.mat");
  write_mat(path, {{"network", {{0, 2}, {1, 0}}}});
  const auto mat = read_mat(path);
  EXPECT_FALSE(mat.edges.symmetric);
  EXPECT_EQ(mat.edges.pairs, (std::vector<Pair>{{2, 1}, {1, 2}}));
  EXPECT_EQ(mat.edges.values, (std::vector<float>{1, 2}));
  EXPECT_TRUE(mat.labels.empty());
}

std::string data_error(const std::string& path) {
  try {
    read_mat(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind(path, 0), 0U) << error.what();
    return error.what();
  }
  return "";
}

TEST(Mat, RefusesOtherLayouts) {
  const auto path = scratch("other.mat");
  const auto refused = [&](const std::string& part) {
    const auto what = data_error(path);
    EXPECT_NE(what.find(part), std::string::npos) << what;
  };
  write_mat(path, {{"graph", kNetwork}});
  refused("no variable 'network'");
  write_mat(path, {{"network", kGroup}});
  refused("square");
  write_mat(path, {{"network", {{0, 1}, {1, 0}}}, {"group", kGroup}});
  refused("row per node");
  write_mat(path, {{"network", {{0, -1}, {-1, 0}}}});
  refused("-1 at (2, 1)");
  write_mat(path, {});
  auto* file = Mat_Open(path.c_str(), MAT_ACC_RDWR);
  put_full(file, "network");
  Mat_Close(file);
  refused("sparse");
  std::ofstream(path) << "1 2\n2 3\n";
  refused("not a MATLAB file");
}

TEST(Mat, TruncatedFilesNeverCrash) {
  const auto path = scratch("blog.mat"), cut = scratch("cut.mat");
  write_mat(path, {{"network", kNetwork}, {"group", kGroup}}, MAT_COMPRESSION_NONE);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    std::ofstream(cut, std::ios::binary | std::ios::trunc) << bytes.substr(0, size);
    data_error(cut);  // labels may be cut off cleanly, so not every length is an error
  }
}

TEST(Mat, MissingFileAndFolderAreInputErrors) {
  for (const auto& path : {scratch("missing.mat"), std::string(kTestScratch)}) {
    try {
      read_mat(path);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIo) << error.what();
    }
  }
}

}  // namespace
}  // namespace mcns

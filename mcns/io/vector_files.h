// Tables of vectors in the files of other tools: word2vec (text and binary), tab-separated text,
// NumPy.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/matrix.h"

namespace mcns {

/// Rows with their ids.
struct NamedVectors {
  std::vector<std::string> ids;    ///< empty where the file has none
  std::vector<std::string> kinds;  ///< user or item, for every row; empty where the file has none
  Matrix vectors;
};

/// `n dim`, then a line per row: id and numbers with blanks between; .gz and .zst are packed. Ids
/// are words: a blank in one becomes _. Returns how many had one; ids that become equal are
/// Error(kData).
std::int64_t write_word2vec(const std::string& path, const NamedVectors& table);
/// The same with float32 numbers after the id, as the original program writes with -binary 1.
std::int64_t write_word2vec_binary(const std::string& path, const NamedVectors& table);
/// A line per row: id and numbers, with tabs between; no header.
void write_vectors_tsv(const std::string& path, const NamedVectors& table);
/// Arrays `ids`, `vectors`, and `kinds` where there are any.
void write_vectors_npz(const std::string& path, const NamedVectors& table);

/// Any of these: .npy and .npz by the name, .bin as binary word2vec, all else as text with or
/// without the line `n dim`. Numbers are separated by tabs if the line has any, else by blanks. Of
/// a .npz the table is `vectors` or `embeddings`, else the only one of two dimensions; `ids` and
/// `kinds` are read where they are there. Faults are Error(kData) with the line.
NamedVectors read_vectors(const std::string& path);

/// Throws Error(kData) with `path` for a number that is NaN or infinite.
void check_finite(const std::string& path, const Matrix& table);
/// The same, for numbers whose products overflow, and for a table without rows or columns.
void check_vectors(const std::string& path, const Matrix& table);

}  // namespace mcns

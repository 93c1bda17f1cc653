#include "mcns/model/weights.h"

#include <algorithm>

#include "mcns/core/error.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/npz.h"
#include "mcns/io/vector_files.h"

namespace mcns {
namespace {

const Matrix& find(const std::string& path, const std::vector<NamedMatrix>& arrays,
                   const std::string& name, int dim) {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const auto& a) { return a.name == name; });
  if (found == arrays.end()) throw_bad_data(path, 0, fmt::format("has no array '{}'", name));
  if (found->values.dim() != dim)
    throw_bad_data(
        path, 0, fmt::format("'{}' has {} columns, this model {}", name, found->values.dim(), dim));
  return found->values;
}

void copy_rows(const Matrix& from, const std::vector<NodeId>& rows, Unmatched unmatched,
               Matrix& to) {
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (rows[v] >= 0)
      std::copy_n(from.row(rows[v]), to.dim(), to.row(static_cast<std::int64_t>(v)));
    else if (unmatched == Unmatched::kZero)
      std::fill_n(to.row(static_cast<std::int64_t>(v)), to.dim(), 0.0F);
  }
}

}  // namespace

void save_weights(const std::string& path, Encoder& encoder) {
  std::vector<NpzArray> arrays;
  encoder.visit_parameters([&](const std::string& name, Matrix& value) {
    arrays.push_back({name, value.view()});
  });
  write_npz(path, arrays);
}

std::vector<NodeId> match_rows(const Graph& graph, const Names& names, const Graph& old_graph,
                               const Names& old_names) {
  std::vector<NodeId> rows(graph.num_nodes(), -1);
  const auto match = [&](NodeRange ours, NodeRange theirs) {
    const RowIndex index(old_names, theirs);
    for (NodeId v = ours.begin; v < ours.end; ++v) rows[v] = index.find(names.name(v)).value_or(-1);
  };
  match(graph.sources(), old_graph.sources());
  if (graph.is_bipartite()) match(graph.targets(), old_graph.targets());
  return rows;
}

void load_weights(const std::string& path, Encoder& encoder, const std::vector<NodeId>& rows,
                  Unmatched unmatched) {
  const std::vector<NamedMatrix> arrays = read_npz(path);
  for (const NamedMatrix& array : arrays) check_finite(path + ":" + array.name, array.values);
  encoder.visit_parameters([&](const std::string& name, Matrix& value) {
    const Matrix& saved = find(path, arrays, name, value.dim());
    if (name == "input") {
      for (const NodeId row : rows)
        if (row >= saved.rows()) throw_bad_data(path, 0, "has fewer vectors than graph.bin nodes");
      copy_rows(saved, rows, unmatched, value);
      return;
    }
    if (saved.rows() != value.rows())
      throw_bad_data(
          path, 0,
          fmt::format("'{}' has {} rows, this model {}", name, saved.rows(), value.rows()));
    value = saved;
  });
}

NodeId saved_feature_count(const std::string& path) {
  for (const NamedMatrix& array : read_npz(path))
    if (array.name == "features") return static_cast<NodeId>(array.values.rows());
  return 0;
}

}  // namespace mcns

#include "mcns/model/export.h"

#include <algorithm>
#include <unordered_set>

#include "mcns/core/error.h"
#include "mcns/eval/top_k.h"
#include "mcns/io/vector_files.h"
#include "mcns/model/scores.h"

namespace mcns {
namespace {

void require_known(const char* what, const std::string& given,
                   const std::vector<std::string>& known) {
  if (std::ranges::find(known, given) == known.end()) throw_unknown(what, given, known);
}

NodeRange rows_of(const Graph& graph, const std::string& kind) {
  if (kind.empty()) return {0, graph.num_nodes()};
  require_known("kind", kind, {"user", "item"});
  require(graph.is_bipartite(), "--kind {}: the model has no users and items", kind);
  return kind == "user" ? graph.sources() : graph.targets();
}

bool has_shared_ids(const LoadedModel& model) {
  std::unordered_set<std::string> users;
  for (NodeId u = 0; u < model.graph.num_users(); ++u) users.insert(model.names.name(u));
  for (NodeId v = model.graph.num_users(); v < model.graph.num_nodes(); ++v)
    if (users.contains(model.names.name(v))) return true;
  return false;
}

Matrix table_of(const LoadedModel& model, const ExportOptions& options, NodeRange rows) {
  std::string table = options.table;
  if (table.empty()) table = model.graph.is_bipartite() ? "scores" : "node";
  require_known("table", table, export_tables());
  require(table != "context" || !model.context.empty(), "{}: the model has no context vectors",
          options.model);
  const EmbeddingView tables = saved_score_tables(model, options.model);
  Matrix out(rows.size(), model.embeddings.dim());
  for (NodeId v = rows.begin; v < rows.end; ++v) {
    const bool item = model.graph.is_bipartite() && v >= model.graph.num_users();
    const ConstMatrixRef from = table == "node"      ? model.embeddings.view()
                                : table == "context" ? model.context.view()
                                : item               ? tables.target
                                                     : tables.source;
    std::copy_n(from.row(v), from.dim, out.row(v - rows.begin));
  }
  return options.unit ? unit_rows(out.view()) : out;
}

}  // namespace

const std::vector<std::string>& export_formats() {
  static const std::vector<std::string> formats = {"word2vec", "word2vec-bin", "tsv", "npz"};
  return formats;
}

const std::vector<std::string>& export_tables() {
  static const std::vector<std::string> tables = {"node", "context", "scores"};
  return tables;
}

ExportReport export_model(const ExportOptions& options) {
  require_known("format", options.to, export_formats());
  const LoadedModel model = load_model_directory(options.model);
  const NodeRange rows = rows_of(model.graph, options.kind);
  ExportReport report;
  NamedVectors table;
  table.vectors = table_of(model, options, rows);
  report.vectors = table.vectors.rows();
  report.dim = table.vectors.dim();
  const bool both = model.graph.is_bipartite() && options.kind.empty();
  report.prefixed = both && options.to != "npz" && has_shared_ids(model);
  for (NodeId v = rows.begin; v < rows.end; ++v) {
    const char* kind = v < model.graph.num_users() ? "user" : "item";
    const std::string id = model.names.name(v);
    table.ids.push_back(report.prefixed ? fmt::format("{}:{}", kind, id) : id);
    if (both) table.kinds.emplace_back(kind);
  }
  if (options.to == "word2vec") report.blanks = write_word2vec(options.out, table);
  if (options.to == "word2vec-bin") report.blanks = write_word2vec_binary(options.out, table);
  if (options.to == "tsv") write_vectors_tsv(options.out, table);
  if (options.to == "npz") write_vectors_npz(options.out, table);
  return report;
}

}  // namespace mcns

#include "mcns/model/top_lists.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/delimited.h"
#include "mcns/io/input.h"
#include "mcns/io/sha256.h"
#include "mcns/model/scores.h"

namespace mcns {
namespace {

bool is_header(std::string_view word) {
  constexpr std::string_view kWords[] = {"user",    "node",   "item",    "id",
                                         "user_id", "userid", "node_id", "item_id"};
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kWords, lower) != std::end(kWords);
}

void add_table(Sha256& sum, ConstMatrixRef table) {
  for (std::int64_t i = 0; i < table.rows; ++i) sum.update(table.row(i), sizeof(float) * table.dim);
}

template <class T>
void add_values(Sha256& sum, std::span<const T> values) {
  sum.update(values.data(), values.size_bytes());
}

}  // namespace

Askers all_askers(NodeRange range) {
  Askers out;
  out.rows.resize(range.size());
  std::iota(out.rows.begin(), out.rows.end(), range.begin);
  return out;
}

Askers read_askers(const std::string& path, const Names& names, NodeRange range) {
  const Input input(path);
  const RowIndex index(names, range);
  const std::string_view separator = is_csv_name(path) ? "," : "\t";
  Askers out;
  bool first = true;
  for_each_line(input.bytes(), [&](std::string_view line) {
    const auto fields = split_fields(line, separator);
    if (fields[0].empty()) return;
    const auto row = index.find(fields[0]);
    const bool header = std::exchange(first, false) && !row && is_header(fields[0]);
    if (header) return;
    // Unknown ids are written into the answer.
    if (const std::string problem = id_problem(fields[0]); !problem.empty())
      throw_bad_data(path, 0, problem);
    out.rows.push_back(row ? *row : ~static_cast<NodeId>(out.unknown.size()));
    if (!row) out.unknown.push_back(fields[0]);
  });
  if (out.rows.empty()) throw_bad_data(path, 0, "it has no ids; expected one a line");
  return out;
}

TopLists::TopLists(const LoadedModel& model, Askers askers, NodeRange among, std::size_t k)
    : model_(&model),
      askers_(std::move(askers)),
      k_(std::min<std::size_t>(k, among.size())),
      among_(among) {
  require(k_ > 0, "-k must be positive, got {}", k);
}

TopLists TopLists::of_items(const LoadedModel& model, const EmbeddingView& tables, Askers askers,
                            std::size_t k) {
  TopLists out(model, std::move(askers), model.graph.targets(), k);
  out.tables_ = tables;
  for (std::int64_t i = 0; i < out.size(); ++i) out.popular_lists_ += out.is_popular(i) ? 1 : 0;
  if (out.popular_lists_ > 0) out.find_popular();
  return out;
}

TopLists TopLists::of_neighbors(const LoadedModel& model, ConstMatrixRef table, NodeRange among,
                                Askers askers, std::size_t k) {
  TopLists out(model, std::move(askers), among, k);
  out.neighbors_ = true;
  out.unit_ = unit_rows(directions(model, table).view());
  out.tables_ = {out.unit_.view(), out.unit_.view()};
  for (NodeId v = 0; v < static_cast<NodeId>(table.rows); ++v)
    if (std::ranges::all_of(out.unit_.view()[v], [](float x) { return x == 0; }))
      out.left_out_.push_back(v);
  return out;
}

void TopLists::find_popular() {
  std::vector<std::int64_t> pairs(among_.size(), 0);
  const Graph& graph = model_->graph;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    for (const NodeId v : graph.neighbors(u)) ++pairs[v - among_.begin];
  for (NodeId v = among_.begin; v < among_.end; ++v)
    popular_.push_back({v, static_cast<float>(pairs[v - among_.begin])});
  std::ranges::stable_sort(popular_, std::greater{}, &ScoredNode::score);
  popular_.resize(k_, kNoNode);
}

std::string TopLists::id(std::int64_t asker) const {
  const NodeId row = askers_.rows[asker];
  return row < 0 ? askers_.unknown[~row] : model_->names.name(row);
}

bool TopLists::is_popular(std::int64_t asker) const {
  const NodeId row = askers_.rows[asker];
  return !neighbors_ && (row < 0 || model_->graph.degree(row) == 0);
}

void TopLists::fill(std::int64_t first, std::int64_t last, ThreadPool& pool,
                    std::span<ScoredNode> out) const {
  std::vector<NodeId> rows(askers_.rows.begin() + first, askers_.rows.begin() + last);
  // Askers without a vector are scored as row 0, which keeps the places of the others.
  for (NodeId& row : rows) row = std::max(row, 0);
  best_targets({.source = tables_.source,
                .target = tables_.target,
                .among = among_,
                .sources = rows,
                .known = neighbors_ ? nullptr : &model_->graph,
                .left_out = left_out_,
                .k = k_},
               pool, out);
  for (std::int64_t i = first; i < last; ++i) {
    const auto list = out.subspan((i - first) * k_, k_);
    const NodeId row = askers_.rows[i];
    if (is_popular(i))
      std::ranges::copy(popular_, list.begin());
    else if (row < 0 || std::ranges::binary_search(left_out_, row))
      std::ranges::fill(list, kNoNode);
  }
}

std::string TopLists::digest() const {
  Sha256 sum;
  const std::int64_t facts[] = {neighbors_ ? 1 : 0, static_cast<std::int64_t>(k_), among_.begin,
                                among_.end, size()};
  add_values(sum, std::span<const std::int64_t>(facts));
  add_table(sum, tables_.source);
  if (tables_.target.data != tables_.source.data) add_table(sum, tables_.target);
  const auto arrays = model_->graph.arrays();
  add_values(sum, arrays.offsets);
  add_values(sum, arrays.neighbors);
  add_values(sum, std::span<const NodeId>(askers_.rows));
  for (const auto& id : askers_.unknown) sum.update(id.c_str(), id.size() + 1);
  return sum.finish();
}

}  // namespace mcns

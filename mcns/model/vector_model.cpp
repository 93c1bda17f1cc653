#include "mcns/model/vector_model.h"

#include <algorithm>
#include <unordered_map>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/delimited.h"
#include "mcns/io/input.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/vector_files.h"

namespace mcns {
namespace {

/// Whether the lines are row, id and kind, as in a model directory.
bool is_nodes_table(std::string_view bytes) {
  bytes = without_mark(bytes);
  return bytes.starts_with("row\t") || bytes.starts_with("0\t");
}

void take_nodes(const std::string& path, NamedVectors& table) {
  const Input input(path);
  table.ids.clear();
  table.kinds.clear();
  if (is_nodes_table(input.bytes())) {
    const NodeRows rows = read_nodes(path);
    table.ids = rows.names;
    for (std::size_t i = 0; i < rows.names.size() && rows.users > 0; ++i)
      table.kinds.emplace_back(static_cast<NodeId>(i) < rows.users ? "user" : "item");
  } else {
    for_each_line(input.bytes(),
                  [&](std::string_view line) { table.ids.push_back(split_fields(line, "\t")[0]); });
  }
  if (std::ssize(table.ids) != table.vectors.rows())
    throw_bad_data(path, 0,
                   fmt::format("it has {} nodes, but there are {} vectors", table.ids.size(),
                               table.vectors.rows()));
}

/// user:ID and item:ID become ids with kinds, if all are such.
void take_prefixes(NamedVectors& table) {
  constexpr std::string_view kPrefixes[] = {"user:", "item:"};
  const auto has_prefix = [&](const std::string& id) {
    return std::ranges::any_of(kPrefixes, [&](auto prefix) { return id.starts_with(prefix); });
  };
  if (!table.kinds.empty() || !std::ranges::all_of(table.ids, has_prefix)) return;
  for (auto& id : table.ids) {
    table.kinds.push_back(id.substr(0, 4));
    id.erase(0, 5);
  }
}

/// Kinds by the columns of pairs; empty for a row that is in none.
void take_columns(const VectorSource& source, const LoadOptions& options, NamedVectors& table,
                  ThreadPool& pool) {
  std::unordered_map<std::string, std::string> kinds;
  std::vector<std::string> files = source.pairs;
  files.insert(files.begin(), source.train);
  for (const auto& path : files) {
    if (path.empty()) continue;
    const RawEdges raw = read_edges(path, {ThirdColumn::kIgnore}, pool,
                                    path == source.train ? options.format_name() : "");
    const auto put = [&](NodeId id, const char* kind) {
      const std::string name = raw.numeric ? std::to_string(id) : raw.names[id];
      const auto& known = kinds.try_emplace(name, kind).first->second;
      if (known != kind)
        throw_bad_data(path, 0,
                       fmt::format("'{}' is both a user and an item; give --nodes FILE with row, "
                                   "id and kind",
                                   name));
    };
    for (const auto& [user, item] : raw.pairs) {
      put(user, "user");
      put(item, "item");
    }
  }
  for (const auto& id : table.ids) table.kinds.push_back(kinds[id]);
}

/// A user and an item may have the same id.
void check_distinct(const std::string& path, const NamedVectors& table) {
  std::unordered_map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < table.ids.size(); ++i) {
    const std::string kind = table.kinds.empty() ? "" : table.kinds[i];
    const auto [first, is_new] = rows.try_emplace(kind + '\n' + table.ids[i], i);
    if (!is_new)
      throw_bad_data(path, 0,
                     fmt::format("the rows {} and {} (from 0) are both of '{}', expected one",
                                 first->second, i, table.ids[i]));
  }
}

/// Users first, then items, in their order; rows without a kind are dropped. Returns the users.
NodeId sort_by_kind(NamedVectors& table) {
  NamedVectors sorted;
  std::vector<std::int64_t> rows;
  NodeId users = 0;
  for (const std::string kind : {"user", "item"}) {
    for (std::int64_t i = 0; i < table.vectors.rows(); ++i)
      if (table.kinds[i] == kind) rows.push_back(i);
    if (kind == "user") users = static_cast<NodeId>(rows.size());
  }
  sorted.vectors = Matrix(std::ssize(rows), table.vectors.dim());
  for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
    sorted.ids.push_back(table.ids[rows[i]]);
    std::copy_n(table.vectors.row(rows[i]), table.vectors.dim(), sorted.vectors.row(i));
  }
  table = std::move(sorted);
  return users;
}

}  // namespace

LoadedModel load_vectors(const VectorSource& source, const LoadOptions& options, ThreadPool& pool) {
  NamedVectors table = read_vectors(source.vectors);
  check_vectors(source.vectors, table.vectors);
  if (!source.nodes.empty()) take_nodes(source.nodes, table);
  for (std::int64_t i = std::ssize(table.ids); i < table.vectors.rows(); ++i)
    table.ids.push_back(std::to_string(i));
  const std::string& ids_of = source.nodes.empty() ? source.vectors : source.nodes;
  for (const std::string& id : table.ids)
    if (const std::string problem = id_problem(id); !problem.empty())
      throw_bad_data(ids_of, 0, problem);
  take_prefixes(table);
  if (table.kinds.empty() && source.user_item) take_columns(source, options, table, pool);
  check_distinct(ids_of, table);
  NodeId users = 0;
  if (!table.kinds.empty()) users = sort_by_kind(table);
  require(!source.user_item || (users > 0 && users < table.vectors.rows()),
          "{}: {} of {} vectors are of users; --task recommend needs users and items (--train "
          "FILE, or --nodes FILE with row, id and kind)",
          source.vectors, users, table.vectors.rows());
  NamedGraph named = graph_of_rows({std::move(table.ids), users}, source.train, options, pool);
  return {std::move(named.graph), std::move(named.names), std::move(table.vectors), {}, ""};
}

}  // namespace mcns

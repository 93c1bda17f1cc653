#include "mcns/io/assemble.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <unordered_map>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/id_set.h"

namespace mcns {
namespace {

constexpr std::int64_t kGrain = 1 << 16;
constexpr std::int64_t kMaxId = std::numeric_limits<NodeId>::max();

/// Names in order of first appearance.
class NameTable {
 public:
  /// `path` is the file that has the name.
  NodeId intern(const std::string& name, const std::string& path) {
    const auto [at, is_new] = index_.try_emplace(name, static_cast<NodeId>(names_.size()));
    if (!is_new) return at->second;
    if (const std::string problem = id_problem(name); !problem.empty())
      throw_bad_data(path, 0, problem);
    names_.push_back(&at->first);  // the nodes of the map stay where they are
    return at->second;
  }
  const std::string& operator[](NodeId id) const { return *names_[id]; }

 private:
  std::unordered_map<std::string, NodeId> index_;
  std::vector<const std::string*> names_;
};

/// Integer ids as names, so that they compare with those of a file that has others.
void spell_out(RawEdges& edges) {
  if (!edges.numeric) return;
  std::unordered_map<NodeId, NodeId> index;
  const auto name_of = [&](NodeId id) {
    const auto [at, is_new] = index.try_emplace(id, static_cast<NodeId>(edges.names.size()));
    if (is_new) edges.names.push_back(std::to_string(id));
    return at->second;
  };
  for (Pair& pair : edges.pairs) {
    pair.source = name_of(pair.source);
    pair.target = name_of(pair.target);
  }
  for (NodeId& id : edges.isolated) id = name_of(id);
  for (NodeId& id : edges.isolated_items) id = name_of(id);
  edges.numeric = false;
}

/// Numbers the names of one column (or both) of a file: index in the file -> number in the table.
class Renumbering {
 public:
  Renumbering(const SourceFile& file, NameTable& table)
      : names_(file.edges.names),
        path_(file.path),
        table_(table),
        numbers_(file.edges.names.size(), -1) {}
  NodeId operator()(NodeId id) {
    if (numbers_[id] < 0) numbers_[id] = table_.intern(names_[id], path_);
    return numbers_[id];
  }

 private:
  const std::vector<std::string>& names_;
  const std::string& path_;
  NameTable& table_;
  std::vector<NodeId> numbers_;
};

class Assembler {
 public:
  Assembler(std::span<SourceFile> files, std::span<const NamedLabel> labels,
            const std::string& labels_path, Bipartite bipartite, ThreadPool& pool)
      : files_(files),
        labels_(labels),
        labels_path_(labels_path),
        bipartite_(bipartite),
        pool_(pool) {}

  Rows run() {
    numeric_ = number_as_integers();
    if (!numeric_) number_by_appearance();
    return bipartite_ == Bipartite::kNone ? one_set() : two_sets();
  }

 private:
  /// Labels too must be plain integers; they are checked last.
  bool number_as_integers() {
    for (const SourceFile& file : files_)
      if (!file.edges.numeric) return false;
    for (const NamedLabel& label : labels_) {
      const auto id = plain_integer(label.node);
      if (!id || *id > kMaxId) {
        rows_.label_rows.clear();
        return false;
      }
      rows_.label_rows.push_back(static_cast<NodeId>(*id));
    }
    return true;
  }

  void number_by_appearance() {
    NameTable& items = bipartite_ == Bipartite::kSeparate ? second_ : first_;
    for (SourceFile& file : files_) {
      RawEdges& edges = file.edges;
      spell_out(edges);
      Renumbering source(file, first_), target(file, items);
      for (Pair& pair : edges.pairs) {
        pair.source = source(pair.source);
        pair.target = target(pair.target);
      }
      for (NodeId& id : edges.isolated) id = source(id);
      for (NodeId& id : edges.isolated_items) id = target(id);
      edges.names = {};
    }
    for (const NamedLabel& label : labels_)
      rows_.label_rows.push_back(first_.intern(label.node, labels_path_));
  }

  NodeId max_id() const {
    std::atomic<NodeId> max{0};
    const auto raise = [&](NodeId id) {
      for (NodeId old = max.load(); old < id && !max.compare_exchange_weak(old, id);) {
      }
    };
    for (const SourceFile& file : files_) {
      const auto& pairs = file.edges.pairs;
      pool_.for_ranges(static_cast<std::int64_t>(pairs.size()), kGrain, [&](auto begin, auto end) {
        NodeId local = 0;
        for (auto i = begin; i < end; ++i)
          local = std::max({local, pairs[i].source, pairs[i].target});
        raise(local);
      });
      for (const NodeId id : file.edges.isolated) raise(id);
      for (const NodeId id : file.edges.isolated_items) raise(id);
    }
    for (const NodeId id : rows_.label_rows) raise(id);
    return max;
  }

  std::size_t num_pairs() const {
    std::size_t out = 0;
    for (const SourceFile& file : files_) out += file.edges.pairs.size();
    return out;
  }

  Rows one_set() {
    IdSet ids(max_id(), 2 * num_pairs());
    for (const SourceFile& file : files_) {
      ids.insert(file.edges.pairs, IdSet::Columns::kBoth, pool_);
      for (const NodeId id : file.edges.isolated) ids.insert(id);
      for (const NodeId id : file.edges.isolated_items) ids.insert(id);
    }
    for (const NodeId id : rows_.label_rows) ids.insert(id);
    ids.freeze();
    if (!ids.is_identity()) rewrite(ids, ids, 0);
    for (NodeId& id : rows_.label_rows) id = ids.rank(id);
    name_rows(ids, nullptr);
    return std::move(rows_);
  }

  Rows two_sets() {
    const NodeId max = max_id();
    IdSet users(max, num_pairs()), items(max, num_pairs());
    for (const SourceFile& file : files_) {
      users.insert(file.edges.pairs, IdSet::Columns::kSource, pool_);
      items.insert(file.edges.pairs, IdSet::Columns::kTarget, pool_);
      for (const NodeId id : file.edges.isolated_items) items.insert(id);
    }
    items.freeze();
    // An isolated node has no column that shows its kind: an item if other files have it as one.
    for (const SourceFile& file : files_)
      for (const NodeId id : file.edges.isolated)
        if (bipartite_ == Bipartite::kSeparate || !items.contains(id)) users.insert(id);
    users.freeze();
    if (bipartite_ == Bipartite::kShared) refuse_overlap(users, items);
    if (users.size() > kMaxId - items.size())
      throw_error(ErrorKind::kData, "{} users and {} items are more nodes than 2^31 - 1",
                  users.size(), items.size());
    rows_.users = users.size();
    place_labels(users, items);
    rewrite(users, items, users.size());
    name_rows(users, &items);
    return std::move(rows_);
  }

  void refuse_overlap(const IdSet& users, const IdSet& items) const {
    for (const SourceFile& file : files_) {
      for (const Pair& pair : file.edges.pairs) {
        const bool by_source = items.contains(pair.source);
        if (!by_source && !users.contains(pair.target)) continue;
        const NodeId id = by_source ? pair.source : pair.target;
        throw_bad_data(
            file_with_both(id), 0,
            fmt::format("id '{}' is in both columns, once as a user and once as an item; "
                        "--bipartite separate keeps two id spaces",
                        name(id, first_)));
      }
    }
  }

  /// The file that first makes `id` both a user and an item.
  const std::string& file_with_both(NodeId id) const {
    bool is_user = false, is_item = false;
    for (const SourceFile& file : files_) {
      for (const Pair& pair : file.edges.pairs) {
        is_user = is_user || pair.source == id;
        is_item = is_item || pair.target == id;
        if (is_user && is_item) return file.path;
      }
    }
    return files_.back().path;
  }

  void place_labels(const IdSet& users, const IdSet& items) {
    for (NodeId& id : rows_.label_rows) {
      if (!users.contains(id) && !items.contains(id))
        throw_bad_data(labels_path_, 0,
                       fmt::format("a label for node '{}', which is neither a user nor an item",
                                   name(id, first_)));
      id = users.contains(id) ? users.rank(id) : users.size() + items.rank(id);
    }
  }

  void rewrite(const IdSet& sources, const IdSet& targets, NodeId first_target) {
    for (SourceFile& file : files_) {
      auto& pairs = file.edges.pairs;
      pool_.for_ranges(static_cast<std::int64_t>(pairs.size()), kGrain, [&](auto begin, auto end) {
        for (auto i = begin; i < end; ++i)
          pairs[i] = {sources.rank(pairs[i].source), first_target + targets.rank(pairs[i].target)};
      });
    }
  }

  std::string name(NodeId id, const NameTable& table) const {
    return numeric_ ? std::to_string(id) : table[id];
  }

  void name_rows(const IdSet& first, const IdSet* second) {
    std::vector<NodeId> ids = first.ids();
    if (numeric_) {
      std::vector<std::int64_t> numbers(ids.begin(), ids.end());
      if (second != nullptr)
        for (const NodeId id : second->ids()) numbers.push_back(id);
      rows_.names = Names(std::move(numbers));
      return;
    }
    std::vector<std::string> names;
    names.reserve(ids.size());
    for (const NodeId id : ids) names.push_back(first_[id]);
    if (second != nullptr) {
      const NameTable& table = bipartite_ == Bipartite::kSeparate ? second_ : first_;
      for (const NodeId id : second->ids()) names.push_back(table[id]);
    }
    rows_.names = Names(names);
  }

  std::span<SourceFile> files_;
  std::span<const NamedLabel> labels_;
  const std::string& labels_path_;
  Bipartite bipartite_;
  ThreadPool& pool_;
  bool numeric_ = true;
  NameTable first_, second_;  ///< `second_` where items have a space of their own
  Rows rows_;
};

}  // namespace

Rows assign_rows(std::span<SourceFile> files, std::span<const NamedLabel> labels,
                 const std::string& labels_path, Bipartite bipartite, ThreadPool& pool) {
  return Assembler(files, labels, labels_path, bipartite, pool).run();
}

void store_both_directions(RawEdges& edges) {
  if (!edges.symmetric) return;
  const std::size_t stored = edges.pairs.size();
  for (std::size_t i = 0; i < stored; ++i) {
    const auto [source, target] = edges.pairs[i];
    if (source == target) continue;
    edges.pairs.push_back({target, source});
    if (!edges.values.empty()) edges.values.push_back(edges.values[i]);
  }
}

NodeLabels number_labels(const std::vector<NamedLabel>& lines, const std::vector<NodeId>& rows) {
  NodeLabels out;
  std::map<std::string, std::int32_t> index;
  for (const NamedLabel& line : lines)
    if (index.try_emplace(line.label, 0).second) out.label_names.push_back(line.label);
  const auto is_plain = [](const std::string& name) { return plain_integer(name).has_value(); };
  if (std::all_of(out.label_names.begin(), out.label_names.end(), is_plain))
    std::sort(out.label_names.begin(), out.label_names.end(),
              [](const auto& a, const auto& b) { return *plain_integer(a) < *plain_integer(b); });
  for (std::size_t i = 0; i < out.label_names.size(); ++i)
    index[out.label_names[i]] = static_cast<std::int32_t>(i);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out.entries.push_back({rows[i], index[lines[i].label]});
  const auto key = [](const NodeLabels::Entry& e) { return std::pair(e.node, e.label); };
  std::sort(out.entries.begin(), out.entries.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto last = std::unique(out.entries.begin(), out.entries.end(),
                                [&](const auto& a, const auto& b) { return key(a) == key(b); });
  out.entries.erase(last, out.entries.end());
  return out;
}

}  // namespace mcns

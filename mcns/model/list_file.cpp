#include "mcns/model/list_file.h"

#include <nlohmann/json.hpp>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/input.h"
#include "mcns/io/npy.h"
#include "mcns/io/npz.h"
#include "mcns/io/text_file.h"
#include "mcns/model/list_store.h"

namespace mcns {
namespace {

enum class Form { kTsv, kJsonl, kNpz };

Form form_of(const std::string& path) {
  const std::string_view name = unpacked_name(path);
  if (name.ends_with(".tsv")) return Form::kTsv;
  if (name.ends_with(".jsonl")) return Form::kJsonl;
  require(path.ends_with(".npz"), "--out {}: expected a name that ends in .tsv, .jsonl or .npz",
          path);
  return Form::kNpz;
}

/// What text formats say of an entry.
class Formatter {
 public:
  Formatter(const TopLists& lists, const ListFileOptions& options)
      : lists_(lists), options_(options), marked_(lists.popular_lists() > 0) {
    // Made once: an item stands in many lists.
    const NodeRange among = lists.among();
    for (NodeId v = among.begin; v < among.end; ++v) ids_.push_back(lists.model().names.name(v));
  }

  std::string header() const {
    std::string line =
        lists_.neighbors() ? "node\trank\tneighbor\tscore" : "user\trank\titem\tscore";
    if (options_.with_names) line += "\tname";
    if (marked_) line += "\tsource";
    return line + '\n';
  }

  std::string tsv(std::int64_t asker, std::span<const ScoredNode> list) const {
    std::string out;
    const std::string id = lists_.id(asker);
    for (std::size_t i = 0; i < list.size() && list[i] != kNoNode; ++i) {
      fmt::format_to(std::back_inserter(out), "{}\t{}\t{}\t{}", id, i + 1, item(list[i].node),
                     list[i].score);
      if (options_.with_names) (out += '\t') += printable(name(list[i].node));
      if (marked_) (out += '\t') += source(asker);
      out += '\n';
    }
    return out;
  }

  std::string jsonl(std::int64_t asker, std::span<const ScoredNode> list) const {
    nlohmann::ordered_json line{{lists_.neighbors() ? "node" : "user", as_utf8(lists_.id(asker))}};
    if (!lists_.neighbors()) line["source"] = source(asker);
    line["results"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < list.size() && list[i] != kNoNode; ++i) {
      nlohmann::ordered_json entry{
          {"rank", i + 1}, {"id", as_utf8(item(list[i].node))}, {"score", list[i].score}};
      if (options_.with_names) entry["name"] = name(list[i].node);
      line["results"].push_back(std::move(entry));
    }
    return line.dump() + '\n';
  }

  const std::vector<std::string>& ids() const { return ids_; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& id : ids_) out.push_back(name_of(id));
    return out;
  }

 private:
  const std::string& item(NodeId node) const { return ids_[node - lists_.among().begin]; }
  const char* source(std::int64_t asker) const {
    return lists_.is_popular(asker) ? "popular" : "model";
  }
  std::string name(NodeId node) const { return name_of(item(node)); }
  std::string name_of(const std::string& id) const {
    const auto found = options_.names.find(id);
    return found == options_.names.end() ? "" : found->second;
  }

  const TopLists& lists_;
  const ListFileOptions& options_;
  bool marked_;
  std::vector<std::string> ids_;
};

void write_text(const TopLists& lists, const ListStore& store, const Formatter& format, Form form,
                const std::string& path, ThreadPool& pool) {
  constexpr std::int64_t kGrain = 256;  // lists that one piece of work formats
  TextFile file(path);
  if (form == Form::kTsv) file.write(format.header());
  for (std::int64_t block = 0; block < store.blocks(); ++block) {
    const auto entries = store.read(block);
    const std::int64_t first = store.first(block), count = store.last(block) - first;
    std::vector<std::string> parts((count + kGrain - 1) / kGrain);
    pool.for_ranges(count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      std::string& part = parts[begin / kGrain];
      for (std::int64_t i = begin; i < end; ++i) {
        const auto list = std::span(entries).subspan(i * lists.k(), lists.k());
        part += form == Form::kTsv ? format.tsv(first + i, list) : format.jsonl(first + i, list);
      }
    });
    for (const auto& part : parts) file.write(part);
  }
  file.commit();
}

/// An array that is made of the entries of all lists.
template <class T, class Value>
NpzStream of_entries(const std::string& name, const std::string& descr, const ListStore& store,
                     std::int64_t lists, std::size_t k, Value value) {
  const auto make = [&store, value](const NpzStream::Sink& sink) {
    for (std::int64_t block = 0; block < store.blocks(); ++block) {
      std::vector<T> values;
      for (const ScoredNode& entry : store.read(block)) values.push_back(value(entry));
      sink({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    }
  };
  return {name, descr, {lists, static_cast<std::int64_t>(k)}, lists * k * sizeof(T), make};
}

NpzStream of_ids(const std::string& name, const std::vector<std::string>& ids) {
  NpyIds array = npy_of_ids(ids);
  const std::uint64_t bytes = array.data.size();
  return {name,
          array.descr,
          {static_cast<std::int64_t>(ids.size())},
          bytes,
          [data = std::move(array.data)](const NpzStream::Sink& sink) { sink(data); }};
}

void write_arrays(const TopLists& lists, const ListStore& store, const Formatter& format,
                  const ListFileOptions& options) {
  const bool neighbors = lists.neighbors();
  std::vector<std::string> askers;
  std::string popular;
  for (std::int64_t i = 0; i < lists.size(); ++i) {
    askers.push_back(lists.id(i));
    popular += lists.is_popular(i) ? '\1' : '\0';
  }
  const NodeId begin = lists.among().begin;
  std::vector<NpzStream> arrays;
  arrays.push_back(of_ids(neighbors ? "node_ids" : "user_ids", askers));
  arrays.push_back(of_ids(neighbors ? "neighbor_ids" : "item_ids", format.ids()));
  if (options.with_names)
    arrays.push_back(of_ids(neighbors ? "neighbor_names" : "item_names", format.names()));
  arrays.push_back(of_entries<std::int64_t>(
      neighbors ? "neighbors" : "items", "<i8", store, lists.size(), lists.k(),
      [begin](const ScoredNode& entry) { return entry == kNoNode ? -1 : entry.node - begin; }));
  arrays.push_back(of_entries<float>("scores", "<f4", store, lists.size(), lists.k(),
                                     [](const ScoredNode& entry) { return entry.score; }));
  if (!neighbors)
    arrays.push_back(
        {"popular", "|b1", {lists.size()}, popular.size(), [&popular](const NpzStream::Sink& sink) {
           sink(popular);
         }});
  write_npz(options.out, arrays);
}

}  // namespace

void check_list_name(const std::string& path) { form_of(path); }

bool write_lists(const TopLists& lists, const ListFileOptions& options, ThreadPool& pool) {
  const Form form = form_of(options.out);
  ListStore store(options.out, lists.digest(), lists.size(), lists.k(), lists.among(),
                  options.resume);
  std::vector<ScoredNode> entries;
  while (store.blocks_done() < store.blocks()) {
    if (options.interrupted != nullptr && options.interrupted->load()) return false;
    const std::int64_t block = store.blocks_done();
    const std::int64_t first = store.first(block), last = store.last(block);
    entries.resize((last - first) * lists.k());
    lists.fill(first, last, pool, entries);
    store.append(entries);
    if (options.progress) options.progress(last, lists.size());
  }
  const Formatter format(lists, options);
  if (form == Form::kNpz)
    write_arrays(lists, store, format, options);
  else
    write_text(lists, store, format, form, options.out, pool);
  store.remove();
  return true;
}

}  // namespace mcns

// What the files of the extension module share: arrays, errors, options by name.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "mcns/mcns.h"

namespace mcns::python {

namespace nb = nanobind;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = Column<std::int64_t>;
using Vectors = Table<float>;

/// Settings as text, by the names of the command line.
using TextSettings = std::map<std::string, std::string>;

/// A numpy array that owns `values`.
template <class T>
nb::ndarray<nb::numpy, T> to_array(std::vector<T> values, std::vector<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner);
}
template <class T>
nb::ndarray<nb::numpy, T> to_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_array(std::move(values), {size});
}

/// Pairs of nodes as rows [n, 2], targets counted from `first_target`.
inline auto pair_array(const std::vector<Pair>& pairs, NodeId first_target) {
  std::vector<std::int64_t> rows;
  rows.reserve(2 * pairs.size());
  for (const auto [source, target] : pairs) {
    rows.push_back(source);
    rows.push_back(target - first_target);
  }
  return to_array(std::move(rows), {pairs.size(), 2});
}

/// Text as Python has it; bytes that are no UTF-8 as it has file names.
inline nb::object to_text(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

/// Rows as the library counts them; one that is out of range is a usage error with `what`.
std::vector<NodeId> to_nodes(const Rows& rows, NodeRange range, const char* what);

/// Sets the fields of options that have a for_each_option; checks names and values.
template <class Options>
void take_text(const TextSettings& given, Options& options) {
  for_each_option(options, [&](auto& field, const OptionInfo& info) {
    const auto found = given.find(info.name);
    if (found == given.end()) return;
    check_value(info, info.name, found->second);
    read_text(found->second, field.emplace());
  });
}
LoadOptions load_options(const TextSettings& given);

/// Edges with ids as the user has them, and the graph that they make.
class EdgeData {
 public:
  EdgeData(RawEdges edges, LoadOptions load)
      : edges_(std::make_shared<RawEdges>(std::move(edges))), load_(std::move(load)) {}

  const std::shared_ptr<const RawEdges>& edges() const { return edges_; }
  const LoadOptions& load() const { return load_; }
  /// Built on the first call, with times where there are any. Takes a lock: the GIL must not be
  /// held.
  std::shared_ptr<const NamedGraph> graph() const;

 private:
  struct Built {
    std::mutex mutex;
    std::shared_ptr<const NamedGraph> graph;
  };
  std::shared_ptr<const RawEdges> edges_;
  LoadOptions load_;
  std::shared_ptr<Built> built_ = std::make_shared<Built>();
};

/// The graph for a caller that holds the GIL, which other threads have meanwhile.
inline std::shared_ptr<const NamedGraph> graph_of(const EdgeData& data) {
  const nb::gil_scoped_release released;
  return data.graph();
}

/// Where all names are plain integers they count as such, as in files.
void as_integers(RawEdges& edges);

/// The files of an experiment, all in memory; held-out ones may be null.
DatasetFiles memory_files(const EdgeData& train, const EdgeData* valid, const EdgeData* test,
                          std::vector<NamedLabel> labels = {});

/// Ctrl-C while the GIL is not held: look() between pieces of work. Only the thread that made the
/// object sees signals; others may call.
class Signals {
 public:
  /// At most every 50 ms, unless it must be now.
  void look(bool now = false);
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  /// Calls back into Python; what it raises interrupts.
  template <class F>
  void call(const F& f) {
    if (interrupted_) return;
    const nb::gil_scoped_acquire held;
    try {
      f();
    } catch (nb::python_error& error) {
      keep(std::move(error));
    }
  }
  /// Throws what interrupted; nothing where nothing did.
  void rethrow();

 private:
  void keep(nb::python_error error) {
    error_ = std::make_unique<nb::python_error>(std::move(error));
    interrupted_ = true;
  }
  std::atomic<bool> interrupted_{false};
  std::unique_ptr<nb::python_error> error_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_;
};

/// The built-in components, and samplers that are functions of Python, by name.
using PythonSamplers = std::map<std::string, nb::callable>;
Components with_samplers(const PythonSamplers& samplers);

/// Two tables as one with a row for every node: users above items on user-item graphs.
Matrix joined_table(const Graph& graph, const Vectors& sources,
                    const std::optional<Vectors>& targets);

void bind_data(nb::module_& m);
void bind_splits(nb::module_& m);
void bind_model(nb::module_& m);
void bind_train(nb::module_& m);
void bind_samplers(nb::module_& m);
void bind_evaluate(nb::module_& m);
void bind_options(nb::module_& m);

}  // namespace mcns::python

// The extension module mcns._core. Python code (python/mcns) wraps it in classes; here are no
// defaults and no ids, only rows.
#include "mcns/io/datasets_table.h"

#include "cli/program.h"
#include "src/binding.h"

namespace mcns::python {
namespace {

/// Errors of the library as exceptions that a Python programmer expects, with the same text.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const std::string text = error.what();
    PyObject* type = PyExc_ValueError;
    if (error.kind() == ErrorKind::kRuntime) type = PyExc_RuntimeError;
    if (error.kind() == ErrorKind::kIo) {
      type = PyExc_OSError;
      const auto says = [&](const char* words) { return text.find(words) != text.npos; };
      if (says("No such file or directory") || says("no such model directory"))
        type = PyExc_FileNotFoundError;
      if (says("Permission denied")) type = PyExc_PermissionError;
    }
    PyErr_SetString(type, text.c_str());
  } catch (const std::length_error&) {  // more than a vector may ever hold
    PyErr_NoMemory();
  }
}

int command_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return cli::run_program(static_cast<int>(copies.size()), argv.data());
}

}  // namespace

std::vector<NodeId> to_nodes(const Rows& rows, NodeRange range, const char* what) {
  std::vector<NodeId> out(rows.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t row = rows(i);
    require(row >= 0 && row < range.size(), "{} {} is not a row in [0, {})", what, row,
            range.size());
    out[i] = range.begin + static_cast<NodeId>(row);
  }
  return out;
}

void Signals::look(bool now) {
  if (interrupted_ || std::this_thread::get_id() != caller_) return;
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - last_ < std::chrono::milliseconds(50)) return;
  last_ = time;
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) keep(nb::python_error());
}

void Signals::rethrow() {
  if (error_) throw std::move(*error_);
}

Matrix joined_table(const Graph& graph, const Vectors& sources,
                    const std::optional<Vectors>& targets) {
  const NodeRange first = graph.sources();
  const int dim = static_cast<int>(sources.shape(1));
  const auto copy = [&](const Vectors& from, NodeRange rows, const char* what, Matrix& out) {
    require(static_cast<std::int64_t>(from.shape(0)) == rows.size(),
            "the table of {} has {} rows, the data {}", what, from.shape(0), rows.size());
    require(static_cast<int>(from.shape(1)) == dim, "the tables have {} and {} columns", dim,
            from.shape(1));
    for (std::int64_t i = 0; i < rows.size(); ++i)
      std::copy_n(from.data() + i * dim, dim, out.row(rows.begin + i));
  };
  require(dim > 0, "the vectors have no columns");
  Matrix out(graph.num_nodes(), dim);
  if (!graph.is_bipartite()) {
    copy(targets ? *targets : sources, first, "nodes", out);
    return out;
  }
  require(targets.has_value(), "user-item data need two tables, of users and of items");
  copy(sources, first, "users", out);
  copy(*targets, graph.targets(), "items", out);
  return out;
}

}  // namespace mcns::python

NB_MODULE(_core, m) {
  using namespace mcns::python;  // NOLINT
  nb::register_exception_translator(translate);
  m.def("version", &mcns::version);
  m.def("add_embedded_folder", &mcns::add_embedded_folder);
  m.def("embedded_folders", &mcns::embedded_folders);
  m.def("command_line", &command_line, nb::call_guard<nb::gil_scoped_release>());
  bind_options(m);
  bind_data(m);
  bind_splits(m);
  bind_model(m);
  bind_train(m);
  bind_samplers(m);
  bind_evaluate(m);
}

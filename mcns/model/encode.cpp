#include "mcns/model/encode.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "mcns/core/error.h"
#include "mcns/core/features.h"
#include "mcns/encoders/registry.h"
#include "mcns/io/features_file.h"
#include "mcns/io/model_directory.h"
#include "mcns/model/weights.h"
#include "mcns/plan/resolve.h"
#include "mcns/plan/saved_settings.h"

namespace mcns {
namespace {

struct Settings {
  std::string encoder;
  int dim;
  std::string train;  ///< the file that training read
  LoadOptions load;   ///< and how
};

Settings read_settings(const std::string& model, const std::string& run_json) {
  const SavedSettings saved(run_json, model + "/run.json");
  Settings out{saved.component("encoder"), saved.integer("dim"), "", {}};
  for (const char* role : {"graph", "train"})
    if (saved.has(role)) out.train = saved.text(role);
  for_each_load_option(out.load, [&](const char* name, auto& value, const char*) {
    if (saved.has(name)) read_text(saved.text(name), value.emplace());
  });
  return out;
}

/// A format is that of a file: it holds for another one only if this is named like it.
LoadOptions load_options(const EncodeRequest& request, const Settings& settings) {
  LoadOptions trained = settings.load;
  if (format_beside(request.graph, settings.train, trained.format_name()).empty())
    trained.format.reset();
  return completed(request.load, trained);
}

}  // namespace

EncodedGraph encode(const EncodeRequest& request, ThreadPool& pool) {
  const LoadedModel model = load_model_directory(request.model);
  const Settings settings = read_settings(request.model, model.run_json);
  const std::string weights = request.model + "/weights.npz";
  require(builtin_encoders().find(settings.encoder).network && std::filesystem::exists(weights),
          "{}: encode needs a model of a graph neural encoder, this one is '{}'", request.model,
          component_name(settings.encoder));
  EncodedGraph out{load_graph(request.graph, load_options(request, settings), pool), {}, 0};
  const Graph& graph = out.data.graph;
  require(graph.is_bipartite() == model.graph.is_bipartite(),
          "{}: one of the graphs is user-item, the other is not", request.graph);
  const NodeId width = saved_feature_count(weights);
  require(width == 0 || !request.features.empty(),
          "{}: the model reads {} features of a node; give --features", request.model, width);
  require(width > 0 || request.features.empty(),
          "{}: the model was trained on free vectors and takes no --features", request.model);
  std::optional<Features> features;
  if (width > 0) features = read_features(request.features, graph, out.data.names, width);
  const auto encoder = make_encoder(
      settings.encoder, {graph, settings.dim, 0.0, 0, 0, pool, features ? &*features : nullptr});
  const auto rows = match_rows(graph, out.data.names, model.graph, model.names);
  load_weights(weights, *encoder, rows, Unmatched::kZero);
  encoder->refresh();
  const ConstMatrixRef table = encoder->node_table();
  out.vectors = Matrix(table.rows, table.dim);
  std::copy_n(table.data, out.vectors.size(), out.vectors.data());
  out.unseen = static_cast<NodeId>(std::count(rows.begin(), rows.end(), -1));
  return out;
}

}  // namespace mcns

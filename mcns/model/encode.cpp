#include "mcns/model/encode.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "mcns/core/error.h"
#include "mcns/core/features.h"
#include "mcns/encoders/registry.h"
#include "mcns/io/features_file.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/vector_files.h"
#include "mcns/model/weights.h"
#include "mcns/plan/resolve.h"
#include "mcns/plan/saved_settings.h"

namespace mcns {
namespace {

struct Settings {
  std::string encoder;
  int dim;
  Scoring scoring;
  std::string train;  ///< the file that training read
  LoadOptions load;   ///< and how
};

LoadOptions read_load_options(const SavedSettings& saved, const std::string& path) {
  LoadOptions out;
  for_each_load_option(out, [&](const char* name, auto& value, const char*) {
    if (!saved.has(name)) return;
    using Value = std::decay_t<decltype(*value)>;
    if constexpr (std::is_same_v<Value, int>)
      value = saved.integer(name);
    else if constexpr (std::is_same_v<Value, double>)
      value = saved.number(name);
    else
      read_text(saved.text(name), value.emplace());
  });
  try {
    out.check();
  } catch (const Error& error) {
    throw_bad_data(path, 0, error.what());
  }
  return out;
}

Settings read_settings(const std::string& model, const std::string& run_json) {
  const SavedSettings saved(run_json, model + "/run.json");
  saved.check_values();
  Settings out{saved.component("encoder"), saved.integer("dim"), {}, "", {}};
  if (saved.has("similarity"))  // models of version 0.1 have none
    out.scoring = {saved.text("similarity") == "cosine", saved.number("temperature")};
  if (saved.has("popularity")) out.scoring.popularity = saved.number("popularity");
  for (const char* role : {"graph", "train"})
    if (saved.has(role)) out.train = saved.text(role);
  out.load = read_load_options(saved, model + "/run.json");
  return out;
}

/// A format is that of a file: it holds for another one only if this is named like it.
LoadOptions load_options(const EncodeRequest& request, const Settings& settings) {
  LoadOptions trained = settings.load;
  if (format_beside(request.graph, settings.train, trained.format_name()).empty())
    trained.format.reset();
  return completed(request.load, trained);
}

/// A model directory of a network.
struct TrainedNetwork {
  explicit TrainedNetwork(const std::string& path)
      : path(path),
        weights(path + "/weights.npz"),
        model(load_model_directory(path)),
        settings(read_settings(path, model.run_json)) {
    require(builtin_encoders().find(settings.encoder).network && std::filesystem::exists(weights),
            "{}: encode needs a model of a graph neural encoder, this one is '{}'", path,
            component_name(settings.encoder));
  }

  EncodedGraph encode(NamedGraph data, const std::string& features_path, ThreadPool& pool) const {
    EncodedGraph out{std::move(data), {}, 0};
    const Graph& graph = out.data.graph;
    require(graph.is_bipartite() == model.graph.is_bipartite(),
            "{}: the model is of {} graph, the new graph is {}", path,
            model.graph.is_bipartite() ? "a user-item" : "another kind of",
            graph.is_bipartite() ? "user-item" : "not user-item");
    const NodeId width = saved_feature_count(weights);
    require(width == 0 || !features_path.empty(),
            "{}: the model reads {} features of a node; give --features", path, width);
    require(width > 0 || features_path.empty(),
            "{}: the model was trained on free vectors and takes no --features", path);
    std::optional<Features> features;
    if (width > 0) features = read_features(features_path, graph, out.data.names, width);
    const auto encoder =
        make_encoder(settings.encoder, {graph, settings.dim, 0.0, 0, 0, pool,
                                        features ? &*features : nullptr, 1, settings.scoring});
    const auto rows = match_rows(graph, out.data.names, model.graph, model.names);
    load_weights(weights, *encoder, rows, Unmatched::kZero);
    encoder->refresh();
    const ConstMatrixRef table = encoder->node_table();
    out.vectors = Matrix(table.rows, table.dim);
    std::copy_n(table.data, out.vectors.size(), out.vectors.data());
    check_finite(weights + ", as vectors of the new graph", out.vectors);
    out.unseen = static_cast<NodeId>(std::count(rows.begin(), rows.end(), -1));
    return out;
  }

  std::string path, weights;
  LoadedModel model;
  Settings settings;
};

}  // namespace

EncodedGraph encode(const EncodeRequest& request, ThreadPool& pool) {
  const TrainedNetwork trained(request.model);
  const LoadOptions options = load_options(request, trained.settings);
  return trained.encode(load_graph(request.graph, options, pool), request.features, pool);
}

EncodedGraph encode(const std::string& model, NamedGraph graph, const std::string& features,
                    ThreadPool& pool) {
  return TrainedNetwork(model).encode(std::move(graph), features, pool);
}

}  // namespace mcns

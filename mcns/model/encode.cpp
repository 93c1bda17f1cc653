#include "mcns/model/encode.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "mcns/core/error.h"
#include "mcns/core/features.h"
#include "mcns/io/features_file.h"
#include "mcns/io/model_directory.h"
#include "mcns/model/weights.h"

namespace mcns {
namespace {

struct Settings {
  std::string encoder;
  int dim;
  std::string train;  ///< the file that training read
  LoadOptions load;   ///< and how
};

LoadOptions read_load(const nlohmann::json& values) {
  LoadOptions out;
  for_each_load_option(out, [&](const char* name, auto& value, const char*) {
    using Value = typename std::remove_reference_t<decltype(value)>::value_type;
    if (values.contains(name)) value = values.at(name).get<Value>();
  });
  return out;
}

Settings read_settings(const std::string& model, const std::string& run_json) {
  try {
    const auto run = nlohmann::json::parse(run_json);
    return {run.at("options").at("encoder"), run.at("options").at("dim"),
            run.at("data").at("train").at("path"), read_load(run.at("load"))};
  } catch (const nlohmann::json::exception& error) {
    throw_bad_data(model + "/run.json", 0, error.what());
  }
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
  require(!is_lookup(settings.encoder) && std::filesystem::exists(weights),
          "{}: encode needs a model of a graph neural encoder, this one is '{}'", request.model,
          settings.encoder);
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
  const auto encoder = make_block_encoder(
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

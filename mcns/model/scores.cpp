#include "mcns/model/scores.h"

#include "mcns/plan/saved_settings.h"

namespace mcns {

std::string saved_scores(const LoadedModel& model, const std::string& path) {
  if (model.run_json.empty()) return "";
  const SavedSettings saved(model.run_json, path + "/run.json");
  return saved.has("scores") ? saved.text("scores") : "";
}

EmbeddingView score_tables(const LoadedModel& model, const std::string& scores) {
  const bool context = scores == "in-out" && !model.context.empty();
  return {model.embeddings.view(), context ? model.context.view() : model.embeddings.view()};
}

EmbeddingView saved_score_tables(const LoadedModel& model, const std::string& path) {
  const std::string scores = saved_scores(model, path);
  return score_tables(model, scores.empty() ? "in-out" : scores);
}

}  // namespace mcns

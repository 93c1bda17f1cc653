#include "mcns/model/scores.h"

#include <algorithm>

#include "mcns/eval/score_kernels.h"
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

Matrix directions(const LoadedModel& model, ConstMatrixRef table) {
  Matrix out(table.rows, table.dim);
  for (std::int64_t v = 0; v < table.rows; ++v) std::copy_n(table.row(v), table.dim, out.row(v));
  if (model.run_json.empty()) return out;
  const SavedSettings saved(model.run_json, "run.json");
  if (saved.has("popularity") && saved.number("popularity") != 0)
    for (std::int64_t v = 0; v < table.rows; ++v) out.row(v)[table.dim - 1] = 0;
  return out;
}

std::vector<float> score_pairs(const EmbeddingView& tables, std::span<const Pair> pairs,
                               ThreadPool& pool) {
  constexpr std::int64_t kGrain = 4096;
  const ScoreKernels& kernels = score_kernels();
  std::vector<float> out(pairs.size());
  pool.for_ranges(std::ssize(pairs), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float* target = tables.target.row(pairs[i].target);
      kernels.scores(tables.source.row(pairs[i].source), &target, 1, tables.source.dim, &out[i]);
    }
  });
  return out;
}

}  // namespace mcns

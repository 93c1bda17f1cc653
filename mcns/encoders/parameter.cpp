#include "mcns/encoders/parameter.h"

namespace mcns {

Parameter::Parameter(std::string parameter_name, std::int64_t rows, int dim, int optimizer_slots)
    : name(std::move(parameter_name)),
      value(rows, dim),
      state(optimizer_slots > 0 ? rows : 0, value.stride() * optimizer_slots),
      gradient(dim, rows) {}

void Parameter::update(const Optimizer& optimizer, Tick tick, ThreadPool& pool) {
  constexpr std::int64_t kRowsPerPiece = 64;
  const std::int64_t count = dense ? value.rows() : static_cast<std::int64_t>(touched.size());
  const MatrixRef gradients = gradient.rows(count);
  std::visit(
      [&](const auto& formula) {
        const RowUpdate apply(formula, tick);
        pool.for_ranges(count, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t row = dense ? i : touched[i];
            apply(value.row(row), gradients.row(i), state.empty() ? nullptr : state.row(row),
                  value.stride());
          }
        });
      },
      optimizer);
}

void Parameter::visit_state(Archive& archive) {
  archive(name, value);
  archive(name + ".optimizer", state);
  // Of every optimizer the last of its numbers is one.
  if (archive.is_loading()) require_squares(name + ".optimizer", state, value.stride());
}

void Parameter::visit_gradient(const Encoder::VisitGradient& visit) const {
  const std::int64_t count = dense ? value.rows() : static_cast<std::int64_t>(touched.size());
  const ConstMatrixRef gradients = gradient.view(count);
  for (std::int64_t i = 0; i < count; ++i) visit(name, dense ? i : touched[i], gradients[i]);
}

}  // namespace mcns

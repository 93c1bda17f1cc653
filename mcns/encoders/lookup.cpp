#include "mcns/encoders/lookup.h"

#include "mcns/core/error.h"
#include "mcns/encoders/registry.h"

namespace mcns {

Lookup::Lookup(NodeId nodes, const LookupOptions& options, int optimizer_slots, std::uint64_t seed,
               ThreadPool* pool)
    : nodes_(nodes),
      context_offset_(options.two_tables ? nodes : 0),
      parameters_(std::int64_t{nodes} * (options.two_tables ? 2 : 1), options.dim),
      state_(optimizer_slots > 0 ? parameters_.rows() : 0, parameters_.stride() * optimizer_slots),
      pool_(pool) {
  const double deviation = options.init / std::sqrt(static_cast<double>(options.dim));
  for (std::int64_t row = 0; row < parameters_.rows(); ++row) {
    Rng rng(seed, Domain::kInit, static_cast<std::uint64_t>(row));
    float* values = parameters_.row(row);
    for (int i = 0; i < options.dim; ++i) values[i] = static_cast<float>(deviation * rng.normal());
  }
}

void Lookup::visit_state(Archive& archive) {
  archive("parameters", parameters_);
  archive("optimizer", state_);
  // Of every optimizer the last of its numbers is one.
  if (archive.is_loading()) require_squares("optimizer", state_, parameters_.stride());
}

/// Calls f(i) for the rows of the last forward; rows of the parameters, and of another matrix that
/// is needed beside them, are asked for before their turn comes.
template <class F>
void Lookup::for_rows(const F& f, const Matrix* other) const {
  constexpr std::int64_t kRowsPerPiece = 128, kAhead = 4;
  const auto count = static_cast<std::int64_t>(batch_rows_.size());
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const NodeId next = batch_rows_[std::min(i + kAhead, end - 1)];
      prefetch_row(parameters_.row(next), parameters_.stride());
      if (other != nullptr) prefetch_row(other->row(next), other->stride());
      f(i);
    }
  };
  if (pool_ != nullptr)
    pool_->for_ranges(count, kRowsPerPiece, range);
  else
    range(0, count);
}

void Lookup::forward(BatchKey, std::span<const NodeId> rows, MatrixRef out) {
  select(rows);
  for_rows([&](std::int64_t i) {
    std::copy_n(parameters_.row(batch_rows_[i]), out.stride, out.row(i));
  });
}

void Lookup::update(const Optimizer& optimizer, Tick tick) {
  std::visit(
      [&](const auto& formula) {
        const RowUpdate update(formula, tick);
        for_rows(
            [&](std::int64_t i) {
              const NodeId row = batch_rows_[i];
              update(parameters_.row(row), gradients_.row(i), state(row), parameters_.stride());
            },
            state_.empty() ? nullptr : &state_);
      },
      optimizer);
}

void Lookup::visit_gradients(const VisitGradient& visit) const {
  for (std::size_t i = 0; i < batch_rows_.size(); ++i)
    visit("parameters", batch_rows_[i],
          {gradients_.row(static_cast<std::int64_t>(i)), std::size_t(parameters_.dim())});
}

EncoderEntry lookup_encoder() {
  EncoderEntry entry{{"lookup", "a vector a node, or a node and a context vector (--tables 2)"}};
  entry.network = false;
  entry.make = [](const Parameters&, const EncoderContext& c) {
    return std::make_unique<Lookup>(c.graph.num_nodes(),
                                    LookupOptions{c.dim, c.tables == 2, c.init}, c.optimizer_slots,
                                    c.seed, &c.pool);
  };
  entry.bytes = [](const Parameters&, const EncoderSizes& s) {
    const std::uint64_t rows = std::uint64_t(s.tables) * s.graph.num_nodes();
    return EncoderBytes{rows * padded(s.dim) * sizeof(float), 0, 0, 0};
  };
  return entry;
}

}  // namespace mcns

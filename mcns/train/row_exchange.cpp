#include "mcns/train/row_exchange.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace mcns {
namespace {

template <class T>
void put(Comm::Bytes& to, const T* values, std::size_t count) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values);
  to.insert(to.end(), bytes, bytes + count * sizeof(T));
}
template <class T>
void put(Comm::Bytes& to, const T& value) {
  put(to, &value, 1);
}

/// Reads what was put, in the same order.
class Reader {
 public:
  explicit Reader(const Comm::Bytes& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}
  bool done() const { return at_ == end_; }
  template <class T>
  void get(T* values, std::size_t count) {
    std::memcpy(values, at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }
  template <class T>
  T get() {
    T value;
    get(&value, 1);
    return value;
  }

 private:
  const std::byte *at_, *end_;
};

/// A target's place in a pair, on its way to the owner of its row.
struct Place {
  std::int32_t place;
  NodeId row;
  std::int32_t source;  ///< among the sources of the sender
  float slope, pair_weight;
};

/// Makes room for `rows` rows.
void reserve(Matrix& matrix, std::size_t rows, int stride) {
  if (matrix.rows() < static_cast<std::int64_t>(rows) || matrix.stride() != stride)
    matrix = Matrix(static_cast<std::int64_t>(rows) * 5 / 4 + 1, stride);
}

}  // namespace

const float* RowExchange::gather(const Matrix& table, PairRows& rows,
                                 const PairSampling& sampling) {
  if (is_alone()) return table.data();
  const int width = sampling.negatives().k + 1;
  const auto own = sampling.own_sources();
  std::vector<std::vector<NodeId>> wanted(comm_.size());
  const auto want = [&](NodeId row) {
    if (slot_of_row_[row] >= 0) return;
    slot_of_row_[row] = 0;  // a place follows below
    wanted[owner(row)].push_back(row);
  };
  const auto for_own_rows = [&](const auto& f) {
    for (const std::int32_t pair : sampling.sources().members(own.first, own.second)) {
      f(rows.sources[pair]);
      for (int j = 0; j < width; ++j) f(rows.targets[std::size_t(pair) * width + j]);
    }
  };
  for_own_rows([&](NodeId& row) { want(row); });
  std::vector<Comm::Bytes> requests(comm_.size()), replies(comm_.size());
  for (int r = 0; r < comm_.size(); ++r) put(requests[r], wanted[r].data(), wanted[r].size());
  requests = comm_.exchange(std::move(requests));
  for (int r = 0; r < comm_.size(); ++r)
    for (Reader reader(requests[r]); !reader.done();)
      put(replies[r], table.row(reader.get<NodeId>()), stride_);
  replies = comm_.exchange(std::move(replies));
  row_of_slot_.clear();
  for (const auto& list : wanted) row_of_slot_.insert(row_of_slot_.end(), list.begin(), list.end());
  reserve(compact_, row_of_slot_.size(), stride_);
  std::int32_t slot = 0;
  for (int r = 0; r < comm_.size(); ++r) {
    Reader reader(replies[r]);
    for (const NodeId row : wanted[r]) {
      reader.get(compact_.row(slot), stride_);
      slot_of_row_[row] = slot++;
    }
  }
  for_own_rows([&](NodeId& row) { row = slot_of_row_[row]; });
  for (const NodeId row : row_of_slot_) slot_of_row_[row] = -1;
  return compact_.data();
}

double RowExchange::total(std::span<const double> own) {
  if (is_alone()) return std::accumulate(own.begin(), own.end(), 0.0);
  std::vector<Comm::Bytes> parts(comm_.size());
  for (auto& part : parts) put(part, own.data(), own.size());
  double sum = 0;
  for (const Comm::Bytes& part : comm_.exchange(std::move(parts)))
    for (Reader reader(part); !reader.done();) sum += reader.get<double>();
  return sum;
}

RowWork RowExchange::give_back(const RowWork& own, const PairSampling& sampling) {
  if (is_alone()) return own;
  std::vector<Comm::Bytes> parts(comm_.size());
  send_sources(own, sampling, parts);
  send_places(own, sampling, parts);
  receive(comm_.exchange(std::move(parts)));
  return {rows_,         slopes_,      vectors_.data(),         1,
          pair_weights_, source_rows_, source_gradients_.data()};
}

/// Vectors of the own sources for everybody, then the gradients of those that a process owns.
void RowExchange::send_sources(const RowWork& own, const PairSampling& sampling,
                               std::vector<Comm::Bytes>& parts) const {
  const auto [first, last] = sampling.own_sources();
  std::vector<std::int32_t> owned(comm_.size());
  const auto row = [&](std::int32_t g) { return row_of_slot_[own.source_rows[g]]; };
  for (std::int32_t g = first; g < last; ++g) ++owned[owner(row(g))];
  for (int r = 0; r < comm_.size(); ++r) {
    put(parts[r], std::int32_t{last - first});
    for (std::int32_t g = first; g < last; ++g)
      put(parts[r], own.vectors + std::size_t(own.source_rows[g]) * stride_, stride_);
    put(parts[r], owned[r]);
  }
  for (std::int32_t g = first; g < last; ++g) {
    Comm::Bytes& part = parts[owner(row(g))];
    put(part, row(g));
    put(part, own.source_gradients + std::size_t(g) * stride_, stride_);
  }
}

void RowExchange::send_places(const RowWork& own, const PairSampling& sampling,
                              std::vector<Comm::Bytes>& parts) const {
  const auto [first, last] = sampling.own_sources();
  const std::size_t width = own.width;
  for (std::int32_t g = first; g < last; ++g)
    for (const std::int32_t pair : sampling.sources().members(g))
      for (std::size_t place = pair * width; place < (pair + 1) * width; ++place) {
        const NodeId row = row_of_slot_[own.rows[place]];
        put(parts[owner(row)],
            Place{static_cast<std::int32_t>(place), row, g - first, own.slopes[place].value,
                  own.pair_weights.empty() ? 1.0F : own.pair_weights[pair]});
      }
}

void RowExchange::receive(const std::vector<Comm::Bytes>& parts) {
  std::vector<Place> places;
  std::int32_t sources = 0;
  source_rows_.clear();
  std::size_t most = 0;
  for (const Comm::Bytes& part : parts) most += part.size() / (stride_ * sizeof(float));
  reserve(vectors_, most, stride_);
  reserve(source_gradients_, most, stride_);
  for (const Comm::Bytes& part : parts) {
    Reader reader(part);
    const auto count = reader.get<std::int32_t>();
    reader.get(vectors_.row(sources), std::size_t(count) * stride_);
    for (auto left = reader.get<std::int32_t>(); left > 0; --left) {
      source_rows_.push_back(reader.get<NodeId>());
      reader.get(source_gradients_.row(static_cast<std::int64_t>(source_rows_.size()) - 1),
                 stride_);
    }
    while (!reader.done()) {
      places.push_back(reader.get<Place>());
      places.back().source += sources;
    }
    sources += count;
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.place < b.place; });
  rows_.clear();
  slopes_.clear();
  pair_weights_.clear();
  for (const Place& p : places) {
    rows_.push_back(p.row);
    slopes_.push_back({p.source, p.slope});
    pair_weights_.push_back(p.pair_weight);
  }
}

}  // namespace mcns

#include "mcns/tune/halving.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mcns/core/error.h"

namespace mcns {
namespace {

int share_of(int epochs, int parts) {
  return std::max(1, static_cast<int>(std::lround(static_cast<double>(epochs) / parts)));
}

/// The `count` best settings of a rung, in increasing order.
std::vector<int> best_of(const HalvingResult::Done& done, int count) {
  const std::vector<double>& values = done.values;
  std::vector<int> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  const auto worth = [&](int place) {
    return std::isnan(values[place]) ? -std::numeric_limits<double>::infinity() : values[place];
  };
  std::ranges::stable_sort(places, [&](int a, int b) { return worth(a) > worth(b); });
  std::vector<int> out;
  for (int i = 0; i < std::min<int>(count, places.size()); ++i)
    out.push_back(done.rung.settings[places[i]]);
  std::ranges::sort(out);
  return out;
}

/// The values that a rung before with as many epochs has for these settings; nothing where there is
/// no such rung.
std::optional<std::vector<double>> values_from(const std::vector<HalvingResult::Done>& before,
                                               const Rung& rung) {
  for (const auto& [done, values] : before) {
    if (done.epochs != rung.epochs) continue;
    std::vector<double> out;
    for (const int setting : rung.settings) {
      const auto found = std::ranges::find(done.settings, setting);
      out.push_back(values[found - done.settings.begin()]);
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace

HalvingResult successive_halving(int settings, int epochs, const RunRung& run) {
  require(settings >= 1 && epochs >= 1, "a search needs settings and epochs, got {} and {}",
          settings, epochs);
  struct Length {
    int settings, epochs;
  };
  std::vector<Length> lengths = {{settings, share_of(epochs, 10)},
                                 {std::max(2, (settings + 4) / 5), share_of(epochs, 3)},
                                 {2, epochs}};
  if (5 * lengths[0].epochs >= epochs) lengths.erase(lengths.begin() + 1);
  const int rungs = static_cast<int>(lengths.size());
  HalvingResult out;
  for (int i = 0; i < rungs; ++i) {
    Rung rung{i + 1, rungs, lengths[i].epochs, {}};
    if (out.rungs.empty()) {
      rung.settings.resize(settings);
      std::iota(rung.settings.begin(), rung.settings.end(), 0);
    } else {
      rung.settings = best_of(out.rungs.back(), lengths[i].settings);
    }
    if (i == rungs - 1 && rung.settings[0] != 0) rung.settings.insert(rung.settings.begin(), 0);
    auto values = values_from(out.rungs, rung);
    if (!values) values = run(rung);
    if (!values) return out;
    out.rungs.push_back({std::move(rung), std::move(*values)});
  }
  out.finished = true;
  out.best = best_of(out.rungs.back(), 1)[0];
  return out;
}

}  // namespace mcns

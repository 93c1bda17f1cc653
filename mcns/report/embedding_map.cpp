#include "mcns/report/embedding_map.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mcns {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void scale_to_one(Vector& v) {
  const double length = std::sqrt(dot(v, v));
  if (length > 0)
    for (double& x : v) x /= length;
}

/// The next direction, at right angles to those before.
Vector leading(const std::vector<Vector>& covariance, const std::vector<Vector>& before,
               std::size_t start) {
  const std::size_t dim = covariance.size();
  Vector v(dim);
  for (std::size_t i = 0; i < dim; ++i) v[i] = 1.0 / static_cast<double>(1 + (i + start) % dim);
  for (int round = 0; round < 200; ++round) {
    for (const Vector& other : before) {
      const double part = dot(v, other);
      for (std::size_t i = 0; i < dim; ++i) v[i] -= part * other[i];
    }
    scale_to_one(v);
    Vector next(dim);
    for (std::size_t i = 0; i < dim; ++i) next[i] = dot(covariance[i], v);
    if (dot(next, next) == 0) return v;
    v = std::move(next);
    scale_to_one(v);
  }
  for (const Vector& other : before) {
    const double part = dot(v, other);
    for (std::size_t i = 0; i < dim; ++i) v[i] -= part * other[i];
  }
  scale_to_one(v);
  const auto largest = std::ranges::max_element(v, {}, [](double x) { return std::abs(x); });
  if (*largest < 0)
    for (double& x : v) x = -x;
  return v;
}

}  // namespace

Projection project(ConstMatrixRef vectors, std::span<const NodeId> rows) {
  const auto dim = static_cast<std::size_t>(vectors.dim);
  Vector mean(dim);
  for (const NodeId row : rows)
    for (std::size_t i = 0; i < dim; ++i)
      mean[i] += vectors.row(row)[i] / static_cast<double>(rows.size());
  std::vector<Vector> centred;
  for (const NodeId row : rows) {
    Vector v(dim);
    for (std::size_t i = 0; i < dim; ++i) v[i] = vectors.row(row)[i] - mean[i];
    centred.push_back(std::move(v));
  }
  std::vector<Vector> covariance(dim, Vector(dim));
  double total = 0;
  for (const Vector& v : centred)
    for (std::size_t i = 0; i < dim; ++i) {
      total += v[i] * v[i];
      for (std::size_t j = 0; j < dim; ++j) covariance[i][j] += v[i] * v[j];
    }
  std::vector<Vector> directions;
  directions.push_back(leading(covariance, directions, 0));
  directions.push_back(dim > 1 ? leading(covariance, directions, 1) : Vector(dim));
  Projection out;
  double kept = 0;
  for (const Vector& v : centred) {
    out.points.push_back({dot(v, directions[0]), dot(v, directions[1])});
    kept += out.points.back().x * out.points.back().x + out.points.back().y * out.points.back().y;
  }
  out.share = total > 0 ? kept / total : 1;
  return out;
}

std::string map_figure(const std::string& title, const std::vector<MapPoint>& points,
                       const std::vector<std::string>& groups) {
  constexpr double kSize = 640, kTall = 460, kEdge = 14;
  double low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  for (const MapPoint& p : points) {
    low_x = std::min(low_x, p.at.x), high_x = std::max(high_x, p.at.x);
    low_y = std::min(low_y, p.at.y), high_y = std::max(high_y, p.at.y);
  }
  const double wide = std::max(1e-12, high_x - low_x), tall = std::max(1e-12, high_y - low_y);
  std::string legend;
  for (std::size_t g = 0; g < groups.size(); ++g)
    legend += fmt::format(
        R"(<span><svg viewBox="0 0 10 10" style="display:inline-block;width:10px" aria-hidden="true"><circle class="fill {}" cx="5" cy="5" r="5"/></svg> {}</span>)",
        tone_class(tone_of(g)), escaped(groups[g]));
  std::string out = fmt::format(
      R"(<figure class="map"><div class="tools"><label>Find <input type="search" autocomplete="off" placeholder="a name"></label>{}<output aria-live="polite">Point at a node for its name.</output></div>)"
      R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)"
      "\n",
      legend, kSize, kTall, escaped(title));
  for (const MapPoint& p : points)
    out += fmt::format(
        R"(<circle class="fill {} faint" cx="{:.1f}" cy="{:.1f}" r="4" data-name="{}"/>)"
        "\n",
        p.group < 0 ? "muted" : tone_class(tone_of(static_cast<std::size_t>(p.group))),
        kEdge + (p.at.x - low_x) / wide * (kSize - 2 * kEdge),
        kTall - kEdge - (p.at.y - low_y) / tall * (kTall - 2 * kEdge), escaped(p.name));
  return out + "</svg></figure>\n";
}

std::string map_script() {
  return R"(<script>
for (const map of document.querySelectorAll('.map')) {
  const box = map.querySelector('input'), out = map.querySelector('output');
  const points = [...map.querySelectorAll('circle[data-name]')];
  const plane = points.length ? points[0].ownerSVGElement : null;
  let shown = [];
  const show = (some, text) => {
    for (const p of shown) { p.classList.remove('found'); p.setAttribute('r', 4); }
    shown = some;
    for (const p of some) {
      p.classList.add('found'); p.setAttribute('r', 8); p.parentNode.append(p);
    }
    out.textContent = text;
  };
  const search = () => {
    const text = box.value.trim().toLowerCase();
    if (!text) return show([], 'Point at a node for its name.');
    let found = points.filter(p => p.dataset.name.toLowerCase() === text);
    if (!found.length) found = points.filter(p => p.dataset.name.toLowerCase().includes(text));
    const names = found.slice(0, 6).map(p => p.dataset.name).join(', ');
    show(found, found.length ? names + (found.length > 6 ? ' and ' + (found.length - 6) + ' more' : '')
                             : 'No node on the map has this name.');
  };
  box.addEventListener('input', search);
  plane?.addEventListener('pointermove', event => {
    const at = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(plane.getScreenCTM().inverse());
    let best = null, distance = 225;
    for (const p of points) {
      const d = (p.cx.baseVal.value - at.x) ** 2 + (p.cy.baseVal.value - at.y) ** 2;
      if (d < distance) { distance = d; best = p; }
    }
    if (best && shown[0] !== best) show([best], best.dataset.name);
  });
}
</script>
)";
}

}  // namespace mcns

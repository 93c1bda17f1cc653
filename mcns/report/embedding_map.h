// Vectors on a plane: the two directions in which they differ most (principal components), by
// orthogonal iteration on the covariance of the nodes that are shown. And the figure of it, where
// pointing at a node shows its name and a search box finds one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mcns/core/matrix.h"
#include "mcns/core/types.h"
#include "mcns/report/svg.h"

namespace mcns {

struct Projection {
  std::vector<PlotPoint> points;  ///< of the rows, in their order
  double share = 0;               ///< of the variance that the two directions have
};

/// At least one row. Deterministic; the signs of the directions make their largest part positive.
Projection project(ConstMatrixRef vectors, std::span<const NodeId> rows);

struct MapPoint {
  PlotPoint at;
  std::string name;
  int group = 0;
};

/// `groups` are names of the colours; group -1 is grey.
std::string map_figure(const std::string& title, const std::vector<MapPoint>& points,
                       const std::vector<std::string>& groups);

/// What the figures of a page need, once at its end.
std::string map_script();

}  // namespace mcns

// How good a tetrahedral mesh is.
#include "app/files/mesh_quality.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "app/files/surface.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {
namespace {

// The corners of each edge, and then the two others.
constexpr std::array<std::array<std::size_t, 4>, 6> kEdges = {
    {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};

// The angle between the two faces at an edge, inside the tet, whatever its orientation.
double dihedral(const std::array<Vec3, 4>& p, const std::array<std::size_t, 4>& edge) {
  const Vec3 along = p[edge[1]] - p[edge[0]];
  const Vec3 a = along.cross(p[edge[2]] - p[edge[0]]);
  const Vec3 b = along.cross(p[edge[3]] - p[edge[0]]);
  return std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / std::numbers::pi;
}

// 3 · inradius / circumradius, with r = 3V / ΣA and R = |a²(b×c) + b²(c×a) + c²(a×b)| / 12V for the
// edges a, b, c from one corner.
double aspect_ratio(const std::array<Vec3, 4>& p) {
  const Vec3 a = p[1] - p[0];
  const Vec3 b = p[2] - p[0];
  const Vec3 c = p[3] - p[0];
  const double volume = std::abs(a.dot(b.cross(c))) / 6;
  const double area =
      (a.cross(b).norm() + b.cross(c).norm() + c.cross(a).norm() + (b - a).cross(c - a).norm()) / 2;
  const double twelve_rv =
      (a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) + c.squaredNorm() * a.cross(b))
          .norm();
  const double bottom = area * twelve_rv;
  return bottom > 0 ? 9 * volume * 12 * volume / bottom : 0;
}

std::size_t count_components(const TetMesh& mesh) {
  std::vector<std::size_t> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](int vertex) {
    auto v = static_cast<std::size_t>(vertex);
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& t : mesh.tets) {
    for (std::size_t c = 1; c < 4; ++c) parent[root(t[c])] = root(t[0]);
  }
  std::size_t count = 0;
  for (std::size_t v = 0; v < parent.size(); ++v) count += parent[v] == v;
  return count;
}

void count_repeated(const TetMesh& mesh, TetQuality& q) {
  std::vector<std::array<int, 4>> tets = mesh.tets;
  std::vector<std::array<int, 3>> faces;
  faces.reserve(4 * tets.size());
  for (auto& t : tets) {
    std::ranges::sort(t);
    for (std::size_t skip = 0; skip < 4; ++skip) {
      faces.push_back({t[skip == 0 ? 1 : 0], t[skip <= 1 ? 2 : 1], t[skip == 3 ? 2 : 3]});
    }
  }
  std::ranges::sort(tets);
  for (std::size_t i = 1; i < tets.size(); ++i) q.duplicates += tets[i] == tets[i - 1];
  std::ranges::sort(faces);
  for (std::size_t i = 2; i < faces.size(); ++i) {
    const bool third = faces[i] == faces[i - 2];
    q.crowded_faces += third && (i == 2 || faces[i] != faces[i - 3]);
  }
}

Distribution edge_lengths(const TetMesh& mesh) {
  std::vector<std::pair<int, int>> edges;
  for (const auto& t : mesh.tets) {
    for (const auto& e : kEdges) edges.push_back(std::minmax({t[e[0]], t[e[1]]}));
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  DistributionOf lengths;
  for (const auto& [a, b] : edges) {
    lengths.add((Vec3(mesh.vertices[static_cast<std::size_t>(a)].data()) -
                 Vec3(mesh.vertices[static_cast<std::size_t>(b)].data()))
                    .norm());
  }
  return lengths.over_all();
}

}  // namespace

Distribution DistributionOf::over_all() const {
  if (values_.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(values_);
  return over(*least, *most);
}

Distribution DistributionOf::over(double low, double high) const {
  Distribution d;
  d.low = low;
  d.high = high;
  if (values_.empty()) return d;
  const auto [least, most] = std::ranges::minmax_element(values_);
  d.least = *least;
  d.most = *most;
  const auto bins = static_cast<double>(d.bins.size());
  for (const double v : values_) {
    d.mean += v / static_cast<double>(values_.size());
    const double at = high > low ? (v - low) / (high - low) * bins : 0;
    // Coordinates near the end of a double's range make lengths infinite and ratios no number.
    const double bin = std::isfinite(at) ? std::clamp(std::floor(at), 0.0, bins - 1) : 0;
    ++d.bins[static_cast<std::size_t>(bin)];
  }
  return d;
}

TetQuality tet_quality(const TetMesh& mesh) {
  TetQuality q;
  q.vertices = mesh.vertices.size();
  q.tets = mesh.tets.size();
  if (mesh.tets.empty()) return q;
  Vec3 low(mesh.vertices[0].data());
  Vec3 high = low;
  for (const auto& v : mesh.vertices) {
    low = low.cwiseMin(Vec3(v.data()));
    high = high.cwiseMax(Vec3(v.data()));
  }
  Vec3::Map(q.bounds.low.data()) = low;
  Vec3::Map(q.bounds.high.data()) = high;
  DistributionOf aspect;
  DistributionOf volumes;
  DistributionOf min_dihedral;
  DistributionOf max_dihedral;
  for (const auto& t : mesh.tets) {
    std::array<Vec3, 4> p;
    for (std::size_t c = 0; c < 4; ++c)
      p[c] = Vec3(mesh.vertices[static_cast<std::size_t>(t[c])].data());
    const double volume = (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])) / 6;
    double longest = 0;
    double smallest = 180;
    double largest = 0;
    for (const auto& e : kEdges) {
      longest = std::max(longest, (p[e[1]] - p[e[0]]).norm());
      const double angle = dihedral(p, e);
      smallest = std::min(smallest, angle);
      largest = std::max(largest, angle);
    }
    q.volume += volume;
    // The same bound at which a scene refuses a mesh.
    if (!(std::abs(volume) > 1e-13 * longest * longest * longest)) {
      ++q.flat;
    } else if (volume < 0) {
      ++q.inverted;
    }
    volumes.add(volume);
    aspect.add(aspect_ratio(p));
    min_dihedral.add(smallest);
    max_dihedral.add(largest);
  }
  q.aspect = aspect.over(0, 1);
  q.tet_volume = volumes.over_all();
  q.min_dihedral = min_dihedral.over(0, 90);
  q.max_dihedral = max_dihedral.over(60, 180);
  q.edge_length = edge_lengths(mesh);
  q.components = count_components(mesh);
  count_repeated(mesh, q);
  std::vector<std::array<int, 3>> boundary;
  for (const BoundaryFace& face : boundary_faces(mesh.tets)) boundary.push_back(face.corners);
  q.surface = surface_quality(mesh.vertices, boundary);
  return q;
}

}  // namespace lilyan

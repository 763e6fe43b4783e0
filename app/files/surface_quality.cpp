// How good a surface is.
//
// Edges are taken with the direction in which a triangle lists them: on an oriented manifold the
// two triangles of an edge list it in opposite directions.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "app/files/mesh_quality.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {
namespace {

// Sets of things that are connected; parity tells whether a member is turned against the first.
class Union {
 public:
  explicit Union(std::size_t count) : parent_(count), turned_(count, false) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::pair<std::size_t, bool> find(std::size_t i) {
    bool turned = false;
    for (std::size_t k = i; parent_[k] != k; k = parent_[k]) turned ^= turned_[k];
    const bool result = turned;
    std::size_t root = i;
    while (parent_[root] != root) root = parent_[root];
    while (parent_[i] != root && i != root) {  // shorten the way for the next time
      const std::size_t next = parent_[i];
      const bool step = turned_[i];
      parent_[i] = root;
      turned_[i] = turned;
      turned ^= step;
      i = next;
    }
    return {root, result};
  }
  // False when both are connected already, and the other way round.
  bool join(std::size_t a, std::size_t b, bool turned = false) {
    const auto [root_a, turned_a] = find(a);
    const auto [root_b, turned_b] = find(b);
    if (root_a == root_b) return (turned_a ^ turned_b) == turned;
    parent_[root_a] = root_b;
    turned_[root_a] = turned_a ^ turned_b ^ turned;
    return true;
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<bool> turned_;
};

struct HalfEdge {
  int low;
  int high;
  std::size_t triangle;
  bool forwards;  // from low to high
};

std::vector<HalfEdge> sorted_edges(std::span<const std::array<int, 3>> triangles) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = triangles[t][c];
      const int b = triangles[t][(c + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  }
  std::ranges::sort(edges, {},
                    [](const HalfEdge& e) { return std::tuple(e.low, e.high, e.triangle); });
  return edges;
}

// Calls with the half-edges of each edge.
template <class Call>
void for_each_edge(const std::vector<HalfEdge>& edges, const Call& call) {
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == edges[i].low &&
           edges[end].high == edges[i].high) {
      ++end;
    }
    call(std::span(edges).subspan(i, end - i));
    i = end;
  }
}

std::size_t count_duplicates(std::span<const std::array<int, 3>> triangles) {
  std::vector<std::array<int, 3>> sorted(triangles.begin(), triangles.end());
  for (auto& t : sorted) std::ranges::sort(t);
  std::ranges::sort(sorted);
  std::size_t count = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) count += sorted[i] == sorted[i - 1];
  return count;
}

// Corners around a vertex that share an edge form a fan; a manifold vertex has one.
std::size_t count_pinched(std::span<const std::array<int, 3>> triangles,
                          const std::vector<HalfEdge>& edges, std::size_t vertices) {
  Union corners(3 * triangles.size());
  const auto corner = [&](std::size_t t, int vertex) {
    return 3 * t +
           static_cast<std::size_t>(std::ranges::find(triangles[t], vertex) - triangles[t].begin());
  };
  for_each_edge(edges, [&](std::span<const HalfEdge> e) {
    for (std::size_t k = 1; k < e.size(); ++k) {
      corners.join(corner(e[0].triangle, e[0].low), corner(e[k].triangle, e[k].low));
      corners.join(corner(e[0].triangle, e[0].high), corner(e[k].triangle, e[k].high));
    }
  });
  std::vector<int> fans(vertices, 0);
  for (std::size_t c = 0; c < 3 * triangles.size(); ++c) {
    if (corners.find(c).first == c) ++fans[static_cast<std::size_t>(triangles[c / 3][c % 3])];
  }
  return static_cast<std::size_t>(std::ranges::count_if(fans, [](int n) { return n > 1; }));
}

// How many closed curves the boundary edges form, where each vertex has two of them.
std::size_t count_loops(const std::vector<HalfEdge>& edges, std::size_t vertices) {
  Union ends(vertices);
  std::vector<bool> on(vertices, false);
  for_each_edge(edges, [&](std::span<const HalfEdge> e) {
    if (e.size() != 1) return;
    const auto a = static_cast<std::size_t>(e[0].low);
    const auto b = static_cast<std::size_t>(e[0].high);
    ends.join(a, b);
    on[a] = on[b] = true;
  });
  std::size_t loops = 0;
  for (std::size_t v = 0; v < vertices; ++v) loops += on[v] && ends.find(v).first == v;
  return loops;
}

void judge_topology(std::span<const std::array<int, 3>> triangles, std::size_t vertices,
                    SurfaceQuality& q) {
  const std::vector<HalfEdge> edges = sorted_edges(triangles);
  Union connected(triangles.size());
  for_each_edge(edges, [&](std::span<const HalfEdge> e) {
    ++q.edges;
    if (e.size() == 1) ++q.boundary_edges;
    if (e.size() > 2) ++q.non_manifold_edges;
    const bool turned = e.size() == 2 && e[0].forwards == e[1].forwards;
    if (turned) ++q.misoriented_edges;
    for (std::size_t k = 1; k < e.size(); ++k) {
      if (!connected.join(e[0].triangle, e[k].triangle, turned)) q.orientable = false;
    }
  });
  for (std::size_t t = 0; t < triangles.size(); ++t) q.components += connected.find(t).first == t;
  q.duplicates = count_duplicates(triangles);
  q.non_manifold_vertices = count_pinched(triangles, edges, vertices);
  q.boundary_loops = count_loops(edges, vertices);
  if (q.manifold()) {
    const auto n = [](std::size_t count) { return static_cast<long>(count); };
    const long euler = n(q.vertices) - n(q.edges) + n(q.triangles);
    const long twice = 2 * n(q.components) - euler - n(q.boundary_loops);
    q.genus = static_cast<int>(q.orientable ? twice / 2 : twice);
  }
}

}  // namespace

double Bounds::diagonal() const {
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

std::vector<int> triangle_components(std::span<const std::array<int, 3>> triangles) {
  Union connected(triangles.size());
  for_each_edge(sorted_edges(triangles), [&](std::span<const HalfEdge> e) {
    for (std::size_t k = 1; k < e.size(); ++k) connected.join(e[0].triangle, e[k].triangle);
  });
  std::vector<int> number_of_root(triangles.size(), -1);
  std::vector<int> component(triangles.size());
  int count = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    int& number = number_of_root[connected.find(t).first];
    if (number < 0) number = count++;
    component[t] = number;
  }
  return component;
}

SurfaceQuality surface_quality(std::span<const std::array<double, 3>> vertices,
                               std::span<const std::array<int, 3>> triangles) {
  SurfaceQuality q;
  q.triangles = triangles.size();
  if (triangles.empty()) return q;
  const auto point = [&](int v) { return Vec3(vertices[static_cast<std::size_t>(v)].data()); };
  std::vector<bool> used(vertices.size(), false);
  Vec3 low = point(triangles[0][0]);
  Vec3 high = low;
  for (const auto& t : triangles) {
    for (const int v : t) {
      used[static_cast<std::size_t>(v)] = true;
      low = low.cwiseMin(point(v));
      high = high.cwiseMax(point(v));
    }
  }
  q.vertices = static_cast<std::size_t>(std::ranges::count(used, true));
  Vec3::Map(q.bounds.low.data()) = low;
  Vec3::Map(q.bounds.high.data()) = high;
  const Vec3 centre = (low + high) / 2;  // volumes about it lose fewer digits than about the origin

  DistributionOf aspect;
  DistributionOf angle;
  for (const auto& t : triangles) {
    std::array<Vec3, 3> side;  // opposite to each corner
    for (std::size_t c = 0; c < 3; ++c) side[c] = point(t[(c + 2) % 3]) - point(t[(c + 1) % 3]);
    const std::array<double, 3> length = {side[0].norm(), side[1].norm(), side[2].norm()};
    const double area = side[0].cross(side[1]).norm() / 2;
    const double longest = std::ranges::max(length);
    q.area += area;
    q.volume += (point(t[0]) - centre).dot((point(t[1]) - centre).cross(point(t[2]) - centre)) / 6;
    if (!(area > 1e-14 * longest * longest)) ++q.flat;
    // r = 2A / (a+b+c), R = abc / 4A
    const double product = length[0] * length[1] * length[2];
    const double sum = length[0] + length[1] + length[2];
    aspect.add(product > 0 ? 16 * area * area / (sum * product) : 0);
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 a = side[(c + 1) % 3];
      const Vec3 b = -side[(c + 2) % 3];
      angle.add(std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / std::numbers::pi);
    }
  }
  q.aspect = aspect.over(0, 1);
  q.angle = angle.over(0, 180);
  DistributionOf edge_length;
  for_each_edge(sorted_edges(triangles), [&](std::span<const HalfEdge> e) {
    edge_length.add((point(e[0].low) - point(e[0].high)).norm());
  });
  q.edge_length = edge_length.over_all();
  judge_topology(triangles, vertices.size(), q);
  return q;
}

SurfaceQuality surface_quality(const SurfaceMesh& mesh) {
  return surface_quality(mesh.vertices, mesh.triangles);
}

}  // namespace lilyan

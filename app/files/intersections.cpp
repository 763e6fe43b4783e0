// An edge pq and a triangle abc have a point in common
//   - where p and q are not on the same side of the plane abc, and the line pq does not pass the triangle outside of one
//     of its sides: the tets (p, q, a, b), (p, q, b, c), (p, q, c, a) are oriented alike, or flat;
//   - where all five points lie in one plane, if pq meets a side of the triangle or p lies in it. Points of a plane are
//     seen along a coordinate axis that is not parallel to it, so that nothing is rounded.
// A triangle without area has the same plane as any other point. It is three edges then.
#include "app/files/intersections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "app/files/box_tree.hpp"
#include "app/files/exact_predicates.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

using EdgeOf = std::array<int, 2>;
using TriangleOf = std::array<int, 3>;

SpacePoint point_of(Points points, int vertex) {
  const auto i = 3 * static_cast<std::size_t>(vertex);
  return {points[i], points[i + 1], points[i + 2]};
}

PlanePoint without(std::size_t axis, const SpacePoint& p) {
  return {p[(axis + 1) % 3], p[(axis + 2) % 3]};
}

template <std::size_t N>
PointBox box_of(const std::array<SpacePoint, N>& corners) {
  PointBox box{corners[0], corners[0]};
  for (const SpacePoint& p : corners) box.add({p, p});
  return box;
}

// Whether three points lie on one line. If not, `axis` is one along which they are not seen on one line.
bool on_one_line(const SpacePoint& a, const SpacePoint& b, const SpacePoint& c, std::size_t& axis) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (turn_of(without(k, a), without(k, b), without(k, c)) == 0) continue;
    axis = k;
    return false;
  }
  return true;
}

// Whether two segments have a point in common.
bool segments_meet(const SpacePoint& p, const SpacePoint& q, const SpacePoint& a,
                   const SpacePoint& b) {
  if (!box_of<2>({p, q}).reaches(box_of<2>({a, b}))) return false;
  if (side_of(p, q, a, b) != 0) return false;
  std::size_t axis = 0;
  // On one line the boxes reach into each other where the segments do.
  if (on_one_line(p, q, a, axis) && on_one_line(p, q, b, axis) && on_one_line(a, b, p, axis) &&
      on_one_line(a, b, q, axis)) {
    return true;
  }
  const PlanePoint p2 = without(axis, p);
  const PlanePoint q2 = without(axis, q);
  const PlanePoint a2 = without(axis, a);
  const PlanePoint b2 = without(axis, b);
  return turn_of(p2, q2, a2) * turn_of(p2, q2, b2) <= 0 &&
         turn_of(a2, b2, p2) * turn_of(a2, b2, q2) <= 0;
}

bool alike(int u, int v, int w) { return std::min({u, v, w}) >= 0 || std::max({u, v, w}) <= 0; }

bool meet_in_plane(const SpacePoint& p, const SpacePoint& q, const std::array<SpacePoint, 3>& t) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (segments_meet(p, q, t[k], t[(k + 1) % 3])) return true;
  }
  std::size_t axis = 0;
  if (on_one_line(t[0], t[1], t[2], axis)) return false;
  const PlanePoint p2 = without(axis, p);
  const auto turn = [&](std::size_t k) {
    return turn_of(without(axis, t[k]), without(axis, t[(k + 1) % 3]), p2);
  };
  return alike(turn(0), turn(1), turn(2));
}

enum class Meeting { none, touch, through };

Meeting meeting(const SpacePoint& p, const SpacePoint& q, const std::array<SpacePoint, 3>& t) {
  const int from = side_of(t[0], t[1], t[2], p);
  const int to = side_of(t[0], t[1], t[2], q);
  if (from * to > 0) return Meeting::none;
  if (from == 0 && to == 0) return meet_in_plane(p, q, t) ? Meeting::touch : Meeting::none;
  const int u = side_of(p, q, t[0], t[1]);
  const int v = side_of(p, q, t[1], t[2]);
  if (u * v < 0) return Meeting::none;
  const int w = side_of(p, q, t[2], t[0]);
  if (!alike(u, v, w)) return Meeting::none;
  return from * to * u * v * w == 0 ? Meeting::touch : Meeting::through;
}

// Each edge once, with the smaller vertex first.
std::vector<EdgeOf> all_edges(std::span<const EdgeOf> edges,
                              std::span<const TriangleOf> triangles) {
  std::vector<EdgeOf> all;
  all.reserve(edges.size() + 3 * triangles.size());
  const auto add = [&](int a, int b) { all.push_back({std::min(a, b), std::max(a, b)}); };
  for (const EdgeOf& e : edges) add(e[0], e[1]);
  for (const TriangleOf& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) add(t[k], t[(k + 1) % 3]);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void check_points(Points points, std::span<const EdgeOf> edges,
                  std::span<const TriangleOf> triangles) {
  const auto bad = std::ranges::find_if(points, [](double x) { return !std::isfinite(x); });
  if (bad != points.end()) {
    throw Error(fmt::format("vertex {} has a coordinate that is not finite",
                            std::distance(points.begin(), bad) / 3));
  }
  const auto count = static_cast<int>(points.size() / 3);
  const auto check = [&](const auto& cell) {
    for (const int v : cell) {
      if (v < 0 || v >= count) throw Error(fmt::format("there is no vertex {}", v));
    }
  };
  std::ranges::for_each(edges, check);
  std::ranges::for_each(triangles, check);
}

std::array<SpacePoint, 3> corners_of(Points points, const TriangleOf& t) {
  return {point_of(points, t[0]), point_of(points, t[1]), point_of(points, t[2])};
}

bool share_a_vertex(const EdgeOf& e, const TriangleOf& t) {
  return std::ranges::find(t, e[0]) != t.end() || std::ranges::find(t, e[1]) != t.end();
}

}  // namespace

std::vector<Intersection> find_intersections(Points points, std::span<const EdgeOf> edges,
                                             std::span<const TriangleOf> triangles) {
  check_points(points, edges, triangles);
  const std::vector<EdgeOf> all = all_edges(edges, triangles);
  std::vector<PointBox> boxes;
  boxes.reserve(triangles.size());
  for (const TriangleOf& t : triangles) boxes.push_back(box_of(corners_of(points, t)));
  const BoxTree tree(std::move(boxes));

  constexpr std::size_t kChunk = 1024;
  std::vector<std::vector<Intersection>> found((all.size() + kChunk - 1) / kChunk);
  parallel_for(static_cast<int>(found.size()), [&](int chunk) {
    const auto c = static_cast<std::size_t>(chunk);
    for (std::size_t i = c * kChunk; i < std::min((c + 1) * kChunk, all.size()); ++i) {
      const EdgeOf& e = all[i];
      const SpacePoint p = point_of(points, e[0]);
      const SpacePoint q = point_of(points, e[1]);
      tree.search(box_of<2>({p, q}), [&](int number) {
        const TriangleOf& t = triangles[static_cast<std::size_t>(number)];
        if (share_a_vertex(e, t)) return;
        const Meeting how = meeting(p, q, corners_of(points, t));
        if (how == Meeting::none) return;
        found[c].push_back({.edge = e, .triangle = t, .touches = how == Meeting::touch});
      });
    }
    std::ranges::sort(found[c], {},
                      [](const Intersection& x) { return std::tie(x.edge, x.triangle); });
  });
  std::vector<Intersection> result;
  for (const auto& part : found) result.insert(result.end(), part.begin(), part.end());
  return result;
}

std::array<double, 3> place_of(const Intersection& pair, Points points) {
  const std::array<SpacePoint, 3> t = corners_of(points, pair.triangle);
  const SpacePoint p = point_of(points, pair.edge[0]);
  const SpacePoint q = point_of(points, pair.edge[1]);
  const auto height = [&](const SpacePoint& x) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3;
      const std::size_t j = (k + 2) % 3;
      sum +=
          ((t[1][i] - t[0][i]) * (t[2][j] - t[0][j]) - (t[1][j] - t[0][j]) * (t[2][i] - t[0][i])) *
          (x[k] - t[0][k]);
    }
    return sum;
  };
  const double from = height(p);
  const double to = height(q);
  // In one plane: somewhere on the edge.
  const double share = from == to ? 0.5 : std::clamp(from / (from - to), 0.0, 1.0);
  SpacePoint place{};
  for (std::size_t k = 0; k < 3; ++k) place[k] = p[k] + share * (q[k] - p[k]);
  return place;
}

namespace {

// Which vertices hang together: each leads to another of its part, or to itself.
class ConnectedParts {
 public:
  explicit ConnectedParts(std::size_t vertices) : next_(vertices) {
    std::iota(next_.begin(), next_.end(), 0);
  }
  [[nodiscard]] int of(int vertex) {
    while (next(vertex) != vertex) vertex = next(vertex) = next(next(vertex));
    return vertex;
  }
  template <class Cells>
  void join(const Cells& cells) {
    for (const auto& cell : cells) {
      for (const int v : cell) {
        const auto [low, high] = std::minmax({of(v), of(cell[0])});
        next(high) = low;
        used_.push_back(v);
      }
    }
  }
  // One vertex of each part that has cells.
  [[nodiscard]] std::vector<int> one_of_each() {
    std::vector<int> ones;
    for (const int v : used_) ones.push_back(of(v));
    std::ranges::sort(ones);
    ones.erase(std::unique(ones.begin(), ones.end()), ones.end());
    return ones;
  }

 private:
  int& next(int vertex) { return next_[static_cast<std::size_t>(vertex)]; }

  std::vector<int> next_;
  std::vector<int> used_;
};

// Also for inverted tets. One that is flat has no inside.
bool lies_within(const SpacePoint& x, const std::array<SpacePoint, 4>& t) {
  const int whole = side_of(t[0], t[1], t[2], t[3]);
  if (whole == 0) return false;
  return side_of(t[0], t[1], t[2], x) * whole >= 0 && side_of(t[0], t[3], t[1], x) * whole >= 0 &&
         side_of(t[1], t[3], t[2], x) * whole >= 0 && side_of(t[0], t[2], t[3], x) * whole >= 0;
}

}  // namespace

std::vector<Enclosed> find_enclosed(Points points, const FrameGeometry& geometry) {
  ConnectedParts parts(points.size() / 3);
  parts.join(geometry.tets);
  parts.join(geometry.triangles);
  parts.join(geometry.edges);
  const std::vector<int> ones = parts.one_of_each();
  if (ones.size() < 2) return {};
  std::vector<PointBox> boxes;
  for (const int v : ones) boxes.push_back({point_of(points, v), point_of(points, v)});
  const BoxTree tree(std::move(boxes));
  std::vector<Enclosed> found;
  for (const auto& tet : geometry.tets) {
    const std::array<SpacePoint, 4> corners = {point_of(points, tet[0]), point_of(points, tet[1]),
                                               point_of(points, tet[2]), point_of(points, tet[3])};
    tree.search(box_of(corners), [&](int number) {
      const int v = ones[static_cast<std::size_t>(number)];
      if (parts.of(v) == parts.of(tet[0])) return;
      if (lies_within(point_of(points, v), corners)) found.push_back({.vertex = v, .tet = tet});
    });
  }
  // A point on the border of tets is within all of them.
  std::ranges::sort(found, {}, [](const Enclosed& e) { return std::tie(e.vertex, e.tet); });
  const auto same = [](const Enclosed& a, const Enclosed& b) { return a.vertex == b.vertex; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

}  // namespace lilyan

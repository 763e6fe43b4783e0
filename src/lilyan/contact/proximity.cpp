#include "lilyan/contact/proximity.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/core/jet.hpp"

namespace lilyan {
namespace {

constexpr double kManyCells = 512;

// The distance, squared, to the feature's line or plane.
template <class T>
T squared_distance(Nearest feature, const std::array<T, 12>& z) {
  const auto point = [&](std::size_t i) { return Point3<T>{z[3 * i], z[3 * i + 1], z[3 * i + 2]}; };
  const auto from_line = [&](std::size_t i, std::size_t j) {
    const Point3<T> edge = minus(point(j), point(i));
    const Point3<T> area = cross(minus(point(0), point(i)), edge);
    return dot(area, area) / dot(edge, edge);
  };
  const auto from_point = [&](std::size_t i) {
    const Point3<T> offset = minus(point(0), point(i));
    return dot(offset, offset);
  };
  switch (feature) {
    case Nearest::edge_ab: return from_line(1, 2);
    case Nearest::edge_bc: return from_line(2, 3);
    case Nearest::edge_ca: return from_line(3, 1);
    case Nearest::corner_a: return from_point(1);
    case Nearest::corner_b: return from_point(2);
    case Nearest::corner_c: return from_point(3);
    case Nearest::face: break;
  }
  const Point3<T> normal = cross(minus(point(2), point(1)), minus(point(3), point(1)));
  const T height = dot(minus(point(0), point(1)), normal);
  return height * height / dot(normal, normal);
}

template <class J>
std::array<J, 12> variables(const PointTriangle& z) {
  std::array<double, 12> at{};
  for (int i = 0; i < 12; ++i) at[static_cast<std::size_t>(i)] = z[i];
  return J::variables(at);
}

}  // namespace

NearestPoint nearest_point(const PointTriangle& z) {
  const Vec3 p = z.segment<3>(0);
  const Vec3 a = z.segment<3>(3);
  const Vec3 b = z.segment<3>(6);
  const Vec3 c = z.segment<3>(9);
  const Vec3 ab = b - a;
  const Vec3 ac = c - a;
  const double d1 = ab.dot(p - a);
  const double d2 = ac.dot(p - a);
  if (d1 <= 0 && d2 <= 0) return {Nearest::corner_a, {1, 0, 0}};
  const double d3 = ab.dot(p - b);
  const double d4 = ac.dot(p - b);
  if (d3 >= 0 && d4 <= d3) return {Nearest::corner_b, {0, 1, 0}};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double s = d1 / (d1 - d3);
    return {Nearest::edge_ab, {1 - s, s, 0}};
  }
  const double d5 = ab.dot(p - c);
  const double d6 = ac.dot(p - c);
  if (d6 >= 0 && d5 <= d6) return {Nearest::corner_c, {0, 0, 1}};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double s = d2 / (d2 - d6);
    return {Nearest::edge_ca, {1 - s, 0, s}};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {Nearest::edge_bc, {0, 1 - s, s}};
  }
  const double sum = va + vb + vc;
  return {Nearest::face, {va / sum, vb / sum, vc / sum}};
}

double point_triangle_distance(const PointTriangle& z) {
  const NearestPoint n = nearest_point(z);
  const Vec3 q =
      n.weight[0] * z.segment<3>(3) + n.weight[1] * z.segment<3>(6) + n.weight[2] * z.segment<3>(9);
  return (z.segment<3>(0) - q).norm();
}

// The nearest point is where the distance is smallest, so moving it along the triangle does not
// change the distance: the gradient is as if it were a fixed point of the triangle.
PointTriangleDistance point_triangle_derivatives(const PointTriangle& z, bool want_hessian) {
  PointTriangleDistance d;
  const NearestPoint nearest = nearest_point(z);
  if (!want_hessian) {
    Vec3 offset = z.segment<3>(0);
    for (int a = 0; a < 3; ++a) {
      offset -= nearest.weight[static_cast<std::size_t>(a)] * z.segment<3>(3 + 3 * a);
    }
    d.value = offset.norm();
    if (d.value == 0) return d;
    d.gradient.segment<3>(0) = offset / d.value;
    for (int a = 0; a < 3; ++a) {
      d.gradient.segment<3>(3 + 3 * a) =
          -nearest.weight[static_cast<std::size_t>(a)] / d.value * offset;
    }
    return d;
  }
  using J = Jet2<12>;
  const J square = squared_distance(nearest.feature, variables<J>(z));
  d.value = std::sqrt(square.value);
  if (d.value == 0) return d;
  const J distance = sqrt(square);
  for (int i = 0; i < 12; ++i) {
    d.gradient[i] = distance.gradient[static_cast<std::size_t>(i)];
    for (int j = 0; j < 12; ++j) d.hessian(i, j) = distance.hessian(i, j);
  }
  return d;
}

template <class Function>
void SpatialHash::each_cell(const Box& box, Function function) const {
  const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
  for (std::int64_t i = cell(box.min().x()); i <= cell(box.max().x()); ++i) {
    for (std::int64_t j = cell(box.min().y()); j <= cell(box.max().y()); ++j) {
      for (std::int64_t k = cell(box.min().z()); k <= cell(box.max().z()); ++k) {
        function(Cell{i, j, k});
      }
    }
  }
}

void SpatialHash::build(const std::vector<Box>& boxes, double cell) {
  cell_ = cell;
  boxes_ = boxes;
  entries_.clear();
  large_.clear();
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const Vec3 cells = (boxes[b].sizes() / cell).array() + 1;
    if (!(cells.prod() < kManyCells)) {
      large_.push_back(static_cast<int>(b));
      continue;
    }
    each_cell(boxes[b], [&](const Cell& c) { entries_.emplace_back(c, static_cast<int>(b)); });
  }
  std::ranges::sort(entries_);
}

void SpatialHash::find(const Box& box, std::vector<int>& found) const {
  found.clear();
  const auto add = [&](int b) {
    if (boxes_[static_cast<std::size_t>(b)].intersects(box)) found.push_back(b);
  };
  for (const int b : large_) add(b);
  const Vec3 cells = (box.sizes() / cell_).array() + 1;
  if (!(cells.prod() < kManyCells)) {
    for (std::size_t b = 0; b < boxes_.size(); ++b) add(static_cast<int>(b));
  } else {
    each_cell(box, [&](const Cell& c) {
      const auto first =
          std::ranges::lower_bound(entries_, c, {}, [](const auto& entry) { return entry.first; });
      for (auto e = first; e != entries_.end() && e->first == c; ++e) add(e->second);
    });
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace lilyan

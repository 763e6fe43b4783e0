// Initial deformations: stretch, twist, pull.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/scene/body.hpp"

namespace lilyan {
namespace {

using Points = Eigen::Map<const Eigen::Matrix3Xd>;

Vec3 box_center(const Vector& rest) {
  const Points points(rest.data(), 3, rest.size() / 3);
  return 0.5 * (points.rowwise().minCoeff() + points.rowwise().maxCoeff());
}

void stretch(TableReader& reader, const Vector& rest, Vector& x) {
  const Vec3 factors = reader.vector("factors");
  const Vec3 center = reader.vector("center", box_center(rest));
  for (int i = 0; i < x.size() / 3; ++i) {
    x.segment<3>(3 * i) = center + factors.cwiseProduct(x.segment<3>(3 * i) - center);
  }
}

// Turns the cross-sections about an axis through the centre, by an angle that grows linearly from
// −angle/2 at one end of the rest shape to +angle/2 at the other.
void twist(TableReader& reader, const Vector& rest, Vector& x) {
  const int axis = reader.choice("axis", {"x", "y", "z"}, "x")[0] - 'x';
  const double angle = reader.number("angle") * std::numbers::pi / 180;
  const Vec3 center = reader.vector("center", box_center(rest));
  const Points points(rest.data(), 3, rest.size() / 3);
  const double low = points.row(axis).minCoeff();
  const double extent = points.row(axis).maxCoeff() - low;
  for (int i = 0; i < x.size() / 3; ++i) {
    const double share = (rest[3 * i + axis] - low) / extent - 0.5;
    const Eigen::AngleAxisd turn(angle * share, Vec3::Unit(axis));
    x.segment<3>(3 * i) = center + turn * (x.segment<3>(3 * i) - center);
  }
}

// Moves a region as a whole; the displacement fades out smoothly over the distance `falloff` from
// the region's nearest vertex in the rest shape.
void pull(TableReader& reader, const Vector& rest, Vector& x) {
  const Vec3 by = reader.vector("by");
  const double falloff = reader.number("falloff", 0.0);
  if (falloff < 0) reader.fail("falloff", "'falloff' must not be negative");
  const std::vector<int> region = read_region(reader.table("region"), rest);
  for (int i = 0; i < x.size() / 3; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const int r : region) {
      nearest = std::min(nearest, (rest.segment<3>(3 * i) - rest.segment<3>(3 * r)).squaredNorm());
    }
    const double distance = std::sqrt(nearest);
    double weight = distance == 0 ? 1.0 : 0.0;
    if (distance > 0 && distance < falloff) {
      const double s = 1 - distance / falloff;
      weight = s * s * (3 - 2 * s);
    }
    x.segment<3>(3 * i) += weight * by;
  }
}

}  // namespace

void apply_deformation(TableReader reader, const Vector& rest, Vector& x) {
  const std::string kind = reader.choice("kind", {"stretch", "twist", "pull"});
  if (kind == "stretch") stretch(reader, rest, x);
  if (kind == "twist") twist(reader, rest, x);
  if (kind == "pull") pull(reader, rest, x);
  reader.finish();
}

}  // namespace lilyan

#include "app/scene/contact/contact_stiffness.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>

#include "app/files/surface.hpp"

namespace lilyan {
namespace {

constexpr std::array<const char*, 3> kKeys = {"stiffness", "stiffness_per_area", "depth"};

// Of the body's surface at rest, or of a rod's length; zero within a solid.
std::vector<double> shares_of(const Body& body) {
  std::vector<double> shares(body.masses.size(), 0.0);
  const auto at = [&](int v) { return Vec3(body.rest.segment<3>(3 * v)); };
  const auto add = [&](const auto& element, double size) {
    for (const int v : element) {
      shares[static_cast<std::size_t>(v)] += size / static_cast<double>(element.size());
    }
  };
  const auto triangle = [&](const std::array<int, 3>& t) {
    add(t, 0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).norm());
  };
  for (const BoundaryFace& face : boundary_faces(body.tets)) triangle(face.corners);
  for (const auto& t : body.triangles) triangle(t);
  for (const auto& edge : body.edges) add(edge, (at(edge[1]) - at(edge[0])).norm());
  // (Where several processes share the body, not all faces of a copy are here.)
  std::fill(shares.begin() + body.owned(), shares.end(), 0.0);
  return shares;
}

// The stiffnesses of some vertices of a body, of which one unit of a share has `of_share`.
void add_shares(const PlacedBody& body, const std::vector<int>& vertices,
                const std::vector<double>& shares, double of_share, std::vector<double>& k) {
  for (const int v : vertices) {
    k.push_back(of_share * shares[static_cast<std::size_t>(v - body.first)]);
  }
}

}  // namespace

SceneStiffness::SceneStiffness(TableReader& reader, const Vec3& gravity)
    : reader_(reader), gravity_(gravity) {
  std::vector<std::size_t> given;
  for (std::size_t k = 0; k < kKeys.size(); ++k) {
    if (reader.has(kKeys[k])) given.push_back(k);
  }
  const auto overridden = [&](std::size_t k) { return reader.overridden(kKeys[k]); };
  if (given.size() > 1 && std::ranges::count_if(given, overridden) == 1) {
    for (const std::size_t k : given) {
      if (!overridden(k)) reader.drop(kKeys[k]);
    }
    std::erase_if(given, [&](std::size_t k) { return !overridden(k); });
  }
  if (given.empty()) {
    for (const char* key : kKeys) reader.refuse_misspelling(key);
    reader.fail(kKeys[0],
                "a contact needs one of 'stiffness' (of each vertex), 'stiffness_per_area' and "
                "'depth' (that bodies may sink in by at rest)");
  }
  if (given.size() > 1) {
    reader.fail(kKeys[given[1]],
                fmt::format("'{}' and '{}' both say how stiff the contact is; keep one",
                            kKeys[given[0]], kKeys[given[1]]));
  }
  kind_ = static_cast<Kind>(given[0]);
  value_ = reader.positive(kKeys[given[0]]);
  if (kind_ == Kind::depth && gravity_.isZero(0)) {
    reader.fail("depth",
                "how deep a body sinks follows from its weight, and this scene has no gravity; "
                "give 'stiffness_per_area' instead");
  }
}

double SceneStiffness::weight(const PlacedBody& body) const {
  const std::vector<double>& masses = body.body->masses;
  const double mass = std::accumulate(masses.begin(), masses.begin() + body.body->owned(), 0.0);
  return gravity_.norm() * body.body->total(mass);
}

double SceneStiffness::flat_support(const PlacedBody& body,
                                    const std::vector<double>& shares) const {
  const Vec3 up = -gravity_.normalized();
  const auto height = [&](std::size_t i) {
    return up.dot(body.body->x.segment<3>(3 * static_cast<Eigen::Index>(i)));
  };
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] > 0) lowest = std::min(lowest, height(i));
  }
  if (body.body->ranks) lowest = -body.body->ranks->largest(-lowest);
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += shares[i] * std::max(value_ - (height(i) - lowest), 0.0);
  }
  return body.body->total(sum);
}

double SceneStiffness::support(const PlacedBody& body, const std::vector<double>& shares,
                               const Obstacle& obstacle, double thickness) const {
  // On a plane, as it is told on flat ground, (1) holds.
  if (std::holds_alternative<PlaneShape>(obstacle.shape)) return 0;
  const Vec3 up = -gravity_.normalized();
  const Pose pose = obstacle.motion.at(0);
  const auto near = [&](std::size_t i, double lowered) {
    return obstacle.distance(
        pose, body.body->x.segment<3>(3 * static_cast<Eigen::Index>(i)) - lowered * up);
  };
  // How far the body is above the obstacle. Its distance changes by no more than it is moved, so that it can be
  // lowered by that at a time, or lifted, where it is placed too deep.
  const auto gap = [&](double lowered) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] > 0) least = std::min(least, near(i, lowered).value - thickness);
    }
    return body.body->ranks ? -body.body->ranks->largest(-least) : least;
  };
  constexpr int kMostMoves = 500;
  constexpr double kTouching = 1e-6;  // of the depth
  constexpr double kFar = 1e6;        // times the first gap: it falls past the obstacle
  double lowered = 0;
  double above = gap(lowered);
  const double far = kFar * (std::abs(above) + value_);
  for (int moves = 0; std::abs(above) > kTouching * value_; ++moves) {
    if (moves == kMostMoves || !(std::abs(lowered) <= far)) return 0;
    lowered += above;
    above = gap(lowered);
  }
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!(shares[i] > 0)) continue;
    const SignedDistance d = near(i, lowered + value_);
    sum += shares[i] * std::max(thickness - d.value, 0.0) * std::max(d.normal.dot(up), 0.0);
  }
  return body.body->total(sum);
}

void SceneStiffness::refuse_rods(const PlacedBody& body) const {
  if (kind_ != Kind::per_area || body.body->kind != BodyKind::rod) return;
  reader_.fail(
      "stiffness_per_area",
      fmt::format("body '{}' is a rod and has no area; give 'stiffness' or 'depth'", body.name()));
}

void SceneStiffness::add_of(const PlacedBody& body, const std::vector<int>& vertices,
                            std::vector<double>& k) const {
  if (kind_ == Kind::per_vertex) {
    k.insert(k.end(), vertices.size(), value_);
    return;
  }
  refuse_rods(body);
  const std::vector<double> shares = shares_of(*body.body);
  const double of_share =
      kind_ == Kind::per_area ? value_ : weight(body) / flat_support(body, shares);
  add_shares(body, vertices, shares, of_share, k);
}

void SceneStiffness::add(const PlacedBody& body, const Obstacle& obstacle, double thickness,
                         std::vector<int>& vertices, std::vector<double>& k) const {
  std::vector<int> own(static_cast<std::size_t>(body.body->owned()));
  std::iota(own.begin(), own.end(), body.first);
  if (kind_ == Kind::per_vertex) {
    k.insert(k.end(), own.size(), value_);
  } else {
    refuse_rods(body);
    const std::vector<double> shares = shares_of(*body.body);
    std::erase_if(own,
                  [&](int v) { return shares[static_cast<std::size_t>(v - body.first)] == 0; });
    double of_share = value_;
    if (kind_ == Kind::depth) {
      const double carried = support(body, shares, obstacle, thickness);
      of_share = weight(body) / (carried > 0 ? carried : flat_support(body, shares));
    }
    add_shares(body, own, shares, of_share, k);
  }
  vertices.insert(vertices.end(), own.begin(), own.end());
}

}  // namespace lilyan

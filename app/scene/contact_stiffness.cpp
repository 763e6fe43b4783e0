#include "app/scene/contact_stiffness.hpp"

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

double SceneStiffness::per_share(const PlacedBody& body, const std::vector<double>& shares) const {
  if (kind_ == Kind::per_area) return value_;
  const Vec3 up = -gravity_.normalized();
  const auto height = [&](std::size_t i) {
    return up.dot(body.body->x.segment<3>(3 * static_cast<Eigen::Index>(i)));
  };
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] > 0) lowest = std::min(lowest, height(i));
  }
  if (body.body->ranks) lowest = -body.body->ranks->largest(-lowest);
  double support = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    support += shares[i] * std::max(value_ - (height(i) - lowest), 0.0);
  }
  const std::vector<double>& masses = body.body->masses;
  const double mass = std::accumulate(masses.begin(), masses.begin() + body.body->owned(), 0.0);
  return gravity_.norm() * body.body->total(mass) / body.body->total(support);
}

void SceneStiffness::add_of(const PlacedBody& body, const std::vector<int>& vertices,
                            std::vector<double>& k) const {
  if (kind_ == Kind::per_vertex) {
    k.insert(k.end(), vertices.size(), value_);
    return;
  }
  if (kind_ == Kind::per_area && body.body->kind == BodyKind::rod) {
    reader_.fail("stiffness_per_area",
                 fmt::format("body '{}' is a rod and has no area; give 'stiffness' or 'depth'",
                             body.name()));
  }
  const std::vector<double> shares = shares_of(*body.body);
  const double of_share = per_share(body, shares);
  for (const int v : vertices) {
    k.push_back(of_share * shares[static_cast<std::size_t>(v - body.first)]);
  }
}

void SceneStiffness::add(const PlacedBody& body, std::vector<int>& vertices,
                         std::vector<double>& k) const {
  std::vector<int> own(static_cast<std::size_t>(body.body->owned()));
  std::iota(own.begin(), own.end(), body.first);
  if (kind_ != Kind::per_vertex) {
    const std::vector<double> shares = shares_of(*body.body);
    std::erase_if(own,
                  [&](int v) { return shares[static_cast<std::size_t>(v - body.first)] == 0; });
  }
  add_of(body, own, k);
  vertices.insert(vertices.end(), own.begin(), own.end());
}

}  // namespace lilyan

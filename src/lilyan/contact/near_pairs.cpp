#include "lilyan/contact/near_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/saving/archive.hpp"

namespace lilyan {
namespace {

// How far beyond h|v| pairs are looked for, in thicknesses; and how much farther still when the
// list is made anew, so that it lasts for some steps: a new list means a new sparsity pattern.
constexpr double kSlack = 0.5;
constexpr double kSpare = 1.0;

}  // namespace

NearPair::NearPair(const std::array<int, 4>& v) : vertex(v), ascending{0, 1, 2, 3} {
  std::ranges::sort(ascending, {}, [&](int a) { return v[static_cast<std::size_t>(a)]; });
}

PointTriangle NearPair::gather(const double* x) const {
  PointTriangle z = PointTriangle::Zero();
  if (!x) return z;
  for (std::size_t a = 0; a < 4; ++a) {
    z.segment<3>(static_cast<Eigen::Index>(3 * a)) =
        Eigen::Map<const Vec3>(x + 3 * std::ptrdiff_t{vertex[a]});
  }
  return z;
}

PointTriangle NearPair::gather_positions(const double* x) const {
  const Vec3 point = Eigen::Map<const Vec3>(x + 3 * std::ptrdiff_t{vertex[0]});
  PointTriangle z = gather(x);
  for (int a = 0; a < 4; ++a) z.segment<3>(3 * a) -= point;
  return z;
}

NearPairs::NearPairs(const ContactSurfaces& surfaces, double thickness, const Vector& x)
    : surfaces_(&surfaces),
      thickness_(thickness),
      start_(x),
      reach_(static_cast<std::size_t>(x.size() / 3), kSlack * thickness),
      needed_(reach_.size(), 0.0) {
  const Vector rest = Vector::Zero(x.size());
  begin_step({.x = x.data(), .v = rest.data()});
}

void NearPairs::take(const std::vector<NearPair>& pairs) {
  pairs_ = pairs;
  vertices_.resize(4 * pairs_.size());
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    for (std::size_t i = 0; i < 4; ++i) {
      vertices_[4 * n + i] = pairs_[n].vertex[static_cast<std::size_t>(pairs_[n].ascending[i])];
    }
  }
}

// The rest is set by the next step before it is used.
void NearPairs::archive(Archive& a) {
  corners_.clear();
  for (const NearPair& pair : pairs_) corners_.push_back(pair.vertex);
  const std::size_t vertices_of_all = needed_.size();
  a(corners_, needed_);
  if (!a.loading()) return;
  Archive::require(needed_.size() == vertices_of_all);
  near_.clear();
  for (const std::array<int, 4>& vertex : corners_) {
    for (const int v : vertex) {
      Archive::require(v >= 0 && static_cast<std::size_t>(v) < needed_.size());
    }
    const NearPair& pair = near_.emplace_back(vertex);
    for (std::size_t k = 1; k < 4; ++k) {
      const auto at = [&](std::size_t i) {
        return vertex[static_cast<std::size_t>(pair.ascending[i])];
      };
      Archive::require(at(k - 1) != at(k));
    }
  }
  take(near_);
}

void NearPairs::find(double extra) {
  const auto way = [&](int v) {
    return grown(Box(Vec3(start_.segment<3>(3 * v))), reach_[static_cast<std::size_t>(v)]);
  };
  near_.clear();
  candidates_.each_point(surfaces_->points, surfaces_->triangles, way, thickness_ + extra,
                         [&](std::size_t n, auto triangles) {
                           for (const int k : triangles) {
                             const auto f = static_cast<std::size_t>(k);
                             if (surfaces_->body_of_triangle[f] == surfaces_->body_of_point[n])
                               continue;
                             const auto& [a, b, c] = surfaces_->triangles[f];
                             near_.emplace_back(std::array{surfaces_->points[n], a, b, c});
                           }
                         });
  std::ranges::sort(near_);
}

bool NearPairs::begin_step(const StepStart& start) {
  std::copy(start.x, start.x + start_.size(), start_.data());
  for (std::size_t i = 0; i < reach_.size(); ++i) {
    const Vec3 v = Eigen::Map<const Vec3>(start.v + 3 * i);
    reach_[i] = std::max(std::abs(start.h) * v.norm() + kSlack * thickness_, needed_[i]);
  }
  find(0);
  const bool enough = std::ranges::includes(pairs_, near_);
  if (enough && pairs_.size() <= 4 * near_.size() + 64) return false;
  find(kSpare * thickness_);
  take(near_);
  return true;
}

// What went farther than it was looked for may still have met nobody else: then the step stands. A new pair was
// beyond the thickness at the start of the step, but it has pushed within the step, which has to be solved with it.
bool NearPairs::found_all(const double* x) {
  bool all = true;
  for (std::size_t i = 0; i < reach_.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    const double moved = (Eigen::Map<const Vec3>(x + at) - start_.segment<3>(at)).norm();
    needed_[i] = 0;
    if (moved <= reach_[i]) continue;
    needed_[i] = reach_[i] = 1.5 * moved;
    all = false;
  }
  if (all) return true;
  find(0);
  if (!std::ranges::includes(pairs_, near_)) return false;
  std::ranges::fill(needed_, 0.0);
  return true;
}

}  // namespace lilyan

#include "app/scene/body/links.hpp"

#include <Eigen/Geometry>
#include <cstddef>

#include "lilyan/model/system.hpp"

namespace lilyan {

std::string_view name(Link::Kind kind) {
  switch (kind) {
    case Link::Kind::pivot: return "pivot";
    case Link::Kind::hinge: return "hinge";
    case Link::Kind::rod: return "rod";
    case Link::Kind::joint: return "joint";
    case Link::Kind::spring: return "spring";
    case Link::Kind::anchor: return "anchor";
    case Link::Kind::slider: break;
  }
  return "slider";
}

std::vector<Link> pivots(const System& system, const Vector& x, int first, int count) {
  constexpr double kOffLine = 1e-9;
  const auto at = [&](int i) { return Vec3(x.segment<3>(3 * i)); };
  std::vector<int> fixed;
  for (int i = first; i < first + count; ++i) {
    if (system.embedding().fixed(i)) fixed.push_back(i);
  }
  if (fixed.empty() || static_cast<int>(fixed.size()) == count) return {};
  const auto farthest = [&](int from) {
    int best = from;
    for (const int i : fixed) {
      if ((at(i) - at(from)).squaredNorm() > (at(best) - at(from)).squaredNorm()) best = i;
    }
    return best;
  };
  const int a = farthest(fixed[0]);
  const int b = farthest(a);
  const Vec3 axis = at(b) - at(a);
  if (axis.isZero(0)) return {{.kind = Link::Kind::pivot, .ends = {{{a}, {a}}}}};
  for (const int i : fixed) {
    if ((at(i) - at(a)).cross(axis).norm() > kOffLine * axis.squaredNorm()) return {};
  }
  return {{.kind = Link::Kind::hinge, .ends = {{{a}, {b}}}}};
}

std::vector<Link> shown_links(const std::vector<Link>& all) {
  constexpr std::size_t kMost = 400;
  if (all.size() <= kMost) return all;
  std::vector<Link> some;
  for (std::size_t k = 0; k < kMost; ++k) some.push_back(all[k * all.size() / kMost]);
  return some;
}

std::vector<float> link_places(const std::vector<Link>& links, std::span<const double> points) {
  std::vector<float> places;
  places.reserve(6 * links.size());
  for (const Link& link : links) {
    for (const Link::End& end : link.ends) {
      for (std::size_t c = 0; c < 3; ++c) {
        const double place = end.in_space() ? end.point[static_cast<Eigen::Index>(c)]
                                            : points[3 * static_cast<std::size_t>(end.vertex) + c];
        places.push_back(static_cast<float>(place));
      }
    }
  }
  return places;
}

}  // namespace lilyan

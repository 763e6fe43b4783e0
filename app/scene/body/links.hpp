// What holds bodies and ties them to each other, for pictures: pivots, hinges, rods, joints, springs, attachments.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "lilyan/base/types.hpp"

namespace lilyan {

class System;

struct Link {
  enum class Kind {
    pivot,   // a vertex that is held where it is
    hinge,   // the axis through two vertices that are held, or that another body holds
    rod,     // keeps its length
    joint,   // two vertices at the same place
    spring,  // between vertices
    anchor,  // a spring from a vertex to a point in space
    slider,  // a vertex that stays in a plane
  };
  struct End {
    int vertex = -1;            // none: a point in space
    Vec3 point = Vec3::Zero();  // of an end without a vertex
    [[nodiscard]] bool in_space() const { return vertex < 0; }
  };

  Kind kind = Kind::pivot;
  std::array<End, 2> ends;
};
[[nodiscard]] std::string_view name(Link::Kind kind);

// Fixed vertices that the body of `count` vertices from `first` on turns about: a single one, or those at the ends of a
// line that all are on. None where others are fixed as well, or none is.
[[nodiscard]] std::vector<Link> pivots(const System& system, const Vector& x, int first, int count);

// The links that a picture shows: all, or evenly some of them where there are very many.
[[nodiscard]] std::vector<Link> shown_links(const std::vector<Link>& all);

// Both ends of each link, three numbers each, with the vertices at these places.
[[nodiscard]] std::vector<float> link_places(const std::vector<Link>& links,
                                             std::span<const double> points);

}  // namespace lilyan

// The shape of a body of tetrahedra.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "lilyan/base/types.hpp"

namespace lilyan {

class Energy;

// Four vertex indices per tet, and the vertices' rest positions.
struct TetShape {
  const Vector& rest;
  std::span<const std::array<int, 4>> tets;
};

// The elastic energy of a body of these tets. Defined in assemble/tets.hpp.
template <class Material>
[[nodiscard]] std::unique_ptr<Energy> make_tets(const Material& material, const TetShape& shape);

}  // namespace lilyan

// A plane without end: a grid that fades with the distance, and the shadow of the bodies.
#pragma once

#include <span>

#include "app/files/surface.hpp"
#include "app/report/raster.hpp"

namespace lilyan {

struct GroundPlane {
  Eigen::Vector3f point;
  Eigen::Vector3f normal;  // of length one, to where the bodies are
};

// Seen only from the side that bodies are on. To be drawn after the bodies.
void draw_ground(Raster& raster, const GroundPlane& plane, std::span<const SurfacePart> parts,
                 std::span<const float> points, const Camera& camera);

}  // namespace lilyan

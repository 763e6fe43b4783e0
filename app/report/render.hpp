// Pictures of a run's frames, drawn without a graphics card: bodies and rods in the colours of the
// plots, floors with a grid and the shadow of what is above, other obstacles in grey.
//
//   Scenery scenery{.parts = surface_parts(geometry), .obstacles = scene.obstacles};
//   std::string png = png_bytes(render(scenery, framing(points, scenery.up, 0.75F), {t, points}));
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "app/files/surface.hpp"
#include "app/report/raster.hpp"
#include "lilyan/contact/obstacle_contact.hpp"

namespace lilyan {

// The parts of a picture that are the same in every frame.
struct Scenery {
  std::vector<SurfacePart> parts = {};
  std::vector<Obstacle> obstacles = {};
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
};

struct FrameView {
  double t = 0;
  std::span<const float> points = {};  // of all parts, as gather() makes them
};

struct PictureSize {
  int width = 480;
  int height = 360;
};

// Triangles and lines with points that are not finite are left out.
[[nodiscard]] Image render(const Scenery& scenery, const Camera& camera, const FrameView& frame,
                           const PictureSize& size = {});

}  // namespace lilyan

// A scene's bodies as io/ sees them.
#pragma once

#include "app/files/surface.hpp"
#include "app/scene/scene.hpp"

namespace lilyan {

// What a scene's vertices are connected to. Its spans are the scene's.
[[nodiscard]] inline FrameGeometry geometry_of(const Scene& scene) {
  return {.tets = scene.tets,
          .tet_body = scene.tet_body,
          .triangles = scene.triangles,
          .triangle_body = scene.triangle_body,
          .edges = scene.edges,
          .edge_body = scene.edge_body,
          .body_names = scene.body_names};
}

}  // namespace lilyan

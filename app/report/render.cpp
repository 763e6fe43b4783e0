#include "app/report/render.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

#include "app/report/canvas.hpp"
#include "app/report/ground.hpp"
#include "app/report/obstacle_mesh.hpp"

namespace lilyan {
namespace {

using Eigen::Vector3f;

constexpr float kRodWidth = 2.5F;  // pixels
const Vector3f kBackground(0.985F, 0.988F, 0.992F);
const Vector3f kObstacle(0.74F, 0.76F, 0.79F);

Vector3f point(std::span<const float> points, std::size_t i) {
  return {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
}

// The plots' colour, lighter: surfaces are darkened by their shading.
Vector3f body_colour(int body) {
  const Colour c = palette(body);
  const Vector3f pure(static_cast<float>(c.red), static_cast<float>(c.green),
                      static_cast<float>(c.blue));
  return 0.78F * pure + Vector3f::Constant(0.22F);
}

void draw_part(Raster& raster, const SurfacePart& part, std::span<const float> points,
               const Camera& camera) {
  std::vector<float> normals;
  vertex_normals(points, part.triangles, normals);
  std::vector<Projected> seen(part.vertices.size());
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = camera.project(point(points, i));
  const Vector3f colour = body_colour(part.body);
  const Lighting lighting(camera);
  for (const auto& corners : part.triangles) {
    std::array<RasterCorner, 3> triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(corners[k]);
      triangle[k] = {seen[i], point(normals, i)};
    }
    raster.triangle(triangle, colour, lighting);
  }
  for (const auto& [a, b] : part.edges) {
    raster.line(seen[static_cast<std::size_t>(a)], seen[static_cast<std::size_t>(b)], kRodWidth,
                0.85F * colour);
  }
}

// Of an obstacle that bodies are kept inside of only the far side is drawn.
void draw_obstacle(Raster& raster, const Obstacle& obstacle, double t, const Camera& camera) {
  const ObstacleMesh mesh = obstacle_mesh(obstacle, t);
  const Lighting lighting(camera);
  for (const auto& corners : mesh.triangles) {
    std::array<RasterCorner, 3> triangle;
    float facing = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(corners[k]);
      const Vector3f& n = mesh.normals[i];
      triangle[k] = {camera.project(mesh.points[i]), obstacle.inside_out ? Vector3f(-n) : n};
      facing += mesh.normals[i].dot(camera.eye() - mesh.points[i]);
    }
    if (obstacle.inside_out && facing > 0) continue;
    raster.triangle(triangle, kObstacle, lighting);
  }
}

}  // namespace

Image render(const Scenery& scenery, const Camera& camera, const FrameView& frame,
             const PictureSize& size) {
  Raster raster(size.width, size.height, kBackground);
  std::size_t first = 0;
  for (const SurfacePart& part : scenery.parts) {
    draw_part(raster, part, frame.points.subspan(3 * first, 3 * part.vertices.size()), camera);
    first += part.vertices.size();
  }
  for (const Obstacle& obstacle : scenery.obstacles) {
    if (const auto* plane = std::get_if<PlaneShape>(&obstacle.shape)) {
      const Pose pose = obstacle.motion.moves() ? obstacle.motion.at(frame.t) : Pose{};
      draw_ground(raster,
                  {.point = pose.apply(plane->point).cast<float>(),
                   .normal = (pose.rotation * plane->normal).cast<float>()},
                  scenery.parts, frame.points, camera);
    } else {
      draw_obstacle(raster, obstacle, frame.t, camera);
    }
  }
  return raster.image();
}

}  // namespace lilyan

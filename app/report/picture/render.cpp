#include "app/report/picture/render.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "app/report/picture/figure.hpp"
#include "app/run/props.hpp"

namespace lilyan {
namespace {

using Eigen::Vector2f;
using Eigen::Vector3f;

constexpr float kRodWidth = 2.5F;  // pixels
// The colours of what is not a body, on a light and on a dark ground.
struct Ground {
  Vector3f background, obstacle, floor, grid_line;
};
const Ground kLight = {{0.985F, 0.988F, 0.992F},
                       {0.74F, 0.76F, 0.79F},
                       {0.925F, 0.935F, 0.945F},
                       {0.80F, 0.82F, 0.85F}};
const Ground kNight = {{0.078F, 0.090F, 0.106F},
                       {0.44F, 0.47F, 0.51F},
                       {0.135F, 0.155F, 0.180F},
                       {0.25F, 0.28F, 0.32F}};
constexpr int kCells = 160;  // along each side of the map of the shadow
constexpr int kBlur = 4;     // cells
constexpr float kDark = 0.22F;
// The floor begins to fade at (kFadeStart − 1) / kFade radii and is gone at kFadeStart / kFade radii.
constexpr float kFadeStart = 1.6F;
constexpr float kFade = 0.55F;

Vector3f vertex_at(std::span<const float> points, std::size_t i) {
  return {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
}

// Returns the colour that plots use, but lighter, because shading darkens surfaces.
Vector3f body_colour(int body, std::optional<int> tint) {
  const int rgb = palette(tint.value_or(body % kPaletteSize));
  const auto part = [rgb](int shift) { return static_cast<float>((rgb >> shift & 0xff) / 255.0); };
  const Vector3f pure(part(16), part(8), part(0));
  const Vector3f light = 0.78F * pure + Vector3f::Constant(0.22F);
  constexpr int kShades = 4;
  const float paler =
      tint ? 0.5F * static_cast<float>(body % kShades) / static_cast<float>(kShades - 1) : 0.0F;
  return light + paler * (Vector3f::Ones() - light);
}

void draw_part(Raster& raster, const SurfacePart& part, std::span<const float> points,
               const Camera& camera, std::optional<int> tint) {
  std::vector<float> normals;
  vertex_normals(points, part.triangles, normals);
  std::vector<Projected> seen(part.vertices.size());
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = camera.project(vertex_at(points, i));
  const Vector3f colour = body_colour(part.body, tint);
  const Lighting lighting(camera);
  for (const auto& corners : part.triangles) {
    std::array<RasterCorner, 3> triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(corners[k]);
      triangle[k] = {seen[i], vertex_at(normals, i)};
    }
    raster.triangle(triangle, colour, lighting);
  }
  for (const auto& [a, b] : part.edges) {
    raster.line(seen[static_cast<std::size_t>(a)], seen[static_cast<std::size_t>(b)], kRodWidth,
                0.85F * colour);
  }
}

// The triangles of an obstacle where it is at time t.
ObstacleMesh placed_mesh(const Obstacle& obstacle, double t) {
  ObstacleMesh mesh = obstacle_mesh(obstacle);
  if (!obstacle.motion.moves()) return mesh;
  const Pose pose = obstacle.motion.at(t);
  for (Vector3f& p : mesh.points) p = pose.apply(p.cast<double>()).cast<float>();
  for (Vector3f& n : mesh.normals) n = pose.rotation.cast<float>() * n;
  return mesh;
}

// Draws an obstacle. If it keeps bodies inside, only its far side is drawn.
void draw_obstacle(Raster& raster, const Obstacle& obstacle, double t, const Camera& camera,
                   const Vector3f& colour) {
  const ObstacleMesh mesh = placed_mesh(obstacle, t);
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
    raster.triangle(triangle, colour, lighting);
  }
}

// A plane without end: a grid that fades with the distance, and the shadow of the bodies.
struct FloorPlane {
  Eigen::Vector3f point;
  Eigen::Vector3f normal;  // of length one, to where the bodies are
};

// Coordinates of points in a plane.
struct PlaneFrame {
  Vector3f origin, u, v, normal;
  [[nodiscard]] Vector2f at(const Vector3f& p) const {
    return {(p - origin).dot(u), (p - origin).dot(v)};
  }
};

// A square of cells that holds how much of the light from straight above the bodies take away.
class Shadow {
 public:
  Shadow(const Vector2f& middle, float half)
      : corner_(middle - Vector2f::Constant(half)),
        cell_(2 * half / kCells),
        dark_(static_cast<std::size_t>(kCells) * kCells, 0.0F) {}

  // Marks the cells that a triangle covers, by sampling it more finely than the cells are.
  void add(const Vector2f& a, const Vector2f& b, const Vector2f& c) {
    const float longest = std::max({(b - a).norm(), (c - a).norm(), (c - b).norm()});
    const int n = std::clamp(static_cast<int>(std::ceil(longest / cell_)), 1, kCells);
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        const auto s = static_cast<float>(i) / static_cast<float>(n);
        const auto r = static_cast<float>(j) / static_cast<float>(n);
        mark(a + s * (b - a) + r * (c - a));
      }
    }
  }

  // A mean over a square, taken three times, is nearly a Gaussian.
  void soften() {
    std::vector<float> other(dark_.size());
    for (int pass = 0; pass < 3; ++pass) {
      blur(dark_, other, 1, kCells);
      blur(other, dark_, kCells, 1);
    }
  }

  [[nodiscard]] float at(const Vector2f& p) const {
    const Vector2f cell = (p - corner_) / cell_ - Vector2f::Constant(0.5F);
    const int i = static_cast<int>(std::floor(cell.x()));
    const int j = static_cast<int>(std::floor(cell.y()));
    if (i < 0 || j < 0 || i + 1 >= kCells || j + 1 >= kCells) return 0;
    const float s = cell.x() - static_cast<float>(i);
    const float r = cell.y() - static_cast<float>(j);
    const auto value = [&](int a, int b) {
      return dark_[static_cast<std::size_t>(b * kCells + a)];
    };
    return (1 - r) * ((1 - s) * value(i, j) + s * value(i + 1, j)) +
           r * ((1 - s) * value(i, j + 1) + s * value(i + 1, j + 1));
  }

 private:
  void mark(const Vector2f& p) {
    const Vector2f cell = (p - corner_) / cell_;
    const int i = static_cast<int>(cell.x());
    const int j = static_cast<int>(cell.y());
    if (i >= 0 && j >= 0 && i < kCells && j < kCells) {
      dark_[static_cast<std::size_t>(j * kCells + i)] = 1;
    }
  }

  static void blur(const std::vector<float>& from, std::vector<float>& to, int step, int other) {
    for (int line = 0; line < kCells; ++line) {
      const auto value = [&](int i) {
        return i < 0 || i >= kCells ? 0 : from[static_cast<std::size_t>(line * other + i * step)];
      };
      float sum = 0;
      for (int i = -kBlur; i < kBlur; ++i) sum += value(i);
      for (int i = 0; i < kCells; ++i) {
        sum += value(i + kBlur);
        to[static_cast<std::size_t>(line * other + i * step)] = sum / (2 * kBlur + 1);
        sum -= value(i - kBlur);
      }
    }
  }

  Vector2f corner_;
  float cell_;
  std::vector<float> dark_;
};

Shadow shadow_of(const PlaneFrame& frame, std::span<const SurfacePart> parts,
                 std::span<const float> points) {
  std::vector<Vector2f> below;
  Eigen::AlignedBox2f box;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    below.push_back(frame.at({points[i], points[i + 1], points[i + 2]}));
    if (below.back().allFinite()) box.extend(below.back());
  }
  if (box.isEmpty()) box.extend(Vector2f(Vector2f::Zero()));
  Shadow shadow(box.center(), std::max(0.65F * box.sizes().maxCoeff(), 1e-6F));
  std::size_t first = 0;
  for (const SurfacePart& part : parts) {
    for (const auto& [a, b, c] : part.triangles) {
      const auto at = [&](int i) { return below[first + static_cast<std::size_t>(i)]; };
      if (at(a).allFinite() && at(b).allFinite() && at(c).allFinite())
        shadow.add(at(a), at(b), at(c));
    }
    first += part.vertices.size();
  }
  shadow.soften();
  return shadow;
}

// Returns 1, 2 or 5 times a power of ten, near the given length.
float round_length(float length) {
  const float power = std::pow(10.0F, std::floor(std::log10(length)));
  const float lead = length / power;
  return power * (lead < 1.5F ? 1 : lead < 3.5F ? 2 : lead < 7.5F ? 5 : 10);
}

// Returns how strong a line of the grid is at a place: 1 on the line, 0 at `width` from it or further.
float line_at(float position, float spacing, float width) {
  const float lines = position / spacing;
  const float off = std::abs(lines - std::floor(lines + 0.5F)) * spacing;
  return std::clamp(1.5F - off / width, 0.0F, 1.0F);
}

// A quantity that is linear over the places of a picture.
struct Linear {
  float middle, right, up;
  [[nodiscard]] float operator()(float x, float y) const { return middle + right * x + up * y; }
};

// The component of a camera's rays along an axis.
Linear rays_along(const Vector3f& axis, const Camera& camera) {
  const Vector3f middle = camera.ray(0, 0);
  return {middle.dot(axis), (camera.ray(1, 0) - middle).dot(axis),
          (camera.ray(0, 1) - middle).dot(axis)};
}

// Draws the floor after the bodies. It is seen only from the side that bodies are on.
void draw_floor(Raster& raster, const FloorPlane& plane, std::span<const SurfacePart> parts,
                std::span<const float> points, const Camera& camera, const Ground& ground) {
  const Vector3f& n = plane.normal;
  const float height = (camera.eye() - plane.point).dot(n);
  if (!(height > 0)) return;
  const Vector3f u =
      (std::abs(n.x()) < 0.9F ? Vector3f::UnitX() : Vector3f::UnitZ()).cross(n).normalized();
  const PlaneFrame frame{plane.point, u, n.cross(u), n};
  const Shadow shadow = shadow_of(frame, parts, points);
  // Sizes are chosen by the distance to the point of the floor that the camera looks at.
  const float down = std::max(-camera.forward().dot(n), 0.1F);
  const float distance = height / down;
  const float radius = distance / 3.2F;
  const Vector2f middle = frame.at(camera.eye() + distance * camera.forward());
  const float spacing = round_length(radius / 4);
  const float reach = radius * kFadeStart / kFade;
  // The loop below runs over every sample of the picture. What is the same for all samples, or is
  // linear over the picture, is computed before it.
  const Linear falls = rays_along(-n, camera);
  const Linear to_u = rays_along(frame.u, camera);
  const Linear to_v = rays_along(frame.v, camera);
  const Vector2f eye = frame.at(camera.eye());
  raster.each_sample([&](float x, float y, float inverse_depth, Vector3f& colour) {
    const float fall = falls(x, y);
    if (!(fall > 0) || inverse_depth * height > fall * 1.0001F) return;
    const float far = height / fall;
    const Vector2f at = eye + far * Vector2f(to_u(x, y), to_v(x, y));
    const float off = (at - middle).squaredNorm();
    if (!(off < reach * reach)) return;
    const float fade = std::min(kFadeStart - kFade * std::sqrt(off) / radius, 1.0F);
    const float width = 0.0035F * radius * far / distance;
    const float line = std::max(line_at(at.x(), spacing, width), line_at(at.y(), spacing, width));
    Vector3f lit = ground.floor + line * (ground.grid_line - ground.floor);
    lit *= 1 - kDark * shadow.at(at);
    colour += fade * (lit - colour);
  });
}

}  // namespace

Image render(const Scenery& scenery, const Camera& camera, const FrameView& frame,
             const PictureSize& size) {
  const Ground& ground = scenery.dark ? kNight : kLight;
  Raster raster(size.width, size.height, ground.background);
  std::size_t first = 0;
  for (const SurfacePart& part : scenery.parts) {
    draw_part(raster, part, frame.points.subspan(3 * first, 3 * part.vertices.size()), camera,
              scenery.tint);
    first += part.vertices.size();
  }
  for (const Obstacle& obstacle : scenery.obstacles) {
    if (const auto* plane = std::get_if<PlaneShape>(&obstacle.shape)) {
      const Pose pose = obstacle.motion.moves() ? obstacle.motion.at(frame.t) : Pose{};
      draw_floor(raster,
                 {.point = pose.apply(plane->point).cast<float>(),
                  .normal = (pose.rotation * plane->normal).cast<float>()},
                 scenery.parts, frame.points, camera, ground);
    } else {
      draw_obstacle(raster, obstacle, frame.t, camera, ground.obstacle);
    }
  }
  return raster.image();
}

}  // namespace lilyan

// Pictures of a run's frames, drawn without a graphics card: bodies and rods in the colours of the
// plots, floors with a grid and the shadow of what is above, other obstacles in grey.
//
//   Scenery scenery{.parts = surface_parts(geometry), .obstacles = scene.obstacles};
//   std::string png = png_bytes(render(scenery, framing(points, scenery.up, 0.75F), {t, points}));
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "app/files/surface.hpp"
#include "lilyan/contact/obstacle_contact.hpp"

namespace lilyan {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb = {};  // row by row from the top
};

// The bytes of a PNG file. Throws Error.
[[nodiscard]] std::string png_bytes(const Image& image);

// An animated PNG file, which browsers play and other programs show the first frame of.
class AnimatedPng {
 public:
  // The number of frames that will be added, all of one size, and how many are shown in a second.
  AnimatedPng(int frames, double rate);
  void add(const Image& image);
  [[nodiscard]] std::string finish();

 private:
  int frames_;
  double rate_;
  std::uint32_t sequence_ = 0;
  Image last_;
  std::string bytes_;
};

// Where a point is in the picture: −1 … 1 from left to right over the width, and the same unit
// upwards. `inverse_depth` is larger for what is nearer, and not positive behind the camera.
struct Projected {
  float x = 0;
  float y = 0;
  float inverse_depth = 0;
};

class Camera {
 public:
  Camera() = default;
  // Looks from `eye` to `target`; `zoom` is the ratio of distance to half the width seen there.
  Camera(const Eigen::Vector3f& eye, const Eigen::Vector3f& target, const Eigen::Vector3f& up,
         float zoom);

  [[nodiscard]] Projected project(const Eigen::Vector3f& p) const;
  // The ray from the eye through a place of the picture, with length one along the line of sight.
  [[nodiscard]] Eigen::Vector3f ray(float x, float y) const;
  [[nodiscard]] const Eigen::Vector3f& eye() const { return eye_; }
  [[nodiscard]] Eigen::Vector3f right() const { return axes_.row(0).transpose(); }
  [[nodiscard]] Eigen::Vector3f up() const { return axes_.row(1).transpose(); }
  [[nodiscard]] Eigen::Vector3f forward() const { return axes_.row(2).transpose(); }

 private:
  Eigen::Vector3f eye_ = Eigen::Vector3f::UnitZ();
  Eigen::Matrix3f axes_ = Eigen::Matrix3f::Identity();  // rows: right, up, forward
  float zoom_ = 2;
};

struct Outlook {
  // The direction towards the camera; none: from the front, a little from the right and from above.
  std::optional<Eigen::Vector3f> from = {};
  float zoom = 1;  // above 1: nearer
};

// A camera as near as it can be with all points in sight. aspect: height / width of the picture.
// Points that are not finite do not count.
[[nodiscard]] Camera framing(std::span<const float> points, const Eigen::Vector3f& up, float aspect,
                             const Outlook& outlook = {});

// Adds those of some points that decide where framing() puts the camera: of many frames all others can be left out.
void add_outermost(std::span<const float> points, const Eigen::Vector3f& up, float aspect,
                   const Outlook& outlook, std::vector<float>& to);

struct RasterCorner {
  Projected at;
  Eigen::Vector3f normal = Eigen::Vector3f::UnitZ();
};

// A matt surface under a soft light from above left. Both of its sides look the same.
class Lighting {
 public:
  explicit Lighting(const Camera& camera);
  [[nodiscard]] Eigen::Vector3f shade(const Eigen::Vector3f& colour,
                                      const Eigen::Vector3f& normal) const;

 private:
  Eigen::Vector3f eye_, up_, light_, half_;
};

class Raster {
 public:
  Raster(int width, int height, const Eigen::Vector3f& background);

  // Both sides are seen; corners behind the camera leave the triangle out.
  void triangle(const std::array<RasterCorner, 3>& corners, const Eigen::Vector3f& colour,
                const Lighting& lighting);
  // `width` in pixels of the picture.
  void line(const Projected& a, const Projected& b, float width, const Eigen::Vector3f& colour);

  // Calls shade(x, y, inverse depth, colour) for every sample; the colour may be changed.
  template <class Shade>
  void each_sample(const Shade& shade) {
    for (int row = 0; row < height_; ++row) {
      for (int column = 0; column < width_; ++column) {
        const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                       static_cast<std::size_t>(column);
        shade((static_cast<float>(column) + 0.5F - 0.5F * static_cast<float>(width_)) / scale_,
              (0.5F * static_cast<float>(height_) - static_cast<float>(row) - 0.5F) / scale_,
              depth_[i], colour_[i]);
      }
    }
  }

  [[nodiscard]] Image image() const;

 private:
  [[nodiscard]] Eigen::Vector2f pixel(const Projected& p) const {
    return {0.5F * static_cast<float>(width_) + p.x * scale_,
            0.5F * static_cast<float>(height_) - p.y * scale_};
  }

  int width_, height_;  // in samples
  float scale_;         // samples per unit of Projected
  std::vector<float> depth_;
  std::vector<Eigen::Vector3f> colour_;
};

// The parts of a picture that are the same in every frame.
struct Scenery {
  std::vector<SurfacePart> parts = {};
  std::vector<Obstacle> obstacles = {};
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  bool dark = false;  // light things on a dark ground
  // The colour of all bodies, in shades, as an index into the palette; none: each body has its own.
  std::optional<int> tint = {};
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

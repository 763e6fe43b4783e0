// Triangles on pixels: a depth buffer, four samples for every pixel of the picture.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "app/report/camera.hpp"

namespace lilyan {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb = {};  // row by row from the top
};

// The bytes of a PNG file. Throws Error.
[[nodiscard]] std::string png_bytes(const Image& image);

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

  // For every sample: shade(x, y, inverse depth of what is there, its colour to be changed).
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

}  // namespace lilyan

// A perspective camera, and one that has all of a run in sight.
#pragma once

#include <optional>
#include <span>

#include <Eigen/Core>

namespace lilyan {

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
  // From the eye through a place of the picture; of length one along the line of sight.
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

// As near as lets all points be seen. aspect: height / width of the picture. Points that are not
// finite do not count.
[[nodiscard]] Camera framing(std::span<const float> points, const Eigen::Vector3f& up, float aspect,
                             const Outlook& outlook = {});

}  // namespace lilyan

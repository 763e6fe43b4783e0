#include "app/report/picture/render.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {

using Eigen::Vector2f;
using Eigen::Vector3f;

constexpr int kSamples = 2;       // along each side of a pixel
constexpr float kZoom = 3.2F;     // a lens long enough not to distort
constexpr float kMargin = 0.90F;  // of the picture that the points may fill
constexpr int kRounds = 12;

// The rectangle of the picture that some points take up.
struct Seen {
  float left = 0, right = 0, bottom = 0, top = 0;
  bool any = false;
  bool behind = false;  // some are at the camera or behind it

  void add(const Projected& p) {
    if (p.inverse_depth <= 0) {
      behind = true;
      return;
    }
    left = any ? std::min(left, p.x) : p.x;
    right = any ? std::max(right, p.x) : p.x;
    bottom = any ? std::min(bottom, p.y) : p.y;
    top = any ? std::max(top, p.y) : p.y;
    any = true;
  }
};

// Returns the direction towards the camera, whichever axis points up.
Vector3f towards_camera(const Vector3f& up) {
  const bool z_up = std::abs(up.z()) > std::max(std::abs(up.x()), std::abs(up.y()));
  const Vector3f front = z_up ? Vector3f(-Vector3f::UnitY()) : Vector3f(Vector3f::UnitZ());
  const Vector3f right = up.cross(front).normalized();
  return (front + 0.5F * right + 0.38F * up).normalized();
}

// Returns twice the area of a triangle. It is negative when the corners run clockwise.
float signed_area(const Vector2f& a, const Vector2f& b, const Vector2f& p) {
  return (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x());
}

// Returns the first and the last sample, within 0 … count − 1, whose middles a side may cover.
struct SampleSpan {
  int first, last;
};
SampleSpan samples_between(float lowest, float highest, int count) {
  const auto most = static_cast<float>(count - 1);
  return {static_cast<int>(std::clamp(std::floor(lowest - 0.5F), 0.0F, most + 1)),
          static_cast<int>(std::clamp(std::ceil(highest - 0.5F), -1.0F, most))};
}

}  // namespace

Camera::Camera(const Vector3f& eye, const Vector3f& target, const Vector3f& up, float zoom)
    : eye_(eye), zoom_(zoom) {
  const Vector3f forward = (target - eye).normalized();
  const Vector3f right = forward.cross(up).normalized();
  axes_ << right.transpose(), right.cross(forward).transpose(), forward.transpose();
}

Projected Camera::project(const Vector3f& p) const {
  const Vector3f seen = axes_ * (p - eye_);
  if (!(seen.z() > 0)) return {0, 0, -1};
  const float inverse = 1 / seen.z();
  return {zoom_ * seen.x() * inverse, zoom_ * seen.y() * inverse, inverse};
}

Vector3f Camera::ray(float x, float y) const {
  return axes_.transpose() * Vector3f(x / zoom_, y / zoom_, 1);
}

void add_outermost(std::span<const float> points, const Vector3f& up, float aspect,
                   const Outlook& outlook, std::vector<float>& to) {
  const Vector3f eye = outlook.from ? outlook.from->normalized() : towards_camera(up);
  const Camera camera(eye, Vector3f::Zero(), up, kZoom);
  // The sides of what is in sight lean against the line of sight: fully where the points fill the picture, and less
  // in the direction in which they do not.
  std::vector<Vector3f> sides;
  for (const float filled : {0.0F, 0.5F, 1.0F}) {
    for (const float side : {-1.0F, 1.0F}) {
      sides.emplace_back(side * kZoom * camera.right() - kMargin * filled * camera.forward());
      sides.emplace_back(side * kZoom * camera.up() - kMargin * filled * aspect * camera.forward());
    }
  }
  for (const Vector3f& side : sides) {
    float most = -std::numeric_limits<float>::infinity();
    std::size_t outermost = points.size();
    for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
      const float out = side.dot(Vector3f(points[i], points[i + 1], points[i + 2]));
      if (!std::isfinite(out) || out <= most) continue;
      most = out;
      outermost = i;
    }
    if (outermost == points.size()) return;
    to.insert(to.end(), points.begin() + static_cast<std::ptrdiff_t>(outermost),
              points.begin() + static_cast<std::ptrdiff_t>(outermost) + 3);
  }
}

Camera framing(std::span<const float> points, const Vector3f& up, float aspect,
               const Outlook& outlook) {
  std::vector<Vector3f> finite;
  Eigen::AlignedBox3f box;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    const Vector3f p(points[i], points[i + 1], points[i + 2]);
    if (!p.allFinite()) continue;
    finite.push_back(p);
    box.extend(p);
  }
  if (finite.empty()) box.extend(Vector3f(Vector3f::Zero()));
  const Vector3f direction = outlook.from ? outlook.from->normalized() : towards_camera(up);
  Vector3f target = box.center();
  const float radius = std::max(0.5F * box.diagonal().norm(), 1e-6F);
  float distance = 2 * kZoom * radius;
  Camera camera(target + distance * direction, target, up, kZoom);
  for (int round = 0; round < kRounds && !finite.empty(); ++round) {
    Seen seen;
    for (const Vector3f& p : finite) seen.add(camera.project(p));
    if (seen.behind || !seen.any) {
      distance *= 2;
    } else {
      const float scale = distance / kZoom;
      target +=
          0.5F * scale *
          ((seen.left + seen.right) * camera.right() + (seen.bottom + seen.top) * camera.up());
      const float fill = 0.5F * std::max(seen.right - seen.left, (seen.top - seen.bottom) / aspect);
      distance = std::max(distance * fill / kMargin, 0.2F * kZoom * radius);
    }
    camera = Camera(target + distance * direction, target, up, kZoom);
  }
  return Camera(target + distance * direction, target, up, outlook.zoom * kZoom);
}

Lighting::Lighting(const Camera& camera)
    : eye_(-camera.forward()),
      up_(camera.up()),
      light_((0.8F * eye_ - 0.45F * camera.right() + 0.9F * up_).normalized()),
      half_((light_ + eye_).normalized()) {}

Vector3f Lighting::shade(const Vector3f& colour, const Vector3f& normal) const {
  // Near the edge of the picture a surface that leans away a little is still seen from outside.
  const float side = normal.dot(eye_) < -0.25F ? -1.0F : 1.0F;
  const float diffuse = std::max(0.0F, (side * normal.dot(light_) + 0.25F) / 1.25F);
  const float sky = 0.5F + 0.5F * side * normal.dot(up_);
  float gloss = std::max(0.0F, side * normal.dot(half_));
  for (int i = 0; i < 5; ++i) gloss *= gloss;  // to the power of 32
  const Vector3f lit = colour * (0.34F + 0.18F * sky + 0.55F * diffuse);
  return (lit.array() + 0.14F * gloss).min(1.0F);
}

Raster::Raster(int width, int height, const Vector3f& background)
    : width_(kSamples * width),
      height_(kSamples * height),
      scale_(0.5F * static_cast<float>(width_)),
      depth_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0.0F),
      colour_(depth_.size(), background) {}

void Raster::triangle(const std::array<RasterCorner, 3>& corners, const Vector3f& colour,
                      const Lighting& lighting) {
  std::array<Vector2f, 3> p;
  for (int i = 0; i < 3; ++i) {
    const Projected& at = corners[i].at;
    if (!(at.inverse_depth > 0) || !std::isfinite(at.x) || !std::isfinite(at.y)) return;
    p[i] = pixel(at);
  }
  const float area = signed_area(p[0], p[1], p[2]);
  if (area == 0 || !std::isfinite(area)) return;
  const float inverse = 1 / area;
  const SampleSpan rows = samples_between(std::min({p[0].y(), p[1].y(), p[2].y()}),
                                          std::max({p[0].y(), p[1].y(), p[2].y()}), height_);
  const SampleSpan columns = samples_between(std::min({p[0].x(), p[1].x(), p[2].x()}),
                                             std::max({p[0].x(), p[1].x(), p[2].x()}), width_);
  for (int row = rows.first; row <= rows.last; ++row) {
    for (int column = columns.first; column <= columns.last; ++column) {
      const Vector2f at(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
      const float a = signed_area(p[1], p[2], at) * inverse;
      const float b = signed_area(p[2], p[0], at) * inverse;
      const float c = 1 - a - b;
      if (a < 0 || b < 0 || c < 0) continue;
      const float depth = a * corners[0].at.inverse_depth + b * corners[1].at.inverse_depth +
                          c * corners[2].at.inverse_depth;
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(column);
      if (depth <= depth_[i]) continue;
      depth_[i] = depth;
      const Vector3f normal = a * corners[0].normal + b * corners[1].normal + c * corners[2].normal;
      colour_[i] = lighting.shade(colour, normal / std::sqrt(normal.squaredNorm() + 1e-30F));
    }
  }
}

void Raster::line(const Projected& a, const Projected& b, float width, const Vector3f& colour) {
  if (!(a.inverse_depth > 0) || !(b.inverse_depth > 0)) return;
  const Vector2f from = pixel(a);
  const Vector2f to = pixel(b);
  if (!from.allFinite() || !to.allFinite()) return;
  const float half = 0.5F * kSamples * width;
  const Vector2f along = to - from;
  const float length2 = std::max(along.squaredNorm(), 1e-12F);
  const SampleSpan rows = samples_between(std::min(from.y(), to.y()) - half,
                                          std::max(from.y(), to.y()) + half, height_);
  const SampleSpan columns =
      samples_between(std::min(from.x(), to.x()) - half, std::max(from.x(), to.x()) + half, width_);
  for (int row = rows.first; row <= rows.last; ++row) {
    for (int column = columns.first; column <= columns.last; ++column) {
      const Vector2f at(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
      const float s = std::clamp((at - from).dot(along) / length2, 0.0F, 1.0F);
      if ((at - from - s * along).squaredNorm() > half * half) continue;
      const float depth = (1 - s) * a.inverse_depth + s * b.inverse_depth;
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(column);
      if (depth <= depth_[i]) continue;
      depth_[i] = depth;
      colour_[i] = colour;
    }
  }
}

Image Raster::image() const {
  Image image{.width = width_ / kSamples, .height = height_ / kSamples};
  image.rgb.reserve(3 * static_cast<std::size_t>(image.width) *
                    static_cast<std::size_t>(image.height));
  for (int row = 0; row < height_; row += kSamples) {
    for (int column = 0; column < width_; column += kSamples) {
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(column);
      const auto below = i + static_cast<std::size_t>(width_);
      const Vector3f sum = colour_[i] + colour_[i + 1] + colour_[below] + colour_[below + 1];
      for (int c = 0; c < 3; ++c) {
        image.rgb.push_back(
            static_cast<std::uint8_t>(std::lround(255 * std::clamp(0.25F * sum[c], 0.0F, 1.0F))));
      }
    }
  }
  return image;
}

}  // namespace lilyan

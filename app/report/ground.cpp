#include "app/report/ground.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lilyan {
namespace {

using Eigen::Vector2f;
using Eigen::Vector3f;

constexpr int kCells = 160;  // along each side of the map of the shadow
constexpr int kBlur = 4;     // cells
constexpr float kDark = 0.22F;
// The ground is seen less and less from (kFadeStart − 1) / kFade radii on, and not at all from
// kFadeStart / kFade.
constexpr float kFadeStart = 1.6F;
constexpr float kFade = 0.55F;
const Vector3f kGround(0.925F, 0.935F, 0.945F);
const Vector3f kLine(0.80F, 0.82F, 0.85F);

// Coordinates in the plane.
struct Frame {
  Vector3f origin, u, v, normal;
  [[nodiscard]] Vector2f at(const Vector3f& p) const {
    return {(p - origin).dot(u), (p - origin).dot(v)};
  }
};

// How much of the light from straight above is taken away, by cells of a square.
class Shadow {
 public:
  Shadow(const Vector2f& middle, float half)
      : corner_(middle - Vector2f::Constant(half)),
        cell_(2 * half / kCells),
        dark_(static_cast<std::size_t>(kCells) * kCells, 0.0F) {}

  // Every cell near enough to the triangle's lines from corner to opposite side.
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

  // Three times over a square is nearly a bell.
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

Shadow shadow_of(const Frame& frame, std::span<const SurfacePart> parts,
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

// A length of 1, 2 or 5 times a power of ten, near the one given.
float round_length(float length) {
  const float power = std::pow(10.0F, std::floor(std::log10(length)));
  const float lead = length / power;
  return power * (lead < 1.5F ? 1 : lead < 3.5F ? 2 : lead < 7.5F ? 5 : 10);
}

// How much of a grid's line is at a place: 1 on it, 0 from `width` away.
float line_at(float position, float spacing, float width) {
  const float lines = position / spacing;
  const float off = std::abs(lines - std::floor(lines + 0.5F)) * spacing;
  return std::clamp(1.5F - off / width, 0.0F, 1.0F);
}

// Over the places of a picture.
struct Linear {
  float middle, right, up;
  [[nodiscard]] float operator()(float x, float y) const { return middle + right * x + up * y; }
};

// What the rays of a camera have along an axis.
Linear along(const Vector3f& axis, const Camera& camera) {
  const Vector3f middle = camera.ray(0, 0);
  return {middle.dot(axis), (camera.ray(1, 0) - middle).dot(axis),
          (camera.ray(0, 1) - middle).dot(axis)};
}

}  // namespace

void draw_ground(Raster& raster, const GroundPlane& plane, std::span<const SurfacePart> parts,
                 std::span<const float> points, const Camera& camera) {
  const Vector3f& n = plane.normal;
  const float height = (camera.eye() - plane.point).dot(n);
  if (!(height > 0)) return;
  const Vector3f u =
      (std::abs(n.x()) < 0.9F ? Vector3f::UnitX() : Vector3f::UnitZ()).cross(n).normalized();
  const Frame frame{plane.point, u, n.cross(u), n};
  const Shadow shadow = shadow_of(frame, parts, points);
  // Sizes go by what the camera sees where it looks.
  const float down = std::max(-camera.forward().dot(n), 0.1F);
  const float distance = height / down;
  const float radius = distance / 3.2F;
  const Vector2f middle = frame.at(camera.eye() + distance * camera.forward());
  const float spacing = round_length(radius / 4);
  const float reach = radius * kFadeStart / kFade;
  // This is done for every sample of the picture: what is the same for all, or linear over the
  // picture, is found before.
  const Linear falls = along(-n, camera);
  const Linear to_u = along(frame.u, camera);
  const Linear to_v = along(frame.v, camera);
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
    Vector3f ground = kGround + line * (kLine - kGround);
    ground *= 1 - kDark * shadow.at(at);
    colour += fade * (ground - colour);
  });
}

}  // namespace lilyan

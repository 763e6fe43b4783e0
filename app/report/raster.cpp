#include "app/report/raster.hpp"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

using Eigen::Vector2f;
using Eigen::Vector3f;

constexpr int kSamples = 2;  // along each side of a pixel

float edge(const Vector2f& a, const Vector2f& b, const Vector2f& p) {
  return (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x());
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

// The samples from first to last whose middles a side may cover, within 0 … count − 1.
struct Span {
  int first, last;
};
Span span(float lowest, float highest, int count) {
  const auto most = static_cast<float>(count - 1);
  return {static_cast<int>(std::clamp(std::floor(lowest - 0.5F), 0.0F, most + 1)),
          static_cast<int>(std::clamp(std::ceil(highest - 0.5F), -1.0F, most))};
}

}  // namespace

Lighting::Lighting(const Camera& camera)
    : eye_(-camera.forward()),
      up_(camera.up()),
      light_((0.8F * eye_ - 0.45F * camera.right() + 0.9F * up_).normalized()),
      half_((light_ + eye_).normalized()) {}

Vector3f Lighting::shade(const Vector3f& colour, const Vector3f& normal) const {
  // Towards the edge of the picture also what leans away from its middle is seen from outside.
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
  const float area = edge(p[0], p[1], p[2]);
  if (area == 0 || !std::isfinite(area)) return;
  const float inverse = 1 / area;
  const Span rows = span(std::min({p[0].y(), p[1].y(), p[2].y()}),
                         std::max({p[0].y(), p[1].y(), p[2].y()}), height_);
  const Span columns = span(std::min({p[0].x(), p[1].x(), p[2].x()}),
                            std::max({p[0].x(), p[1].x(), p[2].x()}), width_);
  for (int row = rows.first; row <= rows.last; ++row) {
    for (int column = columns.first; column <= columns.last; ++column) {
      const Vector2f at(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
      const float a = edge(p[1], p[2], at) * inverse;
      const float b = edge(p[2], p[0], at) * inverse;
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
  const Span rows =
      span(std::min(from.y(), to.y()) - half, std::max(from.y(), to.y()) + half, height_);
  const Span columns =
      span(std::min(from.x(), to.x()) - half, std::max(from.x(), to.x()) + half, width_);
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

std::string png_bytes(const Image& image) {
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height),
      cairo_surface_destroy);
  std::string bytes;
  if (cairo_surface_status(surface.get()) == CAIRO_STATUS_SUCCESS) {
    unsigned char* data = cairo_image_surface_get_data(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    const std::uint8_t* from = image.rgb.data();
    for (int row = 0; row < image.height; ++row) {
      auto* pixel =
          reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(row) * stride);
      for (int column = 0; column < image.width; ++column, from += 3) {
        *pixel++ = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
      }
    }
    cairo_surface_mark_dirty(surface.get());
    if (cairo_surface_write_to_png_stream(surface.get(), append, &bytes) == CAIRO_STATUS_SUCCESS) {
      return bytes;
    }
  }
  throw Error("cannot make a picture of a frame");
}

}  // namespace lilyan

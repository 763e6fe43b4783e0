// Pictures of frames: what covers which pixels, what hides what.
#include "app/report/picture/render.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace lilyan::test::render_test {
namespace {

using Eigen::Vector3f;

// From z = 4 to the origin: half the width is 2 units wide there, so 100 pixels are 4 units.
const Camera kFront(Vector3f(0, 0, 4), Vector3f::Zero(), Vector3f::UnitY(), 2);
constexpr PictureSize kSize{100, 80};

Scenery one_triangle(int body = 0) {
  return {.parts = {{.name = "t", .body = body, .vertices = {0, 1, 2}, .triangles = {{0, 1, 2}}}}};
}

Vector3f pixel(const Image& image, int column, int row) {
  const auto i = static_cast<std::size_t>(3 * (row * image.width + column));
  return {static_cast<float>(image.rgb[i]), static_cast<float>(image.rgb[i + 1]),
          static_cast<float>(image.rgb[i + 2])};
}

int covered(const Image& image, const Vector3f& background) {
  int count = 0;
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      count += (pixel(image, column, row) - background).norm() > 60 ? 1 : 0;
    }
  }
  return count;
}

TEST(Render, TriangleCoversItsPixels) {
  // Right-angled, legs of one unit: 25 pixels each, from the middle of the picture.
  const std::vector<float> points = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const Image image = render(one_triangle(), kFront, {0, points}, kSize);
  ASSERT_EQ(image.width, 100);
  ASSERT_EQ(image.height, 80);
  const Vector3f background = pixel(image, 0, 0);
  EXPECT_GT(background.minCoeff(), 240);
  EXPECT_GT((pixel(image, 55, 35) - background).norm(), 60);  // inside
  EXPECT_EQ((pixel(image, 45, 35) - background).norm(), 0);   // left of it
  EXPECT_EQ((pixel(image, 55, 45) - background).norm(), 0);   // below
  EXPECT_EQ((pixel(image, 70, 20) - background).norm(), 0);   // beyond the long side
  EXPECT_NEAR(covered(image, background), 25 * 25 / 2, 25);
  const Vector3f edge = pixel(image, 62, 27);  // on the long side: between the two
  EXPECT_GT((edge - background).norm(), 5);
  EXPECT_LT((edge - background).norm(), (pixel(image, 55, 35) - background).norm() - 5);
}

TEST(Render, NearerHidesFartherWhateverTheOrder) {
  Scenery two = one_triangle(0);
  two.parts.push_back(one_triangle(1).parts[0]);
  const std::vector<float> near_first = {-1, -1, 1,  1, -1, 1,  0, 1, 1,
                                         -1, -1, -1, 1, -1, -1, 0, 1, -1};
  const std::vector<float> near_last = {-1, -1, -1, 1, -1, -1, 0, 1, -1,
                                        -1, -1, 1,  1, -1, 1,  0, 1, 1};
  const Vector3f blue = pixel(render(two, kFront, {0, near_first}, kSize), 50, 42);
  const Vector3f orange = pixel(render(two, kFront, {0, near_last}, kSize), 50, 42);
  EXPECT_GT(blue.z(), blue.x() + 30) << blue.transpose();
  EXPECT_GT(orange.x(), orange.z() + 30) << orange.transpose();
}

TEST(Render, NothingToSeeIsAnEmptyPicture) {
  const Image image = render({}, kFront, {}, kSize);
  EXPECT_EQ(covered(image, pixel(image, 0, 0)), 0);
  // Points behind the camera, and such as are no numbers, are left out.
  const float nan = std::nanf("");
  for (const std::vector<float>& points :
       {std::vector<float>{0, 0, 9, 1, 0, 9, 0, 1, 9}, {nan, 0, 0, 1, 0, 0, 0, 1, 0}}) {
    const Image none = render(one_triangle(), kFront, {0, points}, kSize);
    EXPECT_EQ(covered(none, pixel(none, 0, 0)), 0);
  }
}

TEST(Render, RodsAreLines) {
  const Scenery rod{.parts = {{.name = "rod", .vertices = {0, 1}, .edges = {{0, 1}}}}};
  const std::vector<float> points = {-1, 0, 0, 1, 0, 0};
  const Image image = render(rod, kFront, {0, points}, kSize);
  const int count = covered(image, pixel(image, 0, 0));
  EXPECT_GT(count, 80);   // 50 pixels long
  EXPECT_LT(count, 220);  // and a few wide
}

TEST(Render, FloorIsSeenFromAboveWithAShadow) {
  Scenery scenery = one_triangle();
  scenery.obstacles.push_back({.shape = PlaneShape{.point = {0, -1, 0}}});
  const Camera above(Vector3f(0, 3, 4), Vector3f(0, -0.5F, 0), Vector3f::UnitY(), 2);
  const std::vector<float> points = {-0.5F, 0, -0.5F, 0.5F, 0, -0.5F, 0, 0, 0.5F};
  const Image with = render(scenery, above, {0, points}, kSize);
  const Projected below = above.project(Vector3f(0, -1, -0.2F));
  const auto at = [&](const Projected& p) {
    return pixel(with, static_cast<int>(50 + 50 * p.x), static_cast<int>(40 - 50 * p.y));
  };
  const Vector3f shadow = at(below);
  const Vector3f light = at(above.project(Vector3f(1.3F, -1, 0.03F)));
  EXPECT_LT(shadow.sum(), light.sum() - 20) << shadow.transpose() << " / " << light.transpose();
  // From below there is no floor.
  const Camera under(Vector3f(0, -4, 4), Vector3f::Zero(), Vector3f::UnitY(), 2);
  scenery.parts.clear();
  const Image without = render(scenery, under, {}, kSize);
  EXPECT_EQ(pixel(without, 50, 70), pixel(without, 50, 2));
}

TEST(Render, CameraHasAllPointsInSight) {
  const std::vector<float> points = {-3, 0, 1, 5, 7, 2, 0, -2, -9, 1, 1, 1, std::nanf(""), 0, 0};
  for (const Vector3f& up : {Vector3f(Vector3f::UnitY()), Vector3f(Vector3f::UnitZ())}) {
    const Camera camera = framing(points, up, 0.75F);
    float widest = 0;
    for (std::size_t i = 0; i < 12; i += 3) {
      const Projected p = camera.project({points[i], points[i + 1], points[i + 2]});
      ASSERT_GT(p.inverse_depth, 0);
      EXPECT_LT(std::abs(p.x), 1);
      EXPECT_LT(std::abs(p.y), 0.75F);
      widest = std::max({widest, std::abs(p.x), std::abs(p.y) / 0.75F});
    }
    EXPECT_GT(widest, 0.8F);  // and not from farther away than need be
  }
  const Projected origin = framing({}, Vector3f::UnitY(), 0.75F).project(Vector3f::Zero());
  EXPECT_NEAR(origin.x, 0, 1e-5F);
}

// The pixels of a PNG file as png_bytes() writes it, read by the rules of the format.
Image decoded(const std::string& png) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8U | static_cast<unsigned char>(png[at + i]);
    }
    return value;
  };
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  Image image;
  std::string packed;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t length = number(at);
    const std::string type = png.substr(at + 4, 4);
    const auto* bytes = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    EXPECT_EQ(number(at + 8 + length), crc32(0, bytes, length + 4)) << type;
    if (type == "IHDR") {
      image.width = static_cast<int>(number(at + 8));
      image.height = static_cast<int>(number(at + 12));
      EXPECT_EQ(png.substr(at + 16, 5), std::string("\x08\x02\0\0\0", 5));
    }
    if (type == "IDAT") packed += png.substr(at + 8, length);
    at += 12 + length;
  }
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  const auto stride = 3 * static_cast<std::size_t>(image.width);
  std::string rows((stride + 1) * static_cast<std::size_t>(image.height), '\0');
  uLongf size = rows.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(size, rows.size());
  image.rgb.assign(stride * static_cast<std::size_t>(image.height), 0);
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    for (std::size_t i = 0; i < stride; ++i) {
      const int a = i < 3 ? 0 : image.rgb[y * stride + i - 3];
      const int b = y == 0 ? 0 : image.rgb[(y - 1) * stride + i];
      const int c = y == 0 || i < 3 ? 0 : image.rgb[(y - 1) * stride + i - 3];
      const int p = a + b - c;
      const int near_a = std::abs(p - a), near_b = std::abs(p - b), near_c = std::abs(p - c);
      const int paeth = near_a <= near_b && near_a <= near_c ? a : near_b <= near_c ? b : c;
      const std::array<int, 5> predicted = {0, a, b, (a + b) / 2, paeth};
      const auto filter = static_cast<std::size_t>(rows[y * (stride + 1)]);
      image.rgb[y * stride + i] = static_cast<std::uint8_t>(
          predicted.at(filter) + static_cast<unsigned char>(rows[y * (stride + 1) + 1 + i]));
    }
  }
  return image;
}

TEST(Png, HasThePixelsOfThePicture) {
  Image noise{.width = 37, .height = 23};
  Image smooth{.width = 200, .height = 100};
  std::uint32_t seed = 1;
  for (int i = 0; i < 3 * 37 * 23; ++i) {
    seed = seed * 1664525U + 1013904223U;
    noise.rgb.push_back(static_cast<std::uint8_t>(seed >> 24U));
  }
  for (int i = 0; i < 3 * 200 * 100; ++i) {
    smooth.rgb.push_back(static_cast<std::uint8_t>((i / 3 % 200 + 2 * (i / 600)) / 2 + i % 3));
  }
  const std::vector<float> points = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  for (const Image& image : {noise, smooth, render(one_triangle(), kFront, {0, points}, kSize)}) {
    const Image again = decoded(png_bytes(image));
    EXPECT_EQ(again.width, image.width);
    EXPECT_EQ(again.height, image.height);
    EXPECT_EQ(again.rgb, image.rgb);
  }
  EXPECT_LT(png_bytes(smooth).size(), 3000U) << "60 thousand bytes, nearly all predictable";
}

}  // namespace
}  // namespace lilyan::test::render_test

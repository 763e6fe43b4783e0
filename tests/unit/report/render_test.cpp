// Pictures of frames: what covers which pixels, what hides what.
#include "app/report/render.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lilyan::test {
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

TEST(Render, PngHasItsSignatureAndSize) {
  const std::string png = png_bytes(render({}, kFront, {}, kSize));
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<int>(png[19]), 100);
  EXPECT_EQ(static_cast<int>(png[23]), 80);
}

}  // namespace
}  // namespace lilyan::test

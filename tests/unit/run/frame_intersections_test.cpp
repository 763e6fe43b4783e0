// How deep triangles reach into obstacles, and what is found in the frames of a run.
#include "app/run/frame_intersections.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "app/run/obstacle_depth.hpp"
#include "lilyan/base/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::frame_intersections_test {
namespace {

using Corners = std::array<Vec3, 3>;

double depth(const ObstacleShape& shape, const Corners& t, bool inside_out = false) {
  return depth_in({.shape = shape, .inside_out = inside_out}, Pose(), t);
}

Corners vertex(const Vec3& x) { return {x, x, x}; }

TEST(ObstacleDepth, OfVertices) {
  const PlaneShape plane{.point = {0, 1, 0}, .normal = {0, 1, 0}};
  EXPECT_DOUBLE_EQ(depth(plane, vertex({5, 0.75, 3})), 0.25);
  EXPECT_DOUBLE_EQ(depth(plane, vertex({5, 1.25, 3})), -0.25);
  const SphereShape sphere{.center = {1, 0, 0}, .radius = 2};
  EXPECT_DOUBLE_EQ(depth(sphere, vertex({1, 1.5, 0})), 0.5);
  EXPECT_DOUBLE_EQ(depth(sphere, vertex({1, 1.5, 0}), true), -0.5);
  EXPECT_DOUBLE_EQ(depth(sphere, vertex({1, 2.5, 0}), true), 0.5);
  const CapsuleShape capsule{.from = {0, 0, 0}, .to = {4, 0, 0}, .radius = 1};
  EXPECT_DOUBLE_EQ(depth(capsule, vertex({2, 0.25, 0})), 0.75);
  EXPECT_DOUBLE_EQ(depth(capsule, vertex({4.5, 0, 0})), 0.5);
  EXPECT_DOUBLE_EQ(depth(capsule, vertex({6, 0, 0}), true), 1);
  const BoxShape box{.center = {1, 0, 0}, .half = {1, 2, 3}};
  EXPECT_DOUBLE_EQ(depth(box, vertex({1.75, 0, 0})), 0.25);
  EXPECT_DOUBLE_EQ(depth(box, vertex({1, 2.5, 0})), -0.5);
  EXPECT_DOUBLE_EQ(depth(box, vertex({1, 2.5, 0}), true), 0.5);
}

// What no vertex shows: the middle of a triangle or of an edge is in the obstacle.
TEST(ObstacleDepth, OfTrianglesWhoseCornersAreOutside) {
  const Corners wide = {Vec3(-9, 0.5, -9), Vec3(9, 0.5, -9), Vec3(0, 0.5, 18)};
  EXPECT_DOUBLE_EQ(depth(SphereShape{.center = {0, 0, 0}, .radius = 1}, wide), 0.5);
  EXPECT_DOUBLE_EQ(depth(CapsuleShape{.from = {0, -3, 0}, .to = {0, 0.25, 0}, .radius = 1}, wide),
                   0.75);
  EXPECT_DOUBLE_EQ(depth(CapsuleShape{.from = {0, -3, 0}, .to = {0, 3, 0}, .radius = 0.1}, wide),
                   0.1);  // the axis goes through
  EXPECT_DOUBLE_EQ(depth(BoxShape{.center = {0, 0, 0}, .half = {1, 1, 1}}, wide), 0.5);
  const Corners edge = {Vec3(-9, 0.5, 0.25), Vec3(9, 0.5, 0.25), Vec3(9, 0.5, 0.25)};
  EXPECT_DOUBLE_EQ(depth(BoxShape{.center = {0, 0, 0}, .half = {1, 1, 1}}, edge), 0.5);
  // Past an edge of a box.
  const Corners beside = {Vec3(2.1, 0, -9), Vec3(0, 2.1, -9), Vec3(1.2, 1.2, 9)};
  EXPECT_LT(depth(BoxShape{.center = {0, 0, 0}, .half = {1, 1, 1}}, beside), 0);
  // Crosswise, both between their ends.
  const Corners rod = {Vec3(-1, 1.5, 0), Vec3(1, 1.5, 0), Vec3(1, 1.5, 0)};
  EXPECT_DOUBLE_EQ(depth(CapsuleShape{.from = {0, 0, -5}, .to = {0, 0, 5}, .radius = 2}, rod), 0.5);
}

// Against the deepest of many points of the triangle.
TEST(ObstacleDepth, IsThatOfTheDeepestPoint) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> real(-2, 2);
  const Vec3 a(-0.5, 0.2, 0.1);
  const Vec3 b(0.7, -0.4, 0.3);
  const BoxShape box{.center = {0.1, 0.2, 0.3}, .half = {0.5, 1, 0.7}};
  int in_box = 0;
  int out_of_box = 0;
  for (int round = 0; round < 300; ++round) {
    Corners t;
    for (Vec3& x : t) x = Vec3(real(random), real(random), real(random));
    double nearest_point = 1e9;
    double nearest_axis = 1e9;
    bool enters = false;
    constexpr int kFine = 60;
    for (int i = 0; i <= kFine; ++i) {
      for (int k = 0; i + k <= kFine; ++k) {
        const Vec3 x = t[0] + (t[1] - t[0]) * i / kFine + (t[2] - t[0]) * k / kFine;
        nearest_point = std::min(nearest_point, (x - a).norm());
        const double s = std::clamp((x - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
        nearest_axis = std::min(nearest_axis, (x - a - s * (b - a)).norm());
        if (((x - box.center).cwiseAbs() - box.half).maxCoeff() < 0) enters = true;
      }
    }
    const double spacing = 6.0 / kFine;  // to the next of the points
    const double of_sphere = depth(SphereShape{.center = a, .radius = 1}, t);
    EXPECT_GE(of_sphere, 1 - nearest_point - 1e-12);
    EXPECT_LE(of_sphere, 1 - nearest_point + spacing);
    const double of_capsule = depth(CapsuleShape{.from = a, .to = b, .radius = 1}, t);
    EXPECT_GE(of_capsule, 1 - nearest_axis - 1e-12);
    EXPECT_LE(of_capsule, 1 - nearest_axis + spacing);
    const double of_box = depth(box, t);
    EXPECT_TRUE(of_box > 0 || !enters);
    EXPECT_TRUE(enters || of_box <= spacing);
    ++(enters ? in_box : out_of_box);
  }
  EXPECT_GT(in_box, 50);
  EXPECT_GT(out_of_box, 50);
}

TEST(ObstacleDepth, OfAnObstacleThatHasMoved) {
  const RigidMotion motion({{.t = 0}, {.t = 2, .shift = {0, 4, 0}, .angle = std::numbers::pi}},
                           Vec3::UnitZ(), Vec3::Zero(), Easing::linear, false);
  const Obstacle obstacle{.shape = BoxShape{.center = {2, 0, 0}, .half = {1, 0.5, 1}},
                          .motion = motion};
  // After one second the box stands upright about (0, 4).
  EXPECT_NEAR(depth_in(obstacle, motion.at(1), vertex({0.25, 4, 0})), 0.25, 1e-12);
  EXPECT_LT(depth_in(obstacle, motion.at(1), vertex({2, 0, 0})), 0);
  EXPECT_NEAR(depth_in(obstacle, motion.at(0), vertex({2, 0, 0})), 0.5, 1e-12);
}

// A result folder of a triangle and a rod, of which the second frame can be chosen.
class JudgedFrames : public testing::Test {
 protected:
  void write(const std::vector<double>& second, bool float64 = true, const char* obstacles = "") {
    const std::vector<double> first = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, 2};
    PvdWriter pvd(folder_.path() / "run.pvd");
    int number = 0;
    for (const std::vector<double>& x : {first, second}) {
      const std::string name = "frame" + std::to_string(number) + ".vtu";
      const std::array<std::array<int, 3>, 1> triangles = {{{0, 1, 2}}};
      const std::array<std::array<int, 2>, 1> edges = {{{3, 4}}};
      const std::array<int, 1> cloth = {0};
      const std::array<int, 1> rod = {1};
      write_vtu(folder_.path() / name, {.x = x,
                                        .geometry = {.triangles = triangles,
                                                     .triangle_body = cloth,
                                                     .edges = edges,
                                                     .edge_body = rod},
                                        .float64 = float64});
      pvd.add(number++, name);
    }
    folder_.write("run.json", R"({"size": {"bodies": ["sheet", "mast"]}})");
    folder_.write("scene.resolved.toml", obstacles);
  }

  TempFolder folder_;
};

TEST_F(JudgedFrames, NameWhatGoesThrough) {
  write({0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, -1, 1, 1, 2});
  JudgedRun run(folder_.path());
  ASSERT_EQ(run.frames().size(), 2U);
  EXPECT_FALSE(run.single_precision());
  EXPECT_TRUE(run.look_at(0).none());
  const FrameIntersections found = run.look_at(1);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(run.told(found.pairs[0]),
            "edge 3-4 of 'mast' goes through triangle 0-1-2 of 'sheet' at (1, 1, 0)");
}

TEST_F(JudgedFrames, KnowWhereObstaclesAreAtTheirTime) {
  write({0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, 2}, true,
        "[[obstacle]]\nname = \"fist\"\nkind = \"sphere\"\ncenter = [1, 1, -3]\nradius = 1\n"
        "motion = { keys = [{ t = 0, shift = [0, 0, 0] }, { t = 1, shift = [0, 0, 2.5] }] }\n");
  JudgedRun run(folder_.path());
  EXPECT_TRUE(run.look_at(0).none());
  const FrameIntersections found = run.look_at(1);
  ASSERT_EQ(found.obstacles.size(), 1U);
  EXPECT_EQ(found.obstacles[0].count, 1U);
  EXPECT_NEAR(found.obstacles[0].depth, 0.5, 1e-12);
  EXPECT_EQ(run.told(found.obstacles[0]),
            "triangle 0-1-2 of 'sheet' reaches 0.5 into 'fist' at (1.33333, 1.33333, 0)");
}

TEST_F(JudgedFrames, SayWhatTheyCannotKnow) {
  write({0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, 2}, false);
  std::filesystem::remove(folder_.path() / "scene.resolved.toml");
  JudgedRun run(folder_.path());
  EXPECT_TRUE(run.single_precision());
  EXPECT_FALSE(run.knows_obstacles());
  EXPECT_THROW((void)JudgedRun(folder_.path() / "nothing"), InputError);
}

// A plane that is touched to the last digit is not entered. Single precision has fewer of them.
TEST_F(JudgedFrames, RoundingIsNoDepth) {
  for (const bool float64 : {true, false}) {
    for (const double deep : {1e-16, 1e-8, 1e-3}) {
      write({0, 0, -deep, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, 2}, float64,
            "[[obstacle]]\nkind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n");
      JudgedRun run(folder_.path());
      EXPECT_EQ(run.look_at(1).none(), deep < (float64 ? 1e-12 : 1e-6)) << deep << " " << float64;
    }
  }
}

}  // namespace
}  // namespace lilyan::test::frame_intersections_test

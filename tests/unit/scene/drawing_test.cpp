// Pictures of small systems: where their parts are, and what is wrong with a drawing.
#include <gtest/gtest.h>

#include <cmath>

#include "app/scene/scene.hpp"
#include "app/scene/small/drawing.hpp"
#include "lilyan/base/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::drawing_test {
namespace {

const std::string kHead =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 2\n[system]\n"
    "kind = \"lagrangian\"\n";
const std::string kPendulum =
    kHead +
    "coordinates = [\"theta\"]\nkinetic = \"theta'^2/2\"\npotential = \"1 - cos(theta)\"\n"
    "[system.parameters]\nl = 2\n[system.position]\ntheta = 0.5\n";

Scene scene_of(const std::string& text) {
  const TempFolder folder;
  return load_scene(folder.write("scene.toml", text), {});
}

std::vector<double> places(const Scene& scene) {
  const auto all = scene.small().drawing->places(scene.initial);
  return {all.begin(), all.end()};
}

void expect_places(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-14) << i;
}

TEST(Drawing, PlacesAreThoseOfTheFormulas) {
  const Scene scene = scene_of(kPendulum +
                               "[[system.draw.rod]]\nfrom = [0, 0]\n"
                               "to = [\"l*sin(theta)\", \"-l*cos(theta)\"]\n"
                               "[[system.draw.point]]\nname = \"bob\"\nradius = \"l\"\n"
                               "at = [\"l*sin(theta)\", \"-l*cos(theta)\"]\n"
                               "[[system.draw.trail]]\nat = [\"theta\", \"t\"]\n");
  const Drawing& drawing = *scene.small().drawing;
  EXPECT_TRUE(drawing.flat);
  EXPECT_EQ(drawing.rods, 1U);
  EXPECT_EQ(drawing.first_trail(), 3U);
  EXPECT_EQ(drawing.points.at(0).name, "bob");
  EXPECT_EQ(drawing.points.at(0).radius, 2);
  const double x = 2 * std::sin(0.5);
  const double y = -2 * std::cos(0.5);
  expect_places(places(scene), {x, y, 0, 0, 0, 0, x, y, 0, 0.5, 0, 0});
}

// The second number points upwards, whichever axis of the scene does.
TEST(Drawing, SpaceHasItsUp) {
  const std::string particle =
      kHead +
      "coordinates = [\"a\", \"b\", \"c\"]\nkinetic = \"(a'^2 + b'^2 + c'^2)/2\"\n"
      "[system.position]\na = 1\nb = 2\nc = 3\n";
  const std::string point = "[[system.draw.point]]\nat = [\"a\", \"b\", \"c\"]\n";
  expect_places(places(scene_of(particle + point)), {1, 3, -2});
  expect_places(places(scene_of(particle + "[system.draw]\nup = \"y\"\n" + point)), {1, 2, 3});
}

TEST(Drawing, ListsAreDrawnByTheirIndex) {
  const std::string chain = kHead +
                            "coordinates = [\"q[4]\"]\nkinetic = \"sum(i, 1, 4, q[i]'^2)/2\"\n"
                            "[system.position]\nq = \"i/10\"\n";
  // Without a table it is a lattice: its parts beside each other, as far up as they are off.
  const Scene lattice = scene_of(chain);
  EXPECT_EQ(lattice.small().drawing->points.size(), 4U);
  EXPECT_EQ(lattice.small().drawing->springs, 3U);
  const std::vector<double> at = places(lattice);
  expect_places({at.begin(), at.begin() + 6}, {1, 0.1, 0, 2, 0.2, 0});
  const Scene own = scene_of(chain +
                             "[[system.draw.spring]]\ni = [2, 4]\nfrom = [\"i - 1\", \"q[i-1]\"]\n"
                             "to = [\"i\", \"q[i]\"]\n");
  EXPECT_TRUE(own.small().drawing->points.empty());
  EXPECT_EQ(own.small().drawing->springs, 3U);
}

TEST(Drawing, BuiltInSystemsHaveTheirs) {
  const auto drawing = [](const std::string& system) {
    return scene_of("[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 2\n" + system);
  };
  const Scene pendulum = drawing("[system]\nkind = \"pendulum\"\nangle = 90\nlength = 3\n");
  EXPECT_EQ(pendulum.small().drawing->rods, 1U);
  const std::vector<double> at = places(pendulum);
  expect_places({at.end() - 3, at.end()}, {3, 0, 0});
  EXPECT_EQ(drawing("[system]\nkind = \"kepler\"\n").small().drawing->points.size(), 2U);
  EXPECT_EQ(drawing("[system]\nkind = \"henon-heiles\"\n").small().drawing->trails.size(), 1U);
  EXPECT_FALSE(drawing("[system]\nkind = \"spherical-pendulum\"\n").small().drawing->flat);
  EXPECT_TRUE(drawing("[system]\nkind = \"polynomial\"\n").small().drawing->empty());
}

TEST(Drawing, MistakesAreToldWhereTheyStand) {
  const auto fails = [](const std::string& draw, const std::string& with) {
    try {
      (void)scene_of(kPendulum + draw);
      FAIL() << draw;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(with), std::string::npos) << error.what();
    }
  };
  fails("[[system.draw.point]]\nat = [\"l*sin(thta)\", 0]\n", "thta");
  fails("[[system.draw.point]]\nat = [\"l*sin(theta\", 0]\n", "scene.toml:15");
  fails("[[system.draw.point]]\nat = [\"l\"]\n", "two or three formulas");
  fails("[[system.draw.point]]\nat = [0, 0]\nradius = -1\n", "must be positive");
  fails("[[system.draw.point]]\nat = [0, 0]\nsize = 1\n", "size");
  fails("[[system.draw.rod]]\nfrom = [0, 0]\n", "to");
  fails("[[system.draw.rod]]\ni = [3, 1]\nfrom = [0, 0]\nto = [\"i\", 0]\n", "there is no i");
  fails("[[system.draw.point]]\ni = [1, 90000]\nat = [\"i\", 0]\n", "at most 20000 places");
  fails("[[system.draw.dot]]\nat = [0, 0]\n", "dot");
  fails("[system.draw]\nup = \"x\"\n", "up");
}

}  // namespace
}  // namespace lilyan::test::drawing_test

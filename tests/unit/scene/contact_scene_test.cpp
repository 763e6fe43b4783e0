// Obstacles, contact, damping, scripts and joints in scenes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <regex>
#include <string>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::contact_scene_test {
namespace {

const std::string kHead = "[integrator]\nstep = 0.01\nsteps = 20\n";

std::string box(const std::string& more = "", const std::string& name = "box") {
  return "[[body]]\nname = \"" + name +
         "\"\nshape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\nmass = 1\n"
         "material = { mu = 100, lambda = 100 }\n" +
         more;
}

Scene load(const std::string& text) {
  const TempFolder folder;
  return load_scene(folder.write("scene.toml", text));
}

// Runs all steps; the sum of their ledgers.
Ledger run(Scene& scene) {
  const auto integrator =
      make_integrator(*scene.system, scene.settings.scheme, scene.settings.solver);
  Ledger sum;
  for (int k = 0; k < scene.settings.steps; ++k) {
    const StepReport report = step_with_halving(*integrator, scene.initial, scene.settings.step, 6);
    EXPECT_TRUE(succeeded(report.status)) << describe(report.status);
    sum += report.ledger;
  }
  return sum;
}

TEST(ContactScene, ObstaclesHoldWhatFalls) {
  Scene scene =
      load(kHead + "[world]\ngravity = [0, -9.81, 0]\n" + box("translate = [0, 0.52, 0]\n") +
           "[[obstacle]]\nkind = \"plane\"\nstiffness = 2000\nfriction = 0.3\n");
  EXPECT_EQ(scene.system->dissipations().size(), 1u);
  const Ledger ledger = run(scene);
  EXPECT_GT(invariants(*scene.system, scene.initial).of(EnergyKind::contact), 0);
  EXPECT_LE(ledger.dissipation, 0);
}

// A ball or a block of so many cells, damped so that it comes to rest on a floor. How deep it is there.
double depth_at_rest(const std::string& shape, const std::string& floor, double mu = 4e4) {
  const std::string stiff = std::to_string(mu);
  const Scene scene = load(
      "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 150\n[world]\n"
      "gravity = [0, -9.81, 0]\n[[body]]\nshape = { " +
      shape + " }\nmass = 2\nmaterial = { mu = " + stiff + ", lambda = " + stiff +
      " }\ntranslate = [0, 0.301, 0]\ndamping = { mass = 20 }\n" +
      "[[obstacle]]\nkind = \"plane\"\n" + floor);
  DriftTracker drift = follow_drift(scene);
  const FinishedRun summary = run_scene(scene, drift, [](const RunMoment&) { return true; });
  EXPECT_EQ(summary.end, RunEnd::finished) << summary.message;
  EXPECT_LT(summary.invariants.kinetic, 1e-4);
  EXPECT_EQ(drift.energy().kept(), Kept::conserved);
  double deepest = 0;
  for (int i = 0; i < scene.system->vertices(); ++i) {
    deepest = std::max(deepest, -summary.state.x[3 * i + 1]);
  }
  EXPECT_NEAR(summary.contact.now, deepest, 1e-15);
  EXPECT_GE(summary.contact.deepest, deepest);
  return deepest;
}

std::string ball(int cells) {
  return "kind = \"ball\", radius = 0.3, cells = " + std::to_string(cells);
}

// A stiff block sinks as deep as was asked for, and so does a soft one. A soft ball flattens and sinks less, but more than
// half as deep.
TEST(ContactScene, DepthIsReachedAtRest) {
  for (const double depth : {0.003, 0.03}) {
    const std::string floor = "depth = " + std::to_string(depth) + "\n";
    const std::string block = "kind = \"box\", size = [0.6, 0.6, 0.6], cells = [3, 3, 3]";
    // One edge is a little deeper than the other, as the diagonals of the faces are not symmetric.
    EXPECT_NEAR(depth_at_rest(block, floor, 4e5), depth, 0.15 * depth);
    EXPECT_NEAR(depth_at_rest(block, floor, 1e4), depth, 0.4 * depth);
  }
  for (const int cells : {4, 8}) {
    const double soft = depth_at_rest(ball(cells), "depth = 0.03\n", 4e3);
    EXPECT_GT(soft, 0.015);
    EXPECT_LT(soft, 0.033);
    EXPECT_NEAR(depth_at_rest(ball(cells), "depth = 0.03\n", 4e5), 0.03, 0.006);
  }
}

// On a ball few vertices carry a block. With the formula of flat ground they would be pressed in many times as deep.
TEST(ContactScene, DepthIsReachedOnObstaclesThatAreNotFlat) {
  const auto rest = [](const std::string& shape, const std::string& obstacle, double depth) {
    const Scene scene = load(
        "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 150\n[world]\n"
        "gravity = [0, -9.81, 0]\n[[body]]\nshape = { " +
        shape +
        " }\nmass = 2\nmaterial = { mu = 4e5, lambda = 4e5 }\n"
        "damping = { mass = 20 }\n[[obstacle]]\n" +
        obstacle + "\ndepth = " + std::to_string(depth) + "\n");
    DriftTracker drift = follow_drift(scene);
    const FinishedRun summary = run_scene(scene, drift, [](const RunMoment&) { return true; });
    EXPECT_EQ(summary.end, RunEnd::finished) << summary.message;
    EXPECT_EQ(summary.contact.beyond.depth, 0) << obstacle;
    EXPECT_EQ(summary.contact.asked_there, depth);
    return summary.contact.now;
  };
  const std::string block = "kind = \"box\", size = [0.6, 0.6, 0.6], cells = [4, 4, 4]";
  for (const double depth : {0.003, 0.02}) {
    EXPECT_NEAR(rest(block, "kind = \"sphere\"\ncenter = [0, -1.301, 0]\nradius = 1", depth), depth,
                0.3 * depth);
    EXPECT_NEAR(rest(block, "kind = \"box\"\ncenter = [0, -1.301, 0]\nsize = [0.4, 2, 0.4]", depth),
                depth, 0.3 * depth);
    EXPECT_NEAR(
        rest(block, "kind = \"capsule\"\nfrom = [-2, -1.301, 0]\nto = [2, -1.301, 0]\nradius = 1",
             depth),
        depth, 0.3 * depth);
    // A ball that settles in a bowl stands on other vertices than as it was placed.
    const double settled = rest(
        ball(6), "kind = \"sphere\"\ncenter = [0, 0.7, 0]\nradius = 1.001\ninside = true", depth);
    EXPECT_GT(settled, 0.5 * depth);
    EXPECT_LT(settled, 2 * depth);
  }
}

// A body that is pressed down sinks deeper than was asked for, and one that falls does not count.
TEST(ContactScene, ADepthBeyondWhatWasAskedForIsTold) {
  const auto beyond = [](double height, const std::string& more) {
    const Scene scene = load(
        "[integrator]\nmethod = \"avf\"\nstep = 0.01\nsteps = 200\n[world]\n"
        "gravity = [0, -9.81, 0]\n[[body]]\nmass = 2\nmaterial = { mu = 4e5, lambda = 4e5 }\n"
        "damping = { mass = 2 }\ntranslate = [0, " +
        std::to_string(height) +
        ", 0]\nshape = { kind = \"box\", size = [0.6, 0.6, 0.6], cells = [2, 2, 2] }\n" + more +
        "[[obstacle]]\nkind = \"plane\"\ndepth = 0.004\n");
    DriftTracker drift = follow_drift(scene);
    return run_scene(scene, drift, [](const RunMoment&) { return true; }).contact.beyond;
  };
  EXPECT_EQ(beyond(0.301, "").depth, 0);
  EXPECT_EQ(beyond(1.5, "").depth, 0);
  const std::string push = "[[body.force]]\nkind = \"drive\"\nacceleration = [0, -200, 0]\n";
  const auto pressed = beyond(0.301, push);
  EXPECT_GT(pressed.depth, 5 * 0.004);
  EXPECT_EQ(pressed.asked, 0.004);
}

// A block stands on the same ground with a finer mesh, but for its edges, whose vertices have a share of the sides as
// well. On vertices with a stiffness each it would sink three times less.
TEST(ContactScene, StiffnessPerAreaDoesNotDependOnTheMesh) {
  const auto depth = [](int cells, const std::string& floor) {
    const std::string n = std::to_string(cells);
    return depth_at_rest(
        "kind = \"box\", size = [0.6, 0.6, 0.6], cells = [" + n + ", " + n + ", " + n + "]", floor,
        4e5);
  };
  const std::string ground = "stiffness_per_area = 5450\n";
  const double expected = 2 * 9.81 / (5450 * 0.6 * 0.6);
  const double coarse = depth(4, ground);
  const double fine = depth(8, ground);
  EXPECT_NEAR(fine, coarse, 0.25 * coarse);
  EXPECT_NEAR(fine, expected, 0.25 * expected);
  EXPECT_GT(fine, coarse);
  EXPECT_GT(depth(4, "stiffness = 80\n"), 2.5 * depth(8, "stiffness = 80\n"));
}

TEST(ContactScene, VerticesWithinASolidDoNotTouchWhereTheSurfaceDoes) {
  const std::string head =
      kHead +
      "[world]\ngravity = [0, -1, 0]\n[[body]]\nmass = 1\nmaterial = { mu = 1, "
      "lambda = 1 }\nshape = { kind = \"box\", size = [1, 1, 1], cells = [2, 2, 2] }\n"
      "[[obstacle]]\nkind = \"plane\"\n";
  EXPECT_EQ(load(head + "stiffness = 1\n").bodies().touches[0].vertices.size(), 27u);
  EXPECT_EQ(load(head + "stiffness_per_area = 1\n").bodies().touches[0].vertices.size(), 26u);
  EXPECT_EQ(load(head + "depth = 1\n").bodies().touches[0].vertices.size(), 26u);
}

// AVF keeps the energy of a body that bounces, on a flat floor and in a bowl, and of bodies that meet.
TEST(ContactScene, EnergyIsKeptThroughContactOfAStiffnessPerArea) {
  const std::string bowl =
      "[[obstacle]]\nkind = \"sphere\"\ncenter = [0, 1, 0]\nradius = 1.6\ninside = true\n";
  const std::string two = box("translate = [0.3, 2, 0]\n", "other") +
                          "[[contact]]\nthickness = 0.1\nstiffness_per_area = 1e3\n";
  for (const std::string& floor :
       {std::string(
            "[[obstacle]]\nkind = \"plane\"\npoint = [0, -0.6, 0]\nstiffness_per_area = 900\n"),
        bowl + "depth = 0.05\n", bowl + "stiffness_per_area = 300\n" + two}) {
    const Scene scene = load(
        "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 150\n[world]\ngravity = [0, "
        "-9.81, 0]\n" +
        box() + floor);
    DriftTracker drift = follow_drift(scene);
    double contact = 0;
    const FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
      contact = std::max(contact, moment.invariants.of(EnergyKind::contact));
      return true;
    });
    EXPECT_EQ(summary.end, RunEnd::finished) << summary.message;
    EXPECT_GT(contact, 0.01);
    EXPECT_GT(summary.contact.deepest, 0.001);
    EXPECT_LT(drift.energy().worst_relative(), 1e-11);
  }
}

TEST(ContactScene, OneKeySaysHowStiffContactIs) {
  const std::string start = kHead + box();
  const std::string plane = "[[obstacle]]\nkind = \"plane\"\npoint = [0, -1, 0]\n";
  const std::string gravity = "[world]\ngravity = [0, -1, 0]\n";
  const auto fault = [](const std::string& text, std::vector<std::string> settings = {}) {
    const TempFolder folder;
    try {
      (void)load_scene(folder.write("scene.toml", text), {.settings = std::move(settings)});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault(start + plane), "");  // nothing goes through it
  EXPECT_NE(fault(start + plane + "stiffness = 1\nstiffness_per_area = 2\n").find("keep one"),
            std::string::npos);
  EXPECT_NE(fault(start + plane + "depth = 0.1\n").find("no gravity"), std::string::npos);
  EXPECT_NE(fault(start + plane + "stifness = 1\n").find("did you mean 'stiffness'"),
            std::string::npos);
  EXPECT_NE(fault(start + plane + "stiffness_per_area = -1\n").find("positive"), std::string::npos);
  EXPECT_NE(fault(start + plane + "stiffness_per_area = 1\nmodel = \"repulsion-springs\"\n")
                .find("take 'stiffness'"),
            std::string::npos);
  const std::string rod =
      "[[body]]\nkind = \"rod\"\nshape = { kind = \"line\", length = 1, "
      "segments = 4 }\nmass = 1\nsprings = { stretch = 100 }\n";
  EXPECT_NE(fault(kHead + rod + plane + "stiffness_per_area = 1\n").find("rod"), std::string::npos);
  EXPECT_EQ(fault(kHead + gravity + rod + plane + "depth = 0.1\n"), "");
  const std::string pair =
      gravity + box("translate = [3, 0, 0]\n", "other") + "[[contact]]\nthickness = 0.1\n";
  EXPECT_NE(fault(start + pair + "depth = 0.1\n").find("thickness"), std::string::npos);
  EXPECT_EQ(fault(start + pair + "depth = 0.05\n"), "");
  // One that is set from outside replaces that of the file.
  EXPECT_EQ(fault(start + gravity + plane + "stiffness = 1\n", {"obstacle.0.depth=0.1"}), "");
  EXPECT_NE(fault(start + gravity + plane + "stiffness = 1\n",
                  {"obstacle.0.depth=0.1", "obstacle.0.stiffness=2"}),
            "");
}

TEST(ContactScene, ObstaclesOfEveryKind) {
  for (const char* shape : {"kind = \"sphere\"\ncenter = [0, -2, 0]\nradius = 1",
                            "kind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 3\ninside = true",
                            "kind = \"box\"\ncenter = [0, -2, 0]\nsize = [1, 2, 3]",
                            "kind = \"capsule\"\nfrom = [0, -3, 0]\nto = [1, -3, 0]\nradius = 0.5",
                            "kind = \"plane\"\npoint = [0, -1, 0]\nnormal = [0, 2, 0]\nmodel = "
                            "\"repulsion-springs\""}) {
    const Scene scene = load(kHead + box() + "[[obstacle]]\nstiffness = 10\n" + shape + "\n");
    EXPECT_EQ(invariants(*scene.system, scene.initial).of(EnergyKind::contact), 0) << shape;
  }
}

TEST(ContactScene, OnlyTheNamedBodiesTouchAnObstacle) {
  const std::string text = kHead + box("", "a") + box("translate = [3, 0, 0]\n", "b") +
                           "[[obstacle]]\nkind = \"plane\"\npoint = [0, 0.6, 0]\nstiffness = 10\n";
  const double all = invariants(*load(text).system, load(text).initial).of(EnergyKind::contact);
  const Scene one = load(text + "bodies = [\"b\"]\n");
  EXPECT_NEAR(invariants(*one.system, one.initial).of(EnergyKind::contact), all / 2, 1e-12 * all);
}

TEST(ContactScene, BodiesPushEachOther) {
  Scene scene =
      load(kHead + box("velocity = [1, 0, 0]\n", "a") + box("translate = [1.15, 0.1, 0.2]\n", "b") +
           "[[contact]]\nstiffness = 1000\nthickness = 0.1\nfriction = 0.1\n");
  EXPECT_EQ(invariants(*scene.system, scene.initial).of(EnergyKind::contact), 0);
  run(scene);
  double pushed = 0;
  for (int i = scene.system->vertices() / 2; i < scene.system->vertices(); ++i) {
    pushed += scene.initial.v[3 * i];
  }
  EXPECT_GT(pushed, 0);
}

TEST(ContactScene, DampingOfEveryModel) {
  for (const char* damping :
       {"stiffness = 0.1", "mass = 1", "model = \"rayleigh-end\", stiffness = 0.1",
        "model = \"strain\", time = 0.1", "model = \"strain-explicit\", time = 0.001"}) {
    Scene scene =
        load(kHead + box(std::string("damping = { ") + damping +
                         " }\n[[body.deform]]\nkind = \"stretch\"\nfactors = [1.2, 1, 1]\n"));
    EXPECT_LT(run(scene).dissipation, 0) << damping;
  }
}

// A tent of four triangles from a file, thrown onto a ball.
TEST(ContactScene, ClothFromASurfaceFile) {
  const TempFolder folder;
  folder.write(
      "tent.obj",
      "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv 0 0.3 0\nf 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n");
  Scene scene = load_scene(folder.write(
      "scene.toml", kHead +
                        "[[body]]\nname = \"tent\"\nmesh = \"tent.obj\"\nmass = 1\n"
                        "springs = { kind = \"hookean\", stretch = 100 }\nvelocity = [0, -2, 0]\n"
                        "[[obstacle]]\nkind = \"sphere\"\ncenter = [0, -0.75, 0]\nradius = 1\n"
                        "stiffness = 500\n"));
  EXPECT_EQ(scene.bodies().triangles.size(), 4u);
  EXPECT_EQ(scene.system->vertices(), 5);
  run(scene);
  EXPECT_GT(scene.initial.x[3 * 4 + 1], 0.1);  // its top, which would be at -0.1 without the ball
}

TEST(ContactScene, ScriptsMoveTheirRegion) {
  Scene scene =
      load(kHead + box("[[body.script]]\nregion = { slab = { axis = \"y\", from = 1, to = 1 } }\n"
                       "easing = \"linear\"\nkeys = [{ t = 0 }, { t = 0.2, shift = [0, 0.2, 0], "
                       "angle = 90 }]\n"));
  const Vector start = scene.initial.x;
  const Ledger ledger = run(scene);
  EXPECT_GT(ledger.work, 0);
  for (int i = 0; i < scene.system->vertices(); ++i) {
    if (start[3 * i + 1] < 0.4) continue;
    // A quarter turn about y through the middle of the region.
    EXPECT_NEAR(scene.initial.x[3 * i], start[3 * i + 2], 1e-12);
    EXPECT_NEAR(scene.initial.x[3 * i + 1], start[3 * i + 1] + 0.2, 1e-12);
    EXPECT_NEAR(scene.initial.x[3 * i + 2], -start[3 * i], 1e-12);
  }
}

// Two boxes of other masses; what acts is on the second one only.
Scene with_second(const std::string& more) {
  return load(kHead + box("", "first") + "[[body]]\nname = \"second\"\nmass = 3\n" +
              "shape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n" +
              "material = { mu = 100, lambda = 100 }\ntranslate = [4, 0, 0]\n" + more);
}

// m a cos(2π f t + φ) between two moments, φ in degrees.
TEST(ContactScene, DrivesPushTheirOwnBodyForATime) {
  const Scene scene = with_second(
      "[[body.force]]\nkind = \"drive\"\nacceleration = [1, 2, 3]\nfrequency = 0.5\nphase = 60\n"
      "from = 0.1\nuntil = 0.3\n");
  ASSERT_EQ(scene.system->forces().size(), 1u);
  for (const double t : {0.05, 0.1, 0.2, 0.35}) {
    Vector force = Vector::Zero(scene.system->dofs());
    scene.system->forces()[0]->add(t, scene.initial.x.data(), scene.initial.v.data(), force.data());
    const bool acts = t >= 0.1 && t <= 0.3;
    const double swing = acts ? std::cos(std::numbers::pi * (t + 1.0 / 3)) : 0.0;
    for (int i = 0; i < scene.system->vertices(); ++i) {
      const double mass = i < scene.system->vertices() / 2
                              ? 0.0
                              : scene.system->vertex_masses()[static_cast<std::size_t>(i)];
      EXPECT_LE((force.segment<3>(3 * i) - mass * swing * Vec3(1, 2, 3)).norm(), 1e-14) << t;
    }
  }
}

TEST(ContactScene, DampingByMassIsThatOfItsOwnBody) {
  const Scene scene = with_second("damping = { mass = 0.5 }\n");
  ASSERT_EQ(scene.system->dissipations().size(), 1u);
  const Vector v = Vector::Constant(scene.system->dofs(), 2.0);
  Vector gradient = Vector::Zero(v.size());
  const double rate =
      scene.system->dissipations()[0]->evaluate({}, {.v = v.data(), .gradient = gradient.data()});
  EXPECT_NEAR(rate, 0.5 * 0.5 * 3 * 3 * 4, 1e-12);  // ½ η m |v|²
  EXPECT_EQ(gradient.head(v.size() / 2).norm(), 0);
}

TEST(ContactScene, ScriptsAndAnchorsHoldTheirOwnBody) {
  const std::string stretch = "deform = [{ kind = \"stretch\", factors = [1.2, 1, 1] }]\n";
  const double alone = [&] {
    const Scene scene = with_second(stretch);
    return invariants(*scene.system, scene.initial).total;
  }();
  const Scene scene =
      with_second(stretch +
                  "[[body.attach]]\nregion = { vertices = [2] }\nstiffness = 8\n"
                  "[[body.script]]\nregion = { slab = { axis = \"x\", to = 0 } }\n"
                  "easing = \"linear\"\nkeys = [{ t = 0 }, { t = 1, shift = [1, 0, 0] }]\n");
  const int half = scene.system->vertices() / 2;
  // Anchors hold vertices where they start, not where they are at rest.
  EXPECT_NEAR(invariants(*scene.system, scene.initial).total, alone, 1e-12);
  State moved = scene.initial;
  moved.x.head(3 * half) += Vec3(0, 0, 0.1).replicate(half, 1);
  EXPECT_NEAR(invariants(*scene.system, moved).total, alone, 1e-12);
  moved = scene.initial;
  moved.x.tail(3 * half) += Vec3(0, 0, 0.1).replicate(half, 1);
  EXPECT_NEAR(invariants(*scene.system, moved).total, alone + 0.5 * 8 * 0.01, 1e-12);
  ASSERT_EQ(scene.system->motions().size(), 1u);
  const auto vertices = scene.system->motions()[0]->vertices();
  EXPECT_EQ(vertices.size(), 4u);
  for (const int i : vertices) EXPECT_GE(i, half);
}

// A script turns about the middle of its vertices where they start, not where they are at rest.
TEST(ContactScene, ScriptsTurnAboutWhereTheirVerticesStart) {
  const Scene scene =
      load(kHead + box("[[body.deform]]\nkind = \"pull\"\nby = [0.5, 0, 0]\n"
                       "region = { slab = { axis = \"y\", from = 1 } }\n"
                       "[[body.script]]\nregion = { slab = { axis = \"y\", from = 1 } }\n"
                       "keys = [{ t = 0 }, { t = 1, angle = 90 }]\n"));
  Vector x = scene.initial.x;
  scene.system->motions()[0]->positions(1, x.data());
  for (const int i : scene.system->motions()[0]->vertices()) {
    const Vec3 r = scene.initial.x.segment<3>(3 * i) - Vec3(0.5, 0.5, 0);
    EXPECT_LE((x.segment<3>(3 * i) - Vec3(0.5 + r.z(), 0.5, -r.x())).norm(), 1e-14);
  }
}

// Without being told otherwise motions ease in and out, do not repeat, and turn about the middle.
TEST(ContactScene, MotionsOfObstacles) {
  const auto motion = [](const std::string& more) {
    return load(kHead + box() +
                "[[obstacle]]\nkind = \"capsule\"\nstiffness = 1\nfrom = [0, -3, 0]\n"
                "to = [2, -3, 0]\nradius = 0.5\n"
                "motion = { keys = [{ t = 0 }, { t = 2, shift = [0, 1, 0], angle = 90 }]" +
                more + " }\n")
        .bodies()
        .obstacles[0]
        .motion;
  };
  const Vec3 middle(1, -3, 0);
  const RigidMotion plain = motion("");
  EXPECT_NEAR((plain.at(0.5).apply(middle) - middle).y(), 5 / 32.0, 1e-14);
  EXPECT_LE((plain.at(2.5).apply(middle) - middle - Vec3(0, 1, 0)).norm(), 1e-14);
  EXPECT_LE((plain.at(2).apply(Vec3(2, -3, 0)) - Vec3(1, -2, -1)).norm(), 1e-14);
  EXPECT_NEAR(motion(", easing = \"linear\"").at(0.5).shift.y(), 0.25, 1e-14);
  EXPECT_NEAR(motion(", easing = \"linear\", repeat = true").at(2.5).shift.y(), 0.25, 1e-14);
}

// Σ ½ k (d − r)² of the four lower vertices, and μ N ε (√(1 + |w|²/ε²) − 1) of each.
TEST(ContactScene, ThicknessAndCreepOfObstacles) {
  const Scene scene =
      load(kHead + box() + "[[obstacle]]\nkind = \"plane\"\npoint = [0, -0.6, 0]\n" +
           "stiffness = 50\nthickness = 0.3\nfriction = 0.4\ncreep = 2\n");
  const double depth = 0.2;
  EXPECT_NEAR(invariants(*scene.system, scene.initial).of(EnergyKind::contact),
              4 * 0.5 * 50 * depth * depth, 1e-12);
  const Dissipation& friction = *scene.system->dissipations()[0];
  std::vector<double> lagged;
  friction.begin_step(
      {.h = 0.1, .x = scene.initial.x.data(), .v = scene.initial.v.data(), .memory = nullptr},
      lagged);
  Vector v = Vector::Zero(scene.system->dofs());
  for (int i = 0; i < scene.system->vertices(); ++i) v[3 * i] = 1.5;
  EXPECT_NEAR(friction.evaluate(lagged, {.v = v.data()}), 4 * 0.4 * 50 * depth * (2.5 - 2), 1e-12);
}

TEST(ContactScene, HingesAndJointsHold) {
  Scene scene = load(kHead + "[world]\ngravity = [0, -9.81, 0]\n" + box("", "upper") +
                     box("translate = [0, -1, 0]\n", "lower") +
                     "[[constraint]]\nkind = \"hinge\"\nbody = \"upper\"\nfrom = [0.5, 0.5, -0.5]\n"
                     "to = [0.5, 0.5, 0.5]\n"
                     "[[constraint]]\nkind = \"hinge\"\nbody = \"upper\"\nother_body = \"lower\"\n"
                     "from = [-0.5, -0.5, -0.5]\nto = [-0.5, -0.5, 0.5]\n");
  EXPECT_EQ(scene.system->constraints().size(), 4u);
  const Vector start = scene.initial.x;
  run(scene);
  const auto near = [&](const Vec3& p, int first, int count) {
    int best = first;
    for (int i = first; i < first + count; ++i) {
      if ((start.segment<3>(3 * i) - p).norm() < (start.segment<3>(3 * best) - p).norm()) best = i;
    }
    return best;
  };
  const int half = scene.system->vertices() / 2;
  for (const double z : {-0.5, 0.5}) {
    const int pinned = near(Vec3(0.5, 0.5, z), 0, half);
    EXPECT_LE((scene.initial.x - start).segment<3>(3 * pinned).norm(), 1e-13);
    const int a = near(Vec3(-0.5, -0.5, z), 0, half);
    const int b = near(Vec3(-0.5, -0.5, z), half, half);
    EXPECT_LE((scene.initial.x.segment<3>(3 * a) - scene.initial.x.segment<3>(3 * b)).norm(),
              1e-13);
    EXPECT_GT((scene.initial.x - start).segment<3>(3 * a).norm(), 1e-3);
  }
}

TEST(ContactScene, BodiesMayTouchOrBeAllowedToOverlap) {
  const std::string contact = "[[contact]]\nstiffness = 1\nthickness = 0.1\n";
  EXPECT_NO_THROW((void)load(kHead + box("", "a") + box("translate = [1, 0, 0]\n", "b") + contact));
  EXPECT_NO_THROW(
      (void)load(kHead + box("", "a") + box("", "b") + contact + "overlap = \"allow\"\n"));
}

TEST(ContactScene, BodiesThatOverlapArePushedApartWhenAsked) {
  const std::string contact =
      "[[contact]]\nstiffness = 1\nthickness = 0.1\noverlap = \"separate\"\n";
  for (const char* place : {"", "translate = [0.3, 0.2, 0.1]\n"}) {
    const Scene scene = load(kHead + box("", "a") + box(place, "b") + contact);
    // Rigidly, and about a common centre of mass that stays.
    const auto n = scene.initial.x.size() / 2;
    const auto center = [&](Eigen::Index from) {
      Vec3 sum = Vec3::Zero();
      double mass = 0;
      for (Eigen::Index i = from; i < from + n; i += 3) {
        sum += scene.system->mass().diagonal()[i] * scene.initial.x.segment<3>(i);
        mass += scene.system->mass().diagonal()[i];
      }
      return Vec3(sum / mass);
    };
    EXPECT_GT((center(0) - center(n)).norm(), 0.99);
    // They no longer overlap: the scene as it is now would be accepted.
    const Scene plain = load(kHead + box("", "a") + box("translate = [9, 0, 0]\n", "b"));
    const Vector moved = scene.initial.x.head(n) - plain.initial.x.head(n);
    for (Eigen::Index i = 3; i < n; i += 3) {
      EXPECT_LT((moved.segment<3>(i) - moved.head<3>()).norm(), 1e-12);
    }
  }
  // What is held stays where it is.
  const Scene held =
      load(kHead + box("[[body.fix]]\nvertices = [0]\n", "a") + box("", "b") + contact);
  const Scene alone = load(kHead + box("[[body.fix]]\nvertices = [0]\n", "a"));
  EXPECT_EQ(held.initial.x.head(alone.initial.x.size()), alone.initial.x);
}

struct ContactMistake {
  std::string name;
  std::string scene;
  std::string says;
};

void PrintTo(const ContactMistake& m, std::ostream* out) { *out << m.name; }

class ContactMistakes : public testing::TestWithParam<ContactMistake> {};

TEST_P(ContactMistakes, AreReported) {
  try {
    (void)load(kHead + GetParam().scene);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(std::regex_search(text, std::regex(GetParam().says))) << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("scene.toml:[0-9]+:[0-9]+:"))) << text;
  }
}

const std::string kPlane = box() + "[[obstacle]]\nkind = \"plane\"\n";
const std::string kKeys = "keys = [{ t = 0 }, { t = 1 }]\n";

INSTANTIATE_TEST_SUITE_P(
    Scene, ContactMistakes,
    testing::Values(
        ContactMistake{"stiffness", kPlane + "stiffness = 0\n", "stiffness' must be positive"},
        ContactMistake{"within_an_obstacle", kPlane, "'box' reaches into 'obstacle 1'"},
        ContactMistake{"kind", box() + "[[obstacle]]\nkind = \"cone\"\n",
                       "plane.*sphere.*box.*capsule"},
        ContactMistake{"normal", kPlane + "stiffness = 1\nnormal = [0, 0, 0]\n", "normal"},
        ContactMistake{"inside_of_a_plane", kPlane + "stiffness = 1\ninside = true\n", "no inside"},
        ContactMistake{"friction", kPlane + "stiffness = 1\nfriction = -0.1\n", "not be negative"},
        ContactMistake{"creep", kPlane + "stiffness = 1\nfriction = 0.1\ncreep = 0\n", "creep"},
        ContactMistake{"body", kPlane + "stiffness = 1\nbodies = [\"bx\"]\n", "no body 'bx'"},
        ContactMistake{"misspelt", kPlane + "stifness = 1\n", "did you mean 'stiffness'"},
        ContactMistake{"springs_with_friction",
                       kPlane + "stiffness = 1\nmodel = \"repulsion-springs\"\nfriction = 1\n",
                       "no friction"},
        ContactMistake{"one_key", kPlane + "stiffness = 1\nmotion = { keys = [{ t = 0 }] }\n",
                       "two keys"},
        ContactMistake{"key_order",
                       kPlane + "stiffness = 1\nmotion = { keys = [{ t = 1 }, { t = 0 }] }\n",
                       "order of their times"},
        ContactMistake{"keys_at_one_time",
                       kPlane + "stiffness = 1\nmotion = { keys = [{ t = 1 }, { t = 1 }] }\n",
                       "order of their times"},
        ContactMistake{"alone", box() + "[[contact]]\nstiffness = 1\nthickness = 1\n",
                       "two bodies or more"},
        ContactMistake{"damping_of_nothing", box("damping = { }\n"), "stiffness.*mass"},
        ContactMistake{"negative_damping", box("damping = { stiffness = -1 }\n"),
                       "not be negative"},
        ContactMistake{"no_body", kPlane + "stiffness = 1\nbodies = []\n", "empty"},
        ContactMistake{"no_vertex", box() + "[[constraint]]\nkind = \"point\"\nvertices = []\n",
                       "empty"},
        ContactMistake{"thickness",
                       box("", "a") + box("translate = [5, 0, 0]\n", "b") +
                           "[[contact]]\nstiffness = 1\nthickness = 100\n",
                       "more than the size of body 'a'"},
        ContactMistake{
            "twins", box("", "a") + box("", "b") + "[[contact]]\nstiffness = 1\nthickness = 0.1\n",
            "'a' and 'b' overlap at the start: by"},
        ContactMistake{"held_twins",
                       box("[[body.fix]]\nvertices = [0]\n", "a") +
                           box("[[body.fix]]\nvertices = [1]\n", "b") +
                           "[[contact]]\nstiffness = 1\nthickness = 0.1\noverlap = \"separate\"\n",
                       "they could not be pushed apart"},
        ContactMistake{"interlocked",
                       box("", "a") + box("translate = [0.3, 0.2, 0.1]\n", "b") +
                           "[[contact]]\nstiffness = 1\nthickness = 0.1\n",
                       "overlap at the start: by 0\\.[0-9]+ at \\("},
        ContactMistake{"jump",
                       box("[[body.script]]\nregion = { vertices = [0] }\nkeys = [{ t = 1, shift = "
                           "[0, 1, 0] }, { t = 2 }]\n"),
                       "at t = 0"},
        ContactMistake{"no_region", box("[[body.script]]\n" + kKeys), "region"},
        ContactMistake{
            "fixed_and_moved",
            box("[[body.fix]]\nvertices = [0]\n[[body.script]]\nregion = { vertices = [0] "
                "}\n" +
                kKeys),
            "vertex 0 is fixed already"},
        ContactMistake{"apart",
                       box("", "a") + box("translate = [5, 0, 0]\n", "b") +
                           "[[constraint]]\nkind = \"joint\"\nbody = \"a\"\nother_body = \"b\"\n"
                           "between = [0, 0]\n",
                       "5 apart"},
        ContactMistake{"no_axis",
                       box() +
                           "[[constraint]]\nkind = \"hinge\"\nfrom = [0.5, 0.5, 0.5]\nto = [0.5, "
                           "0.5, 0.6]\n",
                       "same vertex"}),
    [](const auto& p) { return p.param.name; });

TEST(ContactScene, MethodsThatCannotAreNamed) {
  const std::string explicit_strain = box("damping = { model = \"strain-explicit\", time = 1 }\n");
  for (const auto& [method, scene] :
       {std::pair<std::string, std::string>{"gauss", box("damping = { mass = 1 }\n")},
        {"suzuki", box("damping = { mass = 1 }\n")},
        {"suzuki", explicit_strain},
        {"bdf2", explicit_strain},
        {"discrete-gradient", box("damping = { model = \"rayleigh-end\", mass = 1 }\n")}}) {
    try {
      (void)load("[integrator]\nmethod = \"" + method + "\"\nstep = 0.01\nsteps = 2\n" + scene);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("cannot"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("scene.toml:2:"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace lilyan::test::contact_scene_test

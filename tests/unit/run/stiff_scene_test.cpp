// Runs of bodies so stiff that rounding is most of what a step sees: they end, and what they kept is called kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::stiff_scene_test {
namespace {

struct Stiff {
  std::string name;
  std::string text;
};

void PrintTo(const Stiff& scene, std::ostream* out) { *out << scene.name; }

std::string settings(double step) {
  return fmt::format("[integrator]\nmethod = \"avf\"\nstep = {}\nsteps = 25\n", step);
}

// Two bars that a hinge joins, turning against each other.
std::string joined(const std::string& material, double young, double length, double step) {
  std::string text = settings(step);
  for (const int side : {0, 1}) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\n"
        "shape = {{ kind = \"bar\", size = [{}, {}, {}], cells = [1, 1, 1] }}\ndensity = 220\n"
        "material = {{ model = \"{}\", young = {}, poisson = 0.49 }}\n"
        "translate = [{}, 0, 0]\nangular_velocity = [0, 0, {}]\n",
        side == 0 ? "a" : "b", length, length / 4, length / 4, material, young, side * length,
        side == 0 ? 4.486 : -4.486);
  }
  return text + fmt::format(
                    "[[constraint]]\nkind = \"hinge\"\nbody = \"a\"\nother_body = \"b\"\n"
                    "from = [{0}, 0, -{0}]\nto = [{0}, 0, {0}]\n[world]\ngravity = [0, 0, 0]\n"
                    "project_velocities = true\n",
                    length / 2);
}

std::string far_away(const std::string& material, double young, double length, double step) {
  return settings(step) +
         fmt::format(
             "[[body]]\nname = \"a\"\n"
             "shape = {{ kind = \"bar\", size = [{}, {}, {}], cells = [4, 1, 1] }}\n"
             "density = 1000\nmaterial = {{ model = \"{}\", young = {}, poisson = 0.49 }}\n"
             "translate = [{}, {}, {}]\nangular_velocity = [0.5, 0.3, 10]\n",
             length, length / 2, length / 4, material, young, 1e4 * length, -1e4 * length,
             1e4 * length);
}

// A bar that swings at a hinge far from the origin, from rest: rounding of the constraint is more than a millionth of the
// kinetic energy for some time, and next to nothing beside what gravity is going to do.
std::string swinging(const std::string& material, double young, double length, double step,
                     double offset) {
  return settings(step) +
         fmt::format(
             "[world]\ngravity = [0, -9.81, 0]\n[[body]]\n"
             "shape = {{ kind = \"bar\", size = [{0}, {1}, {1}], cells = [6, 2, 2] }}\n"
             "density = 962\nmaterial = {{ model = \"{2}\", young = {3}, poisson = 0 }}\n"
             "translate = [{4}, 0, {4}]\n[[constraint]]\nkind = \"hinge\"\n"
             "from = [{5}, {6}, {7}]\nto = [{5}, {6}, {8}]\n",
             length, length / 5, material, young, offset, offset - length / 2, -length / 10,
             offset - length / 10, offset + length / 10);
}

class StiffScene : public ::testing::TestWithParam<Stiff> {};

TEST_P(StiffScene, EndsAndKeepsItsEnergyToRounding) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write("s.toml", GetParam().text));
  DriftTracker drift = follow_drift(scene);
  const FinishedRun run = run_scene(scene, drift, [](const RunMoment&) { return true; });
  EXPECT_EQ(run.end, RunEnd::finished) << run.message;
  EXPECT_EQ(run.steps, 25);
  const Verdict energy = verdicts(*scene.system, run, drift).front();
  EXPECT_EQ(energy.kept, Kept::conserved) << energy.text;
}

INSTANTIATE_TEST_SUITE_P(
    Run, StiffScene,
    ::testing::Values(Stiff{"joined", joined("stvk", 1.3e11, 4.9e-3, 0.0067)},
                      Stiff{"joined_small", joined("stable-neo-hookean", 7.8e10, 1.2e-3, 0.0172)},
                      Stiff{"far", far_away("stable-neo-hookean", 1.4e10, 0.065, 0.0378)},
                      Stiff{"far_small", far_away("mooney-rivlin", 1.67e10, 2.7e-3, 0.0217)},
                      Stiff{"swinging_far",
                            swinging("neo-hookean-log", 2.077e6, 3.6531685, 8.731e-5, 5070.8517)}),
    [](const auto& test) { return test.param.name; });

// The rigid correction knows that forces have another torque where they are moved to: without that this takes 180.
TEST(StiffScene, ABodyThatTurnsTakesFewSolves) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write(
      "s.toml",
      "[integrator]\nmethod = \"energy-momentum\"\nstep = 0.016666666666666666\nsteps = 30\n"
      "[[body]]\nshape = { kind = \"bar\", size = [0.3, 0.05, 0.05], cells = [6, 1, 1] }\n"
      "density = 1100\nmaterial = { model = \"stvk\", young = 2e11, poisson = 0.3 }\n"
      "angular_velocity = [1, 2, 8]\n"));
  DriftTracker drift = follow_drift(scene);
  const FinishedRun run = run_scene(scene, drift, [](const RunMoment&) { return true; });
  EXPECT_EQ(run.end, RunEnd::finished) << run.message;
  EXPECT_LE(run.solver_work.iterations, 168);
}

// Two bars of steel that turn on a spring as stiff as they are.
TEST(StiffScene, BarsAtAStiffSpringKeepTheirEnergy) {
  const TempFolder folder;
  std::string text = "[integrator]\nmethod = \"energy-momentum\"\nstep = 0.0167\nsteps = 30\n";
  for (const int side : {0, 1}) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\n"
        "shape = {{ kind = \"bar\", size = [3, 0.5, 0.5], cells = [6, 2, 2] }}\ndensity = 1100\n"
        "material = {{ model = \"neo-hookean\", young = 2e11, poisson = 0.3 }}\n"
        "translate = [0, {}, 0]\nangular_velocity = [{}]\n",
        side == 0 ? "a" : "b", 3 * side, side == 0 ? "0.3, 0.2, 2" : "0, 2, 0");
  }
  const Scene scene = load_scene(folder.write(
      "s.toml",
      text + "[[spring]]\nbodies = [\"a\", \"b\"]\nvertices = [0, 1]\nstiffness = 8.25e8\n"));
  DriftTracker drift = follow_drift(scene);
  const FinishedRun run = run_scene(scene, drift, [](const RunMoment&) { return true; });
  EXPECT_EQ(run.end, RunEnd::finished) << run.message;
  EXPECT_LE(drift.energy().worst, 1e-9 * drift.energy().exchange);
  EXPECT_LE(run.solver_work.iterations, 30 * 20);
}

}  // namespace
}  // namespace lilyan::test::stiff_scene_test

// The examples of lilyan/lilyan.hpp compile and run; the first test keeps the two texts the same.
#include "lilyan/lilyan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "lilyan/solve/newton.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/stage_equation.hpp"
#include "support/paths.hpp"

namespace lilyan::test::public_header_test {
namespace {

// The lines of a file from the one that begins with `first` to the one that begins with `last`,
// without indentation, slashes of comments and empty lines.
std::string example(const std::filesystem::path& file, const std::string& first,
                    const std::string& last) {
  std::ifstream in(file);
  std::string text, line;
  bool within = false;
  while (std::getline(in, line)) {
    const std::size_t start = line.find_first_not_of(" /");
    if (start == std::string::npos) continue;
    const std::string bare = line.substr(start);
    within = within || bare.starts_with(first);
    if (!within) continue;
    text += bare + "\n";
    if (bare.starts_with(last)) return text;
  }
  ADD_FAILURE() << file << " has no example from '" << first << "' to '" << last << "'";
  return text;
}

TEST(PublicHeader, ItsExamplesAreTheOnesRunHere) {
  const auto header = source_folder() / "src/lilyan/lilyan.hpp";
  const auto here = source_folder() / "tests/unit/public_header_test.cpp";
  EXPECT_EQ(example(header, "const TetMesh mesh", "if (!succeeded"),
            example(here, "const TetMesh mesh", "if (!succeeded"));
  EXPECT_EQ(example(header, "const double h = 0.02", "potential_change"),
            example(here, "const double h = 0.02", "potential_change"));
  EXPECT_EQ(example(header, "ExpressionModel model", "const std::unique_ptr<System> pendulum"),
            example(here, "ExpressionModel model", "const std::unique_ptr<System> pendulum"));
}

// Every file of a user's program reads all of them.
TEST(PublicHeader, ItLeadsToFewHeaders) {
  std::set<std::string> found;
  std::vector<std::string> left = {"lilyan/lilyan.hpp"};
  while (!left.empty()) {
    const std::string header = left.back();
    left.pop_back();
    std::ifstream in(source_folder() / "src" / header);
    if (!in || !found.insert(header).second) continue;  // the first: generated ones
    std::string line;
    while (std::getline(in, line)) {
      if (line.starts_with("#include \"")) left.push_back(line.substr(10, line.find('"', 10) - 10));
    }
  }
  EXPECT_TRUE(found.contains("lilyan/base/types.hpp")) << "the includes were not found";
  std::string names;
  for (const std::string& header : found) names += header + "\n";
  EXPECT_LT(found.size(), 48U) << names;
}

TEST(PublicHeader, TheBarOfJellyFallsAndKeepsItsEnergy) {
  const TetMesh mesh = block({2, 1, 1}, {4, 2, 2});
  const Vector rest = rest_positions(mesh);
  const std::vector<double> masses = vertex_masses(mesh, 1.0);
  std::vector<int> all(masses.size());
  std::iota(all.begin(), all.end(), 0);

  System system(masses);
  system.add(find_material("stable-neo-hookean")
                 ->make({rest, mesh.tets}, Parameters{{"young", 100.0}, {"poisson", 0.3}}));
  system.add(std::make_unique<Gravity>(Vec3(0, -9.81, 0), masses));
  const Obstacle floor{.shape = PlaneShape{.point = Vec3(0, -1, 0)}};
  system.add(std::make_unique<ObstacleContact>(floor, all, 1e4, 0.01));

  // One second of it. Any method of lilyan::methods() takes the place of "avf".
  State state{.x = rest, .v = Vector::Zero(rest.size())};
  const auto integrator = make_integrator(system, make_scheme("avf", {{"points", 3.0}}), {});
  for (int k = 0; k < 50; ++k) {
    const StepReport report = integrator->step(state, 0.02);
    if (!succeeded(report.status)) throw Error(std::string(describe(report.status)));
  }
  EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0), 2, 1e-14);
  EXPECT_NEAR(state.t, 1, 1e-14);
  const Invariants end = invariants(system, state);
  const Invariants start = invariants(system, {.x = rest, .v = Vector::Zero(rest.size())});
  EXPECT_NEAR(end.total, start.total, 1e-9);
  // It has fallen by half of its thickness and was thrown back by the floor, but not through it.
  double lowest = 1;
  for (int i = 0; i < system.vertices(); ++i) lowest = std::min(lowest, state.x[3 * i + 1]);
  EXPECT_GT(lowest, -1.3);
  EXPECT_GT((state.x - rest).norm(), 0.1);
}

// The integrator finds the same numbers, and writes the same ledger.
TEST(PublicHeader, AStepByHandIsTheIntegrators) {
  const TetMesh mesh = block({2, 1, 1}, {4, 2, 2});
  const std::vector<double> masses = vertex_masses(mesh, 1.0);
  const Vector rest = rest_positions(mesh);
  System system(masses);
  system.add(
      find_material("stvk")->make({rest, mesh.tets}, Parameters{{"mu", 40.0}, {"lambda", 60.0}}));
  system.add(std::make_unique<Gravity>(Vec3(0, -9.81, 0), masses));
  State state{.x = rest, .v = Vector::Zero(rest.size())};
  for (Eigen::Index i = 0; i < rest.size(); i += 3) state.v[i] = 0.4 * rest[i];

  const double h = 0.02;
  const std::vector<Node> nodes{{0.5, 0.5}};  // (θ, β): M (d − h v₀) + h² β ∇E(x₀ + θd) = 0
  const Vector target = h * state.v;
  const Invariants before = invariants(system, state);
  Assembler assembler(system);
  StageWorkspace workspace(assembler, {});
  const StageEquation equation(workspace, {.x0 = &state.x,
                                           .target = &target,
                                           .t0 = state.t,
                                           .h = h,
                                           .nodes = nodes,
                                           .velocity_weight = 2,
                                           .energy_scale = before.scale()});
  Newton newton(assembler.hessian_pattern(), {});
  Linearised no_forces;
  Iterate found{.z = target};  // the guess
  if (!succeeded(newton.minimise(equation, no_forces, found).status)) throw Error("no solution");
  const Vector u = found.z / h;
  const State end{.t = state.t + h, .x = state.x + found.z, .v = 2 * u - state.v};
  const Ledger ledger = ledger_of(
      {.residual = 2 / h * u.dot(found.residual), .potential = -2 / h * u.dot(found.potential)},
      potential_change(before, invariants(system, end)));

  const auto integrator = make_integrator(system, make_scheme("implicit-midpoint"), {});
  const StepReport report = integrator->step(state, h);
  ASSERT_TRUE(succeeded(report.status));
  EXPECT_EQ(end.x, state.x);
  EXPECT_EQ(end.v, state.v);
  EXPECT_EQ(end.t, state.t);
  const double scale = before.scale();
  EXPECT_NEAR(ledger.solver, report.ledger.solver, 1e-15 * scale);
  EXPECT_NEAR(ledger.method, report.ledger.method, 1e-14 * scale);
  EXPECT_GT(std::abs(ledger.method), 1e-9 * scale);
  EXPECT_NEAR(ledger.total(), report.after.total - before.total, 1e-14 * scale);
}

TEST(PublicHeader, ThePendulumIsAText) {
  ExpressionModel model;
  model.add_coordinate("theta");
  model.finish_coordinates();
  model.set_kinetic("theta'^2/2");
  model.set_potential("1 - cos(theta)");
  const std::unique_ptr<System> pendulum = model.make_system();
  State state{.x = Vector::Constant(1, 0.1), .v = Vector::Zero(1)};
  const double period = 6.28711454931048;  // 4 K(sin² 0.05)
  const auto integrator = make_integrator(*pendulum, make_scheme("yoshida"), {});
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(succeeded(integrator->step(state, period / 100).status));
  }
  EXPECT_NEAR(state.x[0], 0.1, 1e-8);
}

}  // namespace
}  // namespace lilyan::test::public_header_test

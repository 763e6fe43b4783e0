// Potentials whose formula goes over to another one within a step: the mean over the path is integrated from
// one such place to the next.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/lagrangian/expression_model.hpp"

namespace lilyan::test::path_breaks_test {
namespace {

// Coordinates x and y of mass one.
std::unique_ptr<System> make_system(const std::string& potential) {
  ExpressionModel model;
  model.add_coordinate("x");
  model.add_coordinate("y");
  model.finish_coordinates();
  model.set_kinetic("(x'^2 + y'^2)/2");
  model.set_potential(potential);
  return model.make_system();
}

const std::vector<std::string>& potentials() {
  static const std::vector<std::string> all = {
      "if(x < 0, x^2/2, 2*x^2) + y^2/2",      // ∇²E jumps
      "if(x < 0, 0, x^3) + x^2/4 + y^2/2",    // the third derivative does
      "abs(x - 0.2) + y^2/2",                 // ∇E does
      "max(x^2, y^2/2 + x/3 + 1/9) + y^2/4",  // along a curve
      "min(x, 0.1)^2 + max(x, 0.1)^2*3 + y^2",
      "x*sign(x)*(1 + y^2) + y^4",
      "if(x + y < 0, if(x < 0.1, x^2, x^2), 3*(x + y)^2 + x^2) + y^2",
  };
  return all;
}

TEST(PathBreaks, EnergyIsKeptOverThem) {
  for (const std::string& text : potentials()) {
    const auto system = make_system(text);
    const auto integrator = make_integrator(*system, make_scheme("avf"), {});
    State state{.x = Vector(2), .v = Vector(2)};
    state.x << 1, 0.3;
    state.v << -0.4, 0.5;
    double first = 0;
    for (int k = 0; k < 400; ++k) {
      const StepReport report = integrator->step(state, 0.05);
      ASSERT_TRUE(succeeded(report.status))
          << text << ", step " << k + 1 << ": " << describe(report.status);
      if (k == 0) first = report.before.total;
      ASSERT_NEAR(report.after.total, first, 1e-12) << text << ", step " << k + 1;
    }
  }
}

// Systems of many coordinates have an energy of their own.
TEST(PathBreaks, EnergyIsKeptWithManyCoordinates) {
  ExpressionModel model;
  constexpr int n = 30;
  model.add_coordinates("q", 1, n);
  model.finish_coordinates();
  std::string kinetic = "0";
  std::string potential = "0";
  for (int i = 1; i <= n; ++i) {
    kinetic += fmt::format(" + q[{}]'^2/2", i);
    potential += fmt::format(" + if(q[{0}] < 0.1, q[{0}]^2/2, 2*q[{0}]^2 - 0.3*q[{0}] + 0.015)", i);
    if (i > 1) potential += fmt::format(" + max(q[{}] - q[{}], 0)^2", i, i - 1);
  }
  model.set_kinetic(kinetic);
  model.set_potential(potential);
  const auto system = model.make_system();
  const auto integrator = make_integrator(*system, make_scheme("avf"), {});
  State state{.x = Vector(n), .v = Vector(n)};
  for (int i = 0; i < n; ++i) {
    state.x[i] = 0.6 * std::cos(1.3 * i);
    state.v[i] = 0.5 * std::sin(2.1 * i + 1);
  }
  double first = 0;
  for (int k = 0; k < 100; ++k) {
    const StepReport report = integrator->step(state, 0.1);
    ASSERT_TRUE(succeeded(report.status)) << "step " << k + 1 << ": " << describe(report.status);
    if (k == 0) first = report.before.total;
    ASSERT_NEAR(report.after.total, first, 1e-10 * first) << "step " << k + 1;
  }
}

// Half a period on each side, π/1 and π/2: the formula for if(x < 0, x²/2, 2x²).
TEST(PathBreaks, OrderIsTwo) {
  const auto system = make_system("if(x < 0, x^2/2, 2*x^2) + y^2/2");
  const double period = 1.5 * std::acos(-1.0);
  std::vector<double> errors;
  for (const int steps : {50, 100, 200}) {
    const auto integrator = make_integrator(*system, make_scheme("avf"), {});
    State state{.x = Vector(2), .v = Vector::Zero(2)};
    state.x << 1, 0;
    for (int k = 0; k < steps; ++k) {
      ASSERT_TRUE(succeeded(integrator->step(state, period / steps).status));
    }
    errors.push_back(std::hypot(state.x[0] - 1, state.v[0]));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.2);
}

// The derivative of the mean force by the displacement, also where the force jumps: the minimiser needs it.
TEST(PathBreaks, HessianIsTheDerivativeOfTheMean) {
  for (const std::string& text : potentials()) {
    const auto system = make_system(text);
    Assembler assembler(*system);
    const BlockPattern& pattern = assembler.hessian_pattern();
    const PathMeanWeights mean{.weight = 1, .start = 0};
    std::vector<WeightedNode> nodes;
    for (const Node& n : gauss(4).nodes) {
      nodes.push_back({n.theta, n.weight / n.theta, n.weight, n.weight * n.theta});
    }
    Vector x0(2), d(2);
    x0 << 0.5, 0.3;
    d << -0.9, -0.5;
    std::vector<double> values(pattern.storage());
    assembler.hessian(x0, d, nodes, 0, values, &mean);
    const auto gradient = [&](const Vector& at) {
      Vector g(2);
      (void)assembler.values_and_gradient(x0, &at, nodes, g, &mean);
      return g;
    };
    constexpr double kStep = 1e-5;
    for (int j = 0; j < 2; ++j) {
      Vector forward = d, back = d;
      forward[j] += kStep;
      back[j] -= kStep;
      const Vector slope = (gradient(forward) - gradient(back)) / (2 * kStep);
      const double diagonal = values[static_cast<std::size_t>(pattern.column_start()[j])];
      EXPECT_NEAR(diagonal, slope[j], 1e-5 * (1 + slope.cwiseAbs().maxCoeff()))
          << text << ", " << j;
    }
  }
}

// A jump of the energy itself has no force that could make up for it.
TEST(PathBreaks, JumpOfTheEnergyIsAFailedStep) {
  const auto system = make_system("if(x < 0, 1, 0) + x^2/2 + y^2/2");
  const auto integrator = make_integrator(*system, make_scheme("avf"), {});
  State state{.x = Vector(2), .v = Vector::Zero(2)};
  state.x << 0.1, 0;
  state.v << -3, 0;
  EXPECT_FALSE(succeeded(integrator->step(state, 0.1).status));
}

}  // namespace
}  // namespace lilyan::test::path_breaks_test

// Steps of bodies as stiff, as small, as large and as far away as real ones: rounding errors of their energy
// are no failure of the quadrature, and are never larger than their bound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lilyan/assemble/path_balance.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/numeric/rounded.hpp"
#include "lilyan/physics/constraints.hpp"
#include "support/body.hpp"

namespace lilyan::test::path_rounding_test {
namespace {

enum class Motion { rest, flight, falling, cantilever, hanging, spin };
constexpr std::array kMotions = {Motion::rest,       Motion::flight,  Motion::falling,
                                 Motion::cantilever, Motion::hanging, Motion::spin};
constexpr std::array kNames = {"rest", "flight", "falling", "cantilever", "hanging", "spin"};

struct Case {
  std::string material;
  Motion motion = Motion::rest;
  double young = 1e6;
  double size = 0.1;
  double h = 1.0 / 60;
  double poisson = 0.3;
  Vec3 place = Vec3::Zero();
};

std::string describe(const Case& c) {
  return fmt::format("{} {} E = {:g}, {:g} m, h = {:g}, nu = {:g}, at {:g}", c.material,
                     kNames[static_cast<std::size_t>(c.motion)], c.young, c.size, c.h, c.poisson,
                     c.place.norm());
}

// Steps the case; the status of the first step that failed, or of the last.
StepReport run(const Case& c, int steps, double* worst = nullptr) {
  const double mu = c.young / (2 * (1 + c.poisson));
  const double lambda = c.young * c.poisson / ((1 + c.poisson) * (1 - 2 * c.poisson));
  const bool heavy =
      c.motion == Motion::falling || c.motion == Motion::cantilever || c.motion == Motion::hanging;
  Body body({.size = {c.size, c.size / 4, c.size / 4},
             .cells = {3, 1, 1},
             .material = c.material,
             .mu = mu,
             .lambda = lambda,
             .mass = 1100 * c.size * c.size * c.size / 16,
             .gravity = heavy ? Vec3(0, -9.81, 0) : Vec3::Zero()});
  State state = body.at_rest();
  for (int i = 0; i < body.system.vertices(); ++i) {
    const Vec3 x = state.x.segment<3>(3 * i);
    const bool end = std::abs(x[0]) < 1e-9 * c.size;
    if (c.motion == Motion::cantilever && end) body.system.fix(i);
    if (c.motion == Motion::flight) state.v.segment<3>(3 * i) = Vec3(3, 2, -1);
    if (c.motion == Motion::spin) state.v.segment<3>(3 * i) = Vec3(0.02, 0.01, 0.1).cross(x);
    state.x.segment<3>(3 * i) += c.place;
  }
  if (c.motion == Motion::hanging) {
    body.system.add(std::make_unique<PointConstraint>(0, Vec3(state.x.head<3>())));
  }
  const auto integrator = make_integrator(body.system, make_scheme("avf"), {});
  StepReport report;
  for (int k = 0; k < steps; ++k) {
    report = step_with_halving(*integrator, state, c.h, 6);
    if (!succeeded(report.status)) return report;
    if (worst) *worst = std::max(*worst, std::abs(report.ledger.quadrature));
  }
  return report;
}

class RealBody : public ::testing::TestWithParam<std::string> {};

TEST_P(RealBody, IsNotStopped) {
  for (const Motion motion : kMotions) {
    const bool heavy = motion != Motion::rest && motion != Motion::flight && motion != Motion::spin;
    for (const double young : {1.0, 1e3, 1e6, 1e9, 2e11}) {
      for (const double size : {1e-3, 0.1, 100.0}) {
        if (heavy && 1100 * 9.81 * size > young) continue;  // gravity would crush it
        for (const double h : {1e-5, 1.0 / 60, 0.1}) {
          const Case c{
              .material = GetParam(), .motion = motion, .young = young, .size = size, .h = h};
          const StepReport report = run(c, 4);
          EXPECT_TRUE(succeeded(report.status))
              << describe(c) << ": " << lilyan::describe(report.status);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Materials, RealBody, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MaterialInfo& m : materials()) names.push_back(m.name);
                           return names;
                         }()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Far from the origin positions are known less well, and so is the energy. The bound says so.
TEST(PathRounding, GrowsWithTheDistanceFromTheOrigin) {
  for (const double distance : {1e3, 1e6}) {
    const Case c{.material = "neo-hookean", .motion = Motion::spin, .place = Vec3(distance, 0, 0)};
    EXPECT_TRUE(succeeded(run(c, 4).status)) << describe(c);
  }
  // A body of a tenth of a metre, whose vertices are on a grid of two millimetres.
  const Case lost{.material = "neo-hookean", .motion = Motion::spin, .place = Vec3(1e13, 0, 0)};
  const StepReport report = run(lost, 4);
  EXPECT_FALSE(succeeded(report.status));
  EXPECT_NE(report.status, StepStatus::mean_inaccurate) << "no singularity is near";
}

// The bound holds, and is no licence: what rounding really does is not more than some hundred times smaller.
TEST(PathRounding, BoundsTheDefectOfAnExactRule) {
  const std::vector<Node> rule = gauss(12).nodes;
  for (const MaterialInfo& m : materials()) {
    Body body({.size = {0.1, 0.03, 0.02},
               .cells = {4, 2, 2},
               .material = m.name,
               .mu = 1e6,
               .lambda = 2e6});
    const State start = body.moving(1.001, 0.3, 0.2);
    PathBalance balance(body.system);
    for (const double scale : {0.0, 1e-9, 1e-4}) {
      for (const double shift : {0.0, 1e4}) {
        const Vector x0 = (start.x.array() + shift).matrix();
        const Vector d = scale * start.v;
        const Vector x1 = x0 + d;
        Vector mean = Vector::Zero(d.size());
        std::vector<WeightedNode> nodes;
        for (const Node& n : rule) nodes.push_back({.theta = n.theta, .gradient = n.weight});
        const Energy& energy = *body.system.energies()[0];
        energy.evaluate({.x0 = x0.data(), .d = d.data(), .nodes = nodes, .gradient = mean.data()});
        const std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
        const double before = energy.evaluate({.x0 = x0.data(), .nodes = here});
        const double after = energy.evaluate({.x0 = x1.data(), .nodes = here});
        const double defect = std::abs(after - before - mean.dot(d));
        const double bound = balance
                                 .floor({.x0 = &x0,
                                         .v0 = &d,
                                         .d = &d,
                                         .x1 = &x1,
                                         .h = 1,
                                         .rule = rule,
                                         .mean_force = &mean,
                                         .force_factor = 1},
                                        before)
                                 .error;
        EXPECT_LE(defect, bound) << m.name << " " << scale << " " << shift;
        // μ V ε, of the energy's terms, and what u|x| makes of its forces.
        const double size = 1e6 * 6e-5 * kEpsilon;
        const double moved = mean.cwiseAbs().sum() * shift * kEpsilon;
        EXPECT_LE(bound, 1000 * size + 20 * moved) << m.name << " " << scale << " " << shift;
      }
    }
  }
}

TEST(Rounded, BoundsItsError) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> d(0.5, 2);
  for (int k = 0; k < 1000; ++k) {
    const double a = d(random), b = d(random), c = d(random);
    const auto f = [](auto x, auto y, auto z) {
      return sqrt(x * y + z) - log(x / z) * inverse_cube_root(y) - (x - y) * (x - z);
    };
    const Rounded r = f(Rounded(a), Rounded(b), Rounded(c));
    const long double x = a, y = b, z = c;
    const long double exact =
        std::sqrt(x * y + z) - std::log(x / z) / std::cbrt(y) - (x - y) * (x - z);
    EXPECT_LE(std::abs(static_cast<double>(r.value - exact)), r.error);
    EXPECT_LE(r.error, 64 * kEpsilon);
  }
  // Errors of the operands are carried along: 1/x within x ± 0.1.
  const Rounded q = Rounded(1) / Rounded(0.5, 0.1);
  EXPECT_GE(q.error, 1 / 0.4 - 2);
  EXPECT_EQ((Rounded(1) / Rounded(0.1, 0.2)).error, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace lilyan::test::path_rounding_test

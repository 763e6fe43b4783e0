// Φ of every implicit method: its gradient and Hessian are those of its values, and the gradient is
// the equation the method's table stands for.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>

#include "lilyan/physics/forces.hpp"
#include "lilyan/step/stage_equation.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::stage_equation_test {
namespace {

constexpr double kStep = 0.3;

std::vector<Scheme> implicit_schemes() {
  std::vector<Scheme> schemes = all_schemes();
  std::erase_if(schemes, [](const Scheme& s) {
    return s.solve != SolveKind::minimisation ||
           !std::holds_alternative<MinimisationTable>(s.table);
  });
  return schemes;
}

class StageEquationOf : public testing::TestWithParam<Scheme> {
 protected:
  // Away from any solution, with a fixed vertex and gravity; jittered, so that some tets are
  // strongly compressed.
  void SetUp() override {
    const auto* table = std::get_if<MinimisationTable>(&GetParam().table);
    for (const Node& n : table->stages.back().nodes) {
      if (n.theta != 0) nodes_.push_back(n);
    }
    std::mt19937 random(7);
    x0_ = body_.moving().x + random_vector(body_.rest.size(), 0.1, random);
    d_ = random_vector(body_.rest.size(), 0.2, random);
    d_.head<3>().setZero();
    target_ = random_vector(body_.rest.size(), 0.2, random);
    target_.head<3>().setZero();
    equation_.emplace(work_, StageTerms{.x0 = &x0_,
                                        .target = &target_,
                                        .h = kStep,
                                        .nodes = nodes_,
                                        .velocity_weight = table->stages.back().displacement,
                                        .energy_scale = 1});
  }
  [[nodiscard]] Iterate at(const Vector& d) const {
    Iterate point{.z = d};
    equation_->evaluate(none_, point);
    return point;
  }

  Body body_{BodyOptions{.mu = 3, .lambda = 2, .gravity = {0, -2, 0}, .fixed = {0}}};
  Assembler assembler_{body_.system};
  StageWorkspace work_{assembler_, {}};
  std::optional<StageEquation> equation_;
  Linearised none_;
  std::vector<Node> nodes_;
  Vector x0_, d_, target_;
};

TEST_P(StageEquationOf, GradientIsThatOfTheValues) {
  const Vector gradient = at(d_).residual;
  EXPECT_TRUE(gradient.head<3>().isZero(0));  // the fixed vertex
  const double e = 1e-5;
  for (Eigen::Index i = 3; i < d_.size(); ++i) {
    const Vector step = e * Vector::Unit(d_.size(), i);
    const double difference = (at(d_ + step).value - at(d_ - step).value) / (2 * e);
    EXPECT_NEAR(gradient[i], difference, 1e-8 * gradient.norm()) << i;
  }
}

TEST_P(StageEquationOf, HessianIsThatOfTheGradient) {
  const BlockPattern& pattern = assembler_.hessian_pattern();
  std::vector<double> values(static_cast<std::size_t>(pattern.storage()));
  equation_->hessian(none_, d_, 0, values);
  const Matrix hessian = dense(pattern, values);
  const double e = 1e-5;
  for (int c = 0; c < pattern.dofs(); ++c) {
    const Vector step = e * Vector::Unit(d_.size(), 3 * pattern.free_vertices()[c / 3] + c % 3);
    const Vector difference =
        free_part(pattern, (at(d_ + step).residual - at(d_ - step).residual) / (2 * e));
    EXPECT_LT((hessian.col(c) - difference).norm(), 1e-8 * hessian.norm()) << c;
  }
}

// Elements are raised only as far as they are negative together with the mass that they are lent.
TEST_P(StageEquationOf, RaisedHessianIsSemidefiniteBesideItsMasses) {
  const BlockPattern& pattern = assembler_.hessian_pattern();
  std::vector<double> values(static_cast<std::size_t>(pattern.storage()));
  equation_->hessian(none_, d_, 0, values);
  const Matrix hessian = dense(pattern, values);
  equation_->hessian(none_, d_, 1, values);
  const Matrix raised = dense(pattern, values);
  const auto lowest = [](const Matrix& m) {
    return Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvalues()[0];
  };
  EXPECT_GE(lowest(raised), -1e-9 * hessian.norm());
  EXPECT_GE(lowest(raised - hessian), -1e-9 * hessian.norm());
  // Elements raised by themselves would have been changed more.
  std::vector<WeightedNode> weighted;
  for (const Node& n : nodes_) {
    weighted.push_back({.theta = n.theta, .hessian = kStep * kStep * n.weight * n.theta});
  }
  assembler_.hessian(x0_, d_, weighted, 0, values);
  const Matrix elastic = dense(pattern, values);
  assembler_.hessian(x0_, d_, weighted, 1, values);
  const double alone = (dense(pattern, values) - elastic).norm();
  EXPECT_LE((raised - hessian).norm(), 0.999 * alone);
  // (Not all methods meet negative eigenvalues here.)
  if (GetParam().label == "avf(auto)") EXPECT_GT(alone, 0);
  if (GetParam().label == "backward-euler") EXPECT_GT(alone, 0);
}

// M (d − y) + h² Σ βᵢ ∇E(x₀ + θᵢ d), one node at a time.
TEST_P(StageEquationOf, GradientIsTheMethodsEquation) {
  const Vector gradient = at(d_).residual;
  Vector force(d_.size());
  Vector expected;
  body_.system.mass().apply(d_ - target_, expected);
  for (const Node& n : nodes_) {
    const WeightedNode here[] = {{.theta = 0, .gradient = 1}};
    assembler_.gradient(x0_ + n.theta * d_, nullptr, here, force);
    expected += kStep * kStep * n.weight * force;
  }
  EXPECT_LT((gradient - expected).norm(), 1e-13 * gradient.norm());
}

INSTANTIATE_TEST_SUITE_P(Integrate, StageEquationOf, testing::ValuesIn(implicit_schemes()),
                         test_name);

// One equation after the other in a workspace.
struct Equations {
  [[nodiscard]] StageEquation at(const Vector& x0, double h) {
    return {work, {.x0 = &x0, .target = &still, .h = h, .nodes = middle, .force_nodes = middle}};
  }
  explicit Equations(Body& of) : body(of), assembler(of.system), work(assembler, {}) {}
  Body& body;
  Assembler assembler;
  StageWorkspace work;
  const std::vector<Node> middle{{0.5, 0.5}};
  const Vector still = Vector::Zero(body.rest.size());
};

TEST(StageEquation, KnowsTheRoundingOfItsOwnLengthsAndTerms) {
  Body body(BodyOptions{});
  Equations equations(body);
  const Vector large = 100 * body.rest;
  const Vector& d = equations.still;
  const Vector ones = Vector::Ones(d.size());
  const auto rounding = [&](const Vector& x0, double terms, const Vector& diagonal) {
    return equations.at(x0, kStep).rounding(d, terms, diagonal);
  };
  const auto small = rounding(body.rest, 0, ones);
  EXPECT_GT(small.value, 0);
  const auto hundredfold = rounding(large, 0, ones);
  EXPECT_NEAR(hundredfold.value, 1e4 * small.value, 1e-8 * small.value);
  EXPECT_NEAR(hundredfold.gradient, 100 * small.gradient, 1e-10 * small.gradient);
  EXPECT_DOUBLE_EQ(rounding(body.rest, 1e3, equations.still).value, 4e3 * kEpsilon);
}

// A residual is small beside the motion that it is a residual of, however much there is of it.
TEST(StageEquation, ComparesResidualsWithTheMotion) {
  Body body(BodyOptions{});
  Equations equations(body);
  const StageEquation equation = equations.at(body.rest, kStep);
  std::mt19937 random(3);
  const Vector d = random_vector(body.rest.size(), 1, random);
  for (const double size : {1e-3, 1.0, 1e3}) {
    Vector gradient;
    body.system.mass().apply(size * d, gradient);
    EXPECT_NEAR(equation.defect(size * d, 1e-6 * gradient).velocity, 1e-6, 1e-16) << size;
  }
}

// A sum that several threads share knows which vertices each part of it is of.
TEST(StageEquation, MeasuresGradientsOfLargeSystems) {
  std::vector<double> masses;
  for (int i = 0; i < 1500; ++i) masses.push_back(1 + i);
  const System system(masses);
  Assembler assembler(system);
  StageWorkspace work(assembler, {});
  const Vector still = Vector::Zero(system.dofs());
  const StageEquation equation(work, {.x0 = &still, .target = &still, .h = kStep});
  const Vector gradient = Vector::Ones(system.dofs());
  const double square = system.mass().inverse_square(gradient);
  EXPECT_NEAR(std::pow(equation.norm(gradient), 2), square, 1e-12 * square);
}

// Backwards in time drag pushes.
TEST(StageEquation, LinearisedForcesAreConvexInBothDirectionsOfTime) {
  Body body(BodyOptions{});
  body.system.add(std::make_unique<Drag>(body.system.mass(), 0.5));
  Equations equations(body);
  for (const double h : {kStep, -kStep}) {
    Linearised forces;
    ASSERT_TRUE(equations.at(body.rest, h).linearise(equations.still, forces));
    EXPECT_GE(forces.damping.minCoeff(), 0) << h;
    EXPECT_EQ(forces.damping.maxCoeff() > 0, h > 0) << h;
  }
}

}  // namespace
}  // namespace lilyan::test::stage_equation_test

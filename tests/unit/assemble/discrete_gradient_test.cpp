// Discrete gradients of all energies: ∇̄E·d = ΔE, the Jacobian, symmetries, small and zero steps.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"
#include "support/discrete.hpp"
#include "support/random_mat3.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::discrete_gradient_test {
namespace {

// One tet, so that every deformation gradient can be had.
TetMesh one_tet() {
  return {.vertices = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 1, -0.1}, {0, 0.3, 1}},
          .tets = {{0, 1, 2, 3}}};
}

Vector deformed(const Vector& rest, const Eigen::Matrix3d& F) {
  Vector x(rest.size());
  for (int i = 0; i < rest.size() / 3; ++i) x.segment<3>(3 * i) = F * rest.segment<3>(3 * i);
  return x;
}

class DiscreteTets : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] bool inverts() const { return find_material(GetParam())->inverts; }
};

TEST_P(DiscreteTets, WorkIsTheChangeOfEnergy) {
  const Body body(one_tet(), {.material = GetParam(), .mu = 1.3, .lambda = 0.8});
  const Discrete discrete(body.system);
  std::mt19937 random(1);
  const auto all = deformations(inverts(), random);
  double worst = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::size_t j : {i, (i + 1) % all.size(), (7 * i + 3) % all.size()}) {
      const Vector x0 = deformed(body.rest, all[i]);
      const Vector x1 = deformed(body.rest, all[j]);
      const double change = energy(body.system, x1) - energy(body.system, x0);
      const Vector g = discrete.gradient(x0, x1 - x0);
      // Rounding is relative to the largest of the terms, ψ's own among them and what the rounding
      // of the positions makes of it.
      const double scale = std::abs(energy(body.system, x1)) + energy(body.system, x0) + 1 +
                           g.norm() * (x1 - x0).norm() +
                           gradient(body.system, x0).norm() * x0.norm() +
                           gradient(body.system, x1).norm() * x1.norm();
      worst = std::max(worst, std::abs(g.dot(x1 - x0) - change) / scale);
    }
  }
  std::printf("    %s: ∇̄E·d − ΔE up to %.1e\n", GetParam().c_str(), worst);
  EXPECT_LE(worst, 2e-15);
}

// Either side of where the correction sets in, the work is right and the stress goes on smoothly.
TEST_P(DiscreteTets, SmallStepsLoseNothing) {
  const Body body(one_tet(), {.material = GetParam(), .mu = 1.3, .lambda = 0.8});
  const Discrete discrete(body.system);
  std::mt19937 random(2);
  for (int k = 0; k < 20; ++k) {
    const Vector x0 = body.rest + random_vector(body.rest.size(), 0.15, random);
    const Vector u = random_vector(body.rest.size(), 1, random);
    for (const double size : {0.03, 0.01, 3e-3, 1e-3, 1e-5, 1e-9, 1e-15}) {
      const Vector d = size * u;
      const Vector g = discrete.gradient(x0, d);
      const double change = energy(body.system, x0 + d) - energy(body.system, x0);
      EXPECT_NEAR(g.dot(d), change, 5e-15) << size;
      const Vector middle = gradient(body.system, x0 + 0.5 * d);
      EXPECT_LE((g - middle).norm(), 20 * size * size + 1e-13) << size;
    }
    EXPECT_LE((discrete.gradient(x0, 0 * u) - gradient(body.system, x0)).norm(), 1e-14);
  }
}

TEST_P(DiscreteTets, MatricesAndStressesOfAnIteration) {
  const Body body({.material = GetParam(), .mu = 1.3, .lambda = 0.8, .fixed = {0, 5}});
  std::mt19937 random(3);
  const Vector x0 = body.rest + random_vector(body.rest.size(), 0.1, random);
  Vector y = random_vector(body.rest.size(), 0.05, random);
  Vector w = random_vector(body.rest.size(), 1, random);
  for (const int v : {0, 5}) {
    y.segment<3>(3 * v).setZero();
    w.segment<3>(3 * v).setZero();
  }
  expect_balanced(body.system, x0, y, w);
}

TEST_P(DiscreteTets, ForcesAndTorquesAboutTheMidpointBalance) {
  const Body body({.material = GetParam()});
  const Discrete discrete(body.system);
  std::mt19937 random(4);
  for (const double size : {1e-6, 0.2}) {
    const Vector x0 = body.rest + random_vector(body.rest.size(), 0.1, random);
    const Vector d = random_vector(body.rest.size(), size, random);
    const Vector g = discrete.gradient(x0, d);
    const Vector middle = x0 + 0.5 * d;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (int i = 0; i < body.system.vertices(); ++i) {
      force += g.segment<3>(3 * i);
      torque += Vec3(middle.segment<3>(3 * i)).cross(Vec3(g.segment<3>(3 * i)));
    }
    EXPECT_LE(force.norm(), 1e-14 * g.norm());
    EXPECT_LE(torque.norm(), 1e-14 * g.norm());
  }
}

TEST_P(DiscreteTets, BackwardsIsTheSame) {
  const Body body({.material = GetParam()});
  const Discrete discrete(body.system);
  std::mt19937 random(5);
  const Vector x0 = body.rest + random_vector(body.rest.size(), 0.1, random);
  const Vector d = random_vector(body.rest.size(), 0.1, random);
  const Vector there = discrete.gradient(x0, d);
  const Vector back = discrete.gradient(x0 + d, -d);
  EXPECT_LE((there - back).norm(), 1e-13 * there.norm());
}

// An element that is inverted from start to end, and one that turns inside out: the work is right,
// there is no torque; and one that stays inverted has, for
// short steps, the stress of the midpoint.
TEST_P(DiscreteTets, InvertedElements) {
  if (!inverts()) GTEST_SKIP() << "not a number there";
  const Body body(one_tet(), {.material = GetParam(), .mu = 1.3, .lambda = 0.8});
  const Discrete discrete(body.system);
  std::mt19937 random(8);
  for (int k = 0; k < 20; ++k) {
    const Eigen::Matrix3d R = random_rotation(random);
    const auto squeezed = [&](double by) {
      return Eigen::Matrix3d(R * Eigen::Vector3d(1.1, 0.9, by).asDiagonal());
    };
    const Vector inverted = deformed(body.rest, squeezed(-0.3));
    const Vector u = random_vector(body.rest.size(), 0.1, random);
    for (const Vector& d : {u, Vector(deformed(body.rest, squeezed(0.25)) - inverted + u),
                            Vector(deformed(body.rest, squeezed(0.35)) - inverted + u)}) {
      const Vector g = discrete.gradient(inverted, d);
      const double change = energy(body.system, inverted + d) - energy(body.system, inverted);
      EXPECT_NEAR(g.dot(d), change, 1e-14);
      const Vector middle = inverted + 0.5 * d;
      Vec3 torque = Vec3::Zero();
      for (int i = 0; i < 4; ++i) {
        torque += Vec3(middle.segment<3>(3 * i)).cross(Vec3(g.segment<3>(3 * i)));
      }
      EXPECT_LE(torque.norm(), 1e-14 * g.norm());
      EXPECT_LE((discrete.gradient(inverted + d, -d) - g).norm(), 1e-13 * g.norm());
    }
    for (const double size : {1e-2, 1e-4, 1e-6}) {
      const Vector middle = gradient(body.system, inverted + 0.5 * size * u);
      const Vector g = discrete.gradient(inverted, size * u);
      EXPECT_LE((g - middle).norm(), 20 * size * size + 1e-13) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Assemble, DiscreteTets, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MaterialInfo& m : materials()) names.push_back(m.name);
                           return names;
                         }()),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(DiscreteNeoHookean, InvertedEndIsNotANumber) {
  const Body body(one_tet(), {.material = "neo-hookean"});
  const Discrete discrete(body.system);
  Eigen::Matrix3d mirror = Eigen::Matrix3d::Identity();
  mirror(2, 2) = -1;
  // C is the same as at rest: only ψ(F) itself can tell.
  const Vector d = deformed(body.rest, mirror) - body.rest;
  EXPECT_TRUE(std::isnan(discrete.gradient(body.rest, d).sum()));
}

TEST(DiscreteGravity, IsTheGradient) {
  const Body body({.gravity = {1, -2, 3}});
  const Discrete discrete(body.system);
  const Vector d = Vector::Constant(body.rest.size(), 0.7);
  const Vector g = discrete.gradient(body.rest, d);
  EXPECT_NEAR(g.dot(d), energy(body.system, body.rest + d) - energy(body.system, body.rest), 1e-14);
}

TEST(DiscreteProblems, WorkIsTheChangeOfEnergy) {
  std::mt19937 random(7);
  for (const Problem& problem : problems()) {
    const ProblemInstance p = make_problem(problem.name);
    const Discrete discrete(*p.system);
    const Vector x0 = p.initial.x + random_vector(p.initial.x.size(), 0.1, random);
    for (const double size : {0.3, 1e-2, 1e-4, 1e-8}) {
      const Vector d = random_vector(x0.size(), size, random);
      const Vector g = discrete.gradient(x0, d);
      EXPECT_NEAR(g.dot(d), energy(*p.system, x0 + d) - energy(*p.system, x0), 1e-14)
          << problem.name << " " << size;
      if (size < 1e-2) continue;
      if (!p.system->rotation_invariant()) continue;
      const Vec3 middle = x0 + 0.5 * d;
      EXPECT_LE(middle.cross(Vec3(g)).norm(), 1e-15) << problem.name;
    }
  }
}

TEST(FullPatternTest, MirrorsTheHalf) {
  const Body body({.fixed = {3}});
  Assembler assembler(body.system);
  const BlockPattern& half = assembler.hessian_pattern();
  const FullPattern full(half);
  std::vector<double> lower(static_cast<std::size_t>(half.storage()));
  assembler.hessian(body.moving().x, Vector::Zero(body.rest.size()), kHere, 0, lower);
  std::vector<double> both(static_cast<std::size_t>(full.entries()), -7.0);
  full.mirror(lower, both);
  const Matrix expected = dense(half, lower);
  Matrix found = Matrix::Zero(full.dofs(), full.dofs());
  for (int c = 0; c < full.dofs(); ++c) {
    EXPECT_EQ(full.row()[full.diagonal()[c]], c);
    for (int k = full.column_start()[c]; k < full.column_start()[c + 1]; ++k) {
      found(full.row()[k], c) = both[k];
      if (k > full.column_start()[c]) {
        EXPECT_LT(full.row()[k - 1], full.row()[k]);
      }
    }
  }
  EXPECT_EQ((found - expected).norm(), 0);
}

}  // namespace
}  // namespace lilyan::test::discrete_gradient_test

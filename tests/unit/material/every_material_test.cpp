// What every material of the registry must be, whatever its formula: stress and tangent are
// derivatives, rotations cost nothing, rest is rest, and small strains follow Hooke's law.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/random_mat3.hpp"
#include "support/unit_tet.hpp"

namespace lilyan::test::every_material_test {
namespace {

constexpr double kMu = 1.7;
constexpr double kLambda = 2.9;

// Singular values in descending order, the last with the sign of the determinant.
Eigen::Vector3d signed_singular_values(const Matrix3& F) {
  Eigen::Vector3d s = Eigen::JacobiSVD<Matrix3>(F).singularValues();
  if (F.determinant() < 0) s[2] = -s[2];
  return s;
}

class EveryMaterial : public ::testing::TestWithParam<std::string> {
 protected:
  // Where derivatives can be taken by differences: not at the very edge of where ψ is defined, nor
  // beside the crease that materials of the polar decomposition have.
  std::vector<Matrix3> samples() {
    std::vector<Matrix3> all = deformations(info.inverts, random);
    std::erase_if(all, [](const Matrix3& F) {
      const Eigen::Vector3d s = signed_singular_values(F);
      return s[1] + s[2] < 0.02;
    });
    return all;
  }

  // Steps short beside the distance to where ψ is singular.
  [[nodiscard]] double step(const Matrix3& F) const {
    const Eigen::Vector3d s = signed_singular_values(F);
    return 0.02 * std::min(info.inverts ? s[1] + s[2] : s[2], 1.0);
  }

  const MaterialInfo& info = *find_material(GetParam());
  const UnitTet material{info, lame_of(kMu, kLambda)};
  std::mt19937 random{4711};
};

// Central differences of eighth order of f(t) at 0.
template <class Function>
auto derivative(const Function& f, double h) {
  using Result = decltype(f(0.0));
  constexpr double c[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  Result sum = c[0] * (f(h) - f(-h));
  for (int k = 2; k <= 4; ++k) sum += c[k - 1] * (f(k * h) - f(-k * h));
  return Result(sum / h);
}

TEST_P(EveryMaterial, StressIsTheDerivativeOfTheEnergy) {
  double worst = 0;
  for (const Matrix3& F : samples()) {
    const Matrix3 P = material.stress(F);
    const double h = step(F);
    const double scale = P.norm() + kMu * F.norm() + 1e-4 * std::abs(material.energy(F)) / h;
    for (int k = 0; k < 9; ++k) {
      Matrix3 E = Matrix3::Zero();
      E(k / 3, k % 3) = 1;
      const double expected = derivative([&](double t) { return material.energy(F + t * E); }, h);
      worst = std::max(worst, std::abs(P(k / 3, k % 3) - expected) / scale);
      ASSERT_NEAR(P(k / 3, k % 3), expected, 1e-10 * scale) << F << "\nentry " << k;
    }
  }
  std::printf("    P against differences of ψ: %.1e\n", worst);
}

TEST_P(EveryMaterial, TangentIsTheDerivativeOfTheStress) {
  double worst = 0;
  for (const Matrix3& F : samples()) {
    const Matrix9 A = material.tangent(F);
    const double h = step(F);
    const double scale = A.norm() + 1e-4 * material.stress(F).norm() / h;
    for (int k = 0; k < 9; ++k) {
      Matrix3 E = Matrix3::Zero();
      E(k / 3, k % 3) = 1;
      const Matrix3 expected = derivative([&](double t) { return material.stress(F + t * E); }, h);
      for (int i = 0; i < 9; ++i) {
        worst = std::max(worst, std::abs(A(i, k) - expected(i / 3, i % 3)) / scale);
        ASSERT_NEAR(A(i, k), expected(i / 3, i % 3), 1e-10 * scale)
            << "entry " << i << ", " << k << " at\n"
            << F;
      }
    }
  }
  std::printf("    ∂P/∂F against differences of P: %.1e\n", worst);
}

TEST_P(EveryMaterial, RotationsOfSpaceAndOfTheRestShapeDoNotMatter) {
  for (const Matrix3& F : samples()) {
    const Matrix3 R = random_rotation(random);
    const double e = material.energy(F);
    const Matrix3 P = material.stress(F);
    // Nearly flat: a relative error of J of order ε/J.
    const double ulp = 1e-12 * (1 + 1e-3 / std::abs(F.determinant()));
    const double size = std::abs(e) + kMu * F.squaredNorm();
    ASSERT_NEAR(material.energy(R * F), e, ulp * size) << F;
    ASSERT_NEAR(material.energy(F * R), e, ulp * size) << F;  // isotropy
    const double stress_size = P.norm() + kMu * F.norm();
    ASSERT_LE((material.stress(R * F) - R * P).norm(), ulp * stress_size) << F;
    ASSERT_LE((material.stress(F * R) - P * R).norm(), ulp * stress_size) << F;
    // Torque-free: P Fᵀ is symmetric.
    const Matrix3 kirchhoff = P * F.transpose();
    ASSERT_LE((kirchhoff - kirchhoff.transpose()).norm(), ulp * stress_size * F.norm()) << F;
  }
}

TEST_P(EveryMaterial, RestIsFreeOfEnergyAndStress) {
  for (int i = 0; i < 20; ++i) {
    const Matrix3 R = i == 0 ? Matrix3(Matrix3::Identity()) : random_rotation(random);
    EXPECT_NEAR(material.energy(R), 0, 2e-14);
    EXPECT_LE(material.stress(R).norm(), 5e-14);
  }
}

// Rest is where the energy is least: no deformation, not even an inverted or collapsed one, has a
// negative energy.
TEST_P(EveryMaterial, EnergyIsNowhereNegative) {
  for (const Matrix3& F : deformations(info.inverts, random)) {
    EXPECT_GE(material.energy(F), -1e-14) << F;
    if (info.inverts) {
      EXPECT_GE(material.energy(0.05 * F), -1e-14) << 0.05 * F;
    }
  }
}

Matrix9 linear_elasticity(double mu, double lambda) {
  Matrix9 A;
  const auto delta = [](int i, int j) { return i == j ? 1.0 : 0.0; };
  for (int m = 0; m < 9; ++m) {
    for (int n = 0; n < 9; ++n) {
      const int i = m / 3, j = m % 3, k = n / 3, l = n % 3;
      A(m, n) = mu * (delta(i, k) * delta(j, l) + delta(i, l) * delta(j, k)) +
                lambda * delta(i, j) * delta(k, l);
    }
  }
  return A;
}

TEST_P(EveryMaterial, TangentAtRestIsLinearElasticity) {
  EXPECT_LE((material.tangent(Matrix3::Identity()) - linear_elasticity(kMu, kLambda)).norm(),
            1e-13);
  for (const double poisson : {0.0, 0.3, 0.499}) {
    Parameters p;
    p.set("young", 7.0);
    p.set("poisson", poisson);
    const double mu = 3.5 / (1 + poisson);
    const double lambda = 7 * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const Matrix9 expected = linear_elasticity(mu, lambda);
    const Matrix9 A = UnitTet(info, p).tangent(Matrix3::Identity());
    EXPECT_LE((A - expected).norm(), 1e-14 * expected.norm()) << poisson;
  }
}

// The tangent that Newton uses where the true one is indefinite.
TEST_P(EveryMaterial, ProjectedTangentIsSemidefiniteAndOtherwiseTheTangent) {
  int definite = 0, indefinite = 0;
  for (const Matrix3& F : deformations(info.inverts, random)) {
    const Matrix9 A = material.tangent(F);
    const Matrix9 projected = material.tangent(F, 1);
    ASSERT_TRUE(A.allFinite()) << F;
    const auto eigenvalues = [](const Matrix9& m) {
      return Eigen::SelfAdjointEigenSolver<Matrix9>(m, Eigen::EigenvaluesOnly).eigenvalues().eval();
    };
    ASSERT_GE(eigenvalues(projected).minCoeff(), -1e-9 * A.norm()) << F;
    if (eigenvalues(A).minCoeff() > 0) {
      ++definite;
      ASSERT_EQ((projected - A).norm(), 0) << F;
    } else if (eigenvalues(A).minCoeff() < -1e-6 * A.norm()) {
      ++indefinite;
      ASSERT_GT((projected - A).norm(), 1e-7 * A.norm()) << F;
    }
  }
  EXPECT_GE(definite, 10);
  EXPECT_GE(indefinite, 10);
}

TEST_P(EveryMaterial, InversionIsFiniteOrRefusedAsTheRegistrySays) {
  for (const double s : {-1e-3, -1.0, -10.0}) {
    const Matrix3 F = Eigen::Vector3d(1, s, 1.2).asDiagonal();
    EXPECT_EQ(std::isfinite(material.energy(F)), info.inverts) << s;
    if (info.inverts) {
      EXPECT_TRUE(material.stress(F).allFinite()) << s;
      EXPECT_TRUE(material.tangent(F).allFinite()) << s;
    }
  }
  for (const Matrix3& F : {Matrix3(Matrix3::Zero()), Matrix3(Eigen::Vector3d(1, 1, 0).asDiagonal()),
                           Matrix3(Eigen::Vector3d(1, 0, 0).asDiagonal())}) {
    EXPECT_EQ(std::isfinite(material.energy(F)), info.inverts) << F;
    if (info.inverts) {
      EXPECT_TRUE(material.stress(F).allFinite()) << F;
      EXPECT_TRUE(material.tangent(F).allFinite()) << F;
    }
  }
}

// ψ along a line is a polynomial of the degree the registry states, and of no lower one: the
// difference of one order more vanishes.
TEST_P(EveryMaterial, DegreeIsThatOfTheRegistry) {
  if (info.degree == 0) GTEST_SKIP() << "not a polynomial";
  const Matrix3 F = Matrix3::Identity() + random_matrix3(0.2, random);
  const Matrix3 D = random_matrix3(0.5, random);
  const auto difference = [&](int order) {
    double sum = 0, largest = 0, binomial = 1;
    for (int k = 0; k <= order; ++k) {
      const double term = binomial * material.energy(F + (k - 0.5 * order) * D);
      sum += k % 2 ? -term : term;
      largest = std::max(largest, std::abs(term));
      binomial *= static_cast<double>(order - k) / (k + 1);
    }
    return std::abs(sum) / largest;
  };
  EXPECT_GE(difference(info.degree), 1e-6);
  EXPECT_LE(difference(info.degree + 1), 1e-13);
}

// Every lane of a pack is as exact as the first: many tets at once, each with its own F.
TEST_P(EveryMaterial, LanesDoNotDisturbEachOther) {
  const std::vector<Matrix3> all = samples();
  const int n = static_cast<int>(all.size());
  Vector rest = Vector::Zero(12 * n), x = rest;
  std::vector<std::array<int, 4>> tets;
  for (int e = 0; e < n; ++e) {
    tets.push_back({4 * e, 4 * e + 1, 4 * e + 2, 4 * e + 3});
    for (int a = 0; a < 3; ++a) {
      rest[12 * e + 3 + 4 * a] = 1;
      x.segment<3>(12 * e + 3 + 3 * a) = all[static_cast<std::size_t>(e)].col(a);
    }
  }
  System system(std::vector<double>(static_cast<std::size_t>(4 * n), 1.0));
  system.add(info.make({rest, tets}, lame_of(kMu, kLambda)));
  Assembler assembler(system);
  constexpr std::array<WeightedNode, 1> kHere{{{0, 1, 1, 1}}};
  Vector g(12 * n);
  const double together = assembler.values_and_gradient(x, nullptr, kHere, g)[0];
  double sum = 0;
  for (int e = 0; e < n; ++e) {
    const Matrix3& F = all[static_cast<std::size_t>(e)];
    sum += material.energy(F) / 6;
    const Matrix3 P = material.stress(F) / 6;
    for (int a = 0; a < 3; ++a) {
      ASSERT_LE((g.segment<3>(12 * e + 3 + 3 * a) - P.col(a)).norm(),
                1e-14 * (P.norm() + F.norm()));
    }
  }
  EXPECT_NEAR(together, sum, 1e-13 * sum);
}

INSTANTIATE_TEST_SUITE_P(Material, EveryMaterial, ::testing::ValuesIn(material_names()),
                         material_test_name);

}  // namespace
}  // namespace lilyan::test::every_material_test

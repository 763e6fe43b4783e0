// Stress and tangent of the materials against complex-step derivatives, which have no cancellation:
// f'(x) = Im f(x + ih)/h is exact to rounding for h = 1e-30.
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "lilyan/material/fixed_corotated.hpp"
#include "lilyan/material/mooney_rivlin.hpp"
#include "lilyan/material/neo_hookean.hpp"
#include "lilyan/material/neo_hookean_log.hpp"
#include "lilyan/material/stable_neo_hookean.hpp"
#include "lilyan/material/stvk.hpp"
#include "lilyan/material/stvk_compression.hpp"
#include "support/random_mat3.hpp"

namespace lilyan {

// The nearest rotation for complex numbers, which have no order and so no largest eigenvalue: the
// polar factor by Newton's iteration X ← ½(γX + X⁻ᵀ/γ), analytic in F, for det F > 0. Its
// derivative owes nothing to the formula it is to check. (The factor γ > 0 changes only the speed.)
static Mat3<std::complex<double>> nearest_rotation(const Mat3<std::complex<double>>& F) {
  Mat3<std::complex<double>> X = F;
  for (int step = 0; step < 30; ++step) {
    const Mat3<std::complex<double>> cof = cofactor(X);
    const std::complex<double> J = determinant(X, cof);
    const double gamma = step < 10 ? std::pow(J.real(), -1.0 / 3) : 1.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) X(i, j) = 0.5 * (gamma * X(i, j) + cof(i, j) / (gamma * J));
    }
  }
  return X;
}

namespace test::material_test {
namespace {

using Complex = std::complex<double>;
constexpr double kStep = 1e-30;

constexpr double kMu = 1.7;
constexpr double kLambda = 2.9;

template <class M>
M make_material() {
  if constexpr (std::is_same_v<M, StvkCompression>) {
    return {kMu, kLambda, 2.3};
  } else if constexpr (std::is_same_v<M, MooneyRivlin>) {
    return {0.35 * kMu, 0.15 * kMu, kLambda + 2 * kMu / 3};
  } else {
    return {kMu, kLambda};
  }
}

template <class M>
class Materials : public ::testing::Test {
 protected:
  static constexpr bool kInverts = std::is_same_v<M, Stvk> || std::is_same_v<M, StvkCompression> ||
                                   std::is_same_v<M, StableNeoHookean>;
  const M material = make_material<M>();
  std::mt19937 random{20240};
};
using All = ::testing::Types<Stvk, StvkCompression, NeoHookean, NeoHookeanLog, StableNeoHookean,
                             MooneyRivlin, FixedCorotated>;
TYPED_TEST_SUITE(Materials, All);

Mat3<Complex> perturbed(const Eigen::Matrix3d& F, int k) {
  Mat3<Complex> c = to_mat3<Complex>(F);
  c(k / 3, k % 3) += Complex(0, kStep);
  return c;
}

template <class M>
Eigen::Matrix<double, 9, 9> tangent(const M& material, const Eigen::Matrix3d& F) {
  Sym9<double> a = zero9<double>();
  material.add_tangent(to_mat3<double>(F), 1.0, a);
  Eigen::Matrix<double, 9, 9> m;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) m(i, j) = a.at(i, j);
  }
  return m;
}

TYPED_TEST(Materials, StressIsTheDerivativeOfTheEnergy) {
  for (const auto& F : deformations(this->kInverts, this->random)) {
    const Mat3<double> P = this->material.stress(to_mat3<double>(F));
    Eigen::Matrix3d expected;
    for (int k = 0; k < 9; ++k) {
      expected(k / 3, k % 3) = this->material.energy(perturbed(F, k)).imag() / kStep;
    }
    // Stress is a sum of terms of size μ|F| and larger, whose rounding errors remain.
    const double scale = expected.norm() + 1.7 * F.norm();
    for (int k = 0; k < 9; ++k) {
      ASSERT_NEAR(P(k / 3, k % 3), expected(k / 3, k % 3), 1e-12 * scale) << F;
    }
  }
}

TYPED_TEST(Materials, TangentIsTheDerivativeOfTheStress) {
  for (const auto& F : deformations(this->kInverts, this->random)) {
    const auto A = tangent(this->material, F);
    for (int k = 0; k < 9; ++k) {
      const Mat3<Complex> P = this->material.stress(perturbed(F, k));
      for (int i = 0; i < 9; ++i) {
        ASSERT_NEAR(A(i, k), P(i / 3, i % 3).imag() / kStep, 1e-11 * A.norm())
            << "entry " << i << ", " << k << " at\n"
            << F;
      }
    }
  }
}

// The stored triangle alone cannot show an asymmetric formula, but the derivative of the stress
// can.
TYPED_TEST(Materials, StressDerivativeIsSymmetric) {
  for (const auto& F : deformations(this->kInverts, this->random)) {
    Eigen::Matrix<double, 9, 9> A;
    for (int k = 0; k < 9; ++k) {
      const Mat3<Complex> P = this->material.stress(perturbed(F, k));
      for (int i = 0; i < 9; ++i) A(i, k) = P(i / 3, i % 3).imag() / kStep;
    }
    ASSERT_LE((A - A.transpose()).norm(), 1e-12 * A.norm()) << F;
  }
}

TYPED_TEST(Materials, EnergyDoesNotSeeRotations) {
  for (const auto& F : deformations(this->kInverts, this->random)) {
    const Eigen::Matrix3d R = random_rotation(this->random);
    const double e = this->material.energy(to_mat3<double>(F));
    const double left = this->material.energy(to_mat3<double>(R * F));
    const double right = this->material.energy(to_mat3<double>(F * R));  // isotropy
    // Nearly flat: a relative error of J of order ε/J.
    const double tolerance =
        1e-12 * (std::abs(e) + F.squaredNorm()) + 1e-14 / (1e-6 + std::abs(F.determinant()));
    ASSERT_NEAR(left, e, tolerance) << F;
    ASSERT_NEAR(right, e, tolerance) << F;
  }
}

TYPED_TEST(Materials, RestIsFreeOfEnergyAndStress) {
  for (int i = 0; i < 20; ++i) {
    const auto R =
        i == 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : random_rotation(this->random);
    const Mat3<double> F = to_mat3<double>(R);
    EXPECT_NEAR(this->material.energy(F), 0, 1e-14);
    EXPECT_LE(std::sqrt(squared_norm(this->material.stress(F))), 2e-14);
  }
}

// P → 2μ ε + λ tr(ε) I, with an error of second order: halving the strain quarters it.
TYPED_TEST(Materials, SmallStrainsFollowHookesLaw) {
  const Eigen::Matrix3d direction = random_matrix3(1, this->random);
  const auto error = [&](double size) {
    const Eigen::Matrix3d H = size * direction;
    const Eigen::Matrix3d strain = (H + H.transpose()) / 2;
    const Eigen::Matrix3d hooke =
        2 * kMu * strain + kLambda * strain.trace() * Eigen::Matrix3d::Identity();
    const Mat3<double> P = this->material.stress(to_mat3<double>(Eigen::Matrix3d::Identity() + H));
    double sum = 0;
    for (int k = 0; k < 9; ++k) sum += std::pow(P(k / 3, k % 3) - hooke(k / 3, k % 3), 2);
    return std::sqrt(sum) / hooke.norm();
  };
  EXPECT_LE(error(1e-7), 1e-5);
  EXPECT_NEAR(error(2e-4) / error(1e-4), 2, 0.02);
}

// A pack computes what its lanes would alone, up to the contraction of multiply–adds.
TYPED_TEST(Materials, PacksAgreeWithDoubles) {
  const auto all = deformations(this->kInverts, this->random);
  for (std::size_t first = 0; first + kLanes <= all.size(); first += kLanes) {
    Mat3<Pack> F;
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int k = 0; k < 9; ++k) F(k / 3, k % 3)[lane] = all[first + lane](k / 3, k % 3);
    }
    const Pack energy = this->material.energy(F);
    const Mat3<Pack> stress = this->material.stress(F);
    Sym9<Pack> a = zero9<Pack>();
    const Pack weight = constant<Pack>(2.0);
    this->material.add_tangent(F, weight, a);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& Fl = all[first + lane];
      const Mat3<double> alone = to_mat3<double>(Fl);
      const auto A = tangent(this->material, Fl);
      // A few ulp of the terms, which for nearly flat elements carry the rounding of J.
      const double ulp = 1e-14 * (1 + 1 / std::max(std::abs(Fl.determinant()), 1e-3));
      const Mat3<double> P = this->material.stress(alone);
      const double e = this->material.energy(alone);
      ASSERT_NEAR(energy[lane], e, ulp * (std::abs(e) + Fl.squaredNorm()));
      const double size = std::sqrt(squared_norm(P)) + 1.7 * Fl.norm();
      for (int k = 0; k < 9; ++k) {
        ASSERT_NEAR(stress(k / 3, k % 3)[lane], P(k / 3, k % 3), ulp * size);
        for (int l = k; l < 9; ++l) {
          ASSERT_NEAR(a.at(k, l)[lane], 2 * A(k, l), ulp * A.norm());
        }
      }
    }
  }
}

// A material's own way to the blocks of vertices leads where its tangent leads, for one node and
// for sums of two and three.
TYPED_TEST(Materials, BlocksAreThoseOfTheTangent) {
  if constexpr (HasBlocks<TypeParam, double>) {
    const auto all = deformations(this->kInverts, this->random);
    std::uniform_real_distribution<double> u(-1, 1);
    const double weights[3] = {0.7, 1.1, -0.4};
    for (std::size_t first = 0; first + 3 <= all.size(); first += 3) {
      Mat3<double> G;
      for (int k = 0; k < 9; ++k) G(k / 3, k % 3) = u(this->random);
      typename TypeParam::template Blocks<double> sum;
      Sym9<double> tangent = zero9<double>();
      for (int nodes = 1; nodes <= 3; ++nodes) {
        const Mat3<double> F = to_mat3<double>(all[first + nodes - 1]);
        const double w = weights[nodes - 1];
        this->material.add_tangent(F, w, tangent);
        if (nodes == 1) sum.template add<0>(this->material, F, G, w);
        if (nodes == 2) sum.template add<1>(this->material, F, G, w);
        if (nodes == 3) sum.template add<2>(this->material, F, G, w);
        VertexBlocks<double> actual, expected;
        transform_tangent(tangent, G, expected);
        if (nodes == 1) sum.template finish<true>(G, actual);
        if (nodes > 1) sum.template finish<false>(G, actual);
        double size = 0;
        for (int i = 0; i < 9; ++i) {
          for (int j = i; j < 9; ++j) size = std::max(size, std::abs(tangent.at(i, j)));
        }
        for (int n = 0; n < 3; ++n) {
          for (int e = 0; e < 6; ++e) {
            ASSERT_NEAR(actual.diagonal[n][e], expected.diagonal[n][e], 1e-13 * size) << nodes;
          }
          for (int e = 0; e < 9; ++e) {
            ASSERT_NEAR(actual.below[n][e], expected.below[n][e], 1e-13 * size) << nodes;
          }
        }
      }
    }
  }
}

TEST(NeoHookean, InversionCostsInfiniteEnergy) {
  const NeoHookean material{1.7, 2.9};
  for (const double s : {0.0, -1e-3, -1.0, -10.0}) {
    const Mat3<double> F = to_mat3<double>(Eigen::Vector3d(1, s, 1).asDiagonal());
    EXPECT_FALSE(std::isfinite(material.energy(F))) << s;
  }
  EXPECT_TRUE(
      std::isfinite(material.energy(to_mat3<double>(Eigen::Vector3d(1, 1e-300, 1).asDiagonal()))));
}

TEST(Stvk, ValueByHand) {
  // Uniaxial stretch 2: G = diag(3/2, 0, 0), ψ = (μ + λ/2)·9/4, P₀₀ = 2·(2μ + λ)·3/2.
  const Stvk material{2, 3};
  const Mat3<double> F = to_mat3<double>(Eigen::Vector3d(2, 1, 1).asDiagonal());
  EXPECT_DOUBLE_EQ(material.energy(F), 3.5 * 2.25);
  EXPECT_DOUBLE_EQ(material.stress(F)(0, 0), 2 * 7 * 1.5);
  EXPECT_DOUBLE_EQ(material.stress(F)(1, 1), 3 * 1.5);
}

TEST(NeoHookean, ValueByHand) {
  // Uniaxial stretch 2: I₁ = 6, J = 2, cof = diag(1, 2, 2).
  const NeoHookean material{2, 3};
  const Mat3<double> F = to_mat3<double>(Eigen::Vector3d(2, 1, 1).asDiagonal());
  EXPECT_DOUBLE_EQ(material.energy(F), 3 - 2 * std::log(2) + 1.5);
  EXPECT_DOUBLE_EQ(material.stress(F)(0, 0), 2 * 2 + (3 - 1) * 1);
  EXPECT_DOUBLE_EQ(material.stress(F)(1, 1), 2 * 1 + (3 - 1) * 2);
}

TEST(StvkCompression, ValueByHand) {
  // Flattened: J = 0, cof = diag(0, 0, 1); the pressure is κ.
  const StvkCompression material{2, 3, 5};
  const Mat3<double> flat = to_mat3<double>(Eigen::Vector3d(1, 1, 0).asDiagonal());
  EXPECT_DOUBLE_EQ(material.energy(flat), 3.5 * 0.25 + 1.25);
  EXPECT_DOUBLE_EQ(material.stress(flat)(2, 2), -5);
  // Stretched by 2: J = 2, cof = diag(1, 2, 2).
  const Mat3<double> F = to_mat3<double>(Eigen::Vector3d(2, 1, 1).asDiagonal());
  EXPECT_DOUBLE_EQ(material.energy(F), 3.5 * 2.25 + 1.25);
  EXPECT_DOUBLE_EQ(material.stress(F)(1, 1), 3 * 1.5 + 5 * 2);
}

TEST(NeoHookeanLog, ValueByHand) {
  const NeoHookeanLog material{2, 3};
  const Mat3<double> F = to_mat3<double>(Eigen::Vector3d(2, 1, 1).asDiagonal());
  const double l = std::log(2);
  EXPECT_DOUBLE_EQ(material.energy(F), 3 - 2 * l + 1.5 * l * l);
  EXPECT_DOUBLE_EQ(material.stress(F)(0, 0), 2 * 2 + (3 * l - 2) / 2);
  EXPECT_DOUBLE_EQ(material.stress(F)(1, 1), 2 * 1 + (3 * l - 2) / 2 * 2);
}

TEST(StableNeoHookean, ValueByHand) {
  const StableNeoHookean material{2, 3};  // λ′ = 5
  const Mat3<double> F = to_mat3<double>(Eigen::Vector3d(2, 1, 1).asDiagonal());
  EXPECT_DOUBLE_EQ(material.energy(F), 3 - 2 + 2.5);
  EXPECT_DOUBLE_EQ(material.stress(F)(1, 1), 2 + (5 - 2) * 2);
  EXPECT_DOUBLE_EQ(material.energy(zero3<double>()), 1.5);  // λ/2
}

TEST(MooneyRivlin, ValueByHand) {
  // Stretched by 8 along x: I₁ = 66, I₂ = 2·64 + 1 = 129, J = 8, J^(−2/3) = ¼.
  const MooneyRivlin material{2, 3, 4};
  const Mat3<double> F = to_mat3<double>(Eigen::Vector3d(8, 1, 1).asDiagonal());
  EXPECT_NEAR(material.energy(F),
              2 * (66.0 / 4 - 3) + 3 * (129.0 / 16 - 3) + 2 * (31.5 - std::log(8)), 1e-12);
  // A change of volume alone: only the bulk modulus counts, P = (K/2)(J − 1/J) s² I.
  const Mat3<double> scaled = to_mat3<double>(1.5 * Eigen::Matrix3d::Identity());
  const double J = 3.375;
  EXPECT_NEAR(material.energy(scaled), 2 * (0.5 * (J * J - 1) - std::log(J)), 1e-13);
  EXPECT_NEAR(material.stress(scaled)(0, 0), 2 * (J - 1 / J) * 2.25, 1e-13);
  EXPECT_NEAR(material.stress(scaled)(0, 1), 0, 1e-13);
}

TEST(FixedCorotated, ValueByHand) {
  // σ = (2, 1, 1): ‖F − R‖² = 1. Inverted, σ = (2, 1, −½): 1 + 0 + 9/4, J = −1.
  const FixedCorotated material{2, 3};
  std::mt19937 random(3);
  for (int k = 0; k < 20; ++k) {
    const Eigen::Matrix3d Q = random_rotation(random);
    const Eigen::Matrix3d S = random_rotation(random);
    const auto energy = [&](double a, double b, double c) {
      return material.energy(
          to_mat3<double>(Q * Eigen::Vector3d(a, b, c).asDiagonal() * S.transpose()));
    };
    EXPECT_NEAR(energy(2, 1, 1), 2 + 1.5, 5e-14);
    EXPECT_NEAR(energy(2, 1, -0.5), 2 * 3.25 + 6, 5e-14);
    EXPECT_NEAR(energy(-0.5, 2, 1), 2 * 3.25 + 6, 5e-14);
    EXPECT_NEAR(energy(-2, -1, -0.5), 2 * 3.25 + 6, 5e-14);
  }
}

}  // namespace
}  // namespace test::material_test
}  // namespace lilyan

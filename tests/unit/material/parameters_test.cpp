// Which parameters the materials accept, what they mean, and how they complain.
#include <gtest/gtest.h>

#include <limits>

#include "support/random_mat3.hpp"
#include "support/schemes.hpp"
#include "support/unit_tet.hpp"

namespace lilyan::test::parameters_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "parameter|message", or "" when the parameters are accepted.
std::string complaint(const std::string& material, const Parameters& given) {
  const MaterialInfo& info = *find_material(material);
  try {
    static_cast<void>(UnitTet(info, given.completed(info.parameters)));
  } catch (const ParameterError& e) {
    return e.parameter() + "|" + e.what();
  }
  return "";
}

void expect_complaint(const std::string& material, const Parameters& given,
                      const std::string& start) {
  const std::string c = complaint(material, given);
  EXPECT_EQ(c.substr(0, start.size()), start) << material << ": " << c;
}

class MaterialParameters : public ::testing::TestWithParam<std::string> {};

TEST_P(MaterialParameters, LameOrYoungAndPoissonAreUnderstoodByAll) {
  EXPECT_EQ(complaint(GetParam(), lame_of(1, 2)), "");
  EXPECT_EQ(complaint(GetParam(), parameters({{"young", 5.0}, {"poisson", 0.3}})), "");
}

TEST_P(MaterialParameters, ValuesOutOfRangeAreNamed) {
  expect_complaint(GetParam(), {}, "|the stiffness is missing");
  expect_complaint(GetParam(), parameters({{"mu", 1.0}}), "|lambda is missing");
  expect_complaint(GetParam(), parameters({{"poisson", 0.3}}), "|young is missing");
  expect_complaint(GetParam(), parameters({{"mu", 1.0}, {"lambda", 1.0}, {"young", 1.0}}),
                   "|give either");
  expect_complaint(GetParam(), parameters({{"mu", 1.0}, {"poisson", 0.3}}), "|give either");
  expect_complaint(GetParam(), parameters({{"jelly", 1.0}}), "jelly|unknown parameter 'jelly'");
  for (const double bad : {0.0, -1.0, kNan, kInfinity}) {
    expect_complaint(GetParam(), lame_of(bad, 1), "mu|mu must be positive");
    expect_complaint(GetParam(), parameters({{"young", bad}, {"poisson", 0.2}}),
                     "young|young must be positive");
  }
  for (const double bad : {-0.667, kNan, kInfinity}) {
    expect_complaint(GetParam(), lame_of(1, bad), "lambda|lambda must be above");
  }
  for (const double bad : {-1.0, 0.5, kNan}) {
    expect_complaint(GetParam(), parameters({{"young", 1.0}, {"poisson", bad}}), "poisson|poisson");
  }
}

INSTANTIATE_TEST_SUITE_P(Material, MaterialParameters, ::testing::ValuesIn(material_names()),
                         material_test_name);

TEST(NeoHookeanParameters, PairOfThePaperIsHalfOfLames) {
  std::mt19937 random(2);
  const Matrix3 F = Matrix3::Identity() + random_matrix3(0.3, random);
  for (const char* name : {"neo-hookean", "neo-hookean-log", "stable-neo-hookean"}) {
    const MaterialInfo& info = *find_material(name);
    const UnitTet expected(info, lame_of(1.4, 0.6));
    const UnitTet actual(info, parameters({{"a1", 0.7}, {"b1", 0.3}}));
    EXPECT_EQ(actual.energy(F), expected.energy(F)) << name;
    for (const double bad : {0.0, -1.0, kNan}) {
      expect_complaint(name, parameters({{"a1", bad}, {"b1", 1.0}}), "a1|a1 must be positive");
    }
    for (const double bad : {-0.667, kNan}) {
      expect_complaint(name, parameters({{"a1", 1.0}, {"b1", bad}}), "b1|b1 must be above −2/3 a1");
    }
    expect_complaint(name, parameters({{"a1", 1.0}}), "|b1 is missing");
    expect_complaint(name, parameters({{"a1", 1.0}, {"b1", 1.0}, {"mu", 1.0}, {"lambda", 1.0}}),
                     "|give either mu and lambda or a1 and b1");
    expect_complaint(name, parameters({{"a1", 1.0}, {"b1", 1.0}, {"young", 1.0}, {"poisson", 0.1}}),
                     "|give either young and poisson or a1 and b1");
  }
  // The modified form: a₁(I₁ − 3) + b₁(J − 1)² − 2a₁ ln J.
  const UnitTet modified(*find_material("neo-hookean"), parameters({{"a1", 0.7}, {"b1", 0.3}}));
  const double J = F.determinant();
  EXPECT_NEAR(modified.energy(F),
              0.7 * (F.squaredNorm() - 3) + 0.3 * (J - 1) * (J - 1) - 1.4 * std::log(J), 1e-14);
}

TEST(StableNeoHookeanParameters, NegativePoissonIsRefused) {
  for (const Parameters& p : {lame_of(1, -0.1), parameters({{"young", 1.0}, {"poisson", -0.1}}),
                              parameters({{"a1", 1.0}, {"b1", -0.1}})}) {
    expect_complaint("stable-neo-hookean", p, "|stable-neo-hookean needs");
    EXPECT_EQ(complaint("neo-hookean", p), "");
  }
  EXPECT_EQ(complaint("stable-neo-hookean", lame_of(1, 0)), "");
}

TEST(StvkCompressionParameters, PressureOfAFlatElement) {
  const MaterialInfo& info = *find_material("stvk-compression");
  const Matrix3 flat = Eigen::Vector3d(1, 1, 0).asDiagonal();
  const auto with = [&](double compression) {
    Parameters p = lame_of(3, 1);
    p.set("compression", compression);
    return p;
  };
  EXPECT_NEAR(UnitTet(info, with(7)).stress(flat)(2, 2), -7, 1e-14);
  EXPECT_NEAR(UnitTet(info, lame_of(3, 1)).stress(flat)(2, 2), -3, 1e-14);  // λ + 2μ/3
  EXPECT_EQ(complaint("stvk-compression", with(0)), "");
  for (const double bad : {-1.0, kNan, kInfinity}) {
    expect_complaint("stvk-compression", with(bad), "compression|compression must not");
  }
  // Without it, St. Venant–Kirchhoff remains.
  std::mt19937 random(3);
  const Matrix3 F = random_matrix3(1, random);
  EXPECT_NEAR(UnitTet(info, with(0)).energy(F),
              UnitTet(*find_material("stvk"), lame_of(3, 1)).energy(F), 1e-13);
}

TEST(MooneyRivlinParameters, CoefficientsOrModuliAndARatio) {
  const MaterialInfo& info = *find_material("mooney-rivlin");
  std::mt19937 random(4);
  const Matrix3 F = Matrix3::Identity() + random_matrix3(0.3, random);
  const auto coefficients = [](double a1, double b1, double bulk) {
    return parameters({{"a1", a1}, {"b1", b1}, {"bulk", bulk}});
  };
  const double expected = UnitTet(info, coefficients(0.6, 0.2, 3)).energy(F);
  Parameters moduli = lame_of(1.6, 3 - 3.2 / 3);
  moduli.set("ratio", 0.25);
  EXPECT_NEAR(UnitTet(info, moduli).energy(F), expected, 1e-14);
  EXPECT_GE(std::abs(UnitTet(info, lame_of(1.6, 3 - 3.2 / 3)).energy(F) - expected), 1e-6);
  EXPECT_EQ(complaint("mooney-rivlin", coefficients(0, 1, 1)), "");
  EXPECT_EQ(complaint("mooney-rivlin", coefficients(1, 0, 1)), "");
  for (const double bad : {-1.0, kNan, kInfinity}) {
    expect_complaint("mooney-rivlin", coefficients(bad, 1, 1), "a1|a1 must not be negative");
    expect_complaint("mooney-rivlin", coefficients(1, bad, 1), "b1|b1 must not be negative");
    expect_complaint("mooney-rivlin", coefficients(1, 1, bad), "bulk|bulk must");
  }
  expect_complaint("mooney-rivlin", coefficients(0, 0, 1), "a1|a1 and b1 must not both");
  expect_complaint("mooney-rivlin", coefficients(1, 1, 0), "bulk|bulk must be positive");
  expect_complaint("mooney-rivlin", parameters({{"a1", 1.0}, {"b1", 1.0}}), "|bulk is missing");
  Parameters mixed = coefficients(1, 1, 1);
  mixed.set("mu", 1.0);
  expect_complaint("mooney-rivlin", mixed, "|give either a1, b1 and bulk or mu");
  for (const double bad : {-0.1, 1.1, kNan}) {
    moduli.set("ratio", bad);
    expect_complaint("mooney-rivlin", moduli, "ratio|ratio must be in [0, 1]");
  }
}

}  // namespace
}  // namespace lilyan::test::parameters_test

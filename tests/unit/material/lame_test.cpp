#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lilyan/material/material.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::lame_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string complaint_about(const Parameters& p) {
  try {
    static_cast<void>(lame(p));
  } catch (const ParameterError& e) {
    return e.parameter() + "|" + e.what();
  }
  return "no complaint";
}

TEST(Lame, IsPassedThrough) {
  const Lame l = lame(parameters({{"mu", 2.0}, {"lambda", -1.0}}));
  EXPECT_EQ(l.mu, 2);
  EXPECT_EQ(l.lambda, -1);
}

TEST(Lame, FromYoungAndPoissonAndBack) {
  for (const double poisson : {-0.9, -0.3, 0.0, 0.25, 0.3, 0.499}) {
    const Lame l = lame(parameters({{"young", 7.0}, {"poisson", poisson}}));
    EXPECT_NEAR(l.mu * (3 * l.lambda + 2 * l.mu) / (l.lambda + l.mu), 7.0, 1e-10);
    EXPECT_NEAR(l.lambda / (2 * (l.lambda + l.mu)), poisson, 1e-12);
  }
  EXPECT_DOUBLE_EQ(lame(parameters({{"young", 5.0}, {"poisson", 0.25}})).lambda, 2);
  EXPECT_DOUBLE_EQ(lame(parameters({{"young", 5.0}, {"poisson", 0.25}})).mu, 2);
}

TEST(Lame, ComplaintsNameTheParameter) {
  const auto starts = [](const Parameters& p, const std::string& with) {
    const std::string c = complaint_about(p);
    EXPECT_EQ(c.substr(0, with.size()), with) << c;
  };
  starts({}, "|the stiffness is missing");
  starts(parameters({{"mu", 1.0}}), "|lambda is missing");
  starts(parameters({{"lambda", 1.0}}), "|mu is missing");
  starts(parameters({{"young", 1.0}}), "|poisson is missing");
  starts(parameters({{"mu", 1.0}, {"lambda", 1.0}, {"young", 1.0}}), "|give either");
  for (const double bad : {0.0, -1.0, kNan, kInfinity}) {
    starts(parameters({{"mu", bad}, {"lambda", 1.0}}), "mu|");
    starts(parameters({{"young", bad}, {"poisson", 0.2}}), "young|");
  }
  for (const double bad : {-0.667, -1.0, kNan, kInfinity}) {
    starts(parameters({{"mu", 1.0}, {"lambda", bad}}), "lambda|");
  }
  for (const double bad : {-1.0, 0.5, 0.7, kNan}) {
    starts(parameters({{"young", 1.0}, {"poisson", bad}}), "poisson|");
  }
}

TEST(MaterialRegistry, FindsByName) {
  ASSERT_GE(materials().size(), 2U);
  for (const MaterialInfo& m : materials()) {
    EXPECT_EQ(find_material(m.name), &m);
    EXPECT_FALSE(m.summary.empty());
  }
  EXPECT_EQ(find_material("jelly"), nullptr);
}

}  // namespace
}  // namespace lilyan::test::lame_test

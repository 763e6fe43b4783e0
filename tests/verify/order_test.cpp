// The order of every scheme, measured on a nonlinear motion, is the one it claims: no less, and no
// more.
#include <gtest/gtest.h>

#include "lilyan/integrate/integrator.hpp"
#include "support/body.hpp"
#include "support/fit.hpp"
#include "support/schemes.hpp"

namespace lilyan::test {
namespace {

constexpr double kTime = 0.8;

State run(const Body& body, const Scheme& scheme, int steps) {
  State state = body.moving();
  const auto integrator = make_integrator(body.system, scheme, {});
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(succeeded(integrator->step(state, kTime / steps).status)) << scheme.label;
  }
  return state;
}

const Body& body() {
  static const Body b;
  return b;
}

// Störmer–Verlet, extrapolated: (4 fine − coarse)/3 is of order four, since the method is
// symmetric.
const State& reference() {
  static const State state = [] {
    const Scheme verlet = make_scheme("stoermer-verlet");
    const State coarse = run(body(), verlet, 4000);
    State fine = run(body(), verlet, 8000);
    fine.x = (4 * fine.x - coarse.x) / 3;
    fine.v = (4 * fine.v - coarse.v) / 3;
    return fine;
  }();
  return state;
}

class Order : public ::testing::TestWithParam<Scheme> {};

TEST_P(Order, IsAsClaimed) {
  std::vector<double> log_h, log_error;
  for (const int steps : {40, 80, 160, 320}) {
    const double error = distance(body().system, run(body(), GetParam(), steps), reference());
    log_h.push_back(std::log(kTime / steps));
    log_error.push_back(std::log(error));
  }
  const double order = fit(log_h, log_error).slope;
  RecordProperty("order", std::to_string(order));
  std::printf("    %-30s order %.3f, smallest error %.1e\n", GetParam().label.c_str(), order,
              std::exp(log_error.back()));
  EXPECT_NEAR(order, GetParam().claims.order, 0.15);
}

INSTANTIATE_TEST_SUITE_P(Verify, Order, ::testing::ValuesIn(all_schemes()), test_name);

// Methods that are the same under two names must give the same motion.
TEST(SameMethods, GiveTheSameMotion) {
  const auto same = [](const Scheme& a, const Scheme& b) {
    EXPECT_LE(distance(body().system, run(body(), a, 40), run(body(), b, 40)), 1e-11)
        << a.label << " and " << b.label;
  };
  const auto hp = [](double alpha) { return make_scheme("hp", parameters({{"alpha", alpha}})); };
  same(hp(0), make_scheme("symplectic-euler-b"));
  same(hp(1), make_scheme("symplectic-euler-a"));
  same(hp(0.5), make_scheme("implicit-midpoint"));
  same(make_scheme("avf", parameters({{"points", 1.0}})), make_scheme("implicit-midpoint"));
  // Both integrate cubic forces exactly.
  same(make_scheme("avf"),
       make_scheme("avf", parameters({{"quadrature", std::string("simpson")}})));
  same(make_scheme("avf"), make_scheme("avf", parameters({{"points", 3.0}})));
  // Near its limits HP(α) tends to the explicit methods.
  EXPECT_LE(distance(body().system, run(body(), hp(1e-9), 40), run(body(), hp(0), 40)), 1e-7);
}

}  // namespace
}  // namespace lilyan::test

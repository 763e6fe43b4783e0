#include "lilyan/lagrangian/compiled.hpp"

#include <gtest/gtest.h>

namespace lilyan::test::batch_test {
namespace {

const auto kPendulum = [](const auto& q) { return -cos(q[0]); };
const auto kKepler = [](const auto& q) { return -1.0 / sqrt(q[0] * q[0] + q[1] * q[1]); };
// Every function that packs have.
const auto kMixed = [](const auto& q) {
  return exp(-q[0]) + log(2.0 + q[0] * q[0]) + sin(q[1]) / (3.0 - q[1]) + 2.0 * q[0] - q[1] +
         q[2] * q[2] / 3.0 - (1.0 - q[2]) * (+q[2]);
};

template <int N, Summation kSummation, class Potential>
void expect_same(const Potential& potential, const std::array<double, N>& q,
                 const std::array<double, N>& v, const char* method, int systems) {
  std::array<double, N> mass;
  for (std::size_t i = 0; i < N; ++i) mass[i] = 1 + 0.5 * static_cast<double>(i);
  const Scheme scheme = make_scheme(method);
  const auto start = [&](int k) {
    auto at = q;
    at[0] *= 1 + 0.3 * k / systems;
    return at;
  };
  auto many = batch_run<N, kSummation>(potential, mass, scheme, 0.02, systems);
  for (int k = 0; k < systems; ++k) many.start(k, start(k), v);
  many.advance(40);
  many.advance(60);
  for (int k = 0; k < systems; ++k) {
    auto one = compiled_run<N, kSummation>(potential, mass, scheme, 0.02);
    one.start(start(k), v);
    one.advance(100);
    for (std::size_t i = 0; i < N; ++i) {
      EXPECT_NEAR(many.q(k)[i], one.q()[i], 2e-13) << method << ", system " << k;
      EXPECT_NEAR(many.v(k)[i], one.v()[i], 2e-13) << method << ", system " << k;
    }
  }
}

TEST(BatchRun, IsManySingleRuns) {
  // Kicks or drifts first and last, in all combinations.
  for (const char* method : {"stoermer-verlet", "yoshida", "blanes-moan", "blanes-moan-nystroem",
                             "mclachlan-4", "symplectic-euler-a"}) {
    for (const int systems : {1, 8, 37, 100}) {
      expect_same<1, Summation::plain>(kPendulum, {2.0}, {0.1}, method, systems);
      expect_same<2, Summation::plain>(kKepler, {1.0, 0.0}, {0.0, 0.8}, method, systems);
      expect_same<2, Summation::compensated>(kKepler, {1.0, 0.0}, {0.0, 0.8}, method, systems);
      expect_same<3, Summation::plain>(kMixed, {0.5, 0.4, 0.3}, {0.1, -0.2, 0.3}, method, systems);
    }
  }
}

TEST(BatchRun, DoesNotDependOnThreads) {
  const auto run = [](int count) {
    set_threads(count);
    auto many = batch_run<1>(kPendulum, {1.0}, make_scheme("suzuki"), 0.1, 1000);
    for (int k = 0; k < 1000; ++k) many.start(k, {1e-3 * k}, {0.5});
    many.advance(50);
    std::vector<double> q;
    for (int k = 0; k < 1000; ++k) q.push_back(many.q(k)[0]);
    return q;
  };
  const std::vector<double> one = run(1);
  EXPECT_EQ(one, run(2));
  set_threads(1);
}

// A motion that has gone to infinity or far away does not disturb those in the lanes beside it.
TEST(BatchRun, LanesAreIndependent) {
  const auto run = [](double other) {
    auto many = batch_run<1>(kPendulum, {1.0}, make_scheme("stoermer-verlet"), 0.1, 8);
    for (int k = 0; k < 8; ++k) many.start(k, {k == 3 ? other : 1.0 + 0.1 * k}, {0.0});
    many.advance(100);
    return many.q(5)[0];
  };
  const double calm = run(1.0);
  EXPECT_NEAR(run(1e7), calm, 1e-13);
  EXPECT_NEAR(run(std::numeric_limits<double>::infinity()), calm, 1e-13);
}

}  // namespace
}  // namespace lilyan::test::batch_test

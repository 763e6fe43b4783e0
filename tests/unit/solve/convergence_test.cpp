#include "lilyan/solve/convergence.hpp"

#include <gtest/gtest.h>

namespace lilyan::test::convergence_test {
namespace {

class Source final : public DirectionSource {
 public:
  bool factor = true, cut = false;
  void begin() override {}
  bool find(const LocalModel&, const Vector&, const Request&, Vector&, SolverWork&,
            NewtonTimes&) override {
    return true;
  }
  [[nodiscard]] bool factorised() const override { return factor; }
  [[nodiscard]] bool truncated() const override { return cut; }
  [[nodiscard]] std::string_view name() const override { return "none"; }
  [[nodiscard]] LinearKind kind() const override { return {}; }
  void archive(Archive&) override {}
  [[nodiscard]] const std::vector<double>& hessian() const override { return none_; }

 private:
  std::vector<double> none_;
};

TEST(DescentProgress, ReusesAFactorWhileItServes) {
  const Source source;
  DescentProgress progress({.reuse_factor = true});
  EXPECT_FALSE(progress.ask(1e6).reuse) << "there is none yet";
  progress.moved(1, 0.1, source);
  EXPECT_TRUE(progress.ask(1e6).reuse);
  progress.moved(1, 0.4, source);
  EXPECT_FALSE(progress.ask(1e6).reuse) << "too slow";
  progress.moved(0.5, 0.1, source);
  EXPECT_FALSE(progress.ask(1e6).reuse) << "not a full step";
  DescentProgress never({.reuse_factor = false});
  never.moved(1, 0.1, source);
  EXPECT_FALSE(never.ask(1e6).reuse);
}

TEST(DescentProgress, AsksForTheDigitsThatAreNeeded) {
  Source source;
  source.factor = false;
  DescentProgress progress({});
  progress.moved(1, 1e-3, source);
  const double fast = progress.ask(1e12).accuracy;
  progress.moved(1, 0.3, source);
  const double slow = progress.ask(1e12).accuracy;
  EXPECT_LT(fast, 1e-4);
  EXPECT_GT(slow, 1e-2);
  EXPECT_FALSE(progress.ask(1e12).last);
  progress.moved(1, 1e-3, source);
  EXPECT_NEAR(progress.ask(2).accuracy, 1e-2, 1e-12) << "no more than what is left asks for";
  EXPECT_TRUE(progress.ask(2).last);
}

// Ten steps that hardly shrink the residual, and only in a row.
TEST(DescentProgress, LosesItsPatienceWithPoorDirections) {
  for (const bool cut : {false, true}) {
    Source source;
    source.factor = false;
    source.cut = cut;
    DescentProgress progress({});
    const auto impatient = [&] {
      const auto& request = progress.ask(1e6);
      EXPECT_FALSE(request.definite && request.insist > 0);
      return request.definite || request.insist > 0;
    };
    for (int k = 0; k < 9; ++k) progress.moved(1, 0.95, source);
    EXPECT_FALSE(impatient());
    progress.moved(1, 0.8, source);
    for (int k = 0; k < 9; ++k) progress.moved(1, 0.95, source);
    EXPECT_FALSE(impatient());
    progress.moved(1, 0.95, source);
    EXPECT_TRUE(impatient());
    EXPECT_EQ(progress.ask(1e6).definite, cut);
    EXPECT_EQ(progress.ask(1e6).insist, cut ? 0 : 2);
  }
}

TEST(DescentProgress, AsksForBetterDirectionsUntilTheyAreExact) {
  Source source;
  DescentProgress progress({.reuse_factor = true});
  progress.ask(1e6);
  EXPECT_FALSE(progress.ask_better(source)) << "a new factor is exact";
  progress.moved(1, 0.1, source);
  EXPECT_TRUE(progress.ask(1e6).reuse);
  EXPECT_TRUE(progress.ask_better(source));
  EXPECT_FALSE(progress.ask(1e6).reuse);
  EXPECT_EQ(progress.ask(1e6).insist, 0) << "the old factor was to blame";
  source.factor = false;
  progress.moved(1, 0.1, source);
  EXPECT_TRUE(progress.ask_better(source));
  EXPECT_EQ(progress.ask(1e6).insist, 1);
  EXPECT_TRUE(progress.ask_better(source));
  EXPECT_EQ(progress.ask(1e6).insist, 2);
  EXPECT_FALSE(progress.ask_better(source));
}

TEST(RootProgress, GivesUpWhatCreeps) {
  RootProgress progress(1);
  double norm = 1;
  for (int k = 0; k < 200; ++k) EXPECT_FALSE(progress.creeps(norm *= 0.99)) << k;
  RootProgress stuck(1);
  EXPECT_FALSE(stuck.creeps(0.5));
  for (int k = 0; k < 24; ++k) EXPECT_FALSE(stuck.creeps(0.499)) << k;
  EXPECT_TRUE(stuck.creeps(0.499));
}

}  // namespace
}  // namespace lilyan::test::convergence_test

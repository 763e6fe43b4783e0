// Which energies and gradients are remembered, and which are not.
#include "lilyan/step/potential_cache.hpp"
#include "lilyan/model/energy_memory.hpp"
#include "lilyan/saving/archive.hpp"

#include <gtest/gtest.h>

#include "lilyan/model/system.hpp"

namespace lilyan::test::potential_cache_test {
namespace {

// ½k|x|² summed over all coordinates; counts how often it is asked. Where it changes between steps,
// every step makes k greater by two.
class Counted final : public Energy, public ChangesBetweenSteps {
  struct Memory final : EnergyMemory {
    double k = 1;
    void archive(Archive& a) override { a(k); }
  };

 public:
  Counted(int dofs, bool changes) : dofs_(dofs), changes_(changes) {}

  [[nodiscard]] EnergyKind kind() const override {
    return changes_ ? EnergyKind::contact : EnergyKind::elastic;
  }
  [[nodiscard]] Stencils stencils() const override { return {}; }
  [[nodiscard]] Abilities abilities() const override {
    return {.changes = changes_ ? this : nullptr};
  }
  [[nodiscard]] std::unique_ptr<EnergyMemory> make_memory() const override {
    return std::make_unique<Memory>();
  }
  bool begin_step(const StepStart& /*start*/, EnergyMemory& memory) const override {
    static_cast<Memory&>(memory).k += 2;
    return false;
  }
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override {
    ++count;
    const double k = at.memory ? static_cast<const Memory*>(at.memory)->k : 1;
    double sum = 0;
    for (int i = 0; i < dofs_; ++i) {
      sum += 0.5 * k * at.x0[i] * at.x0[i];
      if (at.gradient) at.gradient[i] += k * at.x0[i];
    }
    return sum;
  }

  mutable int count = 0;

 private:
  int dofs_;
  bool changes_;
};

struct Fixture {
  System system{std::vector<double>(2, 1.0)};
  Counted* lasting = nullptr;
  Counted* changing = nullptr;

  explicit Fixture(bool with_changing) {
    auto first = std::make_unique<Counted>(6, false);
    lasting = first.get();
    system.add(std::move(first));
    if (with_changing) {
      auto second = std::make_unique<Counted>(6, true);
      changing = second.get();
      system.add(std::move(second));
    }
    system.fix(1);
  }
};

TEST(PotentialCache, AsksOncePerPosition) {
  const Fixture f(false);
  const Assembler assembler(f.system);
  PotentialCache cache(assembler);
  Vector x = Vector::Constant(6, 2.0);
  EXPECT_FALSE(cache.holds(x));
  EXPECT_EQ(cache.gradient(x)[0], 2);
  EXPECT_EQ(cache.gradient(x)[3], 0) << "fixed";
  EXPECT_EQ(cache.values(x)[0], 12);
  EXPECT_EQ(cache.last_values()[0], 12);
  EXPECT_TRUE(cache.holds(x));
  EXPECT_EQ(f.lasting->count, 1);
  x[5] = 3;
  EXPECT_FALSE(cache.holds(x));
  EXPECT_EQ(cache.values(x)[0], 14.5);
  EXPECT_EQ(f.lasting->count, 2);
}

TEST(PotentialCache, OnlyEnergiesThatChangedAreAskedAgain) {
  const Fixture f(true);
  WorldMemory memory(f.system);
  const Assembler assembler({f.system, &memory});
  PotentialCache cache(assembler);
  const Vector x = Vector::Constant(6, 2.0);
  EXPECT_EQ(cache.gradient(x)[0], 4);
  EXPECT_TRUE(cache.holds(x));
  memory.begin_step({});
  EXPECT_FALSE(cache.holds(x));
  EXPECT_EQ(cache.values(x)[0], 12);
  EXPECT_EQ(cache.values(x)[2], 36);
  EXPECT_EQ(cache.gradient(x)[0], 8);
  EXPECT_EQ(cache.gradient(x)[3], 0) << "fixed";
  EXPECT_EQ(f.lasting->count, 1);
  EXPECT_EQ(f.changing->count, 3);
  const Vector y = Vector::Constant(6, 1.0);
  EXPECT_EQ(cache.values(y)[0], 3);
  EXPECT_EQ(cache.gradient(y)[0], 4);
  EXPECT_EQ(f.lasting->count, 3);
}

}  // namespace
}  // namespace lilyan::test::potential_cache_test

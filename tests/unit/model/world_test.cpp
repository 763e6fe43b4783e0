// The memory of energies that change between steps.
#include "lilyan/model/world.hpp"
#include "lilyan/model/energy_memory.hpp"
#include "lilyan/saving/archive.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace lilyan::world_test {
namespace {

// Counts the steps that began, and knows when the last one ended.
class Counting final : public Energy, public ChangesBetweenSteps {
 public:
  struct Memory final : EnergyMemory {
    int steps = 0;
    double settled = -1;
    void archive(Archive& a) override { a(steps, settled); }
  };
  explicit Counting(bool depends_on_past) : depends_on_past_(depends_on_past) {}

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::contact; }
  [[nodiscard]] Stencils stencils() const override { return {}; }
  [[nodiscard]] double evaluate(const Evaluation& /*at*/) const override { return 0; }
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }
  [[nodiscard]] Abilities abilities() const override { return {.changes = this}; }
  [[nodiscard]] bool depends_on_past() const override { return depends_on_past_; }
  [[nodiscard]] std::unique_ptr<EnergyMemory> make_memory() const override {
    return std::make_unique<Memory>();
  }
  bool begin_step(const StepStart& start, EnergyMemory& memory) const override {
    ++static_cast<Memory&>(memory).steps;
    return start.t == 7;
  }
  [[nodiscard]] bool found_all_contacts(const double* x, EnergyMemory& /*memory*/) const override {
    return x[depends_on_past_ ? 0 : 1] > 0;
  }
  void end_step(double t, EnergyMemory& memory) const override {
    static_cast<Memory&>(memory).settled = t;
  }

 private:
  bool depends_on_past_;
};

struct Counted {
  System system{{1.0}};
  const Energy* past = nullptr;
  const Energy* timed = nullptr;

  Counted() {
    for (const bool depends : {true, false}) {
      auto energy = std::make_unique<Counting>(depends);
      (depends ? past : timed) = energy.get();
      system.add(std::move(energy));
    }
  }
};

int steps(const WorldMemory& memory, const Energy* energy) {
  return static_cast<const Counting::Memory*>(memory.of(*energy))->steps;
}
double settled(const WorldMemory& memory, const Energy* energy) {
  return static_cast<const Counting::Memory*>(memory.of(*energy))->settled;
}

TEST(WorldMemory, GoingBackUndoesWhatDependsOnThePast) {
  const Counted counted;
  WorldMemory memory(counted.system);
  for (int k = 0; k < 5; ++k) {
    memory.begin_step({.t = 1.0 * k});
    memory.settle(k + 1);
    EXPECT_EQ(steps(memory, counted.past), k + 1);
    EXPECT_EQ(settled(memory, counted.past), k + 1);
  }
  // Steps that began at 2, 3 and 4 are undone.
  memory.settle(2);
  EXPECT_EQ(steps(memory, counted.past), 2);
  EXPECT_EQ(settled(memory, counted.timed), 2);
  EXPECT_EQ(steps(memory, counted.timed), 5) << "nothing to undo";
  // A step that is repeated counts once.
  memory.begin_step({.t = 2});
  memory.begin_step({.t = 2});
  EXPECT_EQ(steps(memory, counted.past), 3);
  memory.settle(0);
  EXPECT_EQ(steps(memory, counted.past), 0);
}

// Of very many steps the oldest are forgotten, but not what they led to.
TEST(WorldMemory, GoesBackIntoALongPast) {
  const Counted counted;
  WorldMemory memory(counted.system);
  for (int k = 0; k < 5000; ++k) memory.begin_step({.t = 1.0 * k});
  for (const int back : {4990, 3000, 2048}) {
    memory.settle(back);
    EXPECT_EQ(steps(memory, counted.past), back);
  }
}

TEST(WorldMemory, TellsOfNewStencilsAndMissedContacts) {
  const Counted counted;
  WorldMemory memory(counted.system);
  const std::uint64_t first = memory.stencils_version();
  memory.begin_step({.t = 6});
  EXPECT_EQ(memory.stencils_version(), first);
  memory.begin_step({.t = 7});
  EXPECT_NE(memory.stencils_version(), first);
  // One energy looks at the first number, the other one at the second.
  for (const std::array<double, 2>& x :
       {std::array{1.0, 1.0}, std::array{-1.0, 1.0}, std::array{1.0, -1.0}}) {
    EXPECT_EQ(memory.found_all_contacts(x.data()), x[0] > 0 && x[1] > 0);
  }
}

TEST(WorldMemory, HasANewVersionAfterEveryChange) {
  const Counted counted;
  WorldMemory memory(counted.system);
  std::uint64_t last = 0;
  const auto expect_new = [&] {
    EXPECT_NE(memory.version(), last);
    last = memory.version();
  };
  expect_new();
  memory.begin_step({});
  expect_new();
  memory.settle(1);
  expect_new();
  memory.look_at({.x = Vector::Zero(3), .v = Vector::Zero(3)});
  expect_new();
  std::string bytes;
  Archive save(&bytes);
  memory.archive(save);
  EXPECT_EQ(memory.version(), last);
  Archive load(std::string_view{bytes});
  memory.archive(load);
  expect_new();
}

TEST(WorldMemory, IsTheSameAfterSavingAndLoading) {
  const Counted counted;
  WorldMemory memory(counted.system);
  for (int k = 0; k < 5; ++k) memory.begin_step({.t = 1.0 * k});
  std::string bytes;
  Archive save(&bytes);
  memory.archive(save);
  WorldMemory other(counted.system);
  for (int k = 0; k < 2; ++k) other.begin_step({.t = 1.0 * k});  // which are forgotten
  Archive load(std::string_view{bytes});
  other.archive(load);
  for (const Energy* energy : {counted.past, counted.timed}) EXPECT_EQ(steps(other, energy), 5);
  // What was loaded is where it goes back to.
  other.begin_step({.t = 5});
  EXPECT_EQ(steps(other, counted.past), 6);
  other.settle(5);
  EXPECT_EQ(steps(other, counted.past), 5);
}

// At a state that no step led to nothing depends on the past.
TEST(WorldMemory, LooksAtAnyState) {
  const Counted counted;
  WorldMemory memory(counted.system);
  memory.begin_step({.t = 1});
  memory.look_at({.t = 3, .x = Vector::Zero(3), .v = Vector::Zero(3)});
  EXPECT_EQ(steps(memory, counted.past), 0);
  EXPECT_EQ(settled(memory, counted.past), 3);
  EXPECT_EQ(settled(memory, counted.timed), 3);
}

TEST(World, IsAsItWasMadeWithoutAMemory) {
  const Counted counted;
  const World world(counted.system);
  EXPECT_EQ(world.memory_of(*counted.past), nullptr);
  EXPECT_EQ(world.version(), 0u);
}

}  // namespace
}  // namespace lilyan::world_test

#include "lilyan/assemble/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/model/energy_memory.hpp"
#include "lilyan/solve/direction.hpp"
#include "lilyan/solve/newton.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"

namespace lilyan::test::pattern_test {
namespace {

class Pattern : public ::testing::TestWithParam<std::vector<int>> {
 protected:
  const Body body{{.cells = {3, 2, 1}, .fixed = GetParam()}};
  const BlockPattern pattern{body.system};
};

TEST_P(Pattern, ColumnsAreAscendingLowerAndInBlocks) {
  const auto& start = pattern.column_start();
  const auto& row = pattern.row();
  ASSERT_EQ(pattern.dofs(), 3 * (body.system.vertices() - body.system.embedding().fixed_count()));
  ASSERT_EQ(start.size(), static_cast<std::size_t>(pattern.dofs()));
  EXPECT_EQ(pattern.entries(), static_cast<int>(row.size()));
  std::vector<int> columns_at(row.size(), 0);
  for (int c = 0; c < pattern.dofs(); ++c) {
    ASSERT_LT(start[c], pattern.column_end(c));
    EXPECT_EQ(row[start[c]], c);  // the diagonal comes first
    for (int k = start[c] + 1; k < pattern.column_end(c); ++k) EXPECT_LT(row[k - 1], row[k]);
    EXPECT_LT(row[pattern.column_end(c) - 1], pattern.dofs());
    for (int k = start[c]; k < pattern.column_end(c); ++k) ++columns_at[k];
    // Three columns of a vertex: each right after the one before, and one shorter.
    if (c % 3 != 0) {
      EXPECT_EQ(start[c], pattern.column_end(c - 1));
      EXPECT_EQ(pattern.column_size()[c], pattern.column_size()[c - 1] - 1);
    }
  }
  for (const int columns : columns_at) EXPECT_EQ(columns, 1);
}

TEST_P(Pattern, ColumnsLieInTheOrderInWhichElementsNeedThem) {
  int end = 0;
  std::set<int> seen;
  for (const int v : body.system.energies()[0]->stencils().vertices) {
    const int j = pattern.free_index()[v];
    if (j < 0 || !seen.insert(j).second) continue;
    EXPECT_EQ(pattern.column_start()[3 * j], end);
    end = pattern.column_end(3 * j + 2);
  }
  EXPECT_EQ(end, pattern.entries());
  EXPECT_EQ(static_cast<int>(seen.size()), pattern.nodes());
}

TEST_P(Pattern, HasExactlyThePairsThatShareATet) {
  std::set<std::pair<int, int>> expected;
  for (const auto& t : body.mesh.tets) {
    for (const int i : t) {
      for (const int j : t) {
        const int a = pattern.free_index()[i];
        const int b = pattern.free_index()[j];
        if (a >= b && b >= 0) {
          for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
              if (3 * a + r >= 3 * b + c) expected.emplace(3 * a + r, 3 * b + c);
            }
          }
        }
      }
    }
  }
  // Vertices in no tet still have their diagonal block; here every vertex is in one.
  std::set<std::pair<int, int>> actual;
  for (int c = 0; c < pattern.dofs(); ++c) {
    for (int k = pattern.column_start()[c]; k < pattern.column_end(c); ++k) {
      actual.emplace(pattern.row()[k], c);
    }
  }
  EXPECT_EQ(actual, expected);
}

TEST_P(Pattern, FreeVerticesAndGraph) {
  int next = 0;
  for (int v = 0; v < body.system.vertices(); ++v) {
    if (body.system.embedding().fixed(v)) {
      EXPECT_EQ(pattern.free_index()[v], -1);
    } else {
      EXPECT_EQ(pattern.free_index()[v], next);
      EXPECT_EQ(pattern.free_vertices()[next++], v);
    }
  }
  const auto& start = pattern.graph_start();
  ASSERT_EQ(start.size(), pattern.free_vertices().size() + 1);
  for (int i = 0; i + 1 < static_cast<int>(start.size()); ++i) {
    for (int k = start[i]; k < start[i + 1]; ++k) {
      const int j = pattern.graph()[k];
      EXPECT_NE(i, j);
      const auto begin = pattern.graph().begin() + start[j];
      const auto end = pattern.graph().begin() + start[j + 1];
      EXPECT_NE(std::find(begin, end, i), end) << "the edge has no way back";
    }
  }
}

// Writes a distinct number into every entry of every element block and compares with a dense sum.
TEST_P(Pattern, SlotsLeadToWhereTheBlocksBelong) {
  const Energy& energy = *body.system.energies()[0];
  const Stencils stencils = energy.stencils();
  ASSERT_EQ(stencils.size, 4);
  const BlockSlots slots = pattern.slots(energy.stencils());
  std::vector<double> values(pattern.storage(), 0.0);
  Matrix expected = Matrix::Zero(pattern.dofs(), pattern.dofs());
  double number = 1;
  const int elements = static_cast<int>(stencils.vertices.size()) / 4;
  ASSERT_EQ(elements, static_cast<int>(body.mesh.tets.size()));
  for (int e = 0; e < elements; ++e) {
    int s = 0;
    for (int b = 0; b < 4; ++b) {
      for (int a = b; a < 4; ++a, ++s) {
        const int i = pattern.free_index()[stencils.vertices[4 * e + a]];
        const int j = pattern.free_index()[stencils.vertices[4 * e + b]];
        const int L = slots.column_length[4 * e + b];
        for (int c = 0; c < 3; ++c) {
          for (int r = a == b ? c : 0; r < 3; ++r, number += 1) {
            const int where = slots.position[10 * e + s] + c * L - c * (c + 1) / 2 + r;
            ASSERT_GE(where, 0);
            ASSERT_LT(where, pattern.storage());
            values[where] += number;
            if (i >= 0 && j >= 0) {
              expected(3 * i + r, 3 * j + c) += number;
              if (3 * i + r != 3 * j + c) expected(3 * j + c, 3 * i + r) += number;
            } else {
              // A fixed vertex' block stays in the scratch area behind the matrix.
              ASSERT_GE(where, pattern.entries());
            }
          }
        }
      }
    }
  }
  EXPECT_EQ((dense(pattern, values) - expected).norm(), 0);
}

TEST_P(Pattern, FixedVerticesOnlyDropRowsAndColumns) {
  std::mt19937 random(1);
  const Vector x = body.rest + random_vector(body.rest.size(), 0.05, random);
  const std::array<WeightedNode, 1> here{{{0, 1, 1, 1}}};
  const Body free({.cells = {3, 2, 1}});
  Assembler all(free.system), some(body.system);
  const Matrix full = dense_hessian(all, x, Vector::Zero(x.size()), here);
  const Matrix part = dense_hessian(some, x, Vector::Zero(x.size()), here);
  for (int r = 0; r < part.rows(); ++r) {
    for (int c = 0; c < part.cols(); ++c) {
      ASSERT_EQ(part(r, c), full(3 * pattern.free_vertices()[r / 3] + r % 3,
                                 3 * pattern.free_vertices()[c / 3] + c % 3));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Assemble, Pattern,
                         ::testing::Values(std::vector<int>{}, std::vector<int>{0},
                                           std::vector<int>{1, 4, 5, 6, 11, 23}));

// Pairs that come and go.
class Bridge final : public Energy, public ChangesBetweenSteps {
 public:
  struct Memory final : EnergyMemory {
    std::vector<int> pair;
    void archive(Archive& /*a*/) override {}
  };
  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::contact; }
  [[nodiscard]] Stencils stencils() const override { return {2, {}}; }
  [[nodiscard]] double evaluate(const Evaluation& /*at*/) const override { return 0; }
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }
  [[nodiscard]] Abilities abilities() const override { return {.changes = this}; }
  [[nodiscard]] std::unique_ptr<EnergyMemory> make_memory() const override {
    return std::make_unique<Memory>();
  }
  [[nodiscard]] std::optional<Stencils> stencils_now(const EnergyMemory& memory) const override {
    return Stencils{2, static_cast<const Memory&>(memory).pair};
  }
  bool begin_step(const StepStart& start, EnergyMemory& memory) const override {
    auto& pair = static_cast<Memory&>(memory).pair;
    const std::vector<int> last = pair;
    pair = start.t == 1   ? std::vector{0, 11}
           : start.t == 2 ? std::vector{0, 11, 2, 11, 0, 10}
                          : std::vector<int>{};
    return pair != last;
  }
};

TEST(GrowingPattern, IsThatOfANewOne) {
  Body body({.cells = {2, 1, 1}, .fixed = {2}});
  body.system.add(std::make_unique<Bridge>());
  WorldMemory memory(body.system);
  const World world(body.system, &memory);
  Assembler assembler(world);
  const BlockPattern& grown = assembler.hessian_pattern();
  const FullPattern full(grown);
  EXPECT_TRUE(full.is_current());
  std::set<int> entries;
  int version = grown.version();
  for (const double t : {0.0, 1.0, 2.0, 2.0, 1.0, 0.0}) {
    const std::uint64_t before = memory.stencils_version();
    memory.begin_step({.t = t});
    assembler.follow_stencils();
    EXPECT_EQ(grown.version() != version, memory.stencils_version() != before) << t;
    version = grown.version();
    const BlockPattern fresh(world);
    EXPECT_EQ(grown.row(), fresh.row()) << t;
    EXPECT_EQ(grown.column_start(), fresh.column_start()) << t;
    EXPECT_EQ(grown.column_size(), fresh.column_size()) << t;
    EXPECT_EQ(grown.storage(), fresh.storage()) << t;
    entries.insert(grown.entries());
  }
  EXPECT_FALSE(full.is_current());
  EXPECT_GT(entries.size(), 1U);
}

// Takes what it is told, and remembers how often it was asked.
class Source final : public DirectionSource {
 public:
  explicit Source(std::vector<bool>& same_matrix) : same_matrix_(same_matrix) {}
  void begin() override {}
  bool find(const LocalModel&, const Vector&, const Request& request, Vector&, SolverWork&,
            NewtonTimes&) override {
    same_matrix_.push_back(request.same_matrix);
    ++asked_;
    return true;
  }
  [[nodiscard]] bool factorised() const override { return true; }
  [[nodiscard]] bool truncated() const override { return false; }
  [[nodiscard]] std::string_view name() const override { return asked_ == 3 ? "wise" : "new"; }
  [[nodiscard]] LinearKind kind() const override { return {}; }
  void archive(Archive& a) override { a(asked_); }
  [[nodiscard]] const std::vector<double>& hessian() const override { return none_; }

 private:
  std::vector<bool>& same_matrix_;
  int asked_ = 0;
  std::vector<double> none_;
};
struct Maker final : DirectionMaker {
  mutable std::vector<bool> same_matrix;
  mutable int made = 0;
  [[nodiscard]] std::unique_ptr<DirectionSource> make(const BlockPattern&) const override {
    ++made;
    return std::make_unique<Source>(same_matrix);
  }
};
struct Flat final : Objective {
  void evaluate(const Linearised&, Iterate&) const override {}
  void hessian(const Linearised&, const Vector&, double, std::vector<double>&) const override {}
  [[nodiscard]] Defect defect(const Vector&, const Vector&) const override { return {}; }
  [[nodiscard]] double norm(const Vector&) const override { return 0; }
  [[nodiscard]] Rounding rounding(const Vector&, double, const Vector&) const override {
    return {};
  }
};

// The matrix of the pattern before is of no use, but what was learned about solvers is.
TEST(GrowingPattern, NewtonFollowsIt) {
  Body body({.cells = {2, 1, 1}});
  body.system.add(std::make_unique<Bridge>());
  WorldMemory memory(body.system);
  Assembler assembler({body.system, &memory});
  const Maker maker;
  Newton newton(assembler.hessian_pattern(), {.directions = &maker});
  const Flat flat;
  const Linearised none;
  Vector direction = Vector::Zero(body.rest.size());
  SolverWork work;
  const auto correct = [&] {
    return newton.correct({flat, none, body.rest}, body.rest, {}, direction, work);
  };
  EXPECT_TRUE(correct());
  EXPECT_TRUE(correct());
  memory.begin_step({.t = 1});
  assembler.follow_stencils();
  EXPECT_TRUE(correct());
  EXPECT_EQ(maker.made, 2);
  EXPECT_EQ(maker.same_matrix, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(newton.linear_name(), "wise");
}

TEST(PatternEdge, NoEnergies) {
  System system({1, 1});
  const BlockPattern pattern(system);
  EXPECT_EQ(pattern.dofs(), 6);
  EXPECT_EQ(pattern.entries(), 12);
}

TEST(PatternEdge, AllFixed) {
  System system({1, 1});
  system.fix(0);
  system.fix(1);
  const BlockPattern pattern(system);
  EXPECT_EQ(pattern.dofs(), 0);
  EXPECT_EQ(pattern.entries(), 0);
}

}  // namespace
}  // namespace lilyan::test::pattern_test

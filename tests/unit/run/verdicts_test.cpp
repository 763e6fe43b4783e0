// What runs say that they kept, beside what is known about them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "support/temp_folder.hpp"
#include "unit/run/verdict_table.hpp"

namespace lilyan::test::verdicts_test {
namespace {

using verdict_table::Case;

struct Judged {
  std::string verdict, text;
};

Judged judge(const Case& c) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write(
      "s.toml", fmt::format("[integrator]\nmethod = {}\nstep = {:.17g}\nduration = {:.17g}\n{}",
                            c.method.front() == '"' ? c.method : '"' + c.method + '"', c.step,
                            c.duration, c.scene)));
  DriftTracker drift = follow_drift(scene);
  Watch watch(scene);
  const RunSummary summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    if (moment.report) {
      watch.add(moment.state, moment.invariants.kinetic, 0);
    } else {
      watch.start(moment.state, moment.invariants.kinetic, 0);
    }
    return true;
  });
  const auto of = [&](const Deviation& d, const char* symbol, const char* size) {
    return Judged{std::string(name(d.kept())), how_kept(d, symbol, size, summary.steps)};
  };
  if (c.what == "energy") return of(drift.energy(), "ΔE", "E₀");
  if (c.what == "momentum") return of(drift.linear_momentum(), "ΔP", "|P|");
  if (c.what == "spin") return of(drift.angular_momentum(), "ΔL", "|L|");
  for (const Watch::Quantity& q : watch.invariants()) {
    if (q.name == c.what) return of(q.deviation, "ΔQ", "|Q|");
  }
  return {"no such quantity", ""};
}

void expect_right(const std::vector<Case>& table) {
  std::size_t wrong = 0;
  for (const Case& c : table) {
    const auto [verdict, text] = judge(c);
    const bool right = ("|" + c.right + "|").find("|" + verdict + "|") != std::string::npos;
    EXPECT_TRUE(right) << c.name << ", " << c.what << ": " << text << "; it should be " << c.right;
    wrong += right ? 0 : 1;
    if (std::getenv("LILYAN_SHOW_VERDICTS")) {
      fmt::print("    {} {}, {}: {}\n", right ? " " : "!", c.name, c.what, text);
    }
  }
  fmt::print("    {} of {} wrong\n", wrong, table.size());
}

TEST(Verdicts, AreRightForAllRunsOfTheTable) { expect_right(verdict_table::all()); }
TEST(Verdicts, AreRightForRunsThatTheRuleWasNotMadeWith) { expect_right(verdict_table::fresh()); }

}  // namespace
}  // namespace lilyan::test::verdicts_test

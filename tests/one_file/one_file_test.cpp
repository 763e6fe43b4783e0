// Adding a method takes one file: ralston.cpp beside this test is seen by the build as if it were
// in the folder of methods. Nothing else mentions it, and yet it is listed, verified and run.
#include <gtest/gtest.h>

#include "app/pages/pages.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/verify/measure.hpp"

namespace lilyan::test {
namespace {

TEST(OneFile, IsAMethod) {
  const Method* found = find_method("ralston");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(find_method("avf"), nullptr);
  EXPECT_EQ(method_row(*found).find("| `ralston` | 2 | explicit |"), 0U);
  bool listed = false;
  for (const Scheme& s : schemes_to_verify()) listed = listed || s.label == "ralston";
  EXPECT_TRUE(listed);
  for (const Check& c : verify(make_scheme("ralston")).checks) {
    EXPECT_TRUE(c.passed) << c.property << ": claimed " << c.claimed << ", measured " << c.measured;
  }
  const ProblemInstance& body = verification_problem("body");
  State state = body.initial;
  const auto integrator = make_integrator(*body.system, make_scheme("ralston"), {});
  EXPECT_TRUE(succeeded(integrator->step(state, 0.01).status));
}

}  // namespace
}  // namespace lilyan::test

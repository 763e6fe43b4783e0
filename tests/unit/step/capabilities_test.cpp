#include "lilyan/step/capabilities.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>

#include "lilyan/physics/rigid_motion.hpp"
#include "support/body.hpp"

namespace lilyan::test::capabilities_test {
namespace {

// A composition of steps of another method.
Scheme composed_of(const std::string& base) {
  Scheme scheme = make_scheme("kahan-li");
  std::get<CompositionTable>(scheme.table).base = std::make_shared<const Scheme>(make_scheme(base));
  return scheme;
}

TEST(Capabilities, OfACompositionAreNoMoreThanThoseOfItsBase) {
  Body body(BodyOptions{});
  body.system.add(
      std::make_unique<ScriptedVertices>(std::vector<int>{0}, body.rest, RigidMotion{}));
  EXPECT_EQ(reason_unsupported(body.system, composed_of("avf")), "");
  EXPECT_TRUE(runs_on_ranks(composed_of("avf")));
  EXPECT_NE(reason_unsupported(body.system, composed_of("discrete-gradient")), "");
  EXPECT_FALSE(runs_on_ranks(composed_of("discrete-gradient")));
  EXPECT_TRUE(runs_on_ranks(make_scheme("stoermer-verlet")));
  EXPECT_FALSE(runs_on_ranks(make_scheme("gauss")));
}

}  // namespace
}  // namespace lilyan::test::capabilities_test

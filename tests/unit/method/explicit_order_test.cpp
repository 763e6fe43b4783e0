#include <gtest/gtest.h>

#include "lilyan/verify/verification.hpp"

namespace lilyan::test::explicit_order_test {
namespace {

// Every number of evaluations, also the one that no measurement can tell from a higher order.
TEST(BlanesMoanNystroem, OrdersByTheConditions) {
  const auto order = [](double evaluations) {
    return order_by_conditions(make_scheme("blanes-moan-nystroem", {{"evaluations", evaluations}}));
  };
  EXPECT_EQ(order(6), 4);
  EXPECT_EQ(order(11), 6);
  EXPECT_EQ(order(14), 6);
  EXPECT_THROW(static_cast<void>(order(7)), ParameterError);
}

}  // namespace
}  // namespace lilyan::test::explicit_order_test

#include "lilyan/base/parameter.hpp"

#include <gtest/gtest.h>

#include "support/schemes.hpp"

namespace lilyan::test::parameter_test {
namespace {

const std::vector<ParameterSpec> kSpecification = {
    {"points", "how many", 2.0}, {"rule", "which", std::string("gauss"), true}, {"mu", "", {}}};

TEST(Parameters, DefaultsFillInAndGivenValuesWin) {
  const Parameters p = parameters({{"points", 5.0}}).completed(kSpecification);
  EXPECT_EQ(p.whole("points"), 5);
  EXPECT_EQ(p.word("rule"), "gauss");
  EXPECT_FALSE(p.has("mu"));
}

TEST(Parameters, UnknownNamesAndWrongTypesThrow) {
  EXPECT_THROW(static_cast<void>(parameters({{"point", 1.0}}).completed(kSpecification)),
               ParameterError);
  EXPECT_THROW(static_cast<void>(parameters({{"rule", 1.0}}).completed(kSpecification)),
               ParameterError);
  EXPECT_THROW(
      static_cast<void>(parameters({{"points", std::string("1")}}).completed(kSpecification)),
      ParameterError);
}

TEST(Parameters, WholeNumbers) {
  EXPECT_EQ(parameters({{"n", -3.0}}).whole("n"), -3);
  EXPECT_THROW(static_cast<void>(parameters({{"n", 2.5}}).whole("n")), ParameterError);
  EXPECT_THROW(static_cast<void>(parameters({{"n", 1e7}}).whole("n")), ParameterError);
}

TEST(NearestName, CountsEditsAndSwaps) {
  const std::vector<std::string> names = {"alpha", "beta", "gamma"};
  EXPECT_EQ(nearest_name("alhpa", names), "alpha");           // a swap
  EXPECT_EQ(nearest_name("abdc", {"abce", "abcd"}), "abcd");  // nearer than two changes
  EXPECT_EQ(nearest_name("bet", names), "beta");              // one missing
  EXPECT_EQ(nearest_name("gammaa", names), "gamma");          // one too many
  EXPECT_EQ(nearest_name("delta", names), "beta");            // two changes
  EXPECT_EQ(nearest_name("viscosity", names), std::nullopt);
  EXPECT_EQ(nearest_name("alpha", {}), std::nullopt);
}

}  // namespace
}  // namespace lilyan::test::parameter_test

// One palette for methods: that of reports, pictures and films is that of the live view.
#include "app/report/picture/method_colours.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "app/report/picture/figure.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::method_colours_test {
namespace {

TEST(MethodColours, AreThoseOfTheLiveView) {
  const std::string page = read_text(source_folder() / "web/src/colour.ts");
  const std::regex entry("\"([a-z0-9-]+)\": \\[\"#([0-9A-F]{6})\", \"#[0-9A-F]{6}\"\\]");
  int count = 0;
  for (std::sregex_iterator m(page.begin(), page.end(), entry), end; m != end; ++m, ++count) {
    EXPECT_EQ(fmt::format("{:06X}", palette(method_colours({(*m)[1]})[0])), (*m)[2]) << (*m)[1];
  }
  EXPECT_EQ(count, 9);
  // Curves have the same numbers there.
  const std::regex colour("#([0-9A-F]{6})");
  const std::size_t at = page.find("const light = [");
  ASSERT_NE(at, std::string::npos);
  const std::string line = page.substr(at, page.find(']', at) - at);
  int index = 0;
  for (std::sregex_iterator m(line.begin(), line.end(), colour), end; m != end; ++m, ++index) {
    EXPECT_EQ(fmt::format("{:06X}", palette(index)), (*m)[1]) << index;
  }
  EXPECT_EQ(index, kAllColours);
}

TEST(MethodColours, RunsOfOneMethodAreToldApart) {
  EXPECT_EQ(method_colours({"newmark", "avf(auto)"}), (std::vector{2, 0}));
  EXPECT_EQ(method_colours({"avf", "avf"}), (std::vector{0, 1}));
  // What comes later does not lose its own to one without any.
  EXPECT_EQ(method_colours({"bathe", "avf", "gauss(stages=3)"}), (std::vector{1, 0, 10}));
  const std::vector<int> many = method_colours(std::vector<std::string>(11, "avf"));
  EXPECT_EQ(std::set<int>(many.begin(), many.end()).size(), 11U);
  EXPECT_EQ(method_colours(std::vector<std::string>(30, "avf")).size(), 30U);
}

}  // namespace
}  // namespace lilyan::test::method_colours_test

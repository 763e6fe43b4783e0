// Scene files that were written to do harm: each is refused with its place, at once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "app/scene/toml/toml_nesting.hpp"
#include "lilyan/base/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::hostile_scene_test {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// What load_scene says of a scene file with this text.
std::string refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  const TempFolder folder;
  try {
    (void)load_scene(folder.write("scene.toml", text), {.settings = settings, .steps = {}});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

constexpr int kMany = 200000;
const std::string kTooDeep = "more than 100 tables and lists within each other";
const std::string kPendulum =
    "[integrator]\nstep = 0.01\nsteps = 1\n[system]\nkind = \"pendulum\"\n";

TEST(HostileScene, DeepTextsAreRefusedWithTheirPlace) {
  struct Deep {
    std::string text;
    std::string place;
  };
  const std::string list = repeated("[", kMany);
  for (const Deep& deep : std::vector<Deep>{
           {"a" + repeated(".a", kMany) + " = 1", "1:200"},
           {"\na" + repeated(" . \"é\"", kMany) + " = 1", "2:597"},
           {"[a" + repeated(".a", kMany) + "]", "1:201"},
           {"[[a" + repeated(".a", kMany) + "]]", "1:202"},
           {"a = " + list, "1:104"},
           {"a = " + list + repeated("]", kMany), "1:104"},
           {"a = " + repeated("{a=", kMany), "1:302"},
           {"a = " + repeated("{a.b=[", kMany), ""},
           {"# [\n[a.b]\nc.d = {e = [\n1,\n" + list, "5:95"},
           {"a = [\"]\", ']', \"\"\"\n]\"\"\", # ]\n" + list, "3:99"},
           {kPendulum + "[x]\ny" + repeated(".a", kMany) + " = 1", "7:198"},
       }) {
    const std::string message = refusal(deep.text);
    EXPECT_NE(message.find(kTooDeep), std::string::npos)
        << deep.text.substr(0, 60) << ": " << message.substr(0, 300);
    EXPECT_NE(message.find("scene.toml:" + deep.place), std::string::npos)
        << deep.text.substr(0, 60) << ": " << message.substr(0, 300);
  }
}

TEST(HostileScene, DeepSettingsAreRefused) {
  for (const std::string& setting :
       {"a" + repeated(".a", kMany) + "=1", "title=" + repeated("[", kMany),
        "title=" + repeated("{a=", kMany), "title={a" + repeated(".a", kMany) + "=1}",
        "title=1\n[a" + repeated(".a", kMany) + "]"}) {
    const std::string message = refusal(kPendulum, {setting});
    EXPECT_NE(message.find(kTooDeep), std::string::npos) << message.substr(0, 300);
    EXPECT_LT(message.size(), 300);
  }
}

TEST(HostileScene, BracketsAndDotsInTextsAndCommentsDoNotCount) {
  const std::string brackets = repeated("[{.", 300);
  for (const std::string& text :
       {"a = \"" + brackets + "\"", "a = '" + brackets + "'", "a = \"\\\"" + brackets + "\"",
        "a = \"\"\"\"" + brackets + "\n" + brackets + "\"\"\"", "a = '''\n" + brackets + "'''",
        "# " + brackets + "\na = 1", "\"" + brackets + "\" = 1", "a = 1 # " + brackets,
        // Lists of many, and tables one after the other, are not deep.
        "a = [" + repeated("[1.5, 2.5], ", 1000) + "]",
        repeated("[a.b.c]\nd.e = {f = [1]}\n", 1000),
        repeated("[[a.b]]\nc = [[1.5], [2.5]]\n", 1000),
        "a = {" + repeated("b.c = 1, ", 1000) + "}",
        // No TOML, but the parser says better why.
        repeated("[a\n", 1000), repeated("a = \"[\n", 1000)}) {
    EXPECT_FALSE(too_deep_in_toml(text)) << text.substr(0, 60);
  }
  EXPECT_EQ(refusal("title = \"" + repeated("[.", 300) + "\"\n" + kPendulum), "accepted");
}

TEST(HostileScene, AHundredLevelsAreAllowed) {
  const auto lists = [](int n) { return "a = " + repeated("[", n) + repeated("]", n); };
  EXPECT_FALSE(too_deep_in_toml(lists(99)));
  EXPECT_TRUE(too_deep_in_toml(lists(100)));
  EXPECT_FALSE(too_deep_in_toml("a" + repeated(".a", 99) + "=1"));
  EXPECT_TRUE(too_deep_in_toml("a" + repeated(".a", 100) + "=1"));
  EXPECT_NE(refusal(lists(99) + "\n" + kPendulum).find("unknown key 'a'"), std::string::npos);
}

// Values at the ends of what numbers can be, where conversions between their types are undefined.
const std::vector<std::string> kExtremes = {"9223372036854775807",
                                            "-9223372036854775808",
                                            "9007199254740993",
                                            "2147483647",
                                            "2147483648",
                                            "-2147483648",
                                            "-2147483649",
                                            "4294967296",
                                            "1e300",
                                            "-1e300",
                                            "1e-300",
                                            "5e-324",
                                            "0.05",
                                            "-0.0",
                                            "nan",
                                            "-nan",
                                            "inf",
                                            "-inf",
                                            "1.5",
                                            "0x7fffffffffffffff"};

std::string box(const std::string& cells, const std::string& vertices) {
  return "[integrator]\nstep = 0.01\nsteps = 1\n[[body]]\nmass = 1\nmaterial = { mu = 1, lambda = "
         "1 }\nshape = { kind = \"box\", size = [1, 1, 1], cells = " +
         cells + " }\nfix = [{ vertices = " + vertices + " }]\n";
}

TEST(HostileScene, ExtremeNumbersAreReadOrRefused) {
  EXPECT_EQ(refusal(box("[1, 1, 1]", "[0, 1]")), "accepted");
  for (const std::string& x : kExtremes) {
    EXPECT_NE(refusal(box("[1, " + x + ", 1]", "[0]")).find("scene.toml:7:"), std::string::npos)
        << x;
    EXPECT_NE(refusal(box(x, "[0]")).find("scene.toml:7:"), std::string::npos) << x;
    EXPECT_NE(refusal(box("[1, 1, 1]", "[0, " + x + "]")).find("scene.toml:8:"), std::string::npos)
        << x;
    for (const std::string key :
         {"integrator.steps", "integrator.step", "integrator.duration", "solver.threads",
          "solver.max_halvings", "output.every", "output.series_every", "solver.energy_tolerance",
          "body.0.mass", "body.0.material.mu", "body.0.shape.size", "body.0.translate",
          "world.gravity", "integrator.points", "body.0.shape.cells.0", "body.0.scale"}) {
      // Refused or not: nothing undefined happens on the way.
      (void)refusal(box("[1, 1, 1]", "[0]"), {key + "=" + x});
      (void)refusal(box("[1, 1, 1]", "[0]"), {key + "=[" + x + ", 1, 1]"});
    }
  }
}

TEST(HostileScene, FormulasThatAreReadForManyCoordinatesShareALimit) {
  const auto with = [](const std::string& rest) {
    return "[integrator]\nstep = 0.01\nsteps = 1\n[system]\nkind = \"lagrangian\"\ncoordinates = "
           "[\"x[1000]\"]\nkinetic = \"sum(i, 1, 1000, x[i]'^2)/2\"\n" +
           rest;
  };
  // It would take an hour.
  const std::string message = refusal(with("[system.force]\nx = \"sum(j, 1, 500000, j)\"\n"));
  EXPECT_NE(message.find("too large in all"), std::string::npos) << message;
  EXPECT_NE(message.find("scene.toml:9:6"), std::string::npos) << message;
  // Another scene has a limit of its own.
  EXPECT_EQ(refusal(with("[system.position]\nx = \"i/1000\"\n")), "accepted");
}

std::string resolved(const std::string& text) {
  const TempFolder folder;
  return load_scene(folder.write("scene.toml", text)).resolved;
}

TEST(HostileScene, WhatWasReadIsWrittenSoThatItReadsBack) {
  const std::string formulas =
      "[integrator]\nstep = 1e-300\nsteps = 2147483647\n[system]\nkind = \"lagrangian\"\n"
      "coordinates = [\"x\"]\nkinetic = \"x'^2/2\"\n[system.parameters]\n";
  for (const std::string& x : kExtremes) {
    if (x.find("inf") != std::string::npos || x.find("nan") != std::string::npos) continue;
    const std::string once =
        resolved(formulas + "a = " + x + "\nb = [0.05, " + x + ", -0.001]\nc = \"2*b[1]\"\n");
    EXPECT_EQ(resolved(once), once);
  }
  for (const std::string title : {"''", R"("\n 'a' \"\"\" \\ ")", R"("\u0000\u007f\r\t'")",
                                  R"("\n'")", R"('"')", R"("\r\n'")", R"("é'")", R"("'''\n'''")"}) {
    const std::string once = resolved("title = " + title + "\n" + kPendulum);
    EXPECT_EQ(resolved(once), once);
  }
  const std::string kept = resolved("title = \"a\\nb's \\\"c\\\"\"\n" + kPendulum);
  EXPECT_NE(kept.find("title = \"\"\"\na\nb's \\\"c\\\"\"\"\"\n"), std::string::npos) << kept;
}

}  // namespace
}  // namespace lilyan::test::hostile_scene_test

// lilyan compare, from the outside.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/files/process.hpp"
#include "support/other_programs.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::compare_test {
namespace {

constexpr const char* kScene =
    "[integrator]\nstep = 0.02\nsteps = 12\n[[body]]\nmass = 1\nmaterial = { mu = 30, lambda = 20 "
    "}\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

ProcessResult run(const TempFolder& folder, const std::vector<std::string>& arguments) {
  return run_process(test::program(), arguments, folder.path());
}

TEST(Compare, RunsTheUsualMethodsAndPutsThemSideBySide) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const ProcessResult result = run(folder, {"compare", "s.toml"});
  ASSERT_EQ(result.code, 0) << result.output;
  const auto out = folder.path() / "results/s-compare";
  for (const char* file :
       {"energy.svg", "energy-error.svg", "momenta.svg", "iterations.svg", "table.csv", "table.md",
        "report.html", "avf/series.csv", "energy-momentum/series.csv", "newmark/run.json",
        "implicit-midpoint/report.html", "backward-euler/run.pvd"}) {
    EXPECT_TRUE(std::filesystem::exists(out / file)) << file;
  }
  const std::string csv = read_text(out / "table.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6) << csv;
  EXPECT_NE(result.output.find("backward-euler"), std::string::npos);
  EXPECT_NE(result.output.find("iterations/step"), std::string::npos);
}

TEST(Compare, PngFilesAreMadeWhenAskedForAndAMissingConverterIsSaidAtOnce) {
  const TempFolder folder;
  const TempFolder programs;
  folder.write("s.toml", kScene);
  const std::vector<std::string> arguments = {
      "compare",   "s.toml", "-q",
      "--methods", "avf",    "-o",
      "out",       "--set",  "output.pictures=[\"svg\", \"png\"]"};
  {
    const ChangedPath none(programs.path().string());
    const ProcessResult result = run(folder, arguments);
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_NE(result.output.find("install rsvg-convert"), std::string::npos) << result.output;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
  }
  make_program(programs, "rsvg-convert", "echo made > \"$4\"\n");
  const ChangedPath some(programs.path().string() + ":/usr/bin:/bin");
  EXPECT_EQ(run(folder, arguments).code, 0);
  EXPECT_EQ(read_text(folder.path() / "out/energy.png"), "made\n");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out/momenta.png"));
}

// A comparison is made of the runs themselves, however many go at a time.
TEST(Compare, AConverterThatFailsCostsOnlyItsPictures) {
  const TempFolder folder;
  const TempFolder programs;
  folder.write("s.toml", kScene);
  make_program(programs, "rsvg-convert", "echo no memory left; exit 3\n");
  const ChangedPath path(programs.path().string() + ":/usr/bin:/bin");
  const ProcessResult result = run(folder, {"compare", "s.toml", "-q", "--methods", "avf", "-o",
                                            "out", "--set", "output.pictures=[\"png\"]"});
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_NE(result.output.find("no memory left"), std::string::npos) << result.output;
  const std::string html = read_text(folder.path() / "out/report.html");
  EXPECT_NE(html.find("energy.svg"), std::string::npos);
  EXPECT_EQ(html.find("energy.png"), std::string::npos);
}

TEST(Compare, EachMethodDoesWhatItDoesAlone) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  ASSERT_EQ(run(folder, {"compare", "s.toml", "-q", "--methods", "avf,hp:alpha=0.25", "-o", "out",
                         "--threads", "2"})
                .code,
            0);
  ASSERT_EQ(run(folder, {"run", "s.toml", "-q", "-o", "alone", "--set", "integrator.method=hp",
                         "--set", "integrator.alpha=0.25"})
                .code,
            0);
  EXPECT_EQ(read_text(folder.path() / "out/hp-alpha=0.25/series.csv"),
            read_text(folder.path() / "alone/series.csv"));
  // Once more into the same folder.
  EXPECT_EQ(
      run(folder, {"compare", "s.toml", "-q", "--methods", "avf", "-o", "out", "--overwrite"}).code,
      0);
}

// Runs of the comparison before would be taken for those of this one.
TEST(Compare, RemovesRunsOfTheComparisonBeforeAndNothingElse) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const auto compare = [&](const std::string& methods) {
    return run(folder,
               {"compare", "s.toml", "-q", "--methods", methods, "-o", "out", "--overwrite"});
  };
  ASSERT_EQ(compare("avf,hp:alpha=0.25,newmark,bdf2").code, 0);
  folder.write("out/newmark/mine.txt", "kept");
  ASSERT_EQ(run(folder, {"run", "s.toml", "-q", "-o", "out/my-run"}).code, 0);
  const ProcessResult result = compare("avf,gauss");
  ASSERT_EQ(result.code, 0) << result.output;
  const auto there = [&](const char* name) {
    return std::filesystem::exists(folder.path() / "out" / name);
  };
  EXPECT_TRUE(there("avf/series.csv"));
  EXPECT_TRUE(there("gauss/series.csv"));
  EXPECT_FALSE(there("hp-alpha=0.25"));
  EXPECT_FALSE(there("bdf2"));
  EXPECT_TRUE(there("my-run/series.csv"));
  EXPECT_TRUE(there("newmark/mine.txt"));
  EXPECT_FALSE(there("newmark/series.csv"));
  EXPECT_NE(result.output.find("newmark"), std::string::npos) << result.output;
}

// Whatever the table says: nothing outside of the folder.
TEST(Compare, ATableThatWasEditedDoesNoHarm) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  ASSERT_EQ(run(folder, {"run", "s.toml", "-q", "-o", "other"}).code, 0);
  ASSERT_EQ(run(folder, {"run", "s.toml", "-q", "-o", "out"}).code, 0);
  folder.write("out/table.csv", "method,folder\na,../other\nb,.\nc,\nd,..\ne,nothing\n");
  ASSERT_EQ(
      run(folder, {"compare", "s.toml", "-q", "--methods", "avf", "-o", "out", "--overwrite"}).code,
      0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "other/series.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out/series.csv"));
}

TEST(Compare, AMethodThatCannotOrFailsDoesNotStopTheOthers) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const ProcessResult result = run(
      folder, {"compare", "s.toml", "-o", "out", "--methods",
               "backward-euler,explicit-euler,hp:alpha=7", "--set", "integrator.step=1", "--set",
               "solver.on_failure=stop", "--set", "solver.max_iterations=500", "--steps", "30"});
  EXPECT_EQ(result.code, 3) << result.output;
  const std::string csv = read_text(folder.path() / "out/table.csv");
  EXPECT_NE(csv.find("\nhp:alpha=7,hp-alpha=7,0,could not start"), std::string::npos) << csv;
  EXPECT_NE(csv.find("alpha must be in [0, 1]"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nexplicit-euler,explicit-euler,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("reached a state that is not finite"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",30,finished,"), std::string::npos) << csv;
  EXPECT_NE(read_text(folder.path() / "out/report.html").find("could not run this scene"),
            std::string::npos);
}

TEST(Compare, SmallSystemsHaveMethodsOfTheirOwn) {
  const TempFolder folder;
  const ProcessResult result =
      run(folder, {"compare", "pendulum", "-q", "--steps", "50", "-o", "p"});
  ASSERT_EQ(result.code, 0) << result.output;
  for (const char* file : {"stoermer-verlet/report.html", "rk4/phase.svg", "energy.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "p" / file)) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "p/momenta.svg"));
}

TEST(Compare, OtherStepsEndAtTheSameTimeAndAreNamed) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const ProcessResult result =
      run(folder, {"compare", "s.toml", "-q", "-o", "out", "--methods",
                   "avf:step=0.01,avf:step=0.033,avf,avf:quadrature=auto"});
  ASSERT_EQ(result.code, 0) << result.output;
  const std::string csv = read_text(folder.path() / "out/table.csv");
  for (const char* row :
       {"\n\"avf(auto), step = 0.01\",avf-step=0.01,24,finished",
        "\n\"avf(auto), step = 0.033\",avf-step=0.033,8,finished", "\navf,avf,12,finished",
        "\navf:quadrature=auto,avf-quadrature=auto,12,finished"}) {
    EXPECT_NE(csv.find(row), std::string::npos) << row << "\n" << csv;
  }
  const std::string html = read_text(folder.path() / "out/report.html");
  EXPECT_NE(html.find("24 steps of 0.01 s; 8 steps of 0.033 s over 0.24 s; 12 steps of 0.02 s"),
            std::string::npos);
  for (const char* name : {"avf-step=0.01", "avf-step=0.033", "avf"}) {
    const std::string run = read_text(folder.path() / "out" / name / "run.json");
    EXPECT_NE(run.find("\"t_end\": 0.24,"), std::string::npos) << run.substr(0, 900);
  }
}

TEST(Compare, BadInputIsExitCodeTwoAndTouchesNothing) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const ProcessResult unknown = run(folder, {"compare", "s.toml", "--methods", "avff"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("did you mean 'avf'"), std::string::npos) << unknown.output;
  EXPECT_EQ(run(folder, {"compare", "s.toml", "--methods", "avf,avf"}).code, 2);
  EXPECT_EQ(run(folder, {"compare", "s.toml", "--methods", "hp:alpha"}).code, 2);
  EXPECT_EQ(run(folder, {"compare", "s.toml", "--set", "integrator.stepp=1"}).code, 2);
  EXPECT_EQ(run(folder, {"compare", "nosuchscene"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "results"));
  const ProcessResult refused = run(folder, {"compare", "s.toml", "-o", "."});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.output.find("not the result of a comparison"), std::string::npos);
}

}  // namespace
}  // namespace lilyan::test::compare_test

// Runs that start from a frame of an earlier run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/files/process.hpp"
#include "app/files/series.hpp"
#include "app/files/vtu.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/start.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/step/integrator.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::start_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBar =
    "[integrator]\nstep = 0.004\nsteps = 20\n"
    "[world]\ngravity = [0, -9.81, 0]\n"
    "[[body]]\nmass = 1\nmaterial = { mu = 60, lambda = 40 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [4, 2, 2] }\n"
    "velocity = [1, -4, 0.5]\nangular_velocity = [0, 2, 1]\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";
constexpr const char* kScript =
    "[[body.script]]\nregion = { slab = { axis = \"x\", from = 0, to = 0 } }\n";
constexpr const char* kFloor =
    "[[obstacle]]\nkind = \"plane\"\npoint = [0, -0.6, 0]\nstiffness = 300\nfriction = 0.3\n";
constexpr const char* kSystem =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.05\nsteps = 60\n"
    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n"
    "kinetic = \"a'^2/2 + b'^2\"\npotential = \"a^2 + b^2/2 + (a - b)^4\"\n"
    "[system.position]\na = 1\nb = -0.5\n";

class Starts : public ::testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"run", "-q"});
    return run_process(test::program(), arguments, folder_.path());
  }
  // A run of all steps, and one of those after a frame.
  void run_both(const std::string& scene, int frame, int steps,
                const std::vector<std::string>& settings = {}) const {
    std::vector<std::string> whole = {scene, "-o", "whole", "--overwrite"};
    std::vector<std::string> rest = {scene,     "-o",
                                     "rest",    "--overwrite",
                                     "--from",  "whole:" + std::to_string(frame),
                                     "--steps", std::to_string(steps)};
    for (const std::string& setting : settings) {
      for (auto* arguments : {&whole, &rest}) {
        arguments->insert(arguments->end(), {"--set", setting});
      }
    }
    const ProcessResult first = run(whole);
    ASSERT_EQ(first.code, 0) << first.output;
    const ProcessResult second = run(rest);
    ASSERT_EQ(second.code, 0) << second.output;
  }
  [[nodiscard]] fs::path at(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::string text(const std::string& name) const { return read_text(at(name)); }
  // Positions of a frame, as the run lists it.
  [[nodiscard]] VtuContent frame(const std::string& run, std::size_t number) const {
    return read_vtu(listed_frames(at(run))[number].file);
  }
  // The largest difference between the last states of the two runs.
  [[nodiscard]] double difference() const {
    const VtuContent a = read_vtu(listed_frames(at("whole")).back().file);
    const VtuContent b = read_vtu(listed_frames(at("rest")).back().file);
    double worst = 0;
    for (std::size_t i = 0; i < a.points.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        worst = std::max({worst, std::abs(a.points[i][c] - b.points[i][c]),
                          std::abs(a.velocity[i][c] - b.velocity[i][c])});
      }
    }
    return worst;
  }
  void expect_refused(const std::vector<std::string>& arguments, const std::string& words) const {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_NE(result.output.find(words), std::string::npos) << result.output;
  }

  TempFolder folder_;
};

// Frames are exact, and the step before is among them: what follows is the same to the last bit.
TEST_F(Starts, EveryMethodGoesOnBitForBit) {
  folder_.write("s.toml", kBar);
  int tested = 0;
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    const SceneChanges changes{.settings = {"integrator.method=" + method.name}, .steps = {}};
    if (!scene_faults(at("s.toml"), changes).empty()) continue;
    run_both("s.toml", 12, 8, changes.settings);
    EXPECT_EQ(text("rest/frames/000008.vtu"), text("whole/frames/000020.vtu"));
    ++tested;
  }
  EXPECT_GT(tested, 15);
}

TEST_F(Starts, ScriptsObstaclesAndContactsGoOnWithTheTime) {
  folder_.write("s.toml",
                std::string(kBar) + kScript +
                    "keys = [{ t = 0 }, { t = 0.04, shift = [0, 0.3, 0] }, { t = 0.08, shift = "
                    "[0.2, 0.1, 0] }]\n"
                    "[[obstacle]]\nkind = \"sphere\"\ncenter = [1.5, 0, 0]\nradius = 0.4\n"
                    "stiffness = 300\n"
                    "motion = { keys = [{ t = 0 }, { t = 0.08, shift = [-0.3, 0, 0] }] }\n");
  run_both("s.toml", 7, 13);
  // The times of both runs are sums of other numbers, so scripts are where they were but for rounding.
  EXPECT_LT(difference(), 1e-10);
  const VtuContent start = frame("whole", 0);
  const VtuContent end = frame("rest", 13);
  EXPECT_NEAR(end.points[0][0], start.points[0][0] + 0.2, 1e-12);
  EXPECT_NEAR(end.points[0][1], start.points[0][1] + 0.1, 1e-12);
  EXPECT_EQ(listed_frames(at("rest")).front().t, 7 * 0.004);
  EXPECT_EQ(listed_frames(at("rest")).back().t, 20 * 0.004);
}

TEST_F(Starts, FrictionGoesOn) {
  folder_.write("s.toml", std::string(kBar) + kFloor);
  run_both("s.toml", 12, 8);
  EXPECT_LT(difference(), 1e-9);
}

TEST_F(Starts, SmallSystemsStartFromRowsOfTheTrajectory) {
  folder_.write("s.toml", kSystem);
  run_both("s.toml", 20, 40);
  const NumberTable whole = read_numbers(at("whole/trajectory.csv"));
  const NumberTable rest = read_numbers(at("rest/trajectory.csv"));
  ASSERT_EQ(rest.rows(), 41U);
  EXPECT_EQ(rest.at(0, 1), 20 * 0.05);
  for (std::size_t row = 0; row < rest.rows(); ++row) {
    EXPECT_NEAR(rest.at(row, 1), whole.at(row + 20, 1), 1e-15);
    for (std::size_t c = 2; c < rest.columns.size(); ++c) {
      EXPECT_EQ(rest.at(row, c), whole.at(row + 20, c)) << row << " " << rest.columns[c];
    }
  }
  // Ledger and drift begin anew.
  const NumberTable series = read_numbers(at("rest/series.csv"));
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(series.columns, name) -
                                    series.columns.begin());
  };
  EXPECT_EQ(series.at(0, column("step")), 0);
  EXPECT_EQ(series.at(0, column("ledger_method")), 0);
  const auto json = nlohmann::json::parse(text("rest/run.json"));
  EXPECT_EQ(json["drift"]["energy"]["initial"], series.at(0, column("energy_total")));
}

// Steps of a general Lagrangian carry momenta, which are found again from the velocities that are written.
TEST_F(Starts, LagrangiansAndAllOrbitsGoOnToRounding) {
  folder_.write("s.toml",
                "[integrator]\nmethod = \"gauss\"\nstep = 0.05\nsteps = 60\n"
                "[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n"
                "kinetic = \"a'^2*(2 + cos(b))/2 + b'^2/2 + a'*b'*sin(a)/3\"\n"
                "potential = \"a^2/2 + (a - b)^4\"\n[system.position]\na = 1\nb = -0.5\n"
                "[[system.ensemble]]\nposition = { a = [0.3, 0.5] }\n");
  run_both("s.toml", 30, 30);
  const NumberTable whole = read_numbers(at("whole/orbits.csv"));
  const NumberTable rest = read_numbers(at("rest/orbits.csv"));
  ASSERT_GE(rest.rows(), 3U);
  for (std::size_t k = 1; k <= 3; ++k) {
    for (std::size_t c = 0; c < rest.columns.size(); ++c) {
      EXPECT_NEAR(rest.at(rest.rows() - k, c), whole.at(whole.rows() - k, c), 1e-11)
          << rest.columns[c];
    }
  }
}

TEST_F(Starts, AnythingButTheMeshMayBeOther) {
  folder_.write("s.toml", kBar);
  ASSERT_EQ(run({"s.toml", "-o", "whole"}).code, 0);
  const ProcessResult result =
      run({"s.toml", "-o", "other", "--from", "whole", "--steps", "5", "--set",
           "integrator.method=newmark", "--set", "integrator.step=0.01", "--set",
           "body.0.material.model=neo-hookean", "--set", "world.gravity=[0,0,0]"});
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_EQ(listed_frames(at("other")).front().t, 20 * 0.004);
  EXPECT_EQ(frame("other", 0).points, frame("whole", 20).points);
  EXPECT_EQ(frame("other", 0).velocity, frame("whole", 20).velocity);
}

TEST_F(Starts, TheResultsSayWhereARunCameFromAndCanBeRunAgainAndMadeLonger) {
  folder_.write("s.toml", kBar);
  run_both("s.toml", 12, 4);
  const auto json = nlohmann::json::parse(text("rest/run.json"));
  EXPECT_EQ(json["start"]["run"], fs::canonical(at("whole")).string());
  EXPECT_EQ(json["start"]["frame"], 12);
  EXPECT_EQ(json["start"]["t"], 12 * 0.004);
  const Scene resolved = load_scene(at("rest/scene.resolved.toml"));
  ASSERT_TRUE(resolved.start);
  EXPECT_EQ(resolved.start->frame, 12);
  EXPECT_EQ(resolved.initial.t, 12 * 0.004);
  EXPECT_EQ(resolved.resolved, text("rest/scene.resolved.toml"));
  ASSERT_EQ(run({"--resume", "rest", "--steps", "8"}).code, 0);
  EXPECT_EQ(text("rest/frames/000008.vtu"), text("whole/frames/000020.vtu"));
  // The last frame is meant without a number, and which one that was is written down.
  ASSERT_EQ(run({"s.toml", "-o", "last", "--from", "whole", "--steps", "1"}).code, 0);
  EXPECT_NE(text("last/scene.resolved.toml").find("frame = 20"), std::string::npos);
}

// A run is shown by what is in its folder.
TEST_F(Starts, TheRunItStartedFromMayBeGone) {
  folder_.write("s.toml", kBar);
  run_both("s.toml", 12, 4);
  fs::rename(at("whole"), at("gone"));
  const auto show = [&](const std::string& command, const std::string& run) {
    return run_process(test::program(), {command, run, "-o", "shown.png"}, folder_.path());
  };
  EXPECT_EQ(show("picture", "rest").code, 0);
  ASSERT_EQ(run({"pendulum", "--steps", "5", "-o", "first"}).code, 0);
  ASSERT_EQ(run({"pendulum", "--steps", "5", "-o", "second", "--from", "first:3"}).code, 0);
  fs::remove_all(at("first"));
  fs::remove_all(at("shown.png"));
  const ProcessResult film = show("film", "second");
  EXPECT_EQ(film.code, 0) << film.output;
  expect_refused({"--resume", "second", "--steps", "9"}, "there is no folder");
}

TEST_F(Starts, AScenesOwnKeyNamesARun) {
  folder_.write("s.toml", kBar);
  ASSERT_EQ(run({"s.toml", "-o", "whole"}).code, 0);
  folder_.write("from.toml", "[start]\nrun = \"whole\"\nframe = 3\n" + std::string(kBar));
  EXPECT_EQ(load_scene(at("from.toml")).initial.t, 3 * 0.004);
  // --from takes its place.
  const SceneChanges changes{.settings = {}, .steps = {}, .start = at("whole").string() + ":5"};
  EXPECT_EQ(load_scene(at("from.toml"), changes).initial.t, 5 * 0.004);
  // Settings that are not trusted name no files.
  const SceneChanges page{.settings = {"start.run=whole"}, .without_files = {"start.run=whole"}};
  EXPECT_THROW((void)load_scene(at("s.toml"), page), InputError);
}

TEST_F(Starts, SinglePrecisionIsSaid) {
  folder_.write("s.toml", kBar);
  ASSERT_EQ(run({"s.toml", "-o", "whole", "--set", "output.precision=float32"}).code, 0);
  const SceneChanges changes{.settings = {}, .steps = {}, .start = at("whole").string() + ":5"};
  const Scene scene = load_scene(at("s.toml"), changes);
  ASSERT_EQ(scene.remarks.size(), 1U);
  EXPECT_NE(scene.remarks[0].find("single precision"), std::string::npos);
}

TEST_F(Starts, FramesThatAreNotThereAreRefused) {
  folder_.write("s.toml", kBar);
  folder_.write("p.toml", kSystem);
  ASSERT_EQ(run({"s.toml", "-o", "bodies"}).code, 0);
  ASSERT_EQ(run({"p.toml", "-o", "system"}).code, 0);
  fs::create_directories(at("empty"));
  expect_refused({"s.toml", "--from", "nothing:3"}, "--from nothing:3: there is no folder");
  expect_refused({"s.toml", "--from", "empty"}, "there is no run.pvd in it");
  expect_refused({"p.toml", "--from", "empty"}, "there is no trajectory.csv in it");
  expect_refused({"s.toml", "--from", "bodies:21"}, "the run has 21, counted from 0 to 20");
  expect_refused({"p.toml", "--from", "system:61"}, "the run has 61, counted from 0 to 60");
  expect_refused({"s.toml", "--from", "bodies:last"}, "'last' is no such number");
  expect_refused({"s.toml", "--from", "bodies:-1"}, "'-1' is no such number");
  expect_refused({"s.toml", "--from", "system"}, "this is the run of a small system");
  expect_refused({"p.toml", "--from", "bodies"}, "this is a run of bodies");
  expect_refused({"s.toml", "--from", "bodies", "-o", "bodies", "--overwrite"},
                 "holds the run that this one starts from");
  // A folder may have a colon in its name.
  fs::rename(at("bodies"), at("a:7"));
  EXPECT_EQ(run({"s.toml", "--from", "a:7", "--steps", "1", "-o", "out"}).code, 0);
  EXPECT_EQ(run({"s.toml", "--from", "a:7:3", "--steps", "1", "-o", "out2"}).code, 0);
}

TEST_F(Starts, OtherMeshesAndCoordinatesAreRefusedWithBothCounts) {
  folder_.write("s.toml", kBar);
  folder_.write("p.toml", kSystem);
  ASSERT_EQ(run({"s.toml", "-o", "bodies"}).code, 0);
  ASSERT_EQ(run({"p.toml", "-o", "system"}).code, 0);
  expect_refused({"s.toml", "--from", "bodies", "--set", "body.0.shape.cells=[4,2,1]"},
                 "has 45 vertices, but the scene has 30");
  expect_refused({"s.toml", "--from", "bodies", "--set", "body.0.shape.cells=[2,4,2]"},
                 "has the 45 vertices of the scene, but its elements connect others");
  expect_refused({"pendulum", "--from", "system"},
                 "this run has 2 coordinates and the scene has 1");
  expect_refused({"p.toml", "--from", "system", "--set", "system.coordinates=[\"b\",\"a\"]"},
                 "its columns are");
}

TEST_F(Starts, FramesThatWereChangedAreRefused) {
  folder_.write("s.toml", kBar);
  folder_.write("p.toml", kSystem);
  ASSERT_EQ(run({"s.toml", "-o", "bodies"}).code, 0);
  ASSERT_EQ(run({"p.toml", "-o", "system"}).code, 0);
  std::string frame = text("bodies/frames/000020.vtu");
  folder_.write("bodies/frames/000020.vtu", frame.substr(0, frame.size() / 2));
  EXPECT_EQ(run({"s.toml", "--from", "bodies"}).code, 2);
  fs::remove(at("bodies/frames/000019.vtu"));
  EXPECT_EQ(run({"s.toml", "--from", "bodies:19"}).code, 2);
  folder_.write("system/trajectory.csv", "step,t,a,b,v_a,v_b\n0,0,1,nan,0,0\n");
  expect_refused({"p.toml", "--from", "system"}, "not finite");
  folder_.write("system/trajectory.csv", "step,t,a,b,v_a,v_b\n");
  expect_refused({"p.toml", "--from", "system"}, "it has no rows");
}

TEST_F(Starts, AScriptThatHasVerticesElsewhereIsRefused) {
  folder_.write("s.toml", kBar);
  ASSERT_EQ(run({"s.toml", "-o", "free"}).code, 0);
  folder_.write("scripted.toml", std::string(kBar) + kScript + "keys = [{ t = 0 }, { t = 1 }]\n");
  expect_refused({"scripted.toml", "--from", "free"}, "a script has vertex 0 at");
}

// ---- The end of a run -------------------------------------------------------------------------------------------

TEST_F(Starts, EqualStepsThatDoNotDivideTheDurationEndWithTwoShorterOnes) {
  folder_.write("s.toml", kSystem);
  ASSERT_EQ(run({"s.toml", "-o", "out", "--set", "integrator.step=0.03"}).code, 0);
  const SceneChanges changes{.settings = {"integrator.step=0.03"}, .steps = {}, .duration = 0.1};
  const Scene scene = load_scene(at("s.toml"), changes);
  EXPECT_EQ(scene.settings.steps, 4);
  EXPECT_EQ(scene.settings.duration, 0.1);
  folder_.write("cut.toml", scene.resolved);
  ASSERT_EQ(run({"cut.toml", "-o", "cut"}).code, 0);
  const NumberTable rows = read_numbers(at("cut/trajectory.csv"));
  ASSERT_EQ(rows.rows(), 5U);
  EXPECT_EQ(rows.at(2, 1), 2 * 0.03);
  EXPECT_NEAR(rows.at(3, 1), 0.08, 1e-15);
  EXPECT_EQ(rows.at(4, 1), 0.1);
  const ProcessResult longer = run({"--resume", "cut", "--steps", "9"});
  EXPECT_EQ(longer.code, 2);
  EXPECT_NE(longer.output.find("were shortened to end at its duration"), std::string::npos);
}

}  // namespace
}  // namespace lilyan::test::start_test

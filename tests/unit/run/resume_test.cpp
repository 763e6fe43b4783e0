// Runs that go on from a checkpoint, bit for bit as if they had never been interrupted.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/files/process.hpp"
#include "app/report/folder/result_folder.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/parallel/threads.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::resume_test {
namespace {

namespace fs = std::filesystem;

// A scene and its run.
struct LoadedRun {
  explicit LoadedRun(Scene s)
      : scene(std::move(s)),
        drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial)),
        run(scene, drift, &stop) {}
  Scene scene;
  DriftTracker drift;
  std::atomic<bool> stop = false;
  SceneRun run;

  std::string save() {
    std::string bytes;
    Archive a(&bytes);
    a(run);
    return bytes;
  }
  void load(const std::string& bytes) {
    Archive a{std::string_view(bytes)};
    a(run);
    a.require_end();
  }
  void steps(int count) {
    for (int k = 0; k < count && !run.done(); ++k) {
      if (!run.step()) break;
    }
  }
};

// Compares a run with one that goes on from its middle.
void expect_resumes(const fs::path& file, const std::vector<std::string>& settings, int before,
                    int after) {
  const SceneChanges changes{.settings = settings, .steps = {}};
  LoadedRun whole(load_scene(file, changes));
  whole.steps(before);
  ASSERT_TRUE(whole.run.summary().message.empty()) << whole.run.summary().message;
  const std::string middle = whole.save();
  whole.steps(after);
  LoadedRun resumed(load_scene(file, changes));
  resumed.load(middle);
  EXPECT_EQ(resumed.save(), middle);
  resumed.steps(after);
  const RunSummary& a = whole.run.summary();
  const RunSummary& b = resumed.run.summary();
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(whole.run.state().x, resumed.run.state().x);
  EXPECT_EQ(whole.run.state().v, resumed.run.state().v);
  EXPECT_EQ(a.digest.value(), b.digest.value());
  EXPECT_EQ(a.solver_work.iterations, b.solver_work.iterations);
  EXPECT_EQ(a.solver_work.evaluations, b.solver_work.evaluations);
  EXPECT_EQ(a.ledger.total(), b.ledger.total());
  EXPECT_EQ(a.invariants.total, b.invariants.total);
  EXPECT_EQ(a.most_points, b.most_points);
  EXPECT_EQ(whole.drift.energy().worst, resumed.drift.energy().worst);
  EXPECT_EQ(whole.drift.angular_momentum().worst, resumed.drift.angular_momentum().worst);
  EXPECT_EQ(a.passages.longest_step, b.passages.longest_step);
  EXPECT_EQ(a.contact.now, b.contact.now);
  EXPECT_EQ(a.contact.deepest, b.contact.deepest);
  EXPECT_EQ(a.contact.deepest_share, b.contact.deepest_share);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    EXPECT_EQ(a.bodies[k].now, b.bodies[k].now);
    EXPECT_EQ(a.bodies[k].angular.worst, b.bodies[k].angular.worst);
    EXPECT_EQ(a.bodies[k].steps_apart, b.bodies[k].steps_apart);
  }
}

std::vector<std::string> shipped_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(source_folder() / "scenes")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class ShippedScene : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedScene, GoesOnAsIfItHadNotBeenInterrupted) {
  expect_resumes(source_folder() / "scenes" / (GetParam() + ".toml"), {}, 3, 3);
}

std::string name_of(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Resume, ShippedScene, ::testing::ValuesIn(shipped_scenes()), name_of);

constexpr const char* kBlock =
    "[integrator]\nstep = 0.004\nsteps = 40\n"
    "[world]\ngravity = [0, -9.81, 0]\n"
    "[[body]]\nmass = 1\nmaterial = { mu = 60, lambda = 40 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [4, 2, 2] }\n"
    "velocity = [1, -4, 0.5]\nangular_velocity = [0, 2, 1]\n"
    "deform = [{ kind = \"stretch\", factors = [1.6, 1, 1] }]\n";
constexpr const char* kFloor =
    "[[obstacle]]\nkind = \"plane\"\npoint = [0, -0.52, 0]\nstiffness = 300\n";
constexpr const char* kTwoAngles =
    "[integrator]\nstep = 0.05\nsteps = 60\n"
    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n"
    "kinetic = \"a'^2*(2 + cos(b))/2 + b'^2/2 + a'*b'*sin(a)/3\"\n"
    "potential = \"a^2/2 + (a - b)^4\"\n[system.position]\na = 1\nb = -0.5\n";
constexpr const char* kOscillator =
    "[integrator]\nstep = 0.1\nsteps = 60\n"
    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n"
    "kinetic = \"a'^2/2 + b'^2\"\npotential = \"a^2 + b^2/2 + (a - b)^4\"\n"
    "[system.position]\na = 1\nb = -0.5\n"
    "[[system.event]]\nname = \"zero\"\nzero = \"a\"\n";

class EveryMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, GoesOnAsIfItHadNotBeenInterrupted) {
  const TempFolder folder;
  int supported = 0;
  for (const auto& [name, text, settings] :
       std::vector<std::tuple<std::string, std::string, std::vector<std::string>>>{
           {"body", kBlock, {}},
           {"floor", std::string(kBlock) + kFloor + "friction = 0.4\n", {}},
           {"springs", std::string(kBlock) + kFloor + "model = \"repulsion-springs\"\n", {}},
           {"held", std::string(kBlock) + "[[constraint]]\nkind = \"point\"\nvertices = [0]\n", {}},
           {"general", kTwoAngles, {}},
           {"oscillator", kOscillator, {"output.interval=0.13"}},
           {"error control",
            kOscillator,
            {"step_control.kind=error", "step_control.tolerance=1e-3", "integrator.duration=6"}},
           {"reversible",
            kOscillator,
            {"step_control.kind=reversible", "step_control.max_step=0.2",
             "integrator.duration=6"}}}) {
    SCOPED_TRACE(name);
    std::vector<std::string> all = settings;
    all.push_back("integrator.method=" + GetParam());
    std::string scene = text;
    if (name == "error control" || name == "reversible") {
      scene.erase(scene.find("steps = 60\n"), std::string("steps = 60\n").size());
    }
    const fs::path file = folder.write("s.toml", scene);
    try {
      (void)load_scene(file, {.settings = all, .steps = {}});
    } catch (const Error&) {
      continue;  // the method is not for this
    }
    ++supported;
    expect_resumes(file, all, 9, 12);
  }
  EXPECT_GE(supported, 3);
}

INSTANTIATE_TEST_SUITE_P(Resume, EveryMethod, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Method& m : methods()) names.push_back(m.name);
                           return names;
                         }()),
                         name_of);

TEST(Resume, AdaptiveQuadratureAndChosenSolvers) {
  const TempFolder folder;
  const fs::path bar = folder.write(
      "s.toml",
      "[integrator]\nmethod = \"avf\"\nquadrature = \"auto\"\nstep = 0.05\nsteps = 40\n"
      "[[body]]\nmass = 1\nmaterial = { model = \"neo-hookean\", mu = 60, lambda = 40 }\n"
      "shape = { kind = \"bar\", size = [4, 1, 1], cells = [12, 3, 3] }\n"
      "deform = [{ kind = \"stretch\", factors = [2.2, 0.8, 0.8] }]\n");
  expect_resumes(bar, {}, 7, 9);
  expect_resumes(bar, {"solver.linear=pcg"}, 5, 6);
  expect_resumes(bar, {"solver.linear=cholesky"}, 5, 6);
  // So slender that conjugate gradients give up, and are tried again after a while.
  const fs::path slender = folder.write(
      "slender.toml",
      "[integrator]\nmethod = \"avf\"\nstep = 0.05\nsteps = 40\n"
      "[[body]]\nmass = 1\nmaterial = { mu = 1e7, lambda = 1e7 }\n"
      "shape = { kind = \"bar\", size = [100, 1, 1], cells = [300, 1, 1] }\n"
      "deform = [{ kind = \"stretch\", factors = [1.01, 1, 1] }, { kind = \"twist\", axis = \"x\", "
      "angle = 90 }]\n");
  for (int before = 1; before < 5; ++before) expect_resumes(slender, {}, before, 3);
}

// The block has bounced off the floor, and is away from it, when the run is interrupted.
TEST(Resume, WhatWasSeenBeforeCounts) {
  const TempFolder folder;
  const fs::path file = folder.write("s.toml", std::string(kBlock) + kFloor);
  expect_resumes(file, {"obstacle.0.stiffness=3000", "body.0.velocity=[0, -4, 0]"}, 20, 20);
}

TEST(Resume, WhateverTheThreads) {
  const fs::path bunny = source_folder() / "scenes" / "bunny.toml";
  set_threads(1);
  LoadedRun one(load_scene(bunny));
  one.steps(2);
  const std::string middle = one.save();
  one.steps(3);
  set_threads(2);
  LoadedRun two(load_scene(bunny));
  two.load(middle);
  two.steps(3);
  EXPECT_EQ(one.run.summary().digest.value(), two.run.summary().digest.value());
  set_threads(0);
}

// A step that is given up leaves nothing behind.
TEST(Resume, AfterAStepThatWasGivenUp) {
  const TempFolder folder;
  const fs::path file = folder.write(
      "s.toml",
      "[integrator]\nmethod = \"avf\"\nquadrature = \"auto\"\nstep = 0.1\nsteps = 40\n"
      "[[body]]\nmass = 1\nmaterial = { model = \"neo-hookean\", mu = 60, lambda = 40 }\n"
      "shape = { kind = \"bar\", size = [4, 1, 1], cells = [12, 3, 3] }\n"
      "deform = [{ kind = \"stretch\", factors = [2.2, 0.8, 0.8] }]\n");
  LoadedRun whole(load_scene(file));
  whole.steps(4);
  LoadedRun stopped(load_scene(file));
  stopped.steps(4);
  const std::string before = stopped.save();
  // At different places within the step.
  for (int k = 1; k <= 5 && stopped.run.summary().end != RunEnd::interrupted; ++k) {
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(500 * k));
      stopped.stop = true;
    });
    stopped.stop = k == 5;
    const bool done = stopped.run.step().has_value();
    later.join();
    if (done) whole.steps(1);
    if (done) continue;
    LoadedRun resumed(load_scene(file));
    resumed.load(stopped.save());
    resumed.steps(3);
    whole.steps(3);
    EXPECT_EQ(whole.run.summary().digest.value(), resumed.run.summary().digest.value());
  }
  EXPECT_EQ(stopped.run.summary().end, RunEnd::interrupted);
}

// The program, as a user has it.

struct Program {
  const TempFolder folder;
  int code = 0;
  std::string output;
  void run(const std::vector<std::string>& arguments) {
    const ProcessResult result = run_process(program(), arguments, folder.path());
    code = result.code;
    output = result.output;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return read_text(folder.path() / name);
  }
  [[nodiscard]] nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(read(name + "/run.json"));
  }
  void expect_same(const std::string& a, const std::string& b) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder.path() / a)) {
      const fs::path name = fs::relative(entry.path(), folder.path() / a);
      const std::string ending = name.extension().string();
      // These hold times that were measured.
      if (ending == ".json" || ending == ".html" || ending == ".bin" || entry.is_directory())
        continue;
      EXPECT_EQ(read_text(entry.path()), read_text(folder.path() / b / name)) << name;
    }
    EXPECT_EQ(json(a)["digest"], json(b)["digest"]);
    EXPECT_EQ(json(a)["drift"], json(b)["drift"]);
    EXPECT_EQ(json(a)["ledger"], json(b)["ledger"]);
    const auto count = [&](const std::string& c) {
      return std::distance(fs::recursive_directory_iterator(folder.path() / c), {});
    };
    // One has checkpoints that the other has not.
    EXPECT_LE(std::abs(count(a) - count(b)), 1);
  }
};

TEST(ResumeProgram, LengthensARunWithAllItsFiles) {
  Program p;
  p.folder.write("s.toml", std::string(kBlock) + kFloor +
                               "friction = 0.3\n[output]\nevery = 4\n"
                               "series_every = 3\nformats = [\"vtu\", \"ply\", \"obj\"]\n");
  p.run({"run", "s.toml", "--steps", "22", "-o", "whole", "-q"});
  ASSERT_EQ(p.code, 0) << p.output;
  p.run({"run", "s.toml", "--steps", "9", "-o", "cut", "-q"});
  p.run({"run", "--resume", "cut", "--steps", "15", "-q"});
  ASSERT_EQ(p.code, 0) << p.output;
  EXPECT_EQ(p.json("cut")["steps_done"], 15);
  p.run({"run", "--resume", "cut", "--steps", "22", "-q"});
  ASSERT_EQ(p.code, 0) << p.output;
  p.expect_same("whole", "cut");
  p.run({"run", "--resume", "cut", "--steps", "3"});
  EXPECT_EQ(p.code, 2);
  EXPECT_NE(p.output.find("has made 22 steps already"), std::string::npos) << p.output;
}

TEST(ResumeProgram, SmallSystemsWithEventsAndPictures) {
  Program p;
  p.folder.write("s.toml",
                 std::string(kOscillator) +
                     "section = [\"b\", \"b'\"]\n[system.invariants]\nz = \"a\"\nm = \"b\"\n"
                     "[output]\ninterval = 0.23\n");
  p.run({"run", "s.toml", "--steps", "50", "-o", "whole", "-q", "--set", "integrator.method=avf"});
  ASSERT_EQ(p.code, 0) << p.output;
  p.run({"run", "s.toml", "--steps", "21", "-o", "cut", "-q", "--set", "integrator.method=avf"});
  p.run({"run", "--resume", "cut", "--steps", "50", "-q"});
  ASSERT_EQ(p.code, 0) << p.output;
  p.expect_same("whole", "cut");
  EXPECT_EQ(p.json("whole")["events"], p.json("cut")["events"]);
}

pid_t start(const Program& p, const std::vector<std::string>& arguments) {
  const pid_t child = fork();
  if (child != 0) return child;
  std::vector<const char*> words = {"lilyan"};
  const std::string path = program().string();
  for (const std::string& a : arguments) words.push_back(a.c_str());
  words.push_back(nullptr);
  if (chdir(p.folder.path().c_str()) != 0) _exit(9);
  if (!freopen("log", "a", stdout) || !freopen("log", "a", stderr)) _exit(9);
  execv(path.c_str(), const_cast<char**>(words.data()));
  _exit(9);
}

bool wait_for(const std::function<bool()>& condition) {
  for (int k = 0; k < 3000; ++k) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

constexpr const char* kLong =
    "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 300\n"
    "[[body]]\nmass = 1\nmaterial = { mu = 60, lambda = 40 }\n"
    "shape = { kind = \"bar\", size = [4, 1, 1], cells = [12, 3, 3] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.6, 1, 1] }]\n"
    "[output]\nevery = 7\nseries_every = 2\n";

TEST(ResumeProgram, AfterSignalsOfEveryKind) {
  Program p;
  p.folder.write("s.toml", kLong);
  p.run({"run", "s.toml", "-o", "whole", "-q", "--set", "output.formats=[\"vtu\", \"glb\"]"});
  ASSERT_EQ(p.code, 0) << p.output;
  const std::vector<std::string> arguments = {"run",
                                              "s.toml",
                                              "-o",
                                              "cut",
                                              "-q",
                                              "--set",
                                              "output.formats=[\"vtu\", \"glb\"]",
                                              "--set",
                                              "output.checkpoint_every=20"};
  pid_t child = start(p, arguments);
  std::string last = "none";
  for (const int signal : {SIGKILL, SIGINT, SIGHUP, SIGTERM, SIGKILL}) {
    // Until it has come some way.
    ASSERT_TRUE(wait_for([&] {
      const std::string now = p.read("cut/checkpoint.bin");
      return !now.empty() && now != last;
    }));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    // It may just have come to its end.
    if (signal == SIGKILL) {
      EXPECT_EQ(p.json("cut")["status"], WIFSIGNALED(status) ? "running" : "finished");
    } else if (WEXITSTATUS(status) != 0) {
      EXPECT_EQ(WEXITSTATUS(status), 3);
      EXPECT_EQ(p.json("cut")["status"], "interrupted");
      EXPECT_NE(p.read("log").find("run --resume cut goes on from there"), std::string::npos);
    }
    last = p.read("cut/checkpoint.bin");
    child = start(p, {"run", "--resume", "cut", "-q"});
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << p.read("log");
  EXPECT_FALSE(fs::exists(p.folder.path() / "cut/run.frames.tmp"));
  for (const char* file : {"series.csv", "run.pvd", "run.glb"}) {
    EXPECT_EQ(p.read(std::string("whole/") + file), p.read(std::string("cut/") + file)) << file;
  }
  EXPECT_EQ(p.json("whole")["digest"], p.json("cut")["digest"]);
}

TEST(ResumeProgram, BadCheckpointsAreRefusedAndTheOneBeforeIsUsed) {
  Program p;
  p.folder.write("s.toml", std::string(kBlock) + "[output]\ncheckpoint_every = 4\n");
  p.run({"run", "s.toml", "--steps", "20", "-o", "whole", "-q"});
  p.run({"run", "s.toml", "--steps", "14", "-o", "cut", "-q"});
  const fs::path newest = p.folder.path() / "cut/checkpoint.bin";
  const std::string good = read_text(newest);
  // Torn by a crash of the machine.
  p.folder.write("cut/checkpoint.bin", good.substr(0, good.size() / 2));
  p.run({"run", "--resume", "cut", "--steps", "20"});
  EXPECT_EQ(p.code, 0) << p.output;
  EXPECT_NE(p.output.find("checkpoint.bin: the file is cut short; going on from step 12"),
            std::string::npos)
      << p.output;
  EXPECT_EQ(p.read("whole/series.csv"), p.read("cut/series.csv"));
  EXPECT_EQ(p.json("whole")["digest"], p.json("cut")["digest"]);

  fs::remove(p.folder.path() / "cut/checkpoint.previous.bin");
  const auto expect_refused = [&](const std::string& bytes, const std::string& reason) {
    p.folder.write("cut/checkpoint.bin", bytes);
    const std::string series = p.read("cut/series.csv");
    p.run({"run", "--resume", "cut", "--steps", "30"});
    EXPECT_EQ(p.code, 2) << p.output;
    EXPECT_NE(p.output.find(reason), std::string::npos) << p.output;
    EXPECT_EQ(p.read("cut/series.csv"), series);
  };
  std::string other = good;
  other.replace(other.find("written by 0"), 12, "written by 7");
  expect_refused(other, "only the same build can go on from it");
  expect_refused("something else", "this is no checkpoint");
  std::string bit = good;
  bit[bit.size() - 7] ^= 4;
  expect_refused(bit, "the file is damaged");
  // One of another scene.
  p.run({"run", "s.toml", "--steps", "5", "-o", "third", "-q", "--set", "body.0.mass=2"});
  expect_refused(p.read("third/checkpoint.bin"), "this is not the scene");
  fs::remove(newest);
  p.run({"run", "--resume", "cut"});
  EXPECT_EQ(p.code, 2);
  EXPECT_NE(p.output.find("there is no checkpoint in it"), std::string::npos) << p.output;
  p.run({"run"});
  EXPECT_EQ(p.code, 2);
}

// A run that is killed before it was saved has nothing to go on from: it is refused, and nothing in its folder is touched,
// however it is asked to go on. The command that the message names makes the run.
TEST(ResumeProgram, ARunKilledBeforeItsFirstCheckpointIsRefused) {
  Program p;
  const std::string scene = std::string(kBlock) + "[output]\ncheckpoint_every = 0\n";
  p.folder.write("s.toml", scene);
  p.run({"run", "s.toml", "--steps", "12", "-o", "whole", "-q", "--set", "body.0.mass=3"});
  ASSERT_EQ(p.code, 0) << p.output;
  const auto killed = [&](const std::string& name, const std::string& status, int ranks) {
    fs::copy(p.folder.path() / "whole", p.folder.path() / name, fs::copy_options::recursive);
    fs::remove(p.folder.path() / name / "checkpoint.bin");
    nlohmann::json json = p.json(name);
    json["status"] = status;
    if (ranks > 1) json["solver"]["ranks"] = ranks;
    p.folder.write(name + "/run.json", json.dump());
    p.folder.write(name + "/series.csv", "step,t\n0,0\n");
  };
  killed("cut", "running", 1);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--steps", "15"}}) {
    std::vector<std::string> words = {"run", "--resume", "cut"};
    words.insert(words.end(), more.begin(), more.end());
    p.run(words);
    EXPECT_EQ(p.code, 2) << p.output;
    EXPECT_NE(p.output.find("was killed before its first checkpoint"), std::string::npos)
        << p.output;
    EXPECT_NE(p.output.find("./lilyan run cut/scene.resolved.toml -o cut --overwrite\n"),
              std::string::npos)
        << p.output;
    EXPECT_EQ(p.read("cut/series.csv"), "step,t\n0,0\n");
    EXPECT_EQ(p.json("cut")["status"], "running");
  }
  p.run({"run", "cut/scene.resolved.toml", "-o", "cut", "--overwrite", "-q"});
  EXPECT_EQ(p.code, 0) << p.output;
  p.expect_same("whole", "cut");
  // One of several processes is made by several again.
  killed("shared", "running", 3);
  p.run({"run", "--resume", "shared"});
  EXPECT_EQ(p.code, 2);
  EXPECT_NE(p.output.find("--overwrite --ranks 3\n"), std::string::npos) << p.output;
  // One that failed would fail again.
  killed("failed", "failed", 1);
  p.run({"run", "--resume", "failed"});
  EXPECT_EQ(p.code, 2);
  EXPECT_NE(p.output.find("lilyan run failed/scene.resolved.toml"), std::string::npos) << p.output;
}

TEST(ResumeProgram, AMeshThatWasChangedIsRefused) {
  Program p;
  const auto write_mesh = [&](const std::string& corner) {
    p.folder.write("m.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n" +
                                 corner + " 0\n0 1 0 0\n0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n");
  };
  write_mesh("1 0 0");
  p.folder.write("s.toml",
                 "[integrator]\nmethod = \"avf\"\nstep = 0.01\nsteps = 20\n[[body]]\nmass = 1\n"
                 "mesh = \"m.mesh\"\nmaterial = { mu = 60, lambda = 40 }\n");
  p.run({"run", "s.toml", "--steps", "5", "-o", "cut", "-q"});
  ASSERT_EQ(p.code, 0) << p.output;
  write_mesh("1.5 0 0");
  p.run({"run", "--resume", "cut", "--steps", "20"});
  EXPECT_EQ(p.code, 2) << p.output;
  EXPECT_NE(p.output.find("starts from another state now"), std::string::npos) << p.output;
  write_mesh("1 0 0");
  p.run({"run", "--resume", "cut", "--steps", "20"});
  EXPECT_EQ(p.code, 0) << p.output;
}

// Whatever the bytes: an Error, or all of the state.
TEST(Resume, DamagedBytesNeverLoad) {
  const TempFolder folder;
  LoadedRun run(load_scene(folder.write("s.toml", kOscillator)));
  run.steps(3);
  const std::string content = run.save();
  for (std::size_t cut = 0; cut < content.size(); cut += 3) {
    LoadedRun other(load_scene(folder.write("s.toml", kOscillator)));
    EXPECT_THROW(other.load(content.substr(0, cut)), Error) << cut;
  }
  const std::string file = checkpoint_bytes(content);
  for (std::size_t cut = 0; cut < file.size(); ++cut) {
    EXPECT_THROW((void)parse_checkpoint(std::string_view(file).substr(0, cut)), Error) << cut;
  }
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] ^= 16;
    EXPECT_THROW((void)parse_checkpoint(changed), Error) << at;
  }
}

TEST(ResumeProgram, OneWriterPerFolder) {
  Program p;
  p.folder.write("s.toml", kLong);
  const pid_t child = start(p, {"run", "s.toml", "-o", "r", "-q", "--steps", "100000"});
  ASSERT_TRUE(wait_for([&] { return fs::exists(p.folder.path() / "r/run.json"); }));
  EXPECT_EQ(p.json("r")["status"], "running");
  p.run({"run", "s.toml", "-o", "r", "-q"});
  EXPECT_EQ(p.code, 2);
  EXPECT_NE(p.output.find("another run is writing into r"), std::string::npos) << p.output;
  p.run({"run", "--resume", "r", "-q"});
  EXPECT_EQ(p.code, 2);
  kill(child, SIGKILL);  // the lock goes with it
  waitpid(child, nullptr, 0);
  p.run({"run", "s.toml", "-o", "r", "-q", "--steps", "3", "--overwrite"});
  EXPECT_EQ(p.code, 0) << p.output;
}

TEST(ResumeProgram, EarlierResultsStayUntilTheFirstStep) {
  Program p;
  p.folder.write("s.toml", kOscillator);
  p.run({"run", "s.toml", "-o", "r", "-q"});
  const std::string series = p.read("r/series.csv");
  // It starts where its energy has none.
  p.run({"run", "s.toml", "-o", "r", "-q", "--overwrite", "--set",
         "system.potential=sqrt(a - 0.999999) + b^2", "--set", "integrator.method=avf", "--set",
         "integrator.step=3"});
  EXPECT_EQ(p.code, 3) << p.output;
  EXPECT_NE(p.output.find("the results of an earlier run in r were left as they are"),
            std::string::npos)
      << p.output;
  EXPECT_EQ(p.read("r/series.csv"), series);
  EXPECT_EQ(p.json("r")["status"], "finished");
}

TEST(ResumeProgram, ManyStepsAreThinnedUnlessAskedFor) {
  Program p;
  p.folder.write("s.toml", kOscillator);
  p.run({"run", "s.toml", "-o", "r", "--steps", "250000"});
  ASSERT_EQ(p.code, 0) << p.output;
  EXPECT_NE(p.output.find("series.csv gets a row every 3 steps"), std::string::npos) << p.output;
  EXPECT_LT(fs::file_size(p.folder.path() / "r/series.csv"), 30'000'000U);
  EXPECT_LT(fs::file_size(p.folder.path() / "r/trajectory.csv"), 10'000'000U);
}

}  // namespace
}  // namespace lilyan::test::resume_test

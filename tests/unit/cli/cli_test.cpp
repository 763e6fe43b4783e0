// The program as a user meets it: exit codes, messages, files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "lilyan/material/material.hpp"
#include "lilyan/method/method.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::cli_test {
namespace {

struct Output {
  int code;
  std::string text;  // standard output and error together
};

Output run(const TempFolder& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.path().string() + "' && '" +
                              test::program().string() + "' " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  Output output;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.text.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

constexpr const char* kScene =
    "[integrator]\nstep = 0.02\nsteps = 20\n[[body]]\nmass = 1\nmaterial = { mu = 30, lambda = 20 "
    "}\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

TEST(Cli, RunWritesResultsAndSaysWhatWasConserved) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const Output output = run(folder, "run s.toml");
  EXPECT_EQ(output.code, 0) << output.text;
  EXPECT_NE(output.text.find("100%"), std::string::npos);
  EXPECT_NE(output.text.find("results in results/s-avf"), std::string::npos);
  EXPECT_NE(output.text.find("energy conserved, |ΔE|/E₀ ≤"), std::string::npos);
  for (const char* file : {"scene.resolved.toml", "run.json", "series.csv", "run.pvd"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "results/s-avf" / file)) << file;
  }
}

TEST(Cli, QuietPrintsOnlyTheSummary) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const Output output = run(folder, "run s.toml --quiet -o out --steps 2");
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.text.find("100%"), std::string::npos);
  EXPECT_NE(output.text.find("2 of 2 steps"), std::string::npos);
}

TEST(Cli, BadInputIsExitCodeTwoAndTouchesNothing) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  ASSERT_EQ(run(folder, "run s.toml -q -o out").code, 0);
  const std::string before = read_text(folder.path() / "out/series.csv");
  const Output output = run(folder, "run s.toml -q -o out --set integrator.stepp=1");
  EXPECT_EQ(output.code, 2);
  EXPECT_EQ(output.text,
            "error: --set integrator.stepp=1: unknown key 'integrator.stepp'; did you mean "
            "'step'?\n");
  EXPECT_EQ(read_text(folder.path() / "out/series.csv"), before);
  EXPECT_EQ(run(folder, "run nosuchscene").code, 2);
  EXPECT_EQ(run(folder, "run s.toml --nonsense").code, 2);
  EXPECT_EQ(run(folder, "frobnicate").code, 2);
  EXPECT_EQ(run(folder, "").code, 2);
}

TEST(Cli, FailedRunIsExitCodeThreeWithEverythingWritten) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const Output output = run(
      folder, "run s.toml -q -o out --set solver.max_iterations=1 --set solver.on_failure=stop");
  EXPECT_EQ(output.code, 3);
  EXPECT_NE(output.text.find("did not converge within the iteration limit"), std::string::npos)
      << output.text;
  EXPECT_NE(read_text(folder.path() / "out/run.json").find("failed"), std::string::npos);
}

TEST(Cli, FindsShippedScenesByNameFromAnywhere) {
  const TempFolder folder;
  const Output good = run(folder, "check bunny");
  EXPECT_EQ(good.code, 0) << good.text;
  EXPECT_NE(good.text.find("1839 vertices"), std::string::npos) << good.text;
  const Output bad = run(folder, "check buny");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.text.find("did you mean 'bunny'"), std::string::npos);
}

TEST(Cli, ListsEveryMethodOfTheRegistry) {
  const TempFolder folder;
  const Output list = run(folder, "methods");
  EXPECT_EQ(list.code, 0);
  for (const Method& m : methods()) {
    EXPECT_NE(list.text.find(m.name), std::string::npos) << m.name;
    const Output one = run(folder, "methods " + m.name);
    EXPECT_EQ(one.code, 0);
    for (const ParameterSpec& p : m.parameters) {
      EXPECT_NE(one.text.find("integrator." + p.name), std::string::npos) << p.name;
    }
  }
}

TEST(Cli, ListsEveryMaterialOfTheRegistry) {
  const TempFolder folder;
  const Output list = run(folder, "materials");
  EXPECT_EQ(list.code, 0);
  for (const MaterialInfo& m : materials()) {
    EXPECT_NE(list.text.find(m.name), std::string::npos) << m.name;
    const Output one = run(folder, "materials " + m.name);
    EXPECT_EQ(one.code, 0);
    for (const ParameterSpec& p : m.parameters) {
      EXPECT_NE(one.text.find("material." + p.name), std::string::npos) << p.name;
    }
  }
  const Output bad = run(folder, "materials stvkk");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.text.find("did you mean 'stvk'"), std::string::npos) << bad.text;
}

// Any material can be put into any scene from the command line.
TEST(Cli, RunsEveryMaterialOfTheRegistry) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  for (const MaterialInfo& m : materials()) {
    const Output output = run(folder,
                              "run s.toml -q --set integrator.quadrature=auto --set "
                              "body.0.material.model=" +
                                  m.name);
    EXPECT_EQ(output.code, 0) << m.name << ": " << output.text;
    EXPECT_NE(output.text.find("energy conserved"), std::string::npos) << output.text;
  }
}

// Any method can be put into any scene from the command line.
TEST(Cli, RunsEveryMethodOfTheRegistry) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  for (const Method& m : methods()) {
    const Output output =
        run(folder, "run s.toml -q --set integrator.step=0.001 --set integrator.method=" + m.name);
    EXPECT_EQ(output.code, 0) << output.text;
    EXPECT_TRUE(std::filesystem::exists(folder.path() / ("results/s-" + m.name + "-step=0.001") /
                                        "run.json"));
  }
}

TEST(Cli, MeshInfoConvertAndExport) {
  const TempFolder folder;
  folder.write("t.mesh",
               "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
               "0 0 1 0\n9 9 9 0\nTetrahedra 1\n1 2 3 4 0\nEnd\n");
  Output output = run(folder, "mesh info t.mesh");
  EXPECT_EQ(output.code, 0);
  for (const char* text : {"tetrahedra", "0.166667", "unused vertices        1: left out",
                           "closed                 yes", "genus                  0"}) {
    EXPECT_NE(output.text.find(text), std::string::npos) << text << "\n" << output.text;
  }
  output = run(folder, "mesh convert t.mesh t.obj --surface");
  EXPECT_EQ(output.text, "t.obj: 4 vertices, 4 triangles\n");
  EXPECT_EQ(output.code, 0);
  output = run(folder, "mesh info t.obj");
  EXPECT_NE(output.text.find("surface of triangles"), std::string::npos) << output.text;
  EXPECT_EQ(run(folder, "mesh convert t.obj t.glb").code, 0);
  output = run(folder, "mesh convert t.mesh t.obj");
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.text.find("with --surface the boundary is written"), std::string::npos);
  EXPECT_EQ(run(folder, "mesh info nothing.obj").code, 2);
  EXPECT_EQ(run(folder, "mesh").code, 2);

  folder.write("s.toml", kScene);
  ASSERT_EQ(run(folder, "run s.toml -q -o out --steps 2").code, 0);
  output = run(folder, "export out --format glb -o a.glb");
  EXPECT_EQ(output.code, 0) << output.text;
  EXPECT_NE(output.text.find("a.glb: 3 frames\n"), std::string::npos) << output.text;
  EXPECT_EQ(run(folder, "export out --format fbx").code, 2);
}

TEST(Cli, MeshIntersections) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  ASSERT_EQ(run(folder, "run s.toml -q -o out --steps 12").code, 0);
  Output output = run(folder, "mesh intersections out");
  EXPECT_EQ(output.code, 0) << output.text;
  EXPECT_NE(output.text.find("looked at 13 of 13 frames\n"), std::string::npos) << output.text;
  EXPECT_TRUE(output.text.ends_with("\n13 frames: no intersections\n")) << output.text;
  EXPECT_TRUE(run(folder, "mesh intersections out --frames 2-4,::6")
                  .text.ends_with("\n6 frames: no intersections\n"));
  EXPECT_EQ(run(folder, "mesh intersections out --frames 13").code, 2);
  EXPECT_EQ(run(folder, "mesh intersections nothing").code, 2);

  // A second bar falls through the first, as nothing keeps them apart.
  folder.write("through.toml",
               std::string(kScene) +
                   "[[body]]\nname = \"other\"\nmass = 1\nmaterial = { mu = 30, lambda = 20 }\n"
                   "shape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n"
                   "translate = [0.1, 1.5, 0.1]\nvelocity = [0, -5, 0]\n");
  ASSERT_EQ(run(folder, "run through.toml -q -o out --overwrite").code, 0);
  output = run(folder, "mesh intersections out --most 1");
  EXPECT_EQ(output.code, 4) << output.text;
  for (const char* text : {"of 'other'", "edges meet triangles", " more\n", "of 21 frames with"}) {
    EXPECT_NE(output.text.find(text), std::string::npos) << text << "\n" << output.text;
  }
  EXPECT_EQ(output.text.find("frame 0 "), std::string::npos) << output.text;
}

TEST(Cli, LinearSolverAndThreadsChangeTheTimeNotTheResult) {
  const TempFolder folder;
  folder.write("s.toml",
               "[integrator]\nstep = 0.02\nsteps = 3\n[[body]]\nmass = 1\nmaterial = { mu = 30, "
               "lambda = 20 }\nshape = { kind = \"bar\", size = [4, 1, 1], cells = [24, 6, 6] }\n"
               "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n");
  for (const char* name : {"one", "two"}) {
    const Output output = run(folder, std::string("run s.toml -q --threads ") +
                                          (std::string(name) == "one" ? "1" : "2") + " -o " + name);
    ASSERT_EQ(output.code, 0) << output.text;
  }
  EXPECT_EQ(read_text(folder.path() / "one/series.csv"),
            read_text(folder.path() / "two/series.csv"));
  const std::string json = read_text(folder.path() / "two/run.json");
  EXPECT_NE(json.find("\"linear\": \"pcg\""), std::string::npos);
  EXPECT_NE(json.find("\"threads\": 2"), std::string::npos);
  EXPECT_NE(json.find("\"linear_switches\": []"), std::string::npos);
  const Output direct = run(folder, "run s.toml -q -o direct --set solver.linear=cholesky");
  ASSERT_EQ(direct.code, 0) << direct.text;
  EXPECT_NE(direct.text.find("energy conserved"), std::string::npos);
  EXPECT_EQ(read_text(folder.path() / "direct/run.json").find("\"linear\": \"pcg\""),
            std::string::npos);
}

TEST(Cli, LinearSolversThatCannotBeAreRefused) {
  const TempFolder folder;
  const Output pendulum = run(folder,
                              "run pendulum -q --steps 2 -o out --set solver.linear=pcg "
                              "--set integrator.method=avf");
  EXPECT_EQ(pendulum.code, 2) << pendulum.text;
  EXPECT_NE(pendulum.text.find("pcg"), std::string::npos) << pendulum.text;
  const Output unknown = run(folder, "check bunny --set solver.linear=cg");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.text.find("did you mean 'pcg'"), std::string::npos) << unknown.text;
}

TEST(Cli, BenchPrintsATableAndWritesIt) {
  const TempFolder folder;
  const Output output = run(folder, "bench --suite explicit --repetitions 1 --csv out/b.csv");
  ASSERT_EQ(output.code, 0) << output.text;
  EXPECT_NE(output.text.find("GFlop/s"), std::string::npos);
  const std::string csv = read_text(folder.path() / "out/b.csv");
  EXPECT_TRUE(csv.starts_with("suite,mesh,vertices,tets,method,linear,threads,")) << csv;
  EXPECT_NE(csv.find("\nexplicit,rod,132,160,"), std::string::npos) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5) << csv;
  EXPECT_EQ(run(folder, "bench --suite speed").code, 2);
  EXPECT_EQ(run(folder, "bench symplectic-euler").code, 2);
}

TEST(Cli, ViewComplainsAboutWhatIsNotThere) {
  const TempFolder folder;
  const Output scene = run(folder, "view bunyn");
  EXPECT_EQ(scene.code, 2);
  EXPECT_NE(scene.text.find("did you mean 'bunny'"), std::string::npos) << scene.text;
  EXPECT_EQ(run(folder, "view bunny bunny bunny bunny bunny").code, 2);
  EXPECT_EQ(run(folder, "view --port 0").code, 2);
  EXPECT_EQ(run(folder, "run bunny --port 9000").code, 2);
}

TEST(Cli, ViewServesUntilInterrupted) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const Output output = run(folder, "view s.toml & sleep 1; kill -TERM $!; wait $!");
  EXPECT_EQ(output.code, 0) << output.text;
  EXPECT_NE(output.text.find("http://127.0.0.1:"), std::string::npos) << output.text;
}

TEST(Cli, AWatchedRunEndsAsUsual) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const Output plain = run(folder, "run s.toml -q -o plain");
  const Output output = run(folder, "run s.toml -q -o watched --view");
  EXPECT_EQ(output.code, 0) << output.text;
  EXPECT_NE(output.text.find("http://127.0.0.1:"), std::string::npos) << output.text;
  EXPECT_EQ(read_text(folder.path() / "watched/series.csv"),
            read_text(folder.path() / "plain/series.csv"));
}

TEST(Cli, ExpectConservedIsAnExitCode) {
  const TempFolder folder;
  const Output good = run(folder,
                          "run pendulum -q -o good --steps 20 --expect conserved --set "
                          "integrator.method=avf --set integrator.quadrature=auto");
  EXPECT_EQ(good.code, 0) << good.text;
  const Output bad = run(folder,
                         "run pendulum -q -o bad --steps 200 --expect conserved --set "
                         "integrator.method=explicit-euler");
  EXPECT_EQ(bad.code, 4) << bad.text;
  EXPECT_EQ(
      run(folder, "run pendulum -q -o bad --steps 200 --set integrator.method=explicit-euler").code,
      0);
  EXPECT_EQ(run(folder, "run pendulum --expect miracles").code, 2);
}

TEST(Cli, ExpectBoundedAllowsASymplecticMethodToSwing) {
  const TempFolder folder;
  const std::string swing = "run pendulum -q --steps 4000 --expect ";
  EXPECT_EQ(run(folder, swing + "conserved").code, 4);
  const Output bounded = run(folder, swing + "bounded --overwrite");
  EXPECT_EQ(bounded.code, 0) << bounded.text;
  EXPECT_NE(bounded.text.find("energy bounded, in a band of"), std::string::npos) << bounded.text;
  const Output drifts = run(folder, swing + "bounded --set integrator.method=explicit-euler");
  EXPECT_EQ(drifts.code, 4);
  EXPECT_NE(drifts.text.find("energy drifts, by +"), std::string::npos) << drifts.text;
}

// Less than a swing of a symplectic method is neither bounded nor a drift, wherever it is told.
TEST(Cli, ShortRunsOfSymplecticMethodsAreUndecided) {
  const TempFolder folder;
  const Output shortly = run(folder, "run pendulum -o r --steps 100 --expect bounded");
  EXPECT_EQ(shortly.code, 4);
  EXPECT_NE(shortly.text.find("energy undecided, in a band of"), std::string::npos) << shortly.text;
  EXPECT_EQ(shortly.text.find("energy drifts"), std::string::npos) << shortly.text;
  const std::string json = read_text(folder.path() / "r/run.json");
  EXPECT_NE(json.find("\"verdict\": \"undecided\""), std::string::npos);
  const std::string report = read_text(folder.path() / "r/report.html");
  EXPECT_NE(report.find("<li class=\"undecided\">energy undecided"), std::string::npos);
  const Output euler =
      run(folder, "run pendulum -q -o e --steps 100 --set integrator.method=explicit-euler");
  EXPECT_NE(euler.text.find("energy drifts, by +"), std::string::npos) << euler.text;
  const Output table = run(folder, "compare pendulum --steps 100 -o c");
  EXPECT_NE(table.text.find("undecided"), std::string::npos) << table.text;
}

// Examples and the launcher's commands are in the help of the program, and not in that of each command.
TEST(Cli, HelpOfACommandIsAboutTheCommand) {
  const TempFolder folder;
  EXPECT_NE(run(folder, "--help").text.find("Examples:"), std::string::npos);
  for (const char* command : {"run", "export", "mesh", "mesh info"}) {
    const Output help = run(folder, std::string(command) + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.text.find("Examples:"), std::string::npos) << help.text;
  }
}

TEST(Cli, NoFinishedRunIsLost) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "a");
  std::filesystem::create_directories(folder.path() / "b");
  folder.write("a/s.toml", kScene);
  folder.write("b/s.toml", std::string(kScene) + "velocity = [1, 0, 0]\n");
  EXPECT_EQ(run(folder, "run a/s.toml -q").code, 0);
  const std::string first = read_text(folder.path() / "results/s-avf/series.csv");
  EXPECT_EQ(run(folder, "run b/s.toml -q").code, 0);
  EXPECT_EQ(run(folder, "run a/s.toml -q --set integrator.step=0.01").code, 0);
  EXPECT_EQ(read_text(folder.path() / "results/s-avf/series.csv"), first);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "results/s-avf-2/run.json"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "results/s-avf-step=0.01/run.json"));
  const Output refused = run(folder, "run b/s.toml -q -o results/s-avf");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.text.find("--overwrite"), std::string::npos) << refused.text;
  EXPECT_EQ(run(folder, "run b/s.toml -q -o results/s-avf --overwrite").code, 0);
  EXPECT_NE(read_text(folder.path() / "results/s-avf/series.csv"), first);
}

TEST(Cli, UnknownOptionsAreGuessed) {
  const TempFolder folder;
  const auto said = [&](const std::string& command, const std::string& words) {
    const Output output = run(folder, command);
    EXPECT_EQ(output.code, 2) << command;
    EXPECT_NE(output.text.find("error: " + words), std::string::npos) << output.text;
  };
  said("run bunny --stps 5", "lilyan run has no option '--stps'; did you mean '--steps'?");
  said("run bunny --steps=5 --overwirte",
       "lilyan run has no option '--overwirte'; did you mean '--overwrite'?");
  said("sweep bunny --mehtods=avf,hp",
       "lilyan sweep has no option '--mehtods'; did you mean '--methods'?");
  said("compare --threds 2 bunny",
       "lilyan compare has no option '--threds'; did you mean '--threads'?");
  // Also where something else is missing.
  said("film --sise 3,3", "lilyan film has no option '--sise'; did you mean '--size'?");
  said("mesh convert a.obj b.obj --orrient",
       "lilyan mesh convert has no option '--orrient'; did you mean '--orient'?");
  said("check bunny --nothing-like-it",
       "lilyan check has no option '--nothing-like-it' (lilyan check --help");
  // One that other commands have.
  for (const std::string command : {"view", "film", "picture", "export"}) {
    said(command + " --stps 3",
         "lilyan " + command + " has no option '--stps'; lilyan run has '--steps' (");
  }
  said("--vresion", "lilyan has no option '--vresion'; did you mean '--version'?");
  said("mesh inf a.obj", "there is no command 'mesh inf'; did you mean 'info'?");
  EXPECT_EQ(run(folder, "run --help").code, 0);
}

TEST(Cli, UnknownCommandsAreGuessed) {
  const TempFolder folder;
  const Output output = run(folder, "rnu bunny");
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.text.find("there is no command 'rnu'; did you mean 'run'?"), std::string::npos)
      << output.text;
  EXPECT_NE(run(folder, "reprodcue").text.find("'reproduce'"), std::string::npos);
  const Output help = run(folder, "--help");
  EXPECT_EQ(help.code, 0);
  for (const char* word :
       {"reproduce ID", "lint", "test --sanitize", "lilyan run bunny", "python [FILE]"}) {
    EXPECT_NE(help.text.find(word), std::string::npos) << word;
  }
}

TEST(Cli, ScenesAreListedWithTheirTitles) {
  const TempFolder folder;
  const Output all = run(folder, "scenes");
  EXPECT_EQ(all.code, 0);
  EXPECT_NE(all.text.find("bunny  "), std::string::npos);
  EXPECT_NE(all.text.find("Bunny, ears pulled\n"), std::string::npos);
  const Output some = run(folder, "scenes PENDULUM");
  EXPECT_NE(some.text.find("double-pendulum"), std::string::npos);
  EXPECT_EQ(some.text.find("bunny"), std::string::npos);
  EXPECT_EQ(run(folder, "scenes nosuchword").code, 2);
}

TEST(Cli, RemarksWhatAnAuthorMayNotExpect) {
  const TempFolder folder;
  std::string text = kScene;
  text.replace(text.find("mu = 30, lambda = 20"), 20, "young = 30, poisson = 0.49");
  folder.write("s.toml", text);
  const Output output = run(folder, "check s.toml");
  EXPECT_EQ(output.code, 0);
  EXPECT_NE(output.text.find("nearly incompressible (Poisson's ratio 0.49)"), std::string::npos)
      << output.text;
  folder.write("t.toml", kScene);
  EXPECT_EQ(run(folder, "check t.toml").text.find("remark"), std::string::npos);
}

// Two Gauss points lose energy of anything but St. Venant–Kirchhoff.
TEST(Cli, AvfTakesThePointsThatTheMaterialNeeds) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  EXPECT_NE(run(folder, "check s.toml").text.find("avf(auto): 2 Gauss points, exact"),
            std::string::npos);
  for (const char* model :
       {"stvk", "neo-hookean", "neo-hookean-log", "stable-neo-hookean", "fixed-corotated"}) {
    const Output output =
        run(folder, fmt::format("run s.toml -q --set body.0.material.model={}", model));
    EXPECT_EQ(output.code, 0) << output.text;
    EXPECT_NE(output.text.find("energy conserved"), std::string::npos) << output.text;
  }
  const Output two = run(folder,
                         "run s.toml -q --set body.0.material.model=neo-hookean --set "
                         "integrator.points=2");
  EXPECT_EQ(two.text.find("energy conserved"), std::string::npos) << two.text;
  EXPECT_NE(two.text.find("by the method's quadrature: integrator.quadrature = \"auto\" keeps it"),
            std::string::npos)
      << two.text;
}

TEST(Cli, ConvergeMeasuresOrders) {
  const TempFolder folder;
  const Output output =
      run(folder,
          "converge pendulum --methods stoermer-verlet,rk4 --steps 0.1,0.05,0.025 "
          "--duration 2 -o out 2>/dev/null");
  EXPECT_EQ(output.code, 0) << output.text;
  const std::string csv = read_text(folder.path() / "out/convergence.csv");
  std::vector<double> orders;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("method,step,error,order,")) << line;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_GE(cells.size(), 7U) << line;
    if (!cells[3].empty()) orders.push_back(std::stod(cells[3]));
  }
  ASSERT_EQ(orders.size(), 4U) << csv;
  EXPECT_NEAR(orders[0], 2, 0.1);
  EXPECT_NEAR(orders[1], 2, 0.1);
  EXPECT_NEAR(orders[3], 4, 0.2);
  for (const char* file : {"order.svg", "work.svg"}) {
    EXPECT_TRUE(read_text(folder.path() / "out" / file).starts_with("<"));
  }
  // 0.03 does not divide the end.
  EXPECT_EQ(run(folder, "converge pendulum --steps 0.1,0.03 --duration 2").code, 2);
  EXPECT_EQ(run(folder, "converge kepler-eccentric").code, 2);  // its steps vary
}

TEST(Cli, SettingsThatAreNoTableAreBlamedThemselves) {
  const TempFolder folder;
  folder.write("s.toml", kScene);
  const Output output = run(folder, "check s.toml --set body.0=3");
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.text.find("--set body.0=3: 'body.0' must be a table"), std::string::npos)
      << output.text;
}

}  // namespace
}  // namespace lilyan::test::cli_test

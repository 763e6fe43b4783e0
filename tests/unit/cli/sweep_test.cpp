// lilyan sweep, from the outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "app/files/process.hpp"
#include "app/files/series.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::sweep_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScene =
    "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 12\n[[body]]\nmass = 1\n"
    "material = { mu = 30, lambda = 20 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

using Row = std::map<std::string, std::string>;

// Rows of a CSV file by the names of its columns.
std::vector<Row> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    auto& row = rows.emplace_back(1, "");
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        row.emplace_back();
      } else {
        row.back() += c;
      }
    }
  }
  std::vector<Row> named;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), rows[0].size()) << csv;
    auto& row = named.emplace_back();
    for (std::size_t c = 0; c < rows[0].size(); ++c) row[rows[0][c]] = rows[i][c];
  }
  return named;
}

class SweepCommand : public ::testing::Test {
 protected:
  SweepCommand() { folder_.write("s.toml", kScene); }
  ProcessResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"sweep"});
    return run_process(test::program(), arguments, folder_.path());
  }
  [[nodiscard]] std::vector<Row> table(const std::string& folder = "out") const {
    return rows_of(read_text(folder_.path() / folder / "sweep.csv"));
  }
  void expect_refused(const std::vector<std::string>& arguments, const std::string& words) const {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_NE(result.output.find(words), std::string::npos) << result.output;
    EXPECT_FALSE(fs::exists(folder_.path() / "results")) << words;
  }

  TempFolder folder_;
};

// What a run ends with is in the table, as run.json and series.csv have it.
TEST_F(SweepCommand, TheLastStateIsInTheTable) {
  folder_.write("swing.toml",
                "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 20\n[system]\n"
                "kind = \"lagrangian\"\ncoordinates = [\"q\", \"z\"]\n"
                "kinetic = \"(q'^2 + z'^2)/2\"\npotential = \"1 - cos(q)\"\n"
                "[system.position]\nq = 1\n[system.velocity]\nz = 0.5\n"
                "[system.invariants]\npush = \"z'\"\n");
  const ProcessResult result =
      run({"swing.toml", "-o", "out", "--set", "integrator.step=0.1,0.05"});
  ASSERT_EQ(result.code, 0) << result.output;
  const std::vector<Row> rows = table();
  ASSERT_EQ(rows.size(), 2U);
  for (const Row& row : rows) {
    EXPECT_NEAR(std::stod(row.at("z_end")), 1, 1e-12);  // after a time of 2
    EXPECT_NEAR(std::stod(row.at("v_z_end")), 0.5, 1e-12);
    EXPECT_NEAR(std::stod(row.at("invariant_push_end")), 0.5, 1e-12);
    EXPECT_EQ(row.at("invariant_push_verdict"), "conserved");
    const double q = std::stod(row.at("q_end")), v = std::stod(row.at("v_q_end"));
    EXPECT_NEAR(std::stod(row.at("energy_end")), 0.5 * v * v + 0.125 + 1 - std::cos(q), 1e-12);
  }
  for (const char* head : {"q at the end", "z at the end", "|Δpush|/|push|"}) {
    EXPECT_NE(result.output.find(head), std::string::npos) << result.output;
    EXPECT_NE(read_text(folder_.path() / "out/report.html").find(head), std::string::npos) << head;
  }
  // Bodies have a centre of mass, which falls.
  ASSERT_EQ(run({"s.toml", "-q", "-o", "out", "--overwrite", "--set", "integrator.step=0.02",
                 "--set", "world.gravity=[0,-2,0],[0,0,0]"})
                .code,
            0);
  const std::vector<Row> bodies = table();
  EXPECT_LT(std::stod(bodies[0].at("center_y_end")), std::stod(bodies[1].at("center_y_end")));
  EXPECT_EQ(bodies[0].count("contact_depth_most"), 0U);
}

TEST_F(SweepCommand, RunsEveryCombinationToTheSameEndIntoOneTable) {
  const ProcessResult result =
      run({"s.toml", "-q", "-o", "out", "--set", "integrator.step=0.01,0.02,0.033", "--set",
           "integrator.method=avf,newmark", "--set", "body.0.mass=2"});
  ASSERT_EQ(result.code, 0) << result.output;
  const std::vector<Row> rows = table();
  ASSERT_EQ(rows.size(), 6U);
  for (const char* file : {"report.html", "sweep.svg", "avf-step=0.01/run.json"}) {
    EXPECT_TRUE(fs::exists(folder_.path() / "out" / file)) << file;
  }
  EXPECT_EQ(rows[0].at("integrator.step"), "0.01");
  EXPECT_EQ(rows[1].at("integrator.method"), "newmark");
  EXPECT_EQ(rows[0].at("steps"), "24");
  EXPECT_EQ(rows[2].at("steps"), "12");
  EXPECT_EQ(rows[4].at("steps"), "8");
  for (Row row : rows) {
    EXPECT_NEAR(std::stod(row["t_end"]), 0.24, 1e-15);
    EXPECT_EQ(row["status"], "finished");
    EXPECT_EQ(row["body.0.mass"], "2");
    EXPECT_EQ(row["step"], row["integrator.step"]);
    EXPECT_GT(std::stod(row["processor_seconds"]), 0);
    EXPECT_GT(std::stod(row["iterations"]), 0);
    EXPECT_EQ(row["momentum_verdict"], "conserved");
    EXPECT_EQ(row["reason"], "");
  }
  EXPECT_EQ(rows[0].at("energy_verdict"), "conserved");
  EXPECT_GT(std::stod(rows[1].at("energy_error")), 1e-8);
  // Each does what it does alone.
  ASSERT_EQ(
      run_process(test::program(),
                  {"run", "s.toml", "-q", "-o", "alone", "--set", "integrator.step=0.01", "--set",
                   "integrator.method=newmark", "--set", "body.0.mass=2", "--steps", "24"},
                  folder_.path())
          .code,
      0);
  EXPECT_EQ(read_text(folder_.path() / "out/newmark-step=0.01/series.csv"),
            read_text(folder_.path() / "alone/series.csv"));
}

TEST_F(SweepCommand, WhatIsDoneIsNotRunAgainAndWhatChangedIs) {
  const std::vector<std::string> command = {"s.toml", "-o", "out", "--set",
                                            "integrator.step=0.01,0.02"};
  ASSERT_EQ(run(command).code, 0);
  const fs::path one = folder_.path() / "out/step=0.01/series.csv";
  const auto written = fs::last_write_time(one);
  const std::string before = read_text(folder_.path() / "out/sweep.csv");
  ProcessResult again = run(command);
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.output.find("2 of 2 combinations were done before"), std::string::npos)
      << again.output;
  EXPECT_EQ(fs::last_write_time(one), written);
  EXPECT_EQ(read_text(folder_.path() / "out/sweep.csv"), before);
  // A value more, and one run that is gone.
  fs::remove_all(folder_.path() / "out/step=0.02");
  again = run({"s.toml", "-o", "out", "--set", "integrator.step=0.01,0.02,0.04"});
  EXPECT_NE(again.output.find("1 of 3 combinations were done before"), std::string::npos)
      << again.output;
  EXPECT_EQ(table().size(), 3U);
  // Another scene under the same name.
  std::string other = kScene;
  other.replace(other.find("mu = 30"), 7, "mu = 40");
  folder_.write("s.toml", other);
  again = run(command);
  EXPECT_EQ(again.output.find("were done before"), std::string::npos) << again.output;
  EXPECT_NE(again.output.find("it was run with other settings before and is run again"),
            std::string::npos)
      << again.output;
  EXPECT_NE(read_text(folder_.path() / "out/sweep.csv"), before);
  ASSERT_EQ(
      run({"s.toml", "-q", "-o", "out", "--overwrite", "--set", "integrator.step=0.01,0.02"}).code,
      0);
  EXPECT_NE(fs::last_write_time(one), written);
}

TEST_F(SweepCommand, AnInterruptedOneGoesOn) {
  const std::string arguments =
      " sweep pendulum -o out --set integrator.step=0.0001,0.0002 --set "
      "output.checkpoint_every=1000"
      " --threads 1";
  const std::string program = test::program().string();
  const auto shell = [&](const std::string& line) {
    return run_process("/bin/sh", {"-c", line}, folder_.path());
  };
  // Interrupted as soon as the first run has saved itself.
  const ProcessResult first =
      shell("'" + program + "'" + arguments +
            " & pid=$!; while [ ! -f out/step=0.0001/checkpoint.bin ]; do sleep 0.01; done; "
            "kill -INT $pid; wait $pid");
  ASSERT_EQ(first.code, 3) << first.output;
  EXPECT_NE(first.output.find("the same command goes on from there"), std::string::npos)
      << first.output;
  std::vector<Row> rows = table();
  EXPECT_EQ(rows[0].at("status"), "interrupted");
  EXPECT_EQ(rows[1].at("status"), "not run");
  const ProcessResult second = shell("'" + program + "'" + arguments);
  ASSERT_EQ(second.code, 0) << second.output;
  EXPECT_NE(second.output.find("goes on from step"), std::string::npos) << second.output;
  rows = table();
  const ProcessResult whole = shell("'" + program + "'" + arguments + " --overwrite");
  ASSERT_EQ(whole.code, 0) << whole.output;
  std::vector<Row> expected = table();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_GT(std::stod(rows[i]["processor_seconds"]), 0);
    rows[i].erase("processor_seconds");
    expected[i].erase("processor_seconds");
    EXPECT_EQ(rows[i], expected[i]);
  }
}

// As nobody asked for this run by its name, it is not refused: a sweep makes whatever it does not have yet.
TEST_F(SweepCommand, ARunKilledBeforeItsFirstCheckpointIsMadeAgain) {
  const std::vector<std::string> arguments = {"s.toml", "-o", "out", "--set",
                                              "integrator.step=0.01,0.02"};
  ASSERT_EQ(run(arguments).code, 0);
  const std::vector<Row> rows = table();
  const fs::path folder = folder_.path() / "out/step=0.02";
  const std::string json = read_text(folder / "run.json");
  std::string cut = json;
  const std::string finished = "\"status\": \"finished\"";
  ASSERT_NE(cut.find(finished), std::string::npos) << cut;
  cut.replace(cut.find(finished), finished.size(), "\"status\": \"running\"");
  std::ofstream(folder / "run.json") << cut;
  fs::remove(folder / "checkpoint.bin");
  const ProcessResult again = run(arguments);
  ASSERT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find("was killed before its first checkpoint and is run again"),
            std::string::npos)
      << again.output;
  EXPECT_EQ(table()[1].at("status"), "finished");
  EXPECT_EQ(table()[1].at("energy_end"), rows[1].at("energy_end"));
}

TEST_F(SweepCommand, CommasInBracketsAndQuotesBelongToAValue) {
  ASSERT_EQ(run({"s.toml", "-q", "-o", "out", "--steps", "3", "--set",
                 "body.0.velocity=[1,0,0],[ 0, 2, 0 ]", "--set",
                 "body.0.material={model=\"stvk\",mu=10,lambda=5}, "
                 "{model=\"neo-hookean\",mu=20,lambda=5}"})
                .code,
            0);
  const std::vector<Row> rows = table();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("body.0.velocity"), "[1,0,0]");
  EXPECT_EQ(rows[2].at("body.0.velocity"), "[ 0, 2, 0 ]");
  EXPECT_EQ(rows[0].at("status"), "finished");
  ASSERT_EQ(run({"pendulum", "-q", "-o", "formulas", "--steps", "5", "--set",
                 "system.potential=mass*gravity*(1 - cos(theta)), max(theta^2, theta^4)"})
                .code,
            0);
  EXPECT_EQ(table("formulas").size(), 2U);
}

TEST_F(SweepCommand, MethodsHaveTheirParameters) {
  ASSERT_EQ(run({"s.toml", "-q", "-o", "out", "--methods", "avf,hp:alpha=0.25,avf:step=0.04",
                 "--set", "body.0.mass=1,2"})
                .code,
            0);
  const std::vector<Row> rows = table();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[1].at("integrator.method"), "hp:alpha=0.25");
  EXPECT_EQ(rows[2].at("steps"), "6");
  for (const Row& row : rows) EXPECT_NEAR(std::stod(row.at("t_end")), 0.24, 1e-15);
}

TEST_F(SweepCommand, ACombinationThatFailsIsARowWithAReason) {
  const ProcessResult result = run(
      {"s.toml", "-q", "-o", "out", "--set", "integrator.method=backward-euler,explicit-euler,hp",
       "--set", "integrator.step=0.02,1.5", "--set", "integrator.alpha=7", "--duration", "60"});
  EXPECT_EQ(result.code, 2) << "no method can be read with that parameter\n" << result.output;
  const ProcessResult some =
      run({"s.toml", "-q", "-o", "out", "--methods", "backward-euler,explicit-euler,hp:alpha=7",
           "--set", "integrator.step=1.5,2", "--duration", "60"});
  EXPECT_EQ(some.code, 3) << some.output;
  const std::vector<Row> rows = table();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].at("status"), "finished");
  EXPECT_EQ(rows[1].at("status"), "failed");
  EXPECT_NE(rows[1].at("reason").find("step"), std::string::npos);
  EXPECT_EQ(rows[2].at("status"), "could not run");
  EXPECT_NE(rows[2].at("reason").find("alpha must be in [0, 1]"), std::string::npos);
  EXPECT_NE(read_text(folder_.path() / "out/report.html").find("alpha must be in [0, 1]"),
            std::string::npos);
  // A run that diverged does so again: it is not repeated.
  const ProcessResult again =
      run({"s.toml", "-q", "-o", "out", "--methods", "backward-euler,explicit-euler,hp:alpha=7",
           "--set", "integrator.step=1.5,2", "--duration", "60"});
  EXPECT_EQ(again.code, 3);
  EXPECT_NE(again.output.find("4 of 6 combinations were done before"), std::string::npos)
      << again.output;
}

TEST_F(SweepCommand, StartsFromFramesOfAnEarlierRun) {
  ASSERT_EQ(
      run_process(test::program(), {"run", "s.toml", "-q", "-o", "first"}, folder_.path()).code, 0);
  ASSERT_EQ(run({"s.toml", "-q", "-o", "out", "--steps", "4", "--from", "first:2", "--set",
                 "start.frame=2,5"})
                .code,
            2)
      << "--from takes the place of the whole table";
  ASSERT_EQ(run({"s.toml", "-q", "-o", "out", "--steps", "4", "--set", "start.run=first", "--set",
                 "start.frame=2,5"})
                .code,
            0);
  EXPECT_NEAR(std::stod(table()[0].at("t_end")), 6 * 0.02, 1e-15);
  EXPECT_NEAR(std::stod(table()[1].at("t_end")), 9 * 0.02, 1e-15);
}

TEST_F(SweepCommand, BadInputIsExitCodeTwoAndTouchesNothing) {
  expect_refused({"s.toml", "--set", "integrator.stepp=0.1,0.2"},
                 "unknown key 'integrator.stepp'; did you mean 'step'?");
  expect_refused({"s.toml", "--set", "integrator.step="}, "a value is missing");
  expect_refused({"s.toml", "--set", "integrator.step=0.1,,0.2"}, "a value is missing");
  expect_refused({"s.toml", "--set", "integrator.step"}, "expected KEY=VALUE");
  expect_refused({"s.toml", "--set", "body.0.velocity=[1,2"}, "']' is missing");
  expect_refused({"s.toml", "--set", "body.0.velocity=1,2]"}, "']' closes no bracket");
  expect_refused({"s.toml", "--set", "integrator.step=0.1,0.1"}, "has the value 0.1 twice");
  expect_refused({"s.toml", "--set", "integrator.step=0.1,0.2", "--set", "integrator.step=0.3"},
                 "is given twice");
  expect_refused({"s.toml", "--set", "integrator.method=avf,avff"}, "did you mean 'avf'");
  expect_refused({"s.toml"}, "nothing is swept");
  expect_refused({"s.toml", "--set", "integrator.step=0.1"}, "nothing is swept");
  expect_refused({"nosuchscene", "--set", "integrator.step=0.1,0.2"}, "nosuchscene");
  std::string many = "body.0.mass=1";
  for (int k = 2; k <= 101; ++k) many += "," + std::to_string(k);
  expect_refused({"s.toml", "--set", many}, "these are 101 combinations");
  fs::create_directories(folder_.path() / "mine");
  folder_.write("mine/file.txt", "kept");
  expect_refused({"s.toml", "-o", "mine", "--set", "integrator.step=0.1,0.2"},
                 "is not the result of a sweep");
  EXPECT_EQ(run({"s.toml", "-q", "--steps", "1", "--most", "101", "--set", many}).code, 0);
}

}  // namespace
}  // namespace lilyan::test::sweep_test

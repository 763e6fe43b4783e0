// Disks and memory that fill up: whichever write or allocation of a run fails, the program says so, and what it
// leaves can be read and gone on with.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/files/process.hpp"
#include "app/files/series.hpp"
#include "app/files/vtu.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/frames.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::faults_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBody =
    "[integrator]\nstep = 0.01\nsteps = 8\n[world]\ngravity = [0, -9.81, 0]\n"
    "[[body]]\nmass = 1\nmaterial = { mu = 60, lambda = 40 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\nvelocity = [1, -4, 0.5]\n"
    "[[obstacle]]\nkind = \"plane\"\npoint = [0, -0.52, 0]\nstiffness = 300\n"
    "[output]\nevery = 2\nformats = [\"vtu\", \"glb\"]\ncheckpoint_every = 2\n"
    "report = false\n";  // its pictures take long; the report of a system fails in the same ways
constexpr const char* kSystem =
    "[integrator]\nstep = 0.1\nsteps = 8\n"
    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n"
    "kinetic = \"a'^2/2 + b'^2\"\npotential = \"a^2 + b^2/2 + (a - b)^4\"\n"
    "[system.position]\na = 1\nb = -0.5\n[[system.event]]\nname = \"zero\"\nzero = \"a\"\n"
    "[output]\ncheckpoint_every = 2\n";

class Faults : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers have allocations of their own";
#endif
    scene_.write("s.toml", GetParam());
    run({"run", "s.toml", "-o", "whole", "-q"},
        {"LILYAN_FAULT_COUNT=" + (scene_.path() / "count").string()});
    ASSERT_EQ(code_, 0) << output_;
    std::istringstream(read_text(scene_.path() / "count")) >> writes_ >> allocations_;
    ASSERT_GT(writes_, 50);
    ASSERT_GT(allocations_, 1000);
    digest_ = json("whole")["digest"];
  }

  // With the faults that the variables ask for, and a time after which it counts as hanging.
  void run(const std::vector<std::string>& arguments, std::vector<std::string> variables) {
    std::vector<std::string> all = {"60", "env", "OPENBLAS_NUM_THREADS=1",
                                    "LILYAN_FAULT_FOLDER=" + scene_.path().string()};
    if (!variables.empty()) variables.push_back("LD_PRELOAD=" + faults_library().string());
    all.insert(all.end(), variables.begin(), variables.end());
    all.push_back(program().string());
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProcessResult result = run_process("/usr/bin/timeout", all, scene_.path());
    code_ = result.code;
    output_ = result.output;
  }
  [[nodiscard]] nlohmann::json json(const std::string& folder) const {
    return nlohmann::json::parse(read_text(scene_.path() / folder / "run.json"));
  }

  [[nodiscard]] bool is_finished(const std::string& folder) const {
    return fs::exists(scene_.path() / folder / "run.json") && json(folder)["status"] == "finished";
  }

  void expect_readable(const fs::path& folder) const {
    const bool listed = fs::exists(folder / "run.pvd") && fs::file_size(folder / "run.pvd") > 0 &&
                        fs::exists(folder / "frames") && !fs::is_empty(folder / "frames");
    if (listed) {
      for (const ListedFrame& frame : listed_frames(folder)) {
        EXPECT_GT(read_vtu(frame.file).points.size(), 0U);
      }
    }
    for (const char* table : {"series.csv", "trajectory.csv"}) {
      if (!fs::exists(folder / table) || fs::is_empty(folder / table)) continue;
      EXPECT_GT(read_numbers(folder / table).columns.size(), 0U);
    }
    // The very last call only makes sure of what is there already.
    if (is_finished(folder.string())) expect_same("whole", folder.string());
  }

  void expect_goes_on(const std::string& folder) {
    if (has_checkpoint(scene_.path() / folder)) {
      run({"run", "--resume", folder, "-q"}, {});
    } else {
      run({"run", "s.toml", "-o", folder, "-q"}, {});
    }
    ASSERT_EQ(code_, 0) << output_;
    EXPECT_EQ(json(folder)["digest"], digest_);
    expect_same("whole", folder);
  }

  void expect_same(const std::string& a, const std::string& b) const {
    for (const auto& entry : fs::recursive_directory_iterator(scene_.path() / a)) {
      const fs::path name = fs::relative(entry.path(), scene_.path() / a);
      const std::string ending = name.extension().string();
      EXPECT_TRUE(fs::exists(scene_.path() / b / name)) << name;
      if (entry.is_directory() || ending == ".json" || ending == ".html" || ending == ".bin") {
        continue;  // these hold times that were measured
      }
      EXPECT_EQ(read_text(entry.path()), read_text(scene_.path() / b / name)) << name;
    }
  }

  TempFolder scene_{memory_folder()};
  int code_ = 0;
  std::string output_;
  int writes_ = 0;
  int allocations_ = 0;
  std::string digest_;
};

TEST_P(Faults, OfEveryWrite) {
  constexpr std::array<const char*, 3> kModes = {"once", "full", "short"};
  for (int n = 1; n <= writes_; ++n) {
    const std::string mode = kModes[static_cast<std::size_t>(n) % kModes.size()];
    SCOPED_TRACE("write " + std::to_string(n) + ", " + mode);
    fs::remove_all(scene_.path() / "r");
    run({"run", "s.toml", "-o", "r", "-q"},
        {"LILYAN_FAULT_WRITE=" + std::to_string(n), "LILYAN_FAULT_MODE=" + mode});
    EXPECT_EQ(code_, n == 1 ? 2 : 3) << output_;  // without a folder nothing begins
    EXPECT_NE(output_.find("No space left on device"), std::string::npos) << output_;
    if (fs::exists(scene_.path() / "r")) expect_readable(scene_.path() / "r");
    expect_goes_on("r");
    if (HasFailure()) return;
  }
}

// Every allocation takes some five minutes: LILYAN_FAULT_STRIDE=1 does it.
TEST_P(Faults, OfManyAllocations) {
  const char* asked = std::getenv("LILYAN_FAULT_STRIDE");
  const int stride = asked ? std::max(1, std::atoi(asked)) : allocations_ / 40;
  int tried = 0;
  int ended = 0;
  for (int n = 1; n <= allocations_; n += stride) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    fs::remove_all(scene_.path() / "r");
    run({"run", "s.toml", "-o", "r", "-q"}, {"LILYAN_FAULT_ALLOC=" + std::to_string(n)});
    ++tried;
    if (code_ == 0) {  // it was not needed so badly
      expect_same("whole", "r");
      continue;
    }
    EXPECT_TRUE(code_ == 2 || code_ == 3) << code_ << ": " << output_;
    EXPECT_NE(output_.find("memory"), std::string::npos) << output_;
    ++ended;
    if (fs::exists(scene_.path() / "r")) {  // otherwise nothing is left to go on with
      expect_readable(scene_.path() / "r");
      // If it could not even say that it is finished, nothing is missing (and run.glb cannot be made longer).
      if (!is_finished("r")) expect_goes_on("r");
    }
    if (HasFailure()) return;
  }
  RecordProperty("tried", tried);
  RecordProperty("ended", ended);
}

// Streams and what reads numbers by them take too little memory for the end of a file, or for a number that is none.
TEST_P(Faults, OfReadingAScene) {
  const fs::path count = scene_.path() / "count";
  run({"check", "missing.toml"}, {"LILYAN_FAULT_COUNT=" + count.string()});
  ASSERT_EQ(code_, 2) << output_;
  int writes = 0;
  int before = 0;
  std::istringstream(read_text(count)) >> writes >> before;
  for (int n = before - 10; n < before + 110; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    run({"check", "s.toml"}, {"LILYAN_FAULT_ALLOC=" + std::to_string(n)});
    if (code_ == 0) continue;
    EXPECT_TRUE(code_ == 2 || code_ == 3) << code_ << ": " << output_;
    EXPECT_NE(output_.find("memory"), std::string::npos) << output_;
  }
}

INSTANTIATE_TEST_SUITE_P(Program, Faults, ::testing::Values(kBody, kSystem),
                         [](const auto& tested) {
                           return tested.param == kBody ? "Body" : "System";
                         });

// Things that happen to a running program.
class Accidents : public ::testing::Test {
 protected:
  // A command of the shell, in which $L is the program.
  void shell(const std::string& command) {
    const ProcessResult result =
        run_process("/usr/bin/timeout",
                    {"60", "env", "L=" + program().string(), "sh", "-c", command}, folder_.path());
    code_ = result.code;
    output_ = result.output;
  }

  TempFolder folder_;
  int code_ = 0;
  std::string output_;
};

TEST_F(Accidents, OutputThatIsClosed) {
  folder_.write("s.toml", kSystem);
  shell("$L run s.toml -o whole -q");
  ASSERT_EQ(code_, 0) << output_;
  for (const char* how : {">&-", "| true", "> /dev/full"}) {
    SCOPED_TRACE(how);
    // The pipe is closed for sure once the program on its other end is gone.
    shell(std::string("{ sleep 0.2; $L run s.toml -o r -q; echo $? > code; } ") + how);
    EXPECT_EQ(read_text(folder_.path() / "code"), "3\n") << output_;
    for (const char* file : {"series.csv", "scene.resolved.toml", "events.csv"}) {
      EXPECT_EQ(read_text(folder_.path() / "r" / file), read_text(folder_.path() / "whole" / file));
    }
    shell(std::string("{ sleep 0.2; $L methods; echo $? > code; } ") + how);
    EXPECT_NE(read_text(folder_.path() / "code"), "0\n") << output_;
  }
  shell("$L run s.toml -o r -q 2>&-");
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(read_text(folder_.path() / "r/series.csv"),
            read_text(folder_.path() / "whole/series.csv"));
}

TEST_F(Accidents, AFolderThatIsRemoved) {
  folder_.write("body.toml", kBody);
  folder_.write("system.toml", kSystem);
  for (const char* scene : {"body", "system"}) {
    SCOPED_TRACE(scene);
    shell("$L run " + std::string(scene) +
          ".toml -o r -q --steps 20000000 --set output.checkpoint_every=2000 --set "
          "'output.formats=[\"vtu\"]' & child=$!; "
          "for k in $(seq 500); do [ -f r/checkpoint.bin ] && break; sleep 0.01; done; "
          "while [ -d r ]; do rm -rf r; done; wait $child; echo $? > code");
    EXPECT_EQ(read_text(folder_.path() / "code"), "3\n") << output_;
    EXPECT_NE(output_.find("No such file or directory"), std::string::npos) << output_;
  }
}

TEST_F(Accidents, MemoryThatIsNotEnough) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need all addresses there are";
#endif
  folder_.write("s.toml",
                "[integrator]\nstep = 0.01\nsteps = 2\n[[body]]\nmass = 1\n"
                "material = { mu = 60, lambda = 40 }\nvelocity = [0, 0, 1]\n"
                "shape = { kind = \"bar\", size = [2, 1, 1], cells = [24, 12, 12] }\n"
                "[solver]\nlinear = \"cholesky\"\n");
  int failed = 0;
  for (int megabytes = 40; megabytes <= 1000; megabytes += megabytes / 5) {
    SCOPED_TRACE(megabytes);
    shell("ulimit -v " + std::to_string(1024 * megabytes) +
          "; OPENBLAS_NUM_THREADS=1 $L run s.toml -o r -q");
    // With too little for its libraries the program does not even start.
    if (output_.find("shared libraries") != std::string::npos) continue;
    if (code_ == 0) break;
    ++failed;
    EXPECT_TRUE(code_ == 2 || code_ == 3) << code_ << ": " << output_;
    EXPECT_NE(output_.find("memory"), std::string::npos) << output_;
  }
  EXPECT_EQ(code_, 0) << output_;
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace lilyan::test::faults_test

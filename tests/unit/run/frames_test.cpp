// The formats that a run writes its frames in, and `export`, which writes them afterwards.
#include "app/run/frames.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "app/files/mesh.hpp"
#include "app/report/result_folder.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/drift.hpp"
#include "support/mesh_text.hpp"

namespace lilyan::test::frames_test {
namespace {

constexpr const char* kScene =
    "[integrator]\nmethod = \"backward-euler\"\nstep = 0.02\nsteps = 7\n[output]\nevery = 3\n"
    "[[body]]\nshape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\nmass = 1\n"
    "material = { mu = 30, lambda = 20 }\nvelocity = [1, 0, 0]\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n"
    "[[body]]\nname = \"cube\"\nshape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n"
    "mass = 1\nmaterial = { mu = 30, lambda = 20 }\n";

// Stops after `last` steps, as Ctrl-C does.
RunSummary run_into(const std::filesystem::path& folder, const Scene& scene, int last = 1000) {
  ResultFolder results(folder, scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  RunSummary summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return moment.step < last;
  });
  results.finish(summary, drift);
  return summary;
}

nlohmann::json glb_json(const std::filesystem::path& file) {
  const std::string bytes = read_text(file);
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 12, sizeof size);
  return nlohmann::json::parse(bytes.substr(20, size));
}

class Frames : public testing::Test {
 protected:
  [[nodiscard]] Scene scene(const std::string& formats) const {
    return load_scene(folder_.write("s.toml", kScene), {.settings = {"output.formats=" + formats}});
  }
  [[nodiscard]] bool exists(const char* name) const { return std::filesystem::exists(out_ / name); }

  TempFolder folder_;
  std::filesystem::path out_ = folder_.path() / "out";
};

TEST_F(Frames, EveryFormatIsWrittenAndRemovedByTheNextRun) {
  run_into(out_, scene("[\"vtu\", \"ply\", \"obj\", \"glb\", \"usda\"]"));
  for (const char* name : {"run.pvd", "run.glb", "run.usda", "frames/000000.ply",
                           "frames/000003.obj", "frames/000006.vtu", "frames/000007.ply"}) {
    EXPECT_TRUE(exists(name)) << name;
  }
  EXPECT_FALSE(exists("run.frames.tmp"));
  const nlohmann::json json = glb_json(out_ / "run.glb");
  ASSERT_EQ(json["meshes"].size(), 2U);
  EXPECT_EQ(json["nodes"][0]["name"], "body1");
  EXPECT_EQ(json["nodes"][1]["name"], "cube");
  EXPECT_EQ(json["meshes"][0]["weights"].size(), 3U);  // frames 3, 6 and 7 behind the first
  EXPECT_EQ(read_surface(out_ / "frames/000003.ply").triangles.size(), 20U + 12U);

  std::ofstream(out_ / "frames" / "mine.ply") << "keep";
  run_into(out_, scene("[\"vtu\"]"));
  for (const char* name : {"run.glb", "run.usda", "frames/000000.ply", "frames/000003.obj"}) {
    EXPECT_FALSE(exists(name)) << name;
  }
  EXPECT_TRUE(exists("frames/mine.ply"));
  EXPECT_TRUE(exists("run.pvd"));
}

TEST_F(Frames, AnInterruptedRunHasAnAnimationUpToItsEnd) {
  const RunSummary summary = run_into(out_, scene("glb"), 4);
  EXPECT_EQ(summary.end, RunEnd::interrupted);
  EXPECT_EQ(glb_json(out_ / "run.glb")["meshes"][0]["weights"].size(), 2U);  // 3 and 4
  EXPECT_FALSE(exists("run.pvd"));
}

TEST_F(Frames, AnAnimationThatWouldBeTooLargeIsRefusedBeforeAnythingIsTouched) {
  run_into(out_, scene("vtu"));
  const Scene large =
      load_scene(folder_.path() / "s.toml",
                 {.settings = {"output.formats=glb", "output.every=1"}, .steps = 100000});
  try {
    const ResultFolder results(out_, large);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("larger output.every"), std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(exists("run.pvd"));
}

TEST_F(Frames, UnknownFormatsAreNamed) {
  try {
    static_cast<void>(scene("[\"glbb\"]"));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot have 'glbb'; did you mean 'glb'?"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Frames, ExportWritesWhatTheRunWouldHave) {
  run_into(out_, scene("[\"vtu\", \"ply\", \"glb\", \"usda\"]"));
  const auto other = folder_.path() / "other";
  std::filesystem::create_directories(other);
  EXPECT_EQ(export_frames(out_, {.format = "glb", .output = other / "a.glb"}).frames, 4U);
  EXPECT_EQ(read_text(other / "a.glb"), read_text(out_ / "run.glb"));
  export_frames(out_, {.format = "usda", .output = other / "a.usda"});
  EXPECT_EQ(read_text(other / "a.usda"), read_text(out_ / "run.usda"));
  export_frames(out_, {.format = "ply", .output = other / "frames"});
  EXPECT_EQ(read_text(other / "frames/000006.ply"), read_text(out_ / "frames/000006.ply"));
  // Frames 0 and 6, and the last.
  EXPECT_EQ(export_frames(out_, {.format = "glb", .output = other / "b.glb", .every = 2}).frames,
            3U);
  EXPECT_EQ(glb_json(other / "b.glb")["meshes"][1]["weights"].size(), 2U);
  EXPECT_EQ(export_frames(out_, {.format = "obj"}).path, out_ / "frames");
  EXPECT_TRUE(exists("frames/000007.obj"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(other)) {
    files += entry.path().extension() == ".tmp";
  }
  EXPECT_EQ(files, 0U);
}

TEST_F(Frames, ExportSaysWhatIsMissing) {
  const auto complaint = [&](const std::filesystem::path& folder) -> std::string {
    try {
      export_frames(folder, {.format = "glb"});
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  };
  EXPECT_NE(complaint(folder_.path() / "nowhere").find("there is no run.pvd"), std::string::npos);
  run_into(out_, scene("vtu"));
  std::filesystem::remove(out_ / "frames/000003.vtu");
  EXPECT_NE(complaint(out_).find("000003.vtu: no such file"), std::string::npos) << complaint(out_);
  EXPECT_FALSE(exists("run.glb"));
}

}  // namespace
}  // namespace lilyan::test::frames_test

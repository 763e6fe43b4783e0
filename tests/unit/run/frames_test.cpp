// The formats that a run writes its frames in, and `export`, which writes them afterwards.
#include "app/run/frames.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "app/files/mesh.hpp"
#include "app/report/folder/result_folder.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
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
FinishedRun run_into(const std::filesystem::path& folder, const Scene& scene, int last = 1000) {
  ResultFolder results(folder, scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return moment.step < last;
  });
  results.finish(summary, summary.state, drift);
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
  const FinishedRun summary = run_into(out_, scene("glb"), 4);
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

// Between frames positions follow their velocities: here a body that falls freely, which a cubic in
// time reproduces.
TEST_F(Frames, ExportAtAnotherRateIsWhereTheBodyWas) {
  const auto file = folder_.write(
      "fall.toml",
      "[integrator]\nmethod = \"implicit-midpoint\"\nstep = 0.1\nsteps = 10\n"
      "[world]\ngravity = [0, -10, 0]\n[[body]]\nmass = 1\nmaterial = { mu = 30, lambda = 20 }\n"
      "shape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\nvelocity = [1, 0, 0]\n");
  run_into(out_, load_scene(file));
  const Exported done = export_frames(out_, {.format = "ply", .rate = 24});
  EXPECT_EQ(done.path, out_ / "frames-24-per-second");
  EXPECT_EQ(done.frames, 25U);
  const SurfaceMesh first = read_surface(done.path / "000000.ply");
  for (const int k : {1, 7, 12, 24}) {
    const SurfaceMesh mesh = read_surface(done.path / fmt::format("{:06}.ply", k));
    const double t = k / 24.0;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      EXPECT_NEAR(mesh.vertices[i][0], first.vertices[i][0] + t, 1e-9);
      EXPECT_NEAR(mesh.vertices[i][1], first.vertices[i][1] - 5 * t * t, 1e-9);
    }
  }
  EXPECT_FALSE(exists("frames/000001.ply"));
  EXPECT_THROW(export_frames(out_, {.format = "ply", .rate = 1e7}), Error);
}

TEST_F(Frames, AnimationsHaveTheObstacles) {
  const auto file = folder_.write(
      "s.toml",
      std::string(kScene) +
          "[[obstacle]]\nkind = \"plane\"\npoint = [0, -4, 0]\nstiffness = 1\n"
          "[[obstacle]]\nname = \"the moon\"\nkind = \"sphere\"\ncenter = [0, 9, 0]\nradius = 2\n"
          "stiffness = 1\nmotion = { keys = [{ t = 0 }, { t = 1, shift = [3, 0, 0] }] }\n");
  run_into(out_, load_scene(file, {.settings = {"output.formats=[\"vtu\", \"glb\"]"}}));
  const nlohmann::json json = glb_json(out_ / "run.glb");
  ASSERT_EQ(json["nodes"].size(), 4U);
  EXPECT_EQ(json["nodes"][2]["name"], "plane1");
  EXPECT_EQ(json["nodes"][3]["name"], "the moon");
  export_frames(out_, {.format = "usda", .output = folder_.path() / "a.usda"});
  const std::string usda = read_text(folder_.path() / "a.usda");
  EXPECT_NE(usda.find("def Mesh \"plane1\"\n"), std::string::npos);
  EXPECT_NE(usda.find("def Mesh \"the_moon\" (\n        displayName = \"the moon\"\n"),
            std::string::npos);
  const auto box = [&](std::size_t mesh, const char* end) {
    const auto at = json["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"];
    return json["accessors"][at.get<std::size_t>()][end].get<std::vector<double>>();
  };
  // The plane lies where it is and reaches beyond the bodies, the sphere is as large as it is.
  EXPECT_NEAR(box(2, "min")[1], -4, 1e-6);
  EXPECT_NEAR(box(2, "max")[1], -4, 1e-6);
  EXPECT_LT(box(2, "min")[0], box(0, "min")[0] - 1);
  EXPECT_GT(box(2, "max")[0], box(0, "max")[0] + 1);
  EXPECT_NEAR(box(3, "max")[1], 11, 1e-6);
  EXPECT_NEAR(box(3, "min")[1], 7, 1e-6);
  const auto other = folder_.path() / "a.glb";
  export_frames(out_, {.format = "glb", .output = other});
  EXPECT_EQ(read_text(other), read_text(out_ / "run.glb"));
  export_frames(out_, {.format = "glb", .output = other, .obstacles = false});
  EXPECT_EQ(glb_json(other)["nodes"].size(), 2U);
}

TEST_F(Frames, VtuHasDisplacementAndEnergyDensity) {
  run_into(out_, scene("vtu"));
  const std::string bytes = read_text(out_ / "frames/000000.vtu");
  const auto array = [&](const std::string& name, std::size_t count) {
    const std::size_t at = bytes.find("Name=\"" + name + "\"");
    std::vector<float> values(count);
    if (at == std::string::npos) return values;
    const std::size_t offset = std::stoul(bytes.substr(bytes.find("offset=\"", at) + 8));
    const std::size_t data = bytes.find("\n_") + 2 + offset;
    EXPECT_EQ(std::uint64_t{4 * count}, *reinterpret_cast<const std::uint64_t*>(&bytes[data]));
    std::memcpy(values.data(), &bytes[data + 8], 4 * count);
    return values;
  };
  const Scene shown = scene("vtu");
  const auto n = static_cast<std::size_t>(shown.system->vertices());
  const std::vector<float> u = array("displacement", 3 * n);
  const std::vector<float> e = array("strain_energy_density", n);
  // Stretched by 1.3 about the middle of the bar: W = mu E:E + lambda/2 (tr E)^2, E = 0.345.
  const double density = 30 * 0.345 * 0.345 + 10 * 0.345 * 0.345;
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<Eigen::Index>(3 * i);
    EXPECT_NEAR(u[3 * i], shown.initial.x[x] - shown.bodies().rest[x], 1e-6);
    EXPECT_NEAR(e[i], i < 12 ? density : 0, 1e-4) << i;
  }
}

// Two triangles whose common edge is at two places of the picture: a seam.
constexpr const char* kSeam =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "vt 0 0\nvt 0.5 0\nvt 0.5 1\nvt 0.75 0\nvt 1 1\nvt 0.75 1\n"
    "f 1/1 2/2 3/3\nf 1/4 3/-2 4/-1\n";

TEST_F(Frames, TextureCoordinatesAreKept) {
  folder_.write("seam.obj", kSeam);
  const auto file = folder_.write(
      "cloth.toml",
      "[integrator]\nmethod = \"backward-euler\"\nstep = 0.02\nsteps = 2\n"
      "[output]\nformats = [\"vtu\", \"obj\", \"glb\", \"usda\"]\n"
      "[[body]]\nshape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\nmass = 1\n"
      "material = { mu = 30, lambda = 20 }\n"
      "[[body]]\nname = \"cloth\"\nmesh = \"seam.obj\"\nmass = 1\n"
      "springs = { stretch = 10 }\n");
  run_into(out_, load_scene(file));
  const std::vector<TriangleTexture> expected = {{0, 0, 0.5F, 0, 0.5F, 1},
                                                 {0.75F, 0, 1, 1, 0.75F, 1}};
  EXPECT_EQ(read_surface(folder_.path() / "seam.obj").texture, expected);
  // From the frame of the run, and from one exported from .vtu.
  export_frames(out_, {.format = "obj", .output = folder_.path() / "again"});
  for (const auto& frame : {out_ / "frames/000002.obj", folder_.path() / "again/000002.obj"}) {
    const SurfaceMesh mesh = read_surface(frame);
    ASSERT_EQ(mesh.triangles.size(), 12U + 2U);
    ASSERT_EQ(mesh.texture.size(), 14U) << frame;
    EXPECT_EQ(mesh.texture[0], TriangleTexture());
    EXPECT_EQ(mesh.texture[12], expected[0]);
    EXPECT_EQ(mesh.texture[13], expected[1]);
  }
  // glTF has the ends of the seam twice.
  const nlohmann::json json = glb_json(out_ / "run.glb");
  EXPECT_FALSE(json["meshes"][0]["primitives"][0]["attributes"].contains("TEXCOORD_0"));
  const nlohmann::json& attributes = json["meshes"][1]["primitives"][0]["attributes"];
  const auto count = [&](const char* name) {
    return json["accessors"][attributes[name].get<std::size_t>()]["count"].get<int>();
  };
  EXPECT_EQ(count("POSITION"), 6);
  EXPECT_EQ(count("NORMAL"), 6);
  EXPECT_EQ(count("TEXCOORD_0"), 6);
  const std::string usda = read_text(out_ / "run.usda");
  EXPECT_NE(usda.find("primvars:st = [(0, 0), (0.5, 0), (0.5, 1), (0.75, 0), (1, 1), (0.75, 1)]"),
            std::string::npos);
  EXPECT_NE(usda.find("primvars:st:indices = [0, 1, 2, 3, 4, 5]"), std::string::npos);
  const auto other = folder_.path() / "a.glb";
  export_frames(out_, {.format = "glb", .output = other});
  EXPECT_EQ(read_text(other), read_text(out_ / "run.glb"));
}

TEST_F(Frames, AGridFillsItsPicture) {
  const auto file = folder_.write("grid.toml",
                                  "[integrator]\nstep = 0.02\nsteps = 1\n[[body]]\nmass = 1\n"
                                  "shape = { kind = \"grid\", size = [4, 2], cells = [4, 2] }\n"
                                  "springs = { stretch = 10 }\n");
  const Scene cloth = load_scene(file);
  ASSERT_EQ(cloth.bodies().texture.size(), cloth.bodies().triangles.size());
  for (std::size_t k = 0; k < cloth.bodies().triangles.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto x = cloth.bodies().rest.segment<3>(3 * cloth.bodies().triangles[k][c]);
      EXPECT_NEAR(cloth.bodies().texture[k][2 * c], (x[0] + 2) / 4, 1e-6);
      EXPECT_NEAR(cloth.bodies().texture[k][2 * c + 1], (x[1] + 1) / 2, 1e-6);
    }
  }
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

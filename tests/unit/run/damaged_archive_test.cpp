// Archives of runs that something else wrote, or that were changed: loading them is an Error or gives a run, and
// never reads or writes out of bounds.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/saving/archive.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::damaged_archive_test {
namespace {

const std::string kIntegrator = "[integrator]\nstep = 0.01\nsteps = 9\n";
const std::string kBox =
    "[[body]]\nshape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\nmass = 1\n"
    "material = { mu = 1, lambda = 1 }\n";
const std::string kFloor =
    "[[obstacle]]\nkind = \"plane\"\npoint = [0, 0.01, 0]\nnormal = [0, 1, 0]\nstiffness = 100\n";

// One of each kind of thing that a run remembers.
std::vector<std::string> scenes() {
  return {kIntegrator + "[system]\nkind = \"pendulum\"\n",
          kIntegrator +
              "method = \"gauss\"\n[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\"]\n"
              "lagrangian = \"(1 + a^2)*a'^2/2\"\nvelocity = { a = 1 }\n"
              "event = [{ name = \"zero\", zero = \"a\" }]\n",
          kIntegrator + "[step_control]\nkind = \"error\"\n" + kBox + kFloor + "friction = 0.5\n",
          kIntegrator + kBox + kFloor + "model = \"repulsion-springs\"\n",
          kIntegrator + kBox + kBox + "name = \"upper\"\ntranslate = [0, 1.01, 0]\n" +
              "[[contact]]\nstiffness = 100\nthickness = 0.02\nfriction = 0.3\n"};
}

struct LoadedRun {
  explicit LoadedRun(const Scene& scene)
      : drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial)),
        run(scene, drift) {}
  std::string save() {
    std::string bytes;
    Archive a(&bytes);
    a(run);
    return bytes;
  }
  DriftTracker drift;
  SceneRun run;
};

// Whether it loaded.
bool load(const Scene& scene, std::string_view bytes) {
  LoadedRun loaded(scene);
  try {
    Archive a(bytes);
    a(loaded.run);
    a.require_end();
  } catch (const Error&) {
    return false;
  }
  EXPECT_EQ(loaded.save().size(), bytes.size());
  return true;
}

TEST(DamagedArchive, LoadsOrIsRefused) {
  const TempFolder folder;
  for (const std::string& text : scenes()) {
    const Scene scene = load_scene(folder.write("scene.toml", text));
    LoadedRun run(scene);
    for (int k = 0; k < 3; ++k) (void)run.run.step();
    const std::string whole = run.save();
    EXPECT_TRUE(load(scene, whole)) << text;
    EXPECT_FALSE(load(scene, whole + "x"));
    // Shorter.
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 20) {
      EXPECT_FALSE(load(scene, std::string_view(whole).substr(0, size))) << size;
    }
    // Every eight bytes in turn, as if a count, an index or a number were another.
    for (std::size_t at = 0; at + 8 <= whole.size(); at += 4) {
      for (const double number : {-1.0, 1e300, 2.0, 1e6}) {
        std::string bytes = whole;
        std::memcpy(bytes.data() + at, &number, 8);
        (void)load(scene, bytes);
      }
    }
    std::mt19937 random(1);
    for (int k = 0; k < 300; ++k) {
      std::string bytes = whole;
      for (int n = 0; n < 1 + k % 3; ++n)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      (void)load(scene, bytes);
    }
  }
}

TEST(DamagedArchive, FlagsAreZeroOrOne) {
  std::string bytes(1, '\2');
  bool flag = false;
  Archive a{std::string_view(bytes)};
  EXPECT_THROW(a(flag), Error);
}

}  // namespace
}  // namespace lilyan::test::damaged_archive_test

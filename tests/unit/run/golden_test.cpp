// Digests of trajectories that a reference build gives with any compiler. Other builds differ in the last digits.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::golden_test {
namespace {

constexpr int kSteps = 5;

std::string digest_of(const std::filesystem::path& file) {
  const Scene scene = load_scene(file, {.settings = {}, .steps = kSteps});
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const RunSummary summary = run_scene(scene, drift, [](const RunMoment&) { return true; });
  return fmt::format("{:016x}", summary.digest.value());
}

// With LILYAN_WRITE_DIGESTS in the environment the file is written anew.
TEST(Golden, DigestsOfAReferenceBuild) {
#ifndef LILYAN_REFERENCE
  GTEST_SKIP() << "this is not a reference build (cmake --preset reference)";
#endif
  const std::filesystem::path file = source_folder() / "tests" / "data" / "digests.json";
  nlohmann::ordered_json found;
  std::vector<std::filesystem::path> scenes;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "scenes")) {
    if (entry.path().extension() == ".toml") scenes.push_back(entry.path());
  }
  std::ranges::sort(scenes);
  for (const auto& scene : scenes) found[scene.stem().string()] = digest_of(scene);
  if (std::getenv("LILYAN_WRITE_DIGESTS")) std::ofstream(file) << found.dump(2) << "\n";
  const auto expected = nlohmann::ordered_json::parse(read_text(file));
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [scene, digest] : found.items()) {
    ASSERT_TRUE(expected.contains(scene)) << scene << ": write the digests anew";
    EXPECT_EQ(digest, expected[scene]) << scene;
  }
}

}  // namespace
}  // namespace lilyan::test::golden_test

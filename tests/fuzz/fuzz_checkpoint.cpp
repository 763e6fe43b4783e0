// Checkpoints under libFuzzer. The first byte chooses what the rest is: a checkpoint file, what is behind the
// checksum of one, or the archive of a run of one of a few small scenes, to load. Anything but a run that
// saves what it loaded, or Error, is a finding. With LILYAN_FUZZ_SEEDS=FOLDER it first writes inputs that
// load, to begin with. See CMakeLists.txt here for how it is built.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "app/run/checkpoint.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/saving/archive.hpp"

namespace {

constexpr const char* kBar =
    "shape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\nmass = 1\n"
    "material = { mu = 1, lambda = 1 }\n";

std::string text_of(std::size_t scene) {
  const std::string integrator = "[integrator]\nstep = 0.01\nsteps = 9\n";
  switch (scene) {
    case 0: return integrator + "[system]\nkind = \"pendulum\"\n";
    case 1:
      return integrator + "[step_control]\nkind = \"error\"\n[[body]]\n" + kBar +
             "[[obstacle]]\nkind = \"plane\"\npoint = [0, -0.01, 0]\nnormal = [0, 1, 0]\n"
             "stiffness = 100\nfriction = 0.5\n";
    default:
      return integrator + "[world]\ngravity = [0, -9.81, 0]\n[[body]]\n" + kBar +
             "[[body]]\ntranslate = [0, 1.01, 0]\n" + kBar +
             "[[contact]]\nstiffness = 100\nthickness = 0.02\nfriction = 0.3\n";
  }
}

lilyan::Scene make_scene(std::size_t which) {
  const auto file =
      std::filesystem::path("/dev/shm") / ("lilyan-fuzz-" + std::to_string(getpid()) + ".toml");
  std::ofstream(file, std::ios::binary) << text_of(which);
  lilyan::Scene scene = lilyan::load_scene(file);
  std::filesystem::remove(file);
  return scene;
}

constexpr std::size_t kScenes = 3;

const lilyan::Scene& scene_of(std::size_t which) {
  static const std::array<lilyan::Scene, kScenes> kAll = {make_scene(0), make_scene(1),
                                                          make_scene(2)};
  return kAll[which];
}

// A scene at its start.
struct FuzzedRun {
  explicit FuzzedRun(const lilyan::Scene& scene)
      : drift(*scene.system, scene.initial, lilyan::invariants(*scene.system, scene.initial)),
        run(scene, drift) {}
  [[nodiscard]] std::string saved() {
    std::string bytes;
    lilyan::Archive a(&bytes);
    a(run);
    return bytes;
  }
  lilyan::DriftTracker drift;
  lilyan::SceneRun run;
};

void load_run(std::size_t which, std::string_view bytes) {
  FuzzedRun fuzzed(scene_of(which));
  lilyan::Archive in(bytes);
  in(fuzzed.run);
  in.require_end();
  (void)fuzzed.saved();
}

void write_seeds(const std::filesystem::path& folder) {
  const auto write = [&](const std::string& name, std::size_t kind, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << static_cast<char>(kind) << bytes;
  };
  std::string head;
  lilyan::Archive a(&head);
  lilyan::CheckpointHead content{"scene", text_of(0), 3, 0.5};
  a(content);
  write("file", 0, lilyan::checkpoint_bytes(head + "rest"));
  write("content", 1, head + "rest");
  for (std::size_t which = 0; which < kScenes; ++which) {
    FuzzedRun fuzzed(scene_of(which));
    write("start" + std::to_string(which), 2 + which, fuzzed.saved());
    for (int k = 0; k < 3; ++k) (void)fuzzed.run.step();
    write("run" + std::to_string(which), 2 + which, fuzzed.saved());
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  if (const char* folder = std::getenv("LILYAN_FUZZ_SEEDS")) write_seeds(folder);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % (2 + kScenes)) {
      case 0: (void)lilyan::parse_checkpoint(bytes); break;
      case 1: (void)lilyan::parse_checkpoint(lilyan::checkpoint_bytes(bytes)); break;
      default: load_run(data[0] % (2 + kScenes) - 2, bytes);
    }
  } catch (const lilyan::Error&) {
  }
  return 0;
}

#include "app/run/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/files/file.hpp"
#include "app/files/surface_writer.hpp"
#include "app/files/vtu.hpp"
#include "app/run/energy_density.hpp"
#include "app/run/props.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFrames = "frames";
constexpr const char* kPvd = "run.pvd";
constexpr const char* kGlb = "run.glb";
constexpr const char* kUsda = "run.usda";
constexpr const char* kStore = "run.frames.tmp";

Points points_of(const Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

fs::path frame_name(int step, std::string_view extension) {
  return fs::path(kFrames) / fmt::format("{:06}.{}", step, extension);
}

// frames/NNNNNN.vtu and run.pvd, which is complete after every frame.
class VtuFrames final : public FrameWriter {
 public:
  VtuFrames(const fs::path& folder, const Scene& scene, bool float64, Opening opening)
      : folder_(folder),
        geometry_(geometry_of(scene)),
        rest_(scene.bodies().rest),
        energies_(*scene.system),
        float64_(float64),
        pvd_(folder / kPvd, opening) {}
  void archive(Archive& a) override { a(pvd_); }

  void add(int step, const State& state) override {
    const fs::path name = frame_name(step, "vtu");
    write_vtu(folder_ / name, {.x = points_of(state.x),
                               .v = points_of(state.v),
                               .rest = points_of(rest_),
                               .energy_density = energies_.any() ? energies_.densities(state.x)
                                                                 : std::span<const double>(),
                               .geometry = geometry_,
                               .float64 = float64_});
    pvd_.add(state.t, name);
  }

 private:
  fs::path folder_;
  FrameGeometry geometry_;
  const Vector& rest_;
  VertexEnergies energies_;
  bool float64_;
  PvdWriter pvd_;
};

// frames/NNNNNN.ply or .obj
class SurfaceFrames final : public FrameWriter {
 public:
  SurfaceFrames(const fs::path& folder, const FrameGeometry& geometry, std::string extension)
      : folder_(folder), extension_(std::move(extension)), parts_(surface_parts(geometry)) {}

  void add(int step, const State& state) override {
    write_surface(folder_ / frame_name(step, extension_),
                  {.parts = parts_, .points = points_of(state.x), .velocity = points_of(state.v)});
  }

 private:
  fs::path folder_;
  std::string extension_;
  std::vector<SurfacePart> parts_;
};

// run.glb and run.usda, written at the end from a temporary file.
class AnimationFiles final : public FrameWriter {
 public:
  AnimationFiles(const fs::path& folder, const Scene& scene, bool glb, bool usda, UpAxis up,
                 Opening opening)
      : folder_(folder),
        glb_(glb),
        usda_(usda),
        up_(up),
        obstacles_(scene.bodies().obstacles),
        parts_(surface_parts(geometry_of(scene))),
        store_(folder / kStore, vertex_count(parts_), opening) {}
  void archive(Archive& a) override {
    // A program that is killed cannot ask for it any more.
    if (!a.loading()) store_.keep();
    if (a.loading() && !fs::exists(folder_ / kStore)) {
      throw Error(
          "run.glb and run.usda are complete and cannot be made longer; run the scene anew, or "
          "export them "
          "from vtu frames later");
    }
    a(store_, left_out_);
  }

  void add(int /*step*/, const State& state) override {
    const std::size_t frames = store_.frames();
    if (!usda_ && gltf_bytes(vertex_count(parts_), frames + 1) > kGltfMost) {
      left_out_ = true;
      return;
    }
    gather(parts_, points_of(state.x), points_);
    store_.add(state.t, points_);
  }

  void finish() override {
    if (store_.frames() == 0) return;
    const std::vector<Prop> props = props_of(obstacles_, store_);
    const AnimationLook look{.up = up_, .props = props};
    if (usda_) write_usda(folder_ / kUsda, parts_, store_, look);
    if (glb_ && gltf_bytes(vertex_count(parts_), store_.frames()) > kGltfMost) {
      left_out_ = true;
    } else if (glb_) {
      write_gltf(folder_ / kGlb, parts_, store_, look);
    }
  }
  void clean_up() override { store_.remove(); }

  [[nodiscard]] std::string note() const override {
    if (!left_out_) return {};
    return usda_ ? "run.glb was not written: it would be larger than 2 GiB; take a larger "
                   "output.every"
                 : "run.glb ends early: the rest would make it larger than 2 GiB; take a larger "
                   "output.every";
  }

 private:
  fs::path folder_;
  bool glb_;
  bool usda_;
  UpAxis up_;
  std::span<const Obstacle> obstacles_;
  std::vector<SurfacePart> parts_;
  FrameStore store_;
  std::vector<float> points_;
  bool left_out_ = false;
};

// Each Nth frame, and the last.
std::vector<ListedFrame> every_nth(const std::vector<ListedFrame>& all, int every) {
  std::vector<ListedFrame> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % static_cast<std::size_t>(every) == 0 || i + 1 == all.size()) kept.push_back(all[i]);
  }
  return kept;
}

}  // namespace

void check_frames(const fs::path& folder, const FrameGeometry& geometry,
                  const FrameSettings& settings) {
  if (std::ranges::find(settings.formats, "glb") == settings.formats.end()) return;
  const std::size_t vertices = vertex_count(surface_parts(geometry));
  const std::uint64_t size = gltf_bytes(vertices, settings.frames);
  if (size <= kGltfMost) return;
  throw Error(fmt::format(
      "{} would have {:.1f} GB with {} frames of {} surface vertices, and 2 GiB is the most: take "
      "fewer frames (a larger output.every), or \"usda\" in output.formats",
      (folder / kGlb).string(), static_cast<double>(size) / 1e9, settings.frames, vertices));
}

std::vector<std::unique_ptr<FrameWriter>> make_frame_writers(const fs::path& folder,
                                                             const Scene& scene,
                                                             const FrameSettings& settings,
                                                             Opening opening) {
  const auto wants = [&](std::string_view format) {
    return std::ranges::find(settings.formats, format) != settings.formats.end();
  };
  std::vector<std::unique_ptr<FrameWriter>> writers;
  // (Of a shared scene each process writes a part of them, see app/distributed/pieces.hpp.)
  if (wants("vtu") && !scene.shared) {
    writers.push_back(std::make_unique<VtuFrames>(folder, scene, settings.float64, opening));
  }
  for (const char* format : {"ply", "obj"}) {
    if (wants(format))
      writers.push_back(std::make_unique<SurfaceFrames>(folder, geometry_of(scene), format));
  }
  if (wants("glb") || wants("usda")) {
    writers.push_back(std::make_unique<AnimationFiles>(folder, scene, wants("glb"), wants("usda"),
                                                       settings.up, opening));
  }
  if (wants("vtu") || wants("ply") || wants("obj")) fs::create_directories(folder / kFrames);
  return writers;
}

std::string frame_files(const FrameSettings& settings) {
  std::string files;
  for (const std::string& format : settings.formats) {
    files += files.empty() ? "" : ", ";
    files += format == "vtu"                       ? kPvd
             : format == "glb" || format == "usda" ? "run." + format
                                                   : std::string(kFrames) + "/*." + format;
  }
  return files;
}

void remove_frames_after(const fs::path& folder, int step) {
  if (!fs::is_directory(folder / kFrames)) return;
  for (const auto& entry : fs::directory_iterator(folder / kFrames)) {
    const std::string extension = entry.path().extension().string();
    const std::string stem = entry.path().stem().string();
    int number = 0;
    int piece = 0;
    const char* const last = stem.data() + stem.size();
    auto [end, error] = std::from_chars(stem.data(), last, number);
    // NNNNNN_P.vtu is a piece of a frame.
    if (error == std::errc() && end != last && *end == '_') {
      end = std::from_chars(end + 1, last, piece).ptr;
    }
    const bool numbered = error == std::errc() && end == last;
    if (numbered && number > step &&
        (extension == ".vtu" || extension == ".pvtu" || extension == ".ply" ||
         extension == ".obj")) {
      fs::remove(entry.path());
    }
  }
}

void remove_frames(const fs::path& folder) {
  for (const char* file : {kPvd, kGlb, kUsda, kStore}) fs::remove(folder / file);
  remove_frames_after(folder, -1);
  if (fs::is_directory(folder / kFrames) && fs::is_empty(folder / kFrames)) {
    fs::remove(folder / kFrames);
  }
}

// Names are a convenience: a run.json that cannot be read leaves body1, body2, ...
std::vector<std::string> listed_bodies(const fs::path& folder) {
  using nlohmann::json;
  std::ifstream stream(folder / "run.json");
  std::vector<std::string> names;
  try {
    const json run = json::parse(stream);
    for (const auto& name : run.at("size").at("bodies")) names.push_back(name.get<std::string>());
  } catch (const json::exception&) {
    names.clear();
  }
  return names;
}

FrameGeometry geometry_of(const VtuContent& frame, const std::vector<std::string>& body_names) {
  return {.tets = frame.tets,
          .tet_body = frame.tet_body,
          .triangles = frame.triangles,
          .triangle_body = frame.triangle_body,
          .edges = frame.edges,
          .edge_body = frame.edge_body,
          .body_names = body_names,
          .texture = frame.texture};
}

namespace {

// The frames of a run that is done, at any time from the first to the last.
class FramesBetween {
 public:
  explicit FramesBetween(std::vector<ListedFrame> frames) : frames_(std::move(frames)) {}
  [[nodiscard]] const VtuContent& first() { return load(0); }

  // Of a frame as it is; between frames cubic in time, with their velocities where they have them.
  const VtuContent& at(double t) {
    std::size_t next = 0;
    while (next + 1 < frames_.size() && frames_[next].t < t) ++next;
    if (next == 0 || frames_[next].t <= t) return load(next);
    const VtuContent a = load(next - 1);
    const VtuContent& b = load(next);
    const double h = frames_[next].t - frames_[next - 1].t;
    return between_ = interpolated(a, b, h, (t - frames_[next - 1].t) / h);
  }

 private:
  const VtuContent& load(std::size_t k) {
    for (auto& [number, content] : loaded_) {
      if (number == k) return content;
    }
    VtuContent content = read_vtu(frames_[k].file);
    if (!loaded_.empty() && content.points.size() != loaded_.front().second.points.size()) {
      throw InputError({frames_[k].file.string(), 0, 0},
                       fmt::format("it has {} points, the first frame {}", content.points.size(),
                                   loaded_.front().second.points.size()));
    }
    // The first stays, and the two that were needed last.
    if (loaded_.size() == 3) loaded_.erase(loaded_.begin() + 1);
    loaded_.emplace_back(k, std::move(content));
    return loaded_.back().second;
  }

  // Hermite's polynomial at a share s of the time h from a to b.
  static VtuContent interpolated(const VtuContent& a, const VtuContent& b, double h, double s) {
    VtuContent c = a;
    const bool moving = !a.velocity.empty() && !b.velocity.empty();
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double step = b.points[i][k] - a.points[i][k];
        const double va = moving ? h * a.velocity[i][k] : step;
        const double vb = moving ? h * b.velocity[i][k] : step;
        const double square = va - step;  // p = a + s step + s (1 − s) (square (1 − s) + …)
        const double cube = step - vb;
        c.points[i][k] = a.points[i][k] + s * step + s * (1 - s) * ((1 - s) * square + s * cube);
        if (moving) {
          c.velocity[i][k] =
              (step + (1 - 4 * s + 3 * s * s) * square + (2 * s - 3 * s * s) * cube) / h;
        }
      }
    }
    return c;
  }

  std::vector<ListedFrame> frames_;
  std::vector<std::pair<std::size_t, VtuContent>> loaded_;
  VtuContent between_;
};

// A frame to be written: when it is, and its name if it is a file of its own.
struct PlannedFrame {
  double t;
  std::string name;
};

std::vector<PlannedFrame> planned_frames(const std::vector<ListedFrame>& all,
                                         const ExportOptions& options) {
  std::vector<PlannedFrame> plan;
  if (options.rate <= 0) {
    for (const ListedFrame& frame : every_nth(all, options.every)) {
      plan.push_back({frame.t, frame.file.stem().string()});
    }
    return plan;
  }
  // Rounding must not lose the last.
  const double count = (all.back().t - all.front().t) * options.rate * (1 + 1e-12);
  constexpr double kMostExported = 1e6;
  if (!(count < kMostExported)) throw Error("--rate: that would be more than a million frames");
  for (int k = 0; k <= static_cast<int>(count); ++k) {
    const double t = std::min(all.front().t + k / options.rate, all.back().t);
    plan.push_back({t, fmt::format("{:06}", k)});
  }
  return plan;
}

// Frames at another rate are not those of the run's steps, and must not be taken for them.
std::string default_output(const ExportOptions& options) {
  if (options.format == "glb" || options.format == "usda") return "run." + options.format;
  return options.rate > 0 ? fmt::format("frames-{:g}-per-second", options.rate) : kFrames;
}

// The obstacles of a run; none where its scene was lost.
std::vector<Obstacle> obstacles_of(const fs::path& folder) {
  const fs::path scene = folder / "scene.resolved.toml";
  return fs::exists(scene) ? obstacles_in(scene) : std::vector<Obstacle>();
}

}  // namespace

Exported export_frames(const fs::path& folder, const ExportOptions& options) {
  const std::vector<ListedFrame> listed = listed_frames(folder);
  const std::vector<PlannedFrame> plan = planned_frames(listed, options);
  FramesBetween frames(listed);
  const std::vector<std::string> names = listed_bodies(folder);
  const std::vector<SurfacePart> parts = surface_parts(geometry_of(frames.first(), names));
  if (parts.empty())
    throw InputError({listed.front().file.string(), 0, 0}, "it has nothing to see");

  const bool animation = options.format == "glb" || options.format == "usda";
  fs::path output = options.output;
  if (output.empty()) output = folder / default_output(options);
  std::optional<FrameStore> store;
  if (animation) {
    if (options.format == "glb" && gltf_bytes(vertex_count(parts), plan.size()) > kGltfMost) {
      throw Error(
          fmt::format("{} frames of {} surface vertices are more than the 2 GiB that a .glb "
                      "file holds: take fewer with --every or --rate, or --format usda",
                      plan.size(), vertex_count(parts)));
    }
    fs::path temporary = output;
    temporary += ".tmp";
    store.emplace(temporary, vertex_count(parts));
  } else {
    fs::create_directories(output);
  }

  std::vector<float> points;
  for (const PlannedFrame& frame : plan) {
    const VtuContent& content = frames.at(frame.t);
    if (animation) {
      gather(parts, as_points(content.points), points);
      store->add(frame.t, points);
    } else {
      write_surface(output / (frame.name + "." + options.format),
                    {.parts = parts,
                     .points = as_points(content.points),
                     .velocity = as_points(content.velocity)});
    }
  }
  if (!animation) return {output, plan.size()};
  const std::vector<Prop> props =
      props_of(options.obstacles ? obstacles_of(folder) : std::vector<Obstacle>(), *store);
  AnimationLook look{.up = options.up, .props = props};
  if (options.rate > 0) look.rate = options.rate;
  if (options.format == "glb") write_gltf(output, parts, *store, look);
  if (options.format == "usda") write_usda(output, parts, *store, look);
  return {output, plan.size()};
}

}  // namespace lilyan

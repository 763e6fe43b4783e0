// Surfaces into files: one frame, or an animation of many.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/files/file.hpp"
#include "app/files/surface.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {

struct SurfaceFrame {
  std::span<const SurfacePart> parts;
  Points points;         // of the frame, which the parts' vertices number
  Points velocity = {};  // empty: none
  UpAxis up = UpAxis::y;
};

// Writes the surface in the format of the extension. Throws Error for an unknown one and when the
// file cannot be written.
//   .ply         binary: positions (double), normals and velocities (float), faces and edges with
//                the number of their body
//   .obj         an object for each body, with normals
//   .stl         binary: triangles only, in single precision
//   .glb, .gltf  glTF 2.0
//   .usda        USD
void write_surface(const std::filesystem::path& path, const SurfaceFrame& frame);

// Whether write_surface() knows a format of this extension.
[[nodiscard]] bool is_surface_extension(std::string_view extension);

// ---- animations

// Frames with the points of all parts, one part after the other, in single precision.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  [[nodiscard]] virtual std::size_t frames() const = 0;
  [[nodiscard]] virtual double time(std::size_t frame) const = 0;
  virtual void read(std::size_t frame, std::vector<float>& points) const = 0;
};

// Frames in a temporary file, 12 bytes a vertex: memory does not grow with the length of a run. An
// animation file can only be written at the end, because it begins with, or has in many places,
// numbers that are not known before. The temporary file is removed at the end.
class FrameStore final : public FrameSource {
 public:
  // Throws Error when the file cannot be written, now or later. The file goes with this, unless keep() is
  // called.
  FrameStore(std::filesystem::path path, std::size_t vertices, Opening opening = Opening::fresh);
  ~FrameStore() override;
  FrameStore(const FrameStore&) = delete;
  FrameStore& operator=(const FrameStore&) = delete;

  // `points` are as gather() makes them.
  void add(double t, std::span<const float> points);
  void keep() { kept_ = true; }
  void remove();
  void archive(Archive& a);

  [[nodiscard]] std::size_t frames() const override { return times_.size(); }
  [[nodiscard]] double time(std::size_t frame) const override { return times_[frame]; }
  void read(std::size_t frame, std::vector<float>& points) const override;

 private:
  [[nodiscard]] std::uint64_t place(std::size_t frame) const;

  std::filesystem::path path_;
  std::size_t numbers_;  // of a frame
  FileHandle file_;
  std::vector<double> times_;
  bool kept_ = false;
};

// Something rigid that is shown with the bodies: an obstacle.
struct Prop {
  std::string name;
  std::vector<float> points = {};   // three numbers each, before it moves
  std::vector<float> normals = {};  // one for each point
  std::vector<std::array<int, 3>> triangles = {};
  RigidMotion motion = {};
};

struct AnimationLook {
  UpAxis up = UpAxis::y;
  std::span<const Prop> props = {};
  double rate = 24;  // time codes in a second, of USD
};

// Writes glTF 2.0, which Blender and viewers play: a .glb file (self-contained, binary) or, by
// extension, .gltf (JSON with the data inside it). Each body is a node. Frames behind the first are
// morph targets (differences of positions and normals), and the animation gives each the weight 1
// at its time, linear in between. Props are nodes behind them, which turn and move. Throws Error when the file cannot be written or would be larger
// than kGltfMost.
void write_gltf(const std::filesystem::path& path, std::span<const SurfacePart> parts,
                const FrameSource& frames, const AnimationLook& look = {});

// Sizes are 32 bits wide in a .glb file, and many programs take them with a sign.
inline constexpr std::uint64_t kGltfMost = std::uint64_t{1} << 31;
// The size of the data of so many frames: 24 bytes a vertex and frame, 4 a pair of frames (all
// weights are stored, although only a frame's own weight is not 0).
[[nodiscard]] std::uint64_t gltf_bytes(std::uint64_t vertices, std::uint64_t frames);

// Writes USD as text (.usda). Each body is a Mesh (and, if it has edges, BasisCurves) under one
// Xform, and so is each prop, with a transform of its own. Throws Error when the file cannot be written.
void write_usda(const std::filesystem::path& path, std::span<const SurfacePart> parts,
                const FrameSource& frames, const AnimationLook& look = {});

}  // namespace lilyan

// glTF 2.0: the surface of one frame, or of many as an animation that Blender and viewers play.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "app/files/frame_formats.hpp"
#include "app/files/frame_store.hpp"
#include "app/files/surface.hpp"

namespace lilyan {

// A .glb file (self-contained, binary) or, by extension, .gltf (JSON with the data inside it). Each
// body is a node. Frames behind the first are morph targets (differences of positions and normals),
// and the animation gives each the weight 1 at its time, linear in between. Throws Error when the
// file cannot be written or would be larger than kGltfMost.
void write_gltf(const std::filesystem::path& path, std::span<const SurfacePart> parts,
                const FrameSource& frames, UpAxis up = UpAxis::y);

// Sizes are 32 bits wide in a .glb file, and many programs take them with a sign.
inline constexpr std::uint64_t kGltfMost = std::uint64_t{1} << 31;
// What the data of so many frames take: 24 bytes a vertex and frame, 4 a pair of frames (the
// weights, of which only those of the same frame are not 0, are stored all).
[[nodiscard]] std::uint64_t gltf_bytes(std::uint64_t vertices, std::uint64_t frames);

}  // namespace lilyan

// Surfaces into files.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "app/files/frame_formats.hpp"
#include "app/files/surface.hpp"

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

[[nodiscard]] bool is_surface_extension(std::string_view extension);

void write_ply(const std::filesystem::path& path, const SurfaceFrame& frame);
void write_obj(const std::filesystem::path& path, const SurfaceFrame& frame);
void write_stl(const std::filesystem::path& path, const SurfaceFrame& frame);

}  // namespace lilyan

// USD as text (.usda): the surface of one frame, or of many as time samples.
#pragma once

#include <filesystem>
#include <span>

#include "app/files/frame_formats.hpp"
#include "app/files/frame_store.hpp"
#include "app/files/surface.hpp"

namespace lilyan {

// Each body is a Mesh (and, if it has edges, BasisCurves) under one Xform, with 24 time codes a
// second. Throws Error when the file cannot be written.
void write_usda(const std::filesystem::path& path, std::span<const SurfacePart> parts,
                const FrameSource& frames, UpAxis up = UpAxis::y);

}  // namespace lilyan

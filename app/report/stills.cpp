#include "app/report/stills.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "app/files/file.hpp"
#include "app/files/vtu.hpp"
#include "app/report/record.hpp"
#include "app/report/unexploded.hpp"
#include "app/run/export.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::string name;  // of the folder
  Scenery scenery;
  std::vector<KeptFrame> frames;  // those asked for that there are
};

Source open(const fs::path& folder, const std::vector<ListedFrame>& listed,
            std::vector<std::string>& warnings) {
  const VtuContent first = read_vtu(listed.front().file);
  Source source{.name = fs::weakly_canonical(folder).filename().string()};
  if (const fs::path scene = folder / "scene.resolved.toml"; fs::exists(scene)) {
    try {
      source.scenery = scenery_of(load_scene(scene));
    } catch (const Error& error) {  // its meshes may be on another machine
      warnings.push_back(fmt::format("{}: drawn without obstacles, as its scene cannot be read: {}",
                                     source.name, error.what()));
    }
  }
  const std::vector<std::string> names = listed_bodies(folder);
  source.scenery.parts = surface_parts({.tets = first.tets,
                                        .tet_body = first.tet_body,
                                        .triangles = first.triangles,
                                        .triangle_body = first.triangle_body,
                                        .edges = first.edges,
                                        .edge_body = first.edge_body,
                                        .body_names = names});
  return source;
}

KeptFrame read_frame(const Source& source, int number, const ListedFrame& listed) {
  const VtuContent content = read_vtu(listed.file);
  for (const SurfacePart& part : source.scenery.parts) {
    const int last = part.vertices.empty() ? -1 : *std::ranges::max_element(part.vertices);
    if (last >= static_cast<int>(content.points.size())) {
      throw InputError({listed.file.string()}, "it has fewer points than the first frame");
    }
  }
  KeptFrame frame{.step = number, .t = listed.t};
  gather(source.scenery.parts, as_points(content.points), frame.points);
  return frame;
}

std::string picture_name(const Source& source, int frame) {
  return fmt::format("{}-{}", source.name, frame);
}

}  // namespace

Stills write_stills(const std::vector<fs::path>& folders, const StillOptions& options) {
  Stills stills;
  std::vector<Source> sources;
  std::vector<float> points;  // that the camera has in sight
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  for (const fs::path& folder : folders) {
    const std::vector<ListedFrame> listed = listed_frames(folder);
    Source source = open(folder, listed, stills.warnings);
    std::vector<int> wanted = options.frames;
    if (wanted.empty()) wanted = {static_cast<int>(listed.size()) - 1};
    // The first decides what counts as exploded.
    source.frames.push_back(read_frame(source, 0, listed.front()));
    for (const int number : wanted) {
      if (number < static_cast<int>(listed.size())) {
        source.frames.push_back(
            read_frame(source, number, listed[static_cast<std::size_t>(number)]));
      } else {
        stills.missing.push_back(picture_name(source, number));
      }
    }
    up = source.scenery.up;
    add_unexploded(source.frames, points);
    sources.push_back(std::move(source));
  }
  const float aspect =
      static_cast<float>(options.size.height) / static_cast<float>(options.size.width);
  const Camera camera = framing(points, up, aspect, options.outlook);
  fs::create_directories(options.output);
  for (const Source& source : sources) {
    for (const KeptFrame& frame : std::span(source.frames).subspan(1)) {
      const fs::path file = options.output / (picture_name(source, frame.step) + ".png");
      const Image image = render(source.scenery, camera, {frame.t, frame.points}, options.size);
      OutputFile out(file);
      out.write(png_bytes(image));
      out.close();
      stills.files.push_back(file);
    }
  }
  return stills;
}

}  // namespace lilyan

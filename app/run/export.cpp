#include "app/run/export.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/files/file.hpp"
#include "app/files/surface_writer.hpp"
#include "app/files/scanner.hpp"
#include "app/files/vtu.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

// Every Nth, and the last.
std::vector<ListedFrame> thinned(const std::vector<ListedFrame>& all, int every) {
  std::vector<ListedFrame> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % static_cast<std::size_t>(every) == 0 || i + 1 == all.size()) kept.push_back(all[i]);
  }
  return kept;
}

}  // namespace

std::vector<ListedFrame> listed_frames(const fs::path& folder) {
  const fs::path path = folder / "run.pvd";
  if (!fs::exists(path)) {
    throw InputError({folder.string(), 0, 0},
                     "there is no run.pvd in it: expected the result folder of a run of bodies, "
                     "with \"vtu\" in its output.formats");
  }
  const std::string bytes = read_file(path);
  XmlScanner xml(path.string(), bytes);
  std::vector<ListedFrame> frames;
  while (const std::optional<XmlTag> tag = xml.next()) {
    if (tag->name != "DataSet") continue;
    const std::string_view time = tag->attribute("timestep");
    ListedFrame frame;
    const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), frame.t);
    if (error != std::errc() || end != time.data() + time.size() || !tag->has("file")) {
      xml.fail(tag->line, "expected a DataSet with timestep=\"a number\" and file=\"a name\"");
    }
    frame.file = folder / tag->attribute("file");
    frames.push_back(std::move(frame));
  }
  if (frames.empty()) throw InputError({path.string(), 0, 0}, "it lists no frames");
  return frames;
}

// Names are a convenience: a run.json that cannot be read leaves body1, body2, ...
std::vector<std::string> listed_bodies(const fs::path& folder) {
  std::ifstream stream(folder / "run.json");
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  std::vector<std::string> names;
  try {
    for (const auto& name : json.at("size").at("bodies")) names.push_back(name.get<std::string>());
  } catch (const nlohmann::json::exception&) {
    names.clear();
  }
  return names;
}

Exported export_frames(const fs::path& folder, const ExportOptions& options) {
  const std::vector<ListedFrame> frames = thinned(listed_frames(folder), options.every);
  const VtuContent first = read_vtu(frames.front().file);
  const std::vector<std::string> names = listed_bodies(folder);
  const std::vector<SurfacePart> parts = surface_parts({.tets = first.tets,
                                                        .tet_body = first.tet_body,
                                                        .triangles = first.triangles,
                                                        .triangle_body = first.triangle_body,
                                                        .edges = first.edges,
                                                        .edge_body = first.edge_body,
                                                        .body_names = names});
  if (parts.empty())
    throw InputError({frames.front().file.string(), 0, 0}, "it has nothing to see");

  const bool animation = options.format == "glb" || options.format == "usda";
  fs::path output = options.output;
  if (output.empty()) output = folder / (animation ? "run." + options.format : "frames");
  std::optional<FrameStore> store;
  if (animation) {
    if (options.format == "glb" && gltf_bytes(vertex_count(parts), frames.size()) > kGltfMost) {
      throw Error(
          fmt::format("{} frames of {} surface vertices are more than the 2 GiB that a .glb "
                      "file holds: take fewer with --every, or --format usda",
                      frames.size(), vertex_count(parts)));
    }
    fs::path temporary = output;
    temporary += ".tmp";
    store.emplace(temporary, vertex_count(parts));
  } else {
    fs::create_directories(output);
  }

  std::vector<float> points;
  for (const ListedFrame& frame : frames) {
    const VtuContent content = read_vtu(frame.file);
    if (content.points.size() != first.points.size()) {
      throw InputError({frame.file.string(), 0, 0},
                       fmt::format("it has {} points, the first frame {}", content.points.size(),
                                   first.points.size()));
    }
    if (animation) {
      gather(parts, as_points(content.points), points);
      store->add(frame.t, points);
    } else {
      write_surface(output / frame.file.filename().replace_extension(options.format),
                    {.parts = parts,
                     .points = as_points(content.points),
                     .velocity = as_points(content.velocity)});
    }
  }
  if (options.format == "glb") write_gltf(output, parts, *store, options.up);
  if (options.format == "usda") write_usda(output, parts, *store, options.up);
  return {output, frames.size()};
}

}  // namespace lilyan

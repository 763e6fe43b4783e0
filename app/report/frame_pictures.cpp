#include "app/report/report.hpp"

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/files/file.hpp"
#include "app/files/vtu.hpp"
#include "app/report/html.hpp"
#include "app/run/frames.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

constexpr float kExploded = 1.6F;  // times the first frame's size

Eigen::AlignedBox3f bounds_of(const std::vector<float>& points) {
  Eigen::AlignedBox3f box;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    const Eigen::Vector3f p(points[i], points[i + 1], points[i + 2]);
    if (p.allFinite()) box.extend(p);
  }
  return box;
}

// Adds the points that the camera must have in sight. Frames that are much larger than the first do
// not count: with a body that has exploded in sight, all others would be too small to see.
void add_points_to_frame(std::span<const KeptFrame> frames, std::vector<float>& points) {
  if (frames.empty()) return;
  const float first = bounds_of(frames.front().points).diagonal().norm();
  for (const KeptFrame& frame : frames) {
    const Eigen::AlignedBox3f box = bounds_of(frame.points);
    if (box.isEmpty() || box.diagonal().norm() > kExploded * first) continue;
    points.insert(points.end(), frame.points.begin(), frame.points.end());
  }
}

constexpr int kMoments = 6;
constexpr PictureSize kLarge{480, 360};
constexpr PictureSize kSmall{400, 300};

Camera camera_for(Runs runs, const PictureSize& size) {
  std::vector<float> points;
  const float aspect = static_cast<float>(size.height) / static_cast<float>(size.width);
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  for (const RunRecord* run : runs) {
    if (run->frames.empty()) continue;
    up = run->scenery.up;
    add_points_to_frame(run->frames, points);
  }
  return framing(points, up, aspect);
}

// Returns times that are evenly spaced from the start to the latest time that any run reached.
std::vector<double> picture_times(Runs runs) {
  double start = 0;
  double end = 0;
  bool any = false;
  for (const RunRecord* run : runs) {
    if (run->frames.empty()) continue;
    start = any ? std::min(start, run->frames.front().t) : run->frames.front().t;
    end = any ? std::max(end, run->frames.back().t) : run->frames.back().t;
    any = true;
  }
  if (!any) return {};
  if (start == end) return {start};
  std::vector<double> times;
  for (int i = 0; i < kMoments; ++i) times.push_back(start + (end - start) * i / (kMoments - 1));
  return times;
}

const KeptFrame& nearest_frame(const std::vector<KeptFrame>& frames, double t) {
  return *std::ranges::min_element(frames, {},
                                   [t](const KeptFrame& frame) { return std::abs(frame.t - t); });
}

std::string picture_of(const RunRecord& run, const KeptFrame& frame, const Camera& camera,
                       const PictureSize& size) {
  const Image image = render(run.scenery, camera, {frame.t, frame.points}, size);
  const std::string when = fmt::format("t = {:.4g}{}", frame.t, run.unit);
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                     html::png_image(png_bytes(image), run.method + ", " + when), when);
}

std::string strip_of(const RunRecord& run, const std::vector<double>& times, const Camera& camera) {
  std::string out = "<div class=\"strip\">\n";
  const KeptFrame* before = nullptr;
  for (const double t : times) {
    const KeptFrame& frame = nearest_frame(run.frames, t);
    if (&frame != before) out += picture_of(run, frame, camera, kLarge);
    before = &frame;
  }
  return out + "</div>\n";
}

std::string row_of(const RunRecord& run, const std::vector<double>& times, const Camera& camera) {
  std::string out = fmt::format("<h3>{}</h3>\n<div class=\"row\">\n", html::escaped(run.method));
  const double apart = times.size() > 1 ? times[1] - times[0] : 0;
  for (const double t : times) {
    if (run.frames.empty() || t > run.frames.back().t + 0.5 * apart) {
      out +=
          fmt::format("<div class=\"gap\">{}</div>\n",
                      run.started ? fmt::format("stopped at t = {:.4g}{}", run.summary.t, run.unit)
                                  : std::string("did not run"));
    } else {
      out += picture_of(run, nearest_frame(run.frames, t), camera, kSmall);
    }
  }
  return out + "</div>\n";
}

struct PicturedRun {
  std::string name;  // of the folder
  Scenery scenery;
  std::vector<KeptFrame> frames;  // those asked for that there are
};

PicturedRun open_source(const fs::path& folder, const std::vector<ListedFrame>& listed,
                        std::vector<std::string>& warnings) {
  const VtuContent first = read_vtu(listed.front().file);
  PicturedRun source{.name = fs::weakly_canonical(folder).filename().string()};
  if (const fs::path scene = folder / "scene.resolved.toml"; fs::exists(scene)) {
    try {
      source.scenery = scenery_of(load_scene(scene));
    } catch (const Error& error) {  // its meshes may be on another machine
      warnings.push_back(fmt::format("{}: drawn without obstacles, as its scene cannot be read: {}",
                                     source.name, error.what()));
    }
  }
  const std::vector<std::string> names = listed_bodies(folder);
  source.scenery.parts = surface_parts(geometry_of(first, names));
  return source;
}

KeptFrame read_frame(const PicturedRun& source, int number, const ListedFrame& listed) {
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

std::string picture_name(const PicturedRun& source, int frame) {
  return fmt::format("{}-{}", source.name, frame);
}

}  // namespace

std::string frame_strips(Runs runs) {
  const std::vector<double> times = picture_times(runs);
  if (times.empty()) return {};
  const Camera camera = camera_for(runs, runs.size() > 1 ? kSmall : kLarge);
  if (runs.size() == 1) return strip_of(*runs[0], times, camera);
  std::string out;
  for (const RunRecord* run : runs) out += row_of(*run, times, camera);
  return out;
}

FramePictures write_frame_pictures(const std::vector<fs::path>& folders,
                                   const FramePictureOptions& options) {
  FramePictures pictures;
  std::vector<PicturedRun> sources;
  std::vector<float> points;  // that the camera has in sight
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  for (const fs::path& folder : folders) {
    const std::vector<ListedFrame> listed = listed_frames(folder);
    PicturedRun source = open_source(folder, listed, pictures.warnings);
    std::vector<int> wanted = options.frames;
    if (wanted.empty()) wanted = {static_cast<int>(listed.size()) - 1};
    // The first frame is always read: its size decides what counts as exploded.
    source.frames.push_back(read_frame(source, 0, listed.front()));
    for (const int number : wanted) {
      if (number < static_cast<int>(listed.size())) {
        source.frames.push_back(
            read_frame(source, number, listed[static_cast<std::size_t>(number)]));
      } else {
        pictures.missing.push_back(picture_name(source, number));
      }
    }
    up = source.scenery.up;
    add_points_to_frame(source.frames, points);
    sources.push_back(std::move(source));
  }
  const float aspect =
      static_cast<float>(options.size.height) / static_cast<float>(options.size.width);
  const Camera camera = framing(points, up, aspect, options.outlook);
  fs::create_directories(options.output);
  for (const PicturedRun& source : sources) {
    for (const KeptFrame& frame : std::span(source.frames).subspan(1)) {
      const fs::path file = options.output / (picture_name(source, frame.step) + ".png");
      write_file(file,
                 png_bytes(render(source.scenery, camera, {frame.t, frame.points}, options.size)));
      pictures.files.push_back(file);
    }
  }
  return pictures;
}

}  // namespace lilyan

#include "app/report/method_colours.hpp"
#include "app/report/report.hpp"

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>

#include "app/files/file.hpp"
#include "app/files/vtu.hpp"
#include "app/report/film.hpp"
#include "app/report/html.hpp"
#include "app/run/frames.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/threads.hpp"

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
constexpr PictureSize kMoving{320, 240};  // an animation
constexpr double kMovingRate = 12;        // frames in a second
constexpr std::size_t kFewestMoving = 6;
constexpr std::size_t kMostTriangles = 1'500'000;  // of all frames

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

// A picture on a light and on a dark ground.
std::pair<Image, Image> both_of(Scenery scenery, const KeptFrame& frame, const Camera& camera,
                                const PictureSize& size) {
  scenery.dark = false;
  Image light = render(scenery, camera, {frame.t, frame.points}, size);
  scenery.dark = true;
  return {std::move(light), render(scenery, camera, {frame.t, frame.points}, size)};
}

std::string picture_of(const RunRecord& run, const KeptFrame& frame, const Camera& camera,
                       const PictureSize& size, std::optional<int> tint = {}) {
  Scenery scenery = run.scenery;
  scenery.tint = tint;
  const auto [light, dark] = both_of(scenery, frame, camera, size);
  const std::string when = fmt::format("t = {:.4g}{}", frame.t, run.unit);
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                     html::png_image({png_bytes(light), png_bytes(dark)}, run.method + ", " + when),
                     when);
}

// All frames of a run that were kept, in motion. Those of a large body would take too long.
std::string animation_of(const RunRecord& run, const Camera& camera, std::optional<int> tint = {}) {
  std::size_t triangles = 0;
  for (const SurfacePart& part : run.scenery.parts) triangles += part.triangles.size();
  const std::size_t count = run.frames.size();
  if (count < kFewestMoving || triangles * count > kMostTriangles) return {};
  Scenery scenery = run.scenery;
  scenery.tint = tint;
  std::vector<std::pair<Image, Image>> images(count);
  parallel_for(static_cast<int>(count), [&](int k) {
    const auto i = static_cast<std::size_t>(k);
    images[i] = both_of(scenery, run.frames[i], camera, kMoving);
  });
  AnimatedPng light(static_cast<int>(count), kMovingRate);
  AnimatedPng dark(static_cast<int>(count), kMovingRate);
  for (const auto& [day, night] : images) {
    light.add(day);
    dark.add(night);
  }
  return fmt::format(
      "<figure class=\"moving\">{}<figcaption>In motion, t = {:.4g} … "
      "{:.4g}{}</figcaption></figure>\n",
      html::png_image({light.finish(), dark.finish(), png_bytes(images.back().first),
                       png_bytes(images.back().second)},
                      run.method + ", in motion"),
      run.frames.front().t, run.frames.back().t, run.unit);
}

std::string strip_of(const RunRecord& run, const std::vector<double>& times, const Camera& camera) {
  const std::string animation = animation_of(run, camera);
  std::string out = "<div class=\"strip\">\n" + animation;
  // An animation begins with the first frame and takes its place.
  const KeptFrame* before = animation.empty() ? nullptr : &run.frames.front();
  for (const double t : times) {
    const KeptFrame& frame = nearest_frame(run.frames, t);
    if (&frame != before) out += picture_of(run, frame, camera, kLarge);
    before = &frame;
  }
  return out + "</div>\n";
}

std::string row_of(const RunRecord& run, int tint, const std::vector<double>& times,
                   const Camera& camera) {
  std::string out = fmt::format("<h3>{}</h3>\n<div class=\"row\">\n", html::escaped(run.method));
  out += animation_of(run, camera, tint);
  const double apart = times.size() > 1 ? times[1] - times[0] : 0;
  for (const double t : times) {
    if (run.frames.empty() || t > run.frames.back().t + 0.5 * apart) {
      out +=
          fmt::format("<div class=\"gap\">{}</div>\n",
                      run.started ? fmt::format("stopped at t = {:.4g}{}", run.summary.t, run.unit)
                                  : std::string("did not run"));
    } else {
      out += picture_of(run, nearest_frame(run.frames, t), camera, kSmall, tint);
    }
  }
  return out + "</div>\n";
}

struct PicturedRun {
  std::string name;    // of the folder
  std::string method;  // empty: not known
  Scenery scenery;
  std::vector<KeptFrame> frames;  // those asked for that there are
};

PicturedRun open_source(const fs::path& folder, const std::vector<ListedFrame>& listed,
                        std::vector<std::string>& warnings) {
  const VtuContent first = read_vtu(listed.front().file);
  PicturedRun source{.name = fs::weakly_canonical(folder).filename().string()};
  if (const fs::path scene = folder / "scene.resolved.toml"; fs::exists(scene)) {
    try {
      const Scene read = load_scene(scene, {.steps = {}, .without_start = true});
      source.method = read.method;
      source.scenery = scenery_of(read);
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

// Several runs side by side have the colours of their methods.
template <class Runs, class Pictured>
void tint_by_method(Runs& runs, const Pictured& pictured) {
  if (runs.size() < 2) return;
  std::vector<std::string> methods;
  for (auto& run : runs) methods.push_back(pictured(run).method);
  const std::vector<int> colours = method_colours(methods);
  for (std::size_t k = 0; k < colours.size(); ++k) pictured(runs[k]).scenery.tint = colours[k];
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
  const std::vector<int> colours = run_colours(runs);
  for (std::size_t k = 0; k < runs.size(); ++k) out += row_of(*runs[k], colours[k], times, camera);
  return out;
}

FramePictures write_frame_pictures(const std::vector<fs::path>& folders,
                                   const FramePictureOptions& options) {
  if (small_systems(folders)) return draw_system_pictures(folders, options);
  FramePictures pictures;
  std::vector<PicturedRun> sources;
  std::vector<float> points;  // that the camera has in sight
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  for (const fs::path& folder : folders) {
    const std::vector<ListedFrame> listed = listed_frames(folder);
    PicturedRun source = open_source(folder, listed, pictures.warnings);
    source.scenery.dark = options.dark;
    const std::vector<int> wanted = named_frames(options.frames, static_cast<int>(listed.size()));
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
  tint_by_method(sources, [](PicturedRun& source) -> PicturedRun& { return source; });
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

std::vector<int> named_frames(const std::string& text, int count) {
  const auto fail = [&] {
    throw Error(fmt::format(
        "--frames: expected numbers, ranges such as 0-10, ::5 for every fifth, or all; found '{}'",
        text));
  };
  const auto number = [&](std::string_view digits, int fallback) {
    if (digits.empty()) return fallback;
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 0) fail();
    return value;
  };
  if (text.empty()) return {count - 1};
  std::vector<int> frames;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (part.empty()) fail();
    if (part == "all") {
      for (int k = 0; k < count; ++k) frames.push_back(k);
    } else if (const std::size_t colons = part.find("::"); colons != part.npos) {
      const int apart = number(part.substr(colons + 2), 1);
      if (apart == 0) fail();
      for (int k = number(part.substr(0, colons), 0); k < count; k += apart) frames.push_back(k);
    } else if (const std::size_t dash = part.find('-'); dash != part.npos) {
      if (dash == 0) fail();
      const int last = std::min(number(part.substr(dash + 1), count - 1), count - 1);
      for (int k = number(part.substr(0, dash), 0); k <= last; ++k) frames.push_back(k);
    } else {
      frames.push_back(number(part, 0));
    }
  }
  return frames;
}

namespace {

// A run whose frames are read one after the other.
struct FilmedRun {
  PicturedRun run;
  std::vector<ListedFrame> listed;
};

constexpr int kSeenByCamera = 24;  // frames that decide where it stands
constexpr double kSlowest = 5;     // frames in a second
constexpr double kFastest = 60;

}  // namespace

Film write_film(const std::vector<fs::path>& folders, const FilmOptions& options,
                const std::function<void(int, int)>& progress) {
  if (small_systems(folders)) return film_of_systems(folders, options, progress);
  Film film{.file = film_file(options.output, folders.front())};
  std::vector<FilmedRun> runs;
  std::vector<float> points;
  std::size_t longest = 0;
  for (const fs::path& folder : folders) {
    FilmedRun filmed{.listed = listed_frames(folder)};
    filmed.run = open_source(folder, filmed.listed, film.warnings);
    filmed.run.scenery.dark = options.dark;
    longest = std::max(longest, filmed.listed.size());
    std::vector<KeptFrame> seen;
    const std::size_t apart = filmed.listed.size() / kSeenByCamera + 1;
    for (std::size_t k = 0; k < filmed.listed.size(); k += apart) {
      seen.push_back(read_frame(filmed.run, static_cast<int>(k), filmed.listed[k]));
    }
    add_points_to_frame(seen, points);
    runs.push_back(std::move(filmed));
  }
  tint_by_method(runs, [](FilmedRun& filmed) -> PicturedRun& { return filmed.run; });
  const auto every = static_cast<std::size_t>(options.every);
  film.frames = static_cast<int>((longest + every - 1) / every);
  const auto& slowest =
      *std::ranges::max_element(runs, {}, [](const FilmedRun& r) { return r.listed.size(); });
  const double duration = slowest.listed.back().t - slowest.listed.front().t;
  film.rate = options.rate.value_or(
      duration > 0 ? std::clamp((film.frames - 1) / duration, kSlowest, kFastest) : kSlowest);

  const float aspect =
      static_cast<float>(options.size.height) / static_cast<float>(options.size.width);
  const Camera camera = framing(points, runs.front().run.scenery.up, aspect, options.outlook);
  FilmWriter writer(film, runs.size(), options.size);
  for (int k = 0; k < film.frames; ++k) {
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::size_t wanted = static_cast<std::size_t>(k) * every;
      if (wanted >= runs[r].listed.size() && k > 0) continue;  // it stands still
      const KeptFrame frame =
          read_frame(runs[r].run, static_cast<int>(wanted), runs[r].listed[wanted]);
      writer.put(r, render(runs[r].run.scenery, camera, {frame.t, frame.points}, options.size));
    }
    writer.next();
    progress(k + 1, film.frames);
  }
  writer.finish();
  return film;
}

}  // namespace lilyan

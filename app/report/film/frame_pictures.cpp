#include "app/report/film/frame_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <system_error>

#include "app/files/file.hpp"
#include "app/files/vtu.hpp"
#include "app/report/film/film.hpp"
#include "app/report/picture/html.hpp"
#include "app/report/picture/method_colours.hpp"
#include "app/run/frames.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

// A body whose edges are so many times as long as in the first frame (in the root mean square) has exploded. Edges
// keep their length when bodies move, turn, bend and unfold.
constexpr double kExploded = 2.5;

// The sum of the squares of a part's edges, with infinity where a point is not finite.
double edges_of(const SurfacePart& part, std::span<const float> points) {
  double sum = 0;
  const auto add = [&](int a, int b) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = static_cast<double>(points[3 * static_cast<std::size_t>(a) + k]) -
                       static_cast<double>(points[3 * static_cast<std::size_t>(b) + k]);
      sum += d * d;
    }
  };
  for (const auto& [a, b, c] : part.triangles) {
    add(a, b);
    add(b, c);
    add(c, a);
  }
  for (const auto& [a, b] : part.edges) add(a, b);
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

// Gathers the points that the camera must have in sight: all of the motion. Bodies that have exploded do not count:
// with these in sight, all others would be too small to see.
class InSight {
 public:
  InSight(const Eigen::Vector3f& up, const PictureSize& size, const Outlook& outlook = {})
      : up_(up),
        aspect_(static_cast<float>(size.height) / static_cast<float>(size.width)),
        outlook_(outlook) {}

  // The first frame of a run says how long its edges are.
  void begin_run(const std::vector<SurfacePart>& parts, const KeptFrame& first) {
    parts_ = &parts;
    edges_.clear();
    each_part(first, [&](const SurfacePart& part, std::span<const float> points) {
      edges_.push_back(edges_of(part, points));
    });
    add(first);
  }
  void add(const KeptFrame& frame) {
    auto first = edges_.begin();
    each_part(frame, [&](const SurfacePart& part, std::span<const float> points) {
      const double usual = *first++;
      const bool exploded = usual > 0 && !(edges_of(part, points) <= kExploded * kExploded * usual);
      if (!exploded) add_outermost(points, up_, aspect_, outlook_, points_);
    });
  }

  [[nodiscard]] Camera camera() const { return framing(points_, up_, aspect_, outlook_); }

 private:
  template <class Use>
  void each_part(const KeptFrame& frame, const Use& use) const {
    std::size_t first = 0;
    for (const SurfacePart& part : *parts_) {
      use(part, std::span(frame.points).subspan(first, 3 * part.vertices.size()));
      first += 3 * part.vertices.size();
    }
  }

  Eigen::Vector3f up_;
  float aspect_;
  Outlook outlook_;
  const std::vector<SurfacePart>* parts_ = nullptr;
  std::vector<double> edges_;  // of each part in the first frame
  std::vector<float> points_;
};

constexpr int kMoments = 6;
constexpr PictureSize kLarge{480, 360};
constexpr PictureSize kSmall{400, 300};
constexpr PictureSize kMoving{320, 240};  // an animation
constexpr double kMovingRate = 12;        // frames in a second
constexpr std::size_t kFewestMoving = 6;
constexpr std::size_t kMostTriangles = 1'500'000;  // of all frames

Camera camera_for(Runs runs, const PictureSize& size) {
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  for (const RunRecord* run : runs) {
    if (!run->frames.empty()) up = run->scenery.up;
  }
  InSight in_sight(up, size);
  for (const RunRecord* run : runs) {
    if (run->frames.empty()) continue;
    in_sight.begin_run(run->scenery.parts, run->frames.front());
    for (const KeptFrame& frame : run->frames) in_sight.add(frame);
  }
  return in_sight.camera();
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
      source.method = read.settings.method;
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
  for (const fs::path& folder : folders) {
    const std::vector<ListedFrame> listed = listed_frames(folder);
    PicturedRun source = open_source(folder, listed, pictures.warnings);
    source.scenery.dark = options.dark;
    const std::vector<int> wanted = named_frames(options.frames, static_cast<int>(listed.size()));
    // The first frame is always read: the lengths of its edges decide what counts as exploded.
    source.frames.push_back(read_frame(source, 0, listed.front()));
    for (const int number : wanted) {
      if (number < static_cast<int>(listed.size())) {
        source.frames.push_back(
            read_frame(source, number, listed[static_cast<std::size_t>(number)]));
      } else {
        pictures.missing.push_back(picture_name(source, number));
      }
    }
    sources.push_back(std::move(source));
  }
  InSight in_sight(sources.back().scenery.up, options.size, options.outlook);
  for (const PicturedRun& source : sources) {
    in_sight.begin_run(source.scenery.parts, source.frames.front());
    for (const KeptFrame& frame : source.frames) in_sight.add(frame);
  }
  tint_by_method(sources, [](PicturedRun& source) -> PicturedRun& { return source; });
  const Camera camera = in_sight.camera();
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

constexpr double kSlowest = 5;  // frames in a second
constexpr double kFastest = 60;

}  // namespace

Film write_film(const std::vector<fs::path>& given, const FilmOptions& options,
                const std::function<void(int, int)>& progress) {
  const std::vector<fs::path> folders = in_natural_order(given);
  if (small_systems(folders)) return film_of_systems(folders, options, progress);
  Film film{.file = film_file(options.output, given.front())};
  std::vector<FilmedRun> runs;
  std::size_t longest = 0;
  for (const fs::path& folder : folders) {
    FilmedRun filmed{.listed = listed_frames(folder)};
    filmed.run = open_source(folder, filmed.listed, film.warnings);
    filmed.run.scenery.dark = options.dark;
    longest = std::max(longest, filmed.listed.size());
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

  InSight in_sight(runs.front().run.scenery.up, options.size, options.outlook);
  for (const FilmedRun& filmed : runs) {
    in_sight.begin_run(filmed.run.scenery.parts, read_frame(filmed.run, 0, filmed.listed[0]));
    for (std::size_t k = every; k < filmed.listed.size(); k += every) {
      in_sight.add(read_frame(filmed.run, static_cast<int>(k), filmed.listed[k]));
    }
  }
  const Camera camera = in_sight.camera();
  std::vector<std::string> methods;
  for (const FilmedRun& filmed : runs) methods.push_back(filmed.run.method);
  FilmWriter writer(film, captions(folders, methods), options.size, options.dark);
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

#include "app/report/film/film.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "app/files/file.hpp"
#include "app/files/series.hpp"
#include "app/report/picture/drawn_motion.hpp"
#include "app/report/picture/method_colours.hpp"
#include "app/report/record/summary_table.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/drawing.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

constexpr int kMostInRow = 4;
constexpr double kSystemRate = 30;                 // frames in a second
constexpr std::size_t kMostSystemFrames = 900;     // that nobody has asked for
constexpr std::size_t kFirstCoordinateColumn = 2;  // of trajectory.csv: step and t come before

void put_tile(const Image& tile, int left, int top, Image& whole) {
  for (int y = 0; y < tile.height; ++y) {
    const auto from = 3 * static_cast<std::size_t>(y * tile.width);
    const auto to = 3 * static_cast<std::size_t>((top + y) * whole.width + left);
    std::copy_n(tile.rgb.begin() + static_cast<std::ptrdiff_t>(from), 3 * tile.width,
                whole.rgb.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

fs::path encoder_for(const fs::path& file) {
  if (const std::optional<fs::path> ffmpeg = find_program("ffmpeg")) return *ffmpeg;
  throw Error(fmt::format(
      "{} needs FFmpeg, which is not installed (apt install ffmpeg); an animated .png does not "
      "need it",
      file.string()));
}

void encode(const fs::path& frames, double rate, const fs::path& file) {
  const fs::path ffmpeg = encoder_for(file);
  const std::string extension = file.extension().string();
  std::vector<std::string> arguments = {
      "-y", "-loglevel", "error", "-framerate", fmt::format("{:.6g}", rate), "-i", "%06d.png"};
  const auto add = [&](std::initializer_list<const char*> more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  };
  if (extension == ".webp") {
    add({"-loop", "0", "-quality", "70"});
  } else if (extension == ".gif") {
    add({"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"});
  } else {
    add({"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"});
    if (extension == ".mp4") add({"-movflags", "+faststart"});
  }
  arguments.push_back(fs::absolute(file).string());
  const ProcessResult result = run_process(ffmpeg, arguments, frames);
  if (result.code == 0) return;
  throw Error(fmt::format("FFmpeg could not make {}: {}", file.string(), result.output));
}

// The drawing at each nth row of a run's trajectory.
DrawnMotion motion_of_run(const fs::path& folder, std::size_t every, std::string& method) {
  const Scene scene =
      load_scene(folder / "scene.resolved.toml", {.steps = {}, .without_start = true});
  method = scene.settings.method;
  if (!scene.small().drawing || scene.small().drawing->empty()) {
    throw InputError({folder.string()},
                     "its system has no drawing: say what is to be seen with [system.draw]");
  }
  const NumberTable table = read_numbers(folder / "trajectory.csv");
  const std::size_t n = scene.small().coordinates.size();
  if (table.columns.size() != kFirstCoordinateColumn + 2 * n || table.rows() == 0) {
    throw InputError({(folder / "trajectory.csv").string(), 1, 0},
                     "this is not the trajectory of the scene beside it");
  }
  DrawnMotion motion{.parts = DrawnParts(scene.small().drawing.get())};
  State state = scene.initial;
  for (std::size_t row = 0; row < table.rows(); row += every) {
    const double* values = table.values.data() + row * table.columns.size();
    state.t = values[1];
    const auto size = static_cast<Eigen::Index>(n);
    state.x = Eigen::Map<const Vector>(values + kFirstCoordinateColumn, size);
    state.v = Eigen::Map<const Vector>(values + kFirstCoordinateColumn + n, size);
    motion.times.push_back(state.t);
    add_seen_places(*scene.small().drawing, state, motion.at);
  }
  motion.end = table.at(table.rows() - 1, 1);
  return motion;
}

struct SystemMotions {
  std::vector<DrawnMotion> motions;
  std::vector<int> colours;  // of each, indices into the palette
  std::vector<std::string> methods;
  SeenBox box;
};

SystemMotions motions_of(const std::vector<fs::path>& folders, std::size_t every,
                         const Outlook& outlook) {
  if (outlook.from) {
    throw Error("--from is for bodies: the drawing of a small system is seen as in the live view");
  }
  SystemMotions all;
  all.methods.resize(folders.size());
  for (std::size_t r = 0; r < folders.size(); ++r) {
    all.motions.push_back(motion_of_run(folders[r], every, all.methods[r]));
  }
  all.colours = folders.size() > 1 ? method_colours(all.methods) : std::vector<int>{0};
  std::vector<const DrawnMotion*> each;
  for (const DrawnMotion& motion : all.motions) each.push_back(&motion);
  const SeenBox box = box_of(each);
  // A larger zoom sees less of the plane, around the same middle.
  const auto nearer = [&](float at, float low, float high) {
    const float middle = 0.5F * (low + high);
    return middle + (at - middle) / outlook.zoom;
  };
  all.box = {nearer(box.left, box.left, box.right), nearer(box.right, box.left, box.right),
             nearer(box.low, box.low, box.high), nearer(box.high, box.low, box.high)};
  return all;
}

}  // namespace

fs::path film_file(const fs::path& asked, const fs::path& folder) {
  const fs::path file =
      asked.empty() ? folder / (find_program("ffmpeg") ? "film.mp4" : "film.png") : asked;
  constexpr std::array kEndings = {".mp4", ".webm", ".webp", ".gif", ".png"};
  if (std::ranges::find(kEndings, file.extension().string()) == kEndings.end()) {
    throw Error(fmt::format("a film is a .mp4, .webm, .webp, .gif or .png, not {}", file.string()));
  }
  // Better now than after all frames have been drawn.
  if (file.extension() != ".png") (void)encoder_for(file);
  const fs::path into = file.has_parent_path() ? file.parent_path() : fs::path(".");
  fs::create_directories(into);
  if (::access(into.c_str(), W_OK) != 0) {
    throw Error(
        fmt::format("{} cannot be written: its folder is not yours to write to; choose "
                    "another file with -o",
                    file.string()));
  }
  return file;
}

namespace {

// A name as a text and numbers in turn, so that run-2 comes before run-10, and 0.025 before 0.1.
struct NamePart {
  std::string text;
  double number = 0;                                  // behind the text
  auto operator<=>(const NamePart&) const = default;  // NOLINT(modernize-use-nullptr)
};
std::vector<NamePart> parts_of(const std::string& name) {
  std::vector<NamePart> parts;
  const auto digit = [&](std::size_t i) {
    return i < name.size() && name[i] >= '0' && name[i] <= '9';
  };
  for (std::size_t i = 0; i < name.size();) {
    NamePart& part = parts.emplace_back();
    while (i < name.size() && !digit(i)) part.text += name[i++];
    const auto [end, error] =
        std::from_chars(name.data() + i, name.data() + name.size(), part.number);
    if (error == std::errc()) i = static_cast<std::size_t>(end - name.data());
    while (digit(i)) ++i;  // of a number that is too large
  }
  return parts;
}

// Of names in the order that shells give them, which depends on the language: by bytes, or by letters alone.
bool in_order_of_shell(const std::vector<fs::path>& folders) {
  const auto letters = [](const fs::path& folder) {
    std::string text;
    for (const char c : folder.string()) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || byte >= 0x80U) text += static_cast<char>(std::tolower(byte));
    }
    return text;
  };
  const auto bytes = [](const fs::path& folder) { return folder.string(); };
  return std::ranges::is_sorted(folders, {}, bytes) || std::ranges::is_sorted(folders, {}, letters);
}

// The names of the runs of a comparison, in its order; none in a folder that is not one.
std::vector<std::string> compared_in(const fs::path& folder) {
  const fs::path table = folder / "table.csv";
  std::error_code none;
  return fs::is_regular_file(table, none) ? listed_folders(read_file(table))
                                          : std::vector<std::string>{};
}

}  // namespace

std::vector<fs::path> in_natural_order(std::vector<fs::path> folders) {
  if (folders.size() < 2 || !in_order_of_shell(folders)) return folders;
  std::map<fs::path, std::vector<std::string>> comparisons;
  // The folder around a run, its place in that folder's comparison, and its name.
  const auto place = [&](const fs::path& folder) {
    const fs::path full = fs::weakly_canonical(folder);
    const auto [entry, added] = comparisons.try_emplace(full.parent_path());
    if (added) entry->second = compared_in(full.parent_path());
    const auto at = std::ranges::find(entry->second, full.filename().string());
    return std::tuple(parts_of(full.parent_path().string()), at - entry->second.begin(),
                      parts_of(full.filename().string()));
  };
  std::ranges::stable_sort(folders, {}, place);
  return folders;
}

std::vector<std::string> captions(const std::vector<fs::path>& folders,
                                  const std::vector<std::string>& methods) {
  if (folders.size() < 2) return std::vector<std::string>(folders.size());
  const auto differ = [](std::vector<std::string> names) {
    std::ranges::sort(names);
    return !names.front().empty() && std::ranges::adjacent_find(names) == names.end();
  };
  if (differ(methods)) return methods;
  std::vector<std::string> names, paths;
  for (const fs::path& folder : folders) {
    names.push_back(fs::weakly_canonical(folder).filename().string());
    paths.push_back(folder.string());
  }
  return differ(names) ? names : paths;
}

FilmWriter::FilmWriter(const Film& film, const std::vector<std::string>& captions,
                       const PictureSize& size, bool dark)
    : film_(film),
      size_(size),
      dark_(dark),
      columns_(std::min(static_cast<int>(captions.size()), kMostInRow)),
      png_(film.frames, film.rate) {
  for (const std::string& caption : captions) captions_.emplace_back(caption, size);
  const int rows = (static_cast<int>(captions.size()) + columns_ - 1) / columns_;
  whole_ = {columns_ * size.width, rows * size.height, {}};
  whole_.rgb.assign(
      3 * static_cast<std::size_t>(whole_.width) * static_cast<std::size_t>(whole_.height), 255);
}

void FilmWriter::put(std::size_t run, Image tile) {
  captions_[run].draw(tile, dark_);
  put_tile(tile, static_cast<int>(run) % columns_ * size_.width,
           static_cast<int>(run) / columns_ * size_.height, whole_);
}

void FilmWriter::next() {
  if (animated()) {
    png_.add(whole_);
  } else {
    write_file(work_.path() / fmt::format("{:06}.png", done_), png_bytes(whole_));
  }
  ++done_;
}

void FilmWriter::finish() {
  if (animated()) {
    write_file(film_.file, png_.finish());
  } else {
    encode(work_.path(), film_.rate, film_.file);
  }
}

bool small_systems(const std::vector<fs::path>& folders) {
  const auto small = [](const fs::path& folder) {
    return !fs::exists(folder / "run.pvd") && fs::exists(folder / "trajectory.csv");
  };
  const auto count = std::ranges::count_if(folders, small);
  if (count == 0) return false;
  if (count == static_cast<std::ptrdiff_t>(folders.size())) return true;
  throw InputError({std::ranges::find_if(folders, small)->string()},
                   "it is the run of a small system, the others are runs of bodies: one picture "
                   "cannot show both");
}

FramePictures draw_system_pictures(const std::vector<fs::path>& folders,
                                   const FramePictureOptions& options) {
  const SystemMotions all = motions_of(folders, 1, options.outlook);
  FramePictures pictures;
  fs::create_directories(options.output);
  for (std::size_t r = 0; r < folders.size(); ++r) {
    const DrawnMotion& motion = all.motions[r];
    const std::string name = fs::weakly_canonical(folders[r]).filename().string();
    const auto count = static_cast<int>(motion.times.size());
    for (const int number : named_frames(options.frames, count)) {
      const std::string picture = fmt::format("{}-{}", name, number);
      if (number >= count) {
        pictures.missing.push_back(picture);
        continue;
      }
      pictures.files.push_back(options.output / (picture + ".png"));
      write_file(pictures.files.back(),
                 png_bytes(draw_motion(motion, static_cast<std::size_t>(number), all.box,
                                       options.size, options.dark, all.colours[r])));
    }
  }
  return pictures;
}

Film film_of_systems(const std::vector<fs::path>& folders, const FilmOptions& options,
                     const std::function<void(int, int)>& progress) {
  Film film{.file = film_file(options.output, folders.front())};
  const SystemMotions all =
      motions_of(folders, static_cast<std::size_t>(options.every), options.outlook);
  std::size_t longest = 0;
  for (const DrawnMotion& motion : all.motions) longest = std::max(longest, motion.times.size());
  if (options.every == 1 && longest > kMostSystemFrames) {
    film.warnings.push_back(
        fmt::format("the film shows the first {} of {} rows; --every takes each nth of all",
                    kMostSystemFrames, longest));
    longest = kMostSystemFrames;
  }
  film.frames = static_cast<int>(longest);
  film.rate = kSystemRate;
  for (const DrawnMotion& motion : all.motions) film.rate = motion.rate(film.rate);
  film.rate = options.rate.value_or(film.rate);
  FilmWriter writer(film, captions(folders, all.methods), options.size, options.dark);
  for (std::size_t k = 0; k < longest; ++k) {
    for (std::size_t r = 0; r < all.motions.size(); ++r) {
      if (k >= all.motions[r].times.size()) continue;  // it stands still
      writer.put(
          r, draw_motion(all.motions[r], k, all.box, options.size, options.dark, all.colours[r]));
    }
    writer.next();
    progress(static_cast<int>(k) + 1, film.frames);
  }
  writer.finish();
  return film;
}

}  // namespace lilyan

// The program's commands. Each returns the exit code: 0 done, 1 a fault of
// the program, 2 the input cannot be used, 3 the run stopped before its end, 4 it ended but did not keep
// what --expect names, or something passes through something.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/scene/find_scene.hpp"

namespace lilyan {
struct RunMoment;
struct RunSummary;
struct Scene;
}  // namespace lilyan

namespace lilyan::cli {

inline constexpr int kDone = 0;
inline constexpr int kInternalError = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kStopped = 3;
inline constexpr int kNotConserved = 4;
inline constexpr int kIntersects = 4;

struct SceneOptions {
  std::string scene;  // a file, or the bare name of one in scenes/
  std::vector<std::string> settings;
  std::string start;  // RUN[:FRAME] to start from; empty: as the scene says
};

// A page that shows a run while it goes on.
class RunViewer {
 public:
  virtual ~RunViewer() = default;
  virtual void add(const RunMoment& moment) = 0;
  // Shows the end of the run, and waits until nobody watches any more.
  virtual void finish(const RunSummary& summary) = 0;
};
// Serves the page and says where it is. The scene must outlive the viewer.
std::unique_ptr<RunViewer> serve_run(const Scene& scene, std::optional<int> port);
using ServeRun = std::unique_ptr<RunViewer> (*)(const Scene& scene, std::optional<int> port);

struct RunOptions {
  SceneOptions scene;
  std::string resume;          // the result folder of a run to go on with, instead of a scene
  std::string output;          // empty: results/SCENE-METHOD, and what the settings change
  bool overwrite = false;      // results that are in that folder, whatever they are
  std::optional<int> steps;    // none: as the scene says
  std::optional<int> threads;  // none: as the scene says; 0: one per core
  bool quiet = false;
  std::string expect;        // "conserved" or "bounded": an invariant that is not is an error
  ServeRun serve = nullptr;  // none: this program has no live view
  bool view = false;         // serve a page that shows the run
  std::optional<int> port;   // of that page; none: the usual, or the next that is free
};

struct ViewOptions {
  std::vector<std::string> scenes;  // scenes or result folders; none: the bunny
  std::vector<std::string> settings;
  std::optional<int> port;
};

struct CompareOptions {
  SceneOptions scene;
  std::vector<std::string> methods;  // NAME[:PARAMETER=VALUE]...; empty: the usual ones
  std::string output;                // empty: results/SCENE-compare, and what the settings change
  bool overwrite = false;            // results that are in that folder, whatever they are
  std::optional<int> steps;          // none: as the scene says
  int threads = 0;                   // methods at a time; 0: one per core
  bool quiet = false;
};

struct SweepOptions {
  SceneOptions scene;                // its settings have lists of values
  std::vector<std::string> methods;  // as in CompareOptions: another way to sweep integrator.method
  std::string output;                // empty: results/SCENE-sweep, and what is swept and changed
  bool overwrite = false;            // runs that are done already too
  std::optional<int> steps;          // none: as the scene says
  std::optional<double> duration;    // the same
  int threads = 0;                   // runs at a time; 0: one per core
  int most = 100;                    // combinations
  bool frames = false;  // with the frames, pictures and reports that the scene asks for
  bool quiet = false;
};

struct ConvergeOptions {
  SceneOptions scene;
  std::vector<std::string> methods;  // as in CompareOptions
  std::vector<double> sizes;         // of steps; empty: the scene's, and halves of it
  std::optional<double> duration;    // none: the scene's
  std::string output;                // empty: results/SCENE-converge
};

struct MaterialOptions {
  std::string name;  // empty: all of them
  std::string page;  // empty: none; the file for a page of all materials and energies
};

struct VerifyOptions {
  std::string method;                 // empty: all, with their variants
  std::vector<std::string> settings;  // parameter=value of that method
  std::string page;                   // empty: none
};

struct ConvertOptions {
  std::string input;
  std::string output;
  bool surface = false;  // the boundary of tets
  bool orient = false;   // turn inverted tets
};

struct TetrahedralizeArguments {
  std::string surface;
  std::string output;
  std::optional<double> max_volume;
  std::optional<int> vertices;
  std::optional<double> quality;
  bool keep_surface = false;
  std::string tool;
};

struct IntersectionsArguments {
  std::string folder;
  std::string frames;  // as in PictureArguments; empty: all
  int most = 3;        // pairs to show of each frame and kind
  int threads = 0;     // 0: one per core
};

struct ExportArguments {
  std::string folder;
  std::string format;
  std::string output;
  int every = 1;
  double rate = 0;
  bool no_obstacles = false;
  std::string up = "y";
};

struct PictureArguments {
  std::vector<std::string> folders;
  std::string frames;  // "all", "0-10", "::5", "3,7"; empty: the last
  std::string output = ".";
  std::vector<int> size = {480, 360};
  std::vector<float> from;  // empty: front, right, above
  float zoom = 1;
  bool dark = false;
};

struct FilmArguments {
  std::vector<std::string> folders;
  std::string output;  // empty: film.mp4 in the first folder, or film.png without FFmpeg
  int every = 1;
  std::optional<double> rate;
  std::vector<int> size = {480, 360};
  std::vector<float> from;  // empty: front, right, above
  float zoom = 1;
  bool dark = false;
};

int mesh_info(const std::vector<std::string>& files);
int mesh_convert(const ConvertOptions& options);
int mesh_tetrahedralize(const TetrahedralizeArguments& arguments);
// Looks for what passes through what in the frames of a run that is done.
int mesh_intersections(const IntersectionsArguments& arguments);
int export_run(const ExportArguments& arguments);
// Writes frames of runs that are done as PNG files, seen by one camera.
int picture(const PictureArguments& arguments);
// Makes a film of runs that are done, side by side.
int film(const FilmArguments& arguments);
int run(const RunOptions& options);
// Runs a scene with several methods and writes what they did side by side.
int compare(const CompareOptions& options);
// Runs a scene with every combination of some settings.
int sweep(const SweepOptions& options);
// Measures how errors shrink with the step, and what they cost.
int converge(const ConvergeOptions& options);
// The settings of a scene that "hp:alpha=0.25" stands for. Throws Error.
[[nodiscard]] std::vector<std::string> settings_of_method(const std::string& given);
// Shows scenes in a web page, from a server on this machine, until interrupted.
int view(const ViewOptions& options);
int check(const SceneOptions& options);
// Lists the scenes that are shipped, and those in scenes/ here, whose name or title has the word in it.
int scenes(const std::string& word);
int methods(const std::string& name);
int materials(const MaterialOptions& options);
// Measures what a method, or every method, claims; also writes it as a page of Markdown.
int verify(const VerifyOptions& options);
// Writes the page of all materials and energies, as Markdown.
int write_material_page(const std::string& name);

}  // namespace lilyan::cli

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "app/cli/batch.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/terminal.hpp"
#include "app/files/file.hpp"
#include "app/report/folder/choose_folder.hpp"
#include "app/report/folder/result_folder.hpp"
#include "app/report/page/report.hpp"
#include "app/report/record/summary_table.hpp"
#include "app/run/conservation.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTable = "table.csv";
constexpr const char* kWhat = "comparison.toml";

struct Contender {
  std::string given;                  // "hp:alpha=0.25"
  std::string folder;                 // "hp-alpha=0.25"
  std::vector<std::string> settings;  // of the scene
  RunRecord record;
};

Contender contender(const std::string& given) {
  Contender c{.given = given, .folder = given};
  std::ranges::replace(c.folder, ':', '-');
  std::ranges::replace(c.folder, '/', '-');
  c.settings = settings_of_method(given);
  c.record.method = given;
  c.record.folder = c.folder;
  c.record.started = false;
  c.record.summary.message = "the comparison did not get to its end";
  return c;
}

std::vector<Contender> contenders(std::vector<std::string> methods, const Scene& scene) {
  if (methods.empty()) methods = compared_methods(scene);
  std::vector<Contender> all;
  for (const std::string& method : methods) {
    all.push_back(contender(method));
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      if (all[i].folder == all.back().folder) {
        throw Error(fmt::format("--methods: '{}' is named twice", method));
      }
    }
  }
  return all;
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Runs of an earlier comparison would be taken for those of this one. Those of methods that are
// compared again are overwritten.
void remove_earlier_runs(const fs::path& folder, const std::vector<Contender>& all) {
  for (const std::string& name : listed_folders(read_text(folder / kTable))) {
    // The table may have been edited: never anything outside of the folder.
    if (name.empty() || name == "." || name == ".." || fs::path(name).has_parent_path()) continue;
    if (std::ranges::find(all, name, &Contender::folder) != all.end()) continue;
    const fs::path earlier = folder / name;
    if (fs::is_symlink(earlier) || !fs::exists(earlier) || remove_results(earlier)) continue;
    tell(fmt::format("{} of an earlier comparison has other files in it and was kept\n",
                     earlier.string()));
  }
}

// The scene with the scene's own method, and the methods that are compared.
std::string identity_of(const Scene& scene, const std::vector<Contender>& all) {
  std::string text = "# The methods that are compared:";
  for (const Contender& c : all) text += " " + c.given;
  return text + "\n" + scene.resolved;
}

std::optional<EarlierResults> earlier_comparison(const fs::path& folder) {
  if (!fs::exists(folder / kTable)) return std::nullopt;
  return EarlierResults{.identity = read_text(folder / kWhat)};
}

// Makes the folder, or takes one that an earlier comparison left.
void open_folder(const fs::path& folder, const std::vector<Contender>& all) {
  try {
    if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder)) &&
        !fs::exists(folder / kTable)) {
      throw Error(
          fmt::format("{} exists and is not the result of a comparison; choose another "
                      "folder with -o",
                      folder.string()));
    }
    fs::create_directories(folder);
    remove_earlier_runs(folder, all);
    for (const char* name : {"energy", "energy-error", "momenta", "iterations"}) {
      for (const char* ending : {".svg", ".png"}) fs::remove(folder / (std::string(name) + ending));
    }
    for (const char* name : {"table.md", "report.html"}) fs::remove(folder / name);
  } catch (const fs::filesystem_error& error) {
    throw Error(
        fmt::format("cannot use {} for results: {}", folder.string(), error.code().message()));
  }
}

bool wants_png(const Scene& scene) {
  const std::vector<std::string>& endings = scene.settings.output.pictures;
  return std::ranges::find(endings, "png") != endings.end();
}

// "avf(auto), step = 0.01": the method, and what else its settings change.
std::string label_of(const Contender& c, const std::string& scheme) {
  std::string label = scheme;
  const Method& method = *find_method(c.given.substr(0, c.given.find(':')));
  for (std::size_t k = 1; k < c.settings.size(); ++k) {
    const std::string setting = c.settings[k].substr(std::string_view("integrator.").size());
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    if (std::ranges::find(method.parameters, key, &ParameterSpec::name) != method.parameters.end())
      continue;
    label += fmt::format(", {} = {}", key, setting.substr(equals + 1));
  }
  return label;
}

// One method from reading the scene to its report. What goes wrong is told in its record.
void run_one(const CompareOptions& options, double duration, const fs::path& folder, Contender& c,
             CompareProgress& progress, std::size_t place) {
  SceneChanges changes = changes_of_run(options.scene, c.settings, options.steps, duration);
  changes.settings.emplace_back("output.report=true");
  BatchResult result = run_in_folder(find_scene(options.scene.scene), changes, folder / c.folder,
                                     Earlier::replace, progress, place);
  if (result.record.method.empty()) {
    c.record.summary.message = result.message;
    return;
  }
  c.record = std::move(result.record);
  if (!result.message.empty()) {
    c.record.started = false;
    c.record.summary.message = result.message;
  }
  c.record.method = label_of(c, c.record.method);
  c.record.folder = c.folder;
  c.record.files.emplace_back("report.html");
}

// Two ways to say the same method have one name: then what the user wrote tells them apart.
void tell_apart(std::vector<Contender>& all) {
  std::map<std::string, int> named;
  for (const Contender& c : all) ++named[c.record.method];
  for (Contender& c : all) {
    if (named[c.record.method] > 1) c.record.method = c.given;
  }
}

// PNG files, if the scene asks for them, come last: a converter that fails costs nothing else.
void write_results(const fs::path& folder, const Scene& scene, Runs runs) {
  write_file(folder / kTable, summary_csv(runs));
  write_file(folder / "table.md", as_markdown(summary_table(runs)));
  std::vector<fs::path> svgs;
  const auto save = [&](const FigureGrid& figure, const std::string& name) {
    svgs.push_back(folder / (name + ".svg"));
    write_svg(figure, svgs.back());
  };
  save({.panels = {energy_figure(runs)}}, "energy");
  save({.panels = {energy_error_figure(runs)}}, "energy-error");
  if (const FigureGrid momenta = momenta_figure(runs); !momenta.panels.empty()) {
    save(momenta, "momenta");
  }
  if (const Figure iterations = iterations_figure(runs); !iterations.series.empty()) {
    save({.panels = {iterations}}, "iterations");
  }
  const auto report = [&] {
    ReportText text{.title = scene.title, .files = files_in(folder)};
    std::erase_if(text.files, [](const std::string& name) { return name.ends_with('/'); });
    write_report(folder / "report.html", text, runs);
  };
  report();
  if (!wants_png(scene)) return;
  const Conversion conversion = convert_all_to_png(svgs);
  if (!conversion.note.empty()) tell(conversion.note + "\n");
  if (!conversion.made.empty()) report();
}

}  // namespace

std::vector<std::string> settings_of_method(const std::string& given) {
  const std::string name = given.substr(0, given.find(':'));
  if (!find_method(name)) {
    throw Error(
        fmt::format("--methods: unknown method '{}'{}", name, suggestion(name, method_names())));
  }
  std::vector<std::string> settings = {"integrator.method=" + name};
  for (std::size_t at = name.size(); at < given.size();) {
    const std::size_t end = std::min(given.find(':', at + 1), given.size());
    const std::string setting = given.substr(at + 1, end - at - 1);
    if (setting.find('=') == std::string::npos) {
      throw Error(fmt::format("--methods: '{}' in '{}' is no parameter; write e.g. hp:alpha=0.25",
                              setting, given));
    }
    settings.push_back("integrator." + setting);
    at = end;
  }
  return settings;
}

int compare(const CompareOptions& options) {
  // Read once with the scene's own method: a mistake in the scene is one for all methods.
  const Scene scene = load_scene(find_scene(options.scene.scene),
                                 changes_of_run(options.scene, {}, options.steps, 0));
  std::vector<Contender> all = contenders(options.methods, scene);
  const std::string identity = identity_of(scene, all);
  const FolderChoice choice = choose_folder(
      {.given = options.output,
       .name = scene.name + "-compare" +
               name_of_changes(options.scene.settings, options.steps, options.scene.start),
       .identity = identity,
       .overwrite = options.overwrite,
       .read = earlier_comparison});
  const fs::path& folder = choice.folder;
  if (!choice.note.empty() && !options.quiet) tell(fmt::format("{}\n", choice.note));
  if (wants_png(scene)) require_svg_converter();
  open_folder(folder, all);
  // Also a comparison that does not get to its end says what it wrote.
  std::vector<const RunRecord*> runs;
  for (const Contender& c : all) runs.push_back(&c.record);
  write_file(folder / kTable, summary_csv(runs));
  write_file(folder / kWhat, identity);
  catch_interrupts();
  std::vector<std::string> names;
  for (const Contender& c : all) names.push_back(c.given);
  CompareProgress progress(names, options.quiet);
  run_at_once(all.size(), {.at_once = options.threads}, [&](std::size_t i) {
    run_one(options, scene.settings.duration, folder, all[i], progress, i);
  });
  tell_apart(all);
  progress.finish();

  const std::string reason = reason_of_failure([&] { write_results(folder, scene, runs); });
  if (!reason.empty()) tell(fmt::format("error: {}\n", reason));
  fmt::print("{}", as_text(summary_table(runs)));
  int code = reason.empty() ? kDone : kStopped;
  bool any = false;
  for (const RunRecord* run : runs) {
    any = any || run->started;
    const bool whole = run->summary.end == RunEnd::finished || run->summary.end == RunEnd::event;
    if (run->started && whole) continue;
    code = kStopped;
    const std::string& why = run->summary.message;
    tell(fmt::format("{}: {}{}{}\n", run->method, run->status(), why.empty() ? "" : ": ", why));
  }
  fmt::print("results in {}: report.html, table.csv, table.md, and a folder for each method\n",
             folder.string());
  return any ? code : kBadInput;
}

}  // namespace lilyan::cli

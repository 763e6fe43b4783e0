// lilyan: structure-preserving simulation from the command line, with every command.
//
// This file, command_line.cpp and app/bench are the only ones that include CLI11. Each command has a function
// add_NAME_command that describes its arguments; the command itself is a plain function of commands.hpp.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/cli/arguments.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/commands.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::cli {
namespace {

void add_compare_command(CLI::App& app, int& exit_code) {
  auto [command, options] = add_command(
      app, "compare", "simulate a scene with several methods and put them side by side in a report",
      compare, exit_code);
  add_scene(*command, options.scene);
  command
      ->add_option("--methods", options.methods,
                   "methods, separated by commas, with parameters after colons: "
                   "avf,hp:alpha=0.25,avf:step=0.01 (default: the usual ones)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("-o,--output", options.output,
                      "folder for the results (default: results/SCENE-compare, and what --set and "
                      "--steps change)");
  command->add_flag("--overwrite", options.overwrite,
                    "replace what is in that folder, also another comparison");
  add_steps(*command, options.steps);
  add_threads(*command, options.threads,
              "methods that run at the same time (default: one per core)");
  command->add_flag("-q,--quiet", options.quiet, "no progress, only the table");
}

void add_sweep_command(CLI::App& app, int& exit_code) {
  auto [command, options] = add_command(
      app, "sweep", "run a scene with every combination of some settings, into one table", sweep,
      exit_code);
  add_scene(*command, options.scene);
  command->get_option("--set")
      ->type_name("KEY=VALUE,VALUE,...")
      ->description(
          "a setting of the scene and its values; may be repeated for every combination. A value "
          "with "
          "commas stands in brackets or quotes: body.0.velocity=[1,0,0],[2,0,0]");
  command
      ->add_option("--methods", options.methods,
                   "methods, with parameters after colons: avf,hp:alpha=0.25")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option(
      "-o,--output", options.output,
      "folder for the results (default: results/SCENE-sweep, what is swept, and what "
      "else changes)");
  CLI::Option* steps =
      command->add_option("--steps", options.steps, "number of the scene's own steps")
          ->check(CLI::Range(0, kMostInt));
  command
      ->add_option("--duration", options.duration,
                   "time to simulate, instead of the scene's; steps that do not divide it end with "
                   "two shorter ones")
      ->check(CLI::PositiveNumber)
      ->excludes(steps);
  command->add_flag("--overwrite", options.overwrite,
                    "run all combinations again, also those that are done");
  command->add_option("--most", options.most, "combinations to run without asking")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--frames", options.frames,
                    "each run also writes the frames, pictures and report that the scene asks for");
  add_threads(*command, options.threads,
              "runs at the same time, one thread each (default: one per core)");
  command->add_flag("-q,--quiet", options.quiet, "no progress, only the table");
  command->footer(
      R"(All runs last as long as the scene does, whatever their steps. The same command run again goes on
where it was interrupted and leaves alone what is done.

Examples:
  lilyan sweep pendulum --set integrator.step=0.1,0.05,0.025 --methods avf,rk4,gauss:stages=2
  lilyan sweep bunny --set integrator.step=0.01,0.02,0.033 --set integrator.method=avf,newmark
  lilyan sweep spinning-bar --set body.0.angular_velocity=[0,0,1],[0,0,4] --duration 2
)");
}

void add_converge_command(CLI::App& app, int& exit_code) {
  auto [command, options] = add_command(
      app, "converge", "run a scene with smaller and smaller steps: order, work and precision",
      converge, exit_code);
  add_scene(*command, options.scene);
  command
      ->add_option("--methods", options.methods,
                   "methods, separated by commas, with parameters after colons: "
                   "avf,hp:alpha=0.25 (default: those of compare)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--steps", options.sizes,
                   "sizes of steps, separated by commas (default: the scene's, and five halvings)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber);
  command->add_option("--duration", options.duration, "time to simulate, instead of the scene's")
      ->check(CLI::PositiveNumber);
  command->add_option("-o,--output", options.output,
                      "folder for the results (default: results/SCENE-converge)");
}

void add_view_command(CLI::App& app, int& exit_code) {
  auto [command, options] = add_command(
      app, "view", "simulate scenes in a web page, up to four side by side", view, exit_code);
  command
      ->add_option("scene", options.scenes,
                   "scenes, or result folders of runs to be shown again (default: bunny)")
      ->expected(0, 4);
  add_plugins(*command);
  add_settings(*command, options.settings,
               "change a setting of all these scenes: key=value; may be repeated");
  add_port(*command, options.port);
}

void add_scenes_command(CLI::App& app, int& exit_code) {
  auto [command, word] =
      add_command(app, "scenes", "list the scenes that are shipped", scenes, exit_code);
  command->add_option("word", word, "only those with this word in their name or title");
}

void add_methods_command(CLI::App& app, int& exit_code) {
  auto [command, name] =
      add_command(app, "methods", "list the methods and what each conserves", methods, exit_code);
  add_plugins(*command);
  command->add_option("name", name, "show one with its parameters");
}

void add_materials_command(CLI::App& app, int& exit_code) {
  auto [command, options] =
      add_command(app, "materials", "list the materials of soft bodies", materials, exit_code);
  add_plugins(*command);
  command->add_option("name", options.name, "show one with its parameters");
  command->add_option("--page", options.page,
                      "write all materials and energies to this file, as Markdown");
}

void add_verify_command(CLI::App& app, int& exit_code) {
  auto [command, options] = add_command(
      app, "verify",
      "measure every claim of a method (or of all): order, symplecticity, energy, momenta", verify,
      exit_code);
  add_plugins(*command);
  command->add_option("method", options.method, "only this method, with its variants");
  add_settings(*command, options.settings,
               "a parameter of that method, instead of the variants: e.g. stages=3",
               "PARAMETER=VALUE");
  command->add_option("--page", options.page, "also write the results to this file, as Markdown");
}

// The benchmarks are a program of their own beside this one, which takes the place of this process.
void add_bench_command(CLI::App& app) {
  CLI::App* bench = app.add_subcommand(
      "bench", "time steps of the bunny and of bars: methods, linear solvers, sizes, threads");
  bench->set_help_flag();
  bench->prefix_command();
  bench->callback([bench] {
    const std::filesystem::path program =
        std::filesystem::read_symlink("/proc/self/exe").replace_filename("lilyan-bench");
    std::vector<std::string> words = bench->remaining();
    words.insert(words.begin(), {program.string(), "bench"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    throw Error(fmt::format("{} is not there: ./lilyan bench builds it", program.string()));
  });
}

void add_mesh_command(CLI::App& app, int& exit_code) {
  CLI::App* mesh = app.add_subcommand("mesh", "look at meshes, convert them, make them");
  mesh->require_subcommand(1);

  auto [info, files] =
      add_command(*mesh, "info", "sizes and quality of a mesh or surface", mesh_info, exit_code);
  info->add_option("file", files, "mesh or surface files")->required();

  auto [convert, c] =
      add_command(*mesh, "convert", "write a mesh in another format", mesh_convert, exit_code);
  convert->add_option("input", c.input, "the mesh or surface to read")->required();
  convert->add_option("output", c.output, "the file to write; its extension decides")->required();
  convert->add_flag("--surface", c.surface, "write the boundary of the tets");
  convert->add_flag("--orient", c.orient, "turn tets that are inverted");

  auto [tetrahedralize, t] =
      add_command(*mesh, "tetrahedralize", "fill a closed surface with tets (TetGen or Gmsh)",
                  mesh_tetrahedralize, exit_code);
  tetrahedralize->add_option("surface", t.surface, "a closed surface: .obj, .ply, .stl, ...")
      ->required();
  tetrahedralize->add_option("output", t.output, "the mesh to write; its extension decides")
      ->required();
  CLI::Option* volume =
      tetrahedralize->add_option("--max-volume", t.max_volume, "largest volume of a tet")
          ->check(CLI::PositiveNumber);
  tetrahedralize->add_option("--vertices", t.vertices, "about so many vertices")
      ->check(CLI::Range(4, kMostInt))
      ->excludes(volume);
  tetrahedralize
      ->add_option("--quality", t.quality,
                   "bound on circumradius / shortest edge of a tet (default 1.4; tetgen only)")
      ->check(CLI::Range(1.0, 100.0));
  tetrahedralize->add_flag("--keep-surface", t.keep_surface, "no new vertices on the surface");
  tetrahedralize
      ->add_option("--tool", t.tool, "the program to use (default: one that is installed)")
      ->check(CLI::IsMember({"tetgen", "gmsh"}));

  auto [intersections, i] =
      add_command(*mesh, "intersections",
                  "find what passes through what in the frames of a run: bodies, themselves, "
                  "obstacles",
                  mesh_intersections, exit_code);
  intersections->add_option("folder", i.folder, "the result folder of a run")->required();
  intersections->add_option(
      "--frames", i.frames,
      "all (the default), numbers from 0 separated by commas, ranges such as 0-10, ::5 for every "
      "fifth");
  intersections->add_option("--most", i.most, "pairs to show of each frame and kind (default 3)")
      ->check(CLI::Range(0, kMostInt));
  add_threads(*intersections, i.threads, "threads (default: one per core)");
  intersections->footer(
      "The exit code is 4 if anything passes through anything, or touches it. Only what the frames "
      "show is seen,\nnot what happens between them.");
}

void add_export_command(CLI::App& app, int& exit_code) {
  auto [command, options] =
      add_command(app, "export", "write the frames of a run that is done in another format",
                  export_run, exit_code);
  command->add_option("folder", options.folder, "the result folder of a run")->required();
  command->add_option("--format", options.format, "glb, usda, ply or obj")
      ->required()
      ->check(CLI::IsMember({"glb", "usda", "ply", "obj"}));
  command->add_option("-o,--output", options.output,
                      "the file (glb, usda) or folder (ply, obj) to write; default: in the folder");
  CLI::Option* every =
      command->add_option("--every", options.every, "take each Nth frame, and the last")
          ->check(CLI::PositiveNumber);
  command
      ->add_option("--rate", options.rate,
                   "frames in a second (24, 25, 30, …), made from those of the run")
      ->check(CLI::Range(0.1, 10000.0))
      ->excludes(every);
  command->add_flag("--no-obstacles", options.no_obstacles, "leave out the obstacles (glb, usda)");
  command->add_option("--up", options.up, "the axis that points up (default y)")
      ->check(CLI::IsMember({"y", "z"}));
}

// Size and point of view of pictures.
template <class Options>
void add_outlook(CLI::App& command, Options& options) {
  command.add_option("--size", options.size, "width and height in pixels (default: 480,360)")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(16, 8192));
  command
      .add_option("--from", options.from,
                  "direction towards the camera: x,y,z (default: from the front, right and above)")
      ->delimiter(',')
      ->expected(3);
  command.add_option("--zoom", options.zoom, "above 1: nearer than shows everything")
      ->check(CLI::Range(0.01, 100.0));
  command.add_flag("--dark", options.dark, "on a dark ground");
}

void add_film_command(CLI::App& app, int& exit_code) {
  auto [command, options] =
      add_command(app, "film", "make a film of runs that are done, side by side", film, exit_code);
  command->add_option("folder", options.folders, "the result folders of runs")->required();
  command->add_option(
      "-o,--output", options.output,
      "the film: .mp4, .webm, .webp and .gif need FFmpeg, .png is an animated picture "
      "(default: film.mp4 in the first folder, or film.png without FFmpeg)");
  command->add_option("--every", options.every, "take each Nth frame")->check(CLI::PositiveNumber);
  command->add_option("--rate", options.rate, "frames in a second (default: as fast as the motion)")
      ->check(CLI::Range(0.1, 240.0));
  add_outlook(*command, options);
}

void add_picture_command(CLI::App& app, int& exit_code) {
  auto [command, options] = add_command(
      app, "picture", "draw frames of runs that are done, all seen by one camera: FOLDER-FRAME.png",
      picture, exit_code);
  command->add_option("folder", options.folders, "the result folders of runs")->required();
  command->add_option("--frames", options.frames,
                      "all, numbers from 0 separated by commas, ranges such as 0-10, ::5 for every "
                      "fifth (default: the last)");
  command->add_option("-o,--output", options.output, "folder for the pictures (default: here)");
  add_outlook(*command, options);
}

void add_all(CLI::App& app, int& exit_code) {
  add_converge_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_sweep_command(app, exit_code);
  add_view_command(app, exit_code);
  add_scenes_command(app, exit_code);
  add_methods_command(app, exit_code);
  add_materials_command(app, exit_code);
  add_mesh_command(app, exit_code);
  add_export_command(app, exit_code);
  add_film_command(app, exit_code);
  add_picture_command(app, exit_code);
  add_verify_command(app, exit_code);
  add_bench_command(app);
}

}  // namespace
}  // namespace lilyan::cli

int main(int argc, char** argv) {
  using namespace lilyan::cli;
  return run_program(argc, argv, {.add_commands = add_all, .serve_run = serve_run});
}

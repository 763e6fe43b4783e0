// lilyan: structure-preserving simulation of soft bodies from the command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>

#include "app/cli/commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/version.hpp"

namespace {

using namespace lilyan::cli;

void add_scene(CLI::App& command, SceneOptions& options) {
  command.add_option("scene", options.scene, "a scene file, or the name of one in scenes/")
      ->required();
  command
      .add_option("--set", options.settings,
                  "change a setting of the scene: key=value, e.g. integrator.method=newmark or "
                  "body.0.material.mu=800; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_compare_command(CLI::App& app, CompareOptions& options, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "compare", "simulate a scene with several methods and put them side by side in a report");
  add_scene(*command, options.scene);
  command
      ->add_option("--methods", options.methods,
                   "methods, separated by commas, with parameters after colons: "
                   "avf,hp:alpha=0.25 (default: four usual ones)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("-o,--output", options.output,
                      "folder for the results (default: results/SCENE-compare)");
  command->add_option("--steps", options.steps, "number of steps, instead of the scene's")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  command
      ->add_option("--threads", options.threads,
                   "methods that run at the same time (default: one per core)")
      ->check(CLI::Range(0, 1024));
  command->add_flag("-q,--quiet", options.quiet, "no progress, only the table");
  command->callback([&] { exit_code = compare(options); });
}

void add_port(CLI::App& command, std::optional<int>& port) {
  command
      .add_option("--port", port, "port of the page (default: 8817, or the next one that is free)")
      ->check(CLI::Range(1, 65535));
}

void add_view_command(CLI::App& app, ViewOptions& options, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("view", "simulate scenes in a web page, up to four side by side");
  command
      ->add_option("scene", options.scenes,
                   "scenes, or result folders of runs to be shown again (default: bunny)")
      ->expected(0, 4);
  command
      ->add_option("--set", options.settings,
                   "change a setting of all these scenes: key=value; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_port(*command, options.port);
  command->callback([&] { exit_code = view(options); });
}

// The commands about meshes hold their options here, as callbacks run when all is parsed.
struct MeshOptions {
  std::vector<std::string> info;
  ConvertOptions convert;
  TetrahedralizeArguments tetrahedralize;
};

void add_mesh_commands(CLI::App& app, MeshOptions& options, int& exit_code) {
  CLI::App* mesh = app.add_subcommand("mesh", "look at meshes, convert them, make them");
  mesh->require_subcommand(1);
  CLI::App* info = mesh->add_subcommand("info", "sizes and quality of a mesh or surface");
  info->add_option("file", options.info, "mesh or surface files")->required();
  info->callback([&] { exit_code = mesh_info(options.info); });

  CLI::App* convert = mesh->add_subcommand("convert", "write a mesh in another format");
  convert->add_option("input", options.convert.input, "the mesh or surface to read")->required();
  convert->add_option("output", options.convert.output, "the file to write; its extension decides")
      ->required();
  convert->add_flag("--surface", options.convert.surface, "write the boundary of the tets");
  convert->add_flag("--orient", options.convert.orient, "turn tets that are inverted");
  convert->callback([&] { exit_code = mesh_convert(options.convert); });

  TetrahedralizeArguments& t = options.tetrahedralize;
  CLI::App* tetrahedralize =
      mesh->add_subcommand("tetrahedralize", "fill a closed surface with tets (TetGen or Gmsh)");
  tetrahedralize->add_option("surface", t.surface, "a closed surface: .obj, .ply, .stl, ...")
      ->required();
  tetrahedralize->add_option("output", t.output, "the mesh to write; its extension decides")
      ->required();
  CLI::Option* volume =
      tetrahedralize->add_option("--max-volume", t.max_volume, "largest volume of a tet")
          ->check(CLI::PositiveNumber);
  tetrahedralize->add_option("--vertices", t.vertices, "about so many vertices")
      ->check(CLI::Range(4, std::numeric_limits<int>::max()))
      ->excludes(volume);
  tetrahedralize
      ->add_option("--quality", t.quality,
                   "bound on circumradius / shortest edge of a tet (default 1.4; tetgen only)")
      ->check(CLI::Range(1.0, 100.0));
  tetrahedralize->add_flag("--keep-surface", t.keep_surface, "no new vertices on the surface");
  tetrahedralize
      ->add_option("--tool", t.tool, "the program to use (default: one that is installed)")
      ->check(CLI::IsMember({"tetgen", "gmsh"}));
  tetrahedralize->callback([&] { exit_code = mesh_tetrahedralize(options.tetrahedralize); });
}

void add_export_command(CLI::App& app, ExportArguments& arguments, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("export", "write the frames of a run that is done in another format");
  command->add_option("folder", arguments.folder, "the result folder of a run")->required();
  command->add_option("--format", arguments.format, "glb, usda, ply or obj")
      ->required()
      ->check(CLI::IsMember({"glb", "usda", "ply", "obj"}));
  command->add_option("-o,--output", arguments.output,
                      "the file (glb, usda) or folder (ply, obj) to write; default: in the folder");
  command->add_option("--every", arguments.every, "take each Nth frame, and the last")
      ->check(CLI::PositiveNumber);
  command->add_option("--up", arguments.up, "the axis that points up (default y)")
      ->check(CLI::IsMember({"y", "z"}));
  command->callback([&] { exit_code = export_run(arguments); });
}

void add_picture_command(CLI::App& app, PictureArguments& arguments, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "picture", "draw frames of runs that are done, all seen by one camera: FOLDER-FRAME.png");
  command->add_option("folder", arguments.folders, "the result folders of runs")->required();
  command
      ->add_option("--frames", arguments.frames,
                   "numbers of frames, separated by commas, from 0 (default: the last)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::NonNegativeNumber);
  command->add_option("-o,--output", arguments.output, "folder for the pictures (default: here)");
  command->add_option("--size", arguments.size, "width and height in pixels (default: 480,360)")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(16, 8192));
  command
      ->add_option("--from", arguments.from,
                   "direction towards the camera: x,y,z (default: from the front, right and above)")
      ->delimiter(',')
      ->expected(3);
  command->add_option("--zoom", arguments.zoom, "above 1: nearer than shows everything")
      ->check(CLI::Range(0.01, 100.0));
  command->callback([&] { exit_code = picture(arguments); });
}

void add_bench_command(CLI::App& app, BenchOptions& options, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "bench", "time steps of the bunny and of bars: methods, linear solvers, sizes, threads");
  command->add_option("methods", options.methods, "methods to time (default: all implicit)");
  command
      ->add_option("--suite", options.suites,
                   "what to measure: methods, linear, explicit, threads, growth (up to a million "
                   "tets); may be repeated (default: the first three)")
      ->check(CLI::IsMember({"methods", "linear", "explicit", "threads", "growth"}))
      ->allow_extra_args(false);
  command->add_option("--repetitions", options.repetitions, "of each measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--csv", options.csv,
                      "the file for the table (default: bench/results/MACHINE.csv)");
  command->callback([&] { exit_code = bench(options); });
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Lilyan: time integration that keeps what nature keeps.", "lilyan"};
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       fmt::format("lilyan {} ({})", lilyan::version(), lilyan::commit()));
  int exit_code = kDone;

  RunOptions run_options;
  CLI::App* run_command = app.add_subcommand("run", "simulate a scene and write its results");
  add_scene(*run_command, run_options.scene);
  run_command->add_option("-o,--output", run_options.output,
                          "folder for the results (default: results/SCENE-METHOD)");
  run_command->add_option("--steps", run_options.steps, "number of steps, instead of the scene's")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  run_command
      ->add_option("--threads", run_options.threads,
                   "threads that share the work on a large body; results do not depend on it "
                   "(default: solver.threads of the scene, or one per core)")
      ->check(CLI::Range(0, 1024));
  run_command->add_flag("-q,--quiet", run_options.quiet, "no progress, only the summary");
  CLI::Option* watched =
      run_command->add_flag("--view", run_options.view, "serve a page that shows the run");
  add_port(*run_command, run_options.port);
  run_command->get_option("--port")->needs(watched);
  run_command->callback([&] { exit_code = run(run_options); });

  CompareOptions compare_options;
  add_compare_command(app, compare_options, exit_code);

  ViewOptions view_options;
  add_view_command(app, view_options, exit_code);

  SceneOptions check_options;
  CLI::App* check_command = app.add_subcommand("check", "read a scene and say what is wrong in it");
  add_scene(*check_command, check_options);
  check_command->callback([&] { exit_code = check(check_options); });

  std::string method;
  CLI::App* methods_command =
      app.add_subcommand("methods", "list the methods and what each conserves");
  methods_command->add_option("name", method, "show one with its parameters");
  methods_command->callback([&] { exit_code = methods(method); });

  std::string material;
  CLI::App* materials_command =
      app.add_subcommand("materials", "list the materials of soft bodies");
  materials_command->add_option("name", material, "show one with its parameters");
  materials_command->callback([&] { exit_code = materials(material); });

  VerifyOptions verify_options;
  CLI::App* verify_command = app.add_subcommand(
      "verify",
      "measure every claim of a method (or of all): order, symplecticity, energy, momenta");
  verify_command->add_option("method", verify_options.method,
                             "only this method, with its variants");
  verify_command
      ->add_option("--set", verify_options.settings,
                   "a parameter of that method, instead of the variants: e.g. stages=3")
      ->type_name("PARAMETER=VALUE")
      ->allow_extra_args(false);
  verify_command->add_option("--page", verify_options.page,
                             "also write the results to this file, as Markdown");
  verify_command->callback([&] { exit_code = verify(verify_options); });

  BenchOptions bench_options;
  add_bench_command(app, bench_options, exit_code);

  MeshOptions mesh_options;
  add_mesh_commands(app, mesh_options, exit_code);
  ExportArguments export_arguments;
  add_export_command(app, export_arguments, exit_code);
  PictureArguments picture_arguments;
  add_picture_command(app, picture_arguments, exit_code);

  if (argc == 1) {
    fmt::print("{}", app.help());
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kDone : kBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  const auto complain = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
  try {
    return dispatch(argc, argv);
  } catch (const lilyan::Error& error) {
    complain(fmt::format("error: {}\n", error.what()));
    return kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    complain(fmt::format("error: {}: {}\n", error.path1().string(), error.code().message()));
    return kBadInput;
  } catch (const std::bad_alloc&) {
    complain("error: there is not enough memory for this scene\n");
    return kBadInput;
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}\n", error.what()));
    return kInternalError;
  }
}

// How a scene is stepped, and what is written of its run: [integrator], [step_control], [solver] and [output].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/files/surface.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {

struct OutputSettings {
  int every = 1;         // steps between frames, 0: no frames
  int series_every = 1;  // steps between rows of series.csv
  // Steps between checkpoints, 0: only when the run ends; none: one about every half minute.
  std::optional<int> checkpoint_every;
  bool thinned = false;  // rows are left out because the scene did not say how many it wants
  // Small systems: the time between rows of trajectory.csv (0: a row at every step), and the
  // formats of their pictures.
  double interval = 0;
  std::vector<std::string> pictures = {"svg"};  // or "png"
  bool float64 = true;                          // precision of frames
  std::vector<std::string> formats = {"vtu"};   // of frames, see frame_formats()
  UpAxis up = UpAxis::y;                        // for formats that have an up
  bool report = true;                           // report.html
};

struct SceneSettings {
  std::string method;  // registry name
  Scheme scheme;
  double step = 0;  // the first one, with step control
  int steps = 0;    // how many; with step control only the duration counts
  // Of the whole run. Where equal steps do not divide it, the last two are shorter.
  double duration = 0;
  StepControlOptions control;  // its step and max_halvings are those of the scene
  [[nodiscard]] bool variable_steps() const { return control.kind != StepControlKind::fixed; }
  SolverOptions solver;
  int max_halvings = 0;  // 0: a failed step stops the run
  int threads = 0;       // to be shared by loops over a body's elements; 0: one per core
  OutputSettings output;
};

// What replaces the scene's steps or duration. Only one of them is given.
struct RunLength {
  std::optional<int> steps;
  std::optional<double> duration;
};

// Reads the four tables from the root of a scene.
void read_settings(TableReader& root, const RunLength& length, SceneSettings& settings);

}  // namespace lilyan

// trajectory.csv: coordinates and velocities of a small system, one row per frame.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lilyan/core/state.hpp"

namespace lilyan {

class TrajectoryWriter {
 public:
  // Columns step, t, the coordinates by their names, and each again with a v_ in front. Throws
  // Error when the file cannot be written, now or later.
  TrajectoryWriter(const std::filesystem::path& file, const std::vector<std::string>& coordinates);

  void add(int step, const State& state);
  // Writes the last state unless that is there already.
  void finish(int step, const State& state);

 private:
  std::filesystem::path file_;
  std::ofstream stream_;
  int last_ = -1;
  double last_t_ = 0;
};

}  // namespace lilyan

// The picture of a small system: points, rods, springs and trails whose places are formulas of its
// coordinates. Read from [system.draw]; systems without that table have one where their coordinates
// say what they are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/scene/toml/table_reader.hpp"
#include "lilyan/lagrangian/expression_model.hpp"
#include "lilyan/lagrangian/expression_parts.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

class Drawing {
 public:
  struct Point {
    std::string name;   // may be empty
    double radius = 1;  // over that of an ordinary point
  };
  std::vector<Point> points;
  std::size_t rods = 0;
  std::size_t springs = 0;
  std::vector<std::string> trails;  // their names, which may be empty
  bool flat = true;                 // the third number of every place is zero
  // Which ends of rods and springs do not move, counted as their places are after those of points: pivots.
  std::vector<std::size_t> held;

  [[nodiscard]] bool empty() const { return count() == 0; }
  // How many places there are, and which is the first of a trail.
  [[nodiscard]] std::size_t first_trail() const { return points.size() + 2 * (rods + springs); }
  [[nodiscard]] std::size_t count() const { return first_trail() + trails.size(); }
  // The places at a state, three numbers each with the second one upwards: of the points, both ends
  // of each rod and of each spring, and where the trails go on. Good until the next call.
  [[nodiscard]] std::span<const double> places(const State& s) const {
    return {places_.run(static_cast<int>(s.x.size()), s.x.data(), s.v.data(), s.t), 3 * count()};
  }

 private:
  friend class DrawingReader;
  ExpressionEvaluator places_;
};

// Reads [system.draw] of the [system] table, or makes the drawing of a kind of system. The model's
// formulas must be complete. Throws InputError.
[[nodiscard]] Drawing read_drawing(TableReader& system, ExpressionModel& model,
                                   const std::string& kind);

}  // namespace lilyan

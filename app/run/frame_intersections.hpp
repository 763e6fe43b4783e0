// What passes through what in the frames of a run that is done.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/files/intersections.hpp"
#include "app/files/vtu.hpp"
#include "lilyan/contact/obstacle.hpp"

namespace lilyan {

// Triangles and edges of the bodies that reach into an obstacle.
struct ReachesIn {
  std::size_t obstacle = 0;
  std::size_t count = 0;
  double depth = 0;            // of the deepest
  std::array<int, 3> cell{};   // the deepest; the last two are equal where it is an edge
  std::array<double, 3> at{};  // its middle
};

struct FrameIntersections {
  std::vector<Intersection> pairs;
  std::vector<Enclosed> enclosed;
  std::vector<ReachesIn> obstacles;

  [[nodiscard]] bool none() const { return pairs.empty() && enclosed.empty() && obstacles.empty(); }
};

// The surfaces of a run. All of its frames have the elements of the first.
class JudgedRun {
 public:
  // Throws InputError.
  explicit JudgedRun(const std::filesystem::path& folder);

  [[nodiscard]] const std::vector<ListedFrame>& frames() const { return frames_; }
  [[nodiscard]] std::size_t triangles() const { return triangles_.size(); }
  [[nodiscard]] std::size_t edges() const { return edges_.size(); }  // of no triangle
  [[nodiscard]] std::size_t obstacles() const { return obstacles_.size(); }
  // Whether the folder says which obstacles there were.
  [[nodiscard]] bool knows_obstacles() const { return knows_obstacles_; }
  // Frames that are written with six digits are not where the run was.
  [[nodiscard]] bool single_precision() const { return !first_.double_precision; }

  // A frame, counted from 0. Throws InputError.
  [[nodiscard]] FrameIntersections look_at(std::size_t frame);

  // Of the frame that was looked at last: "edge 3–7 of 'cloth' goes through triangle 1–2–9 of 'ball' at (…)".
  [[nodiscard]] std::string told(const Intersection& pair) const;
  [[nodiscard]] std::string told(const Enclosed& enclosed) const;
  [[nodiscard]] std::string told(const ReachesIn& reaches) const;

 private:
  [[nodiscard]] std::string body_of(int vertex) const;
  [[nodiscard]] std::vector<ReachesIn> look_at_obstacles(double t) const;

  std::vector<ListedFrame> frames_;
  std::vector<std::string> names_;
  VtuContent first_;
  std::vector<std::array<double, 3>> points_;  // of the frame that was looked at last
  std::vector<std::array<int, 3>> triangles_;  // of the surface
  std::vector<std::array<int, 2>> edges_;
  std::vector<int> body_;  // of each vertex
  std::vector<Obstacle> obstacles_;
  bool knows_obstacles_ = false;
};

}  // namespace lilyan

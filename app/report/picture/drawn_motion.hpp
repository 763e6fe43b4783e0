// The motion of a small system as pictures of its drawing ([system.draw]): an animation inside of a
// report, and the frames of films.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/report/picture/render.hpp"
#include "app/run/thinned_table.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

class Drawing;

// What is drawn, without the formulas.
struct DrawnParts {
  std::vector<double> radii = {};  // of the points
  std::size_t rods = 0;
  std::size_t springs = 0;
  std::size_t trails = 0;
  std::vector<std::size_t> held = {};  // ends of rods and springs that do not move
  bool flat = true;

  explicit DrawnParts(const Drawing* drawing);
  [[nodiscard]] std::size_t first_trail() const { return radii.size() + 2 * (rods + springs); }
  [[nodiscard]] std::size_t places() const { return first_trail() + trails; }
};

// The places of the drawing at some moments, two numbers for each place: as one sees them.
struct DrawnMotion {
  DrawnParts parts{nullptr};
  std::vector<double> times = {};
  std::vector<float> at = {};
  double end = 0;  // of the run
  // Frames to be shown in a second: as many as are asked for, or fewer where the motion would be too fast to follow.
  [[nodiscard]] double rate(double asked) const;

  [[nodiscard]] bool empty() const { return times.size() < 2; }
  [[nodiscard]] std::size_t stride() const { return 2 * parts.places(); }
  [[nodiscard]] std::span<const float> frame(std::size_t k) const {
    return std::span(at).subspan(k * stride(), stride());
  }
};

// Adds the places of a state as one sees them: a drawing in space is seen from the front, a little from
// the right and from above.
void add_seen_places(const Drawing& drawing, const State& state, std::vector<float>& to);

// Keeps what an animation needs, within a bound on memory: the beginning of a run with all its steps, and
// the whole of it with some.
class MotionRecorder {
 public:
  // The drawing, which may be null, must outlive this.
  explicit MotionRecorder(const Drawing* drawing);

  void add(const State& state);
  // Evenly spaced moments of the first `length` of time, or of as much of it as was kept.
  [[nodiscard]] DrawnMotion motion(double length) const;
  void archive(Archive& a) { a(begin_, whole_, last_); }

 private:
  // The rows of a table are a time and the places.
  [[nodiscard]] DrawnMotion sampled(const ThinnedTable& table, double end) const;

  const Drawing* drawing_;
  DrawnParts parts_;
  std::size_t most_;  // rows
  ThinnedTable begin_, whole_;
  double last_ = 0;
  std::vector<float> seen_;
};

// What of the plane is in sight: all places of motions, however far they go, but not those of frames that
// have exploded.
struct SeenBox {
  float left = 0, right = 0, low = 0, high = 0;
  [[nodiscard]] bool empty() const { return !(right > left || high > low); }
};
[[nodiscard]] SeenBox box_of(std::span<const DrawnMotion* const> motions);

// Draws a moment, with what the trails have left behind them until then. `colour` is that of the run, an
// index into the palette.
[[nodiscard]] Image draw_motion(const DrawnMotion& motion, std::size_t frame, const SeenBox& box,
                                const PictureSize& size, bool dark, int colour = 0);

}  // namespace lilyan

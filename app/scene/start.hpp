// A start from a frame of an earlier run: [start] of a scene, or --from RUN[:FRAME].
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

// "results/bunny-avf:12": a result folder, and the number of a frame in it, counted from 0.
struct NamedFrame {
  std::filesystem::path run;
  std::optional<int> frame;  // none: the last
};
// Splits the text at its last colon if digits follow. Throws InputError for other letters there, unless the whole
// text is a folder.
[[nodiscard]] NamedFrame named_frame(const std::string& text);

// The state that a frame holds.
struct StoredFrame {
  int frame = 0;
  double t = 0;
  Vector x, v;
  // The frame before, for methods that look back. It counts if it is one step of the scene earlier; empty: none.
  double t_previous = 0;
  Vector x_previous, v_previous;
  std::vector<State> orbits;  // the further orbits of a small system
  bool exact = true;          // to the last bit; otherwise in single precision
};
// Reads a frame of a run of the same bodies, or of the same small system. Throws InputError that names what differs,
// with both counts.
[[nodiscard]] StoredFrame read_stored_frame(const NamedFrame& named, const Scene& scene);

// Lets the scene start from this state and time. Scripts, moving obstacles and everything else that depends on the
// time go on from there. Throws Error when the state does not fit the scene: another size, numbers that are not
// finite, scripted vertices elsewhere, or constraints that do not hold.
void start_from(StoredFrame frame, Scene& scene);

// [start]: the frame of an earlier run in the place of the initial state. The scene is complete otherwise.
void read_start(TableReader reader, Scene& scene);

}  // namespace lilyan

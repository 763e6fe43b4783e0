// The commands of a live view's clients: the first half of docs/view-protocol.md.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lilyan::view {

inline constexpr int kProtocol = 1;
inline constexpr std::size_t kMostPanes = 4;
inline constexpr int kMostCloudPoints = 20000;

struct PaneRequest {
  std::string scene;
  std::vector<std::string> settings;      // key=value
  std::vector<std::string> trusted = {};  // those of them that come from the command line
};

struct Hello {};
struct Play {};
struct Pause {};
struct Step {};
struct Reset {};
struct Speed {
  double value = 1;  // simulated seconds per real second; 0: as fast as it goes
};
struct Open {
  std::vector<PaneRequest> panes;
};
struct Change {
  std::size_t pane = 0;
  std::vector<std::string> settings;
  std::vector<std::string> remove;  // keys of settings
};
struct Seek {
  int frame = 0;
};
struct Pull {
  std::size_t pane = 0;
  int vertex = 0;  // of the pane's surface
  std::array<double, 3> target{};
};
struct Release {
  std::size_t pane = 0;
};
// A cloud of initial conditions around a point of phase space.
struct PhaseCloudRequest {
  std::size_t pane = 0;
  std::array<double, 2> center{}, radius{};  // position, velocity
  int count = 0;                             // 0: remove it
};
using Command = std::variant<Hello, Play, Pause, Step, Reset, Speed, Open, Change, Seek, Pull,
                             Release, PhaseCloudRequest>;

// Throws Error with a message for the client when the text is no command.
[[nodiscard]] Command parse_command(std::string_view text);

}  // namespace lilyan::view

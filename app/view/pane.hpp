// One of the runs that a live view shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/conservation.hpp"
#include "app/scene/scene.hpp"
#include "app/view/command.hpp"
#include "app/view/messages.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/material/material.hpp"

namespace lilyan::view {

struct PaneInfo {
  std::string scene, title;
  std::string method, method_name;  // with its parameters, and as scenes spell it
  double step = 0;                  // length of a step, or of the first
  int steps = 0;                    // 0: not known
  double duration = 0;              // of the whole run; 0: not known
  double period = 0;                // of the fastest oscillation; 0: there is none, or not known
  std::size_t orbits = 0;           // further ones, that a small system has beside the first
  bool system = false;              // a small system, rather than bodies
  bool replay = false;              // a run that is done
  bool watched = false;             // a run that goes on by itself
  int vertices = 0;
  std::vector<std::string> coordinates;
  std::vector<std::string> settings;
  std::vector<std::string> columns;  // of rows
  std::vector<Obstacle> obstacles;
  std::vector<int> fixed;            // vertices of the surface that do not move by themselves
  std::vector<Link> links;           // what holds bodies and ties them to each other
  std::vector<std::string> compare;  // methods that a comparison takes
  // The drawing of a small system.
  struct Draw {
    std::vector<double> radii;  // of points
    std::vector<std::string> names;
    std::size_t rods = 0, springs = 0;
    std::vector<std::string> trails;  // names
    bool flat = true;
    std::vector<std::size_t> held;  // ends of rods and springs that do not move
    [[nodiscard]] bool empty() const {
      return radii.empty() && rods + springs + trails.size() == 0;
    }
  };
  Draw draw;
  // Sections through the motion of a small system.
  struct Section {
    std::string name, x, y;
  };
  std::vector<Section> sections;
  std::optional<Lame> material;
  std::optional<RayleighDamping> damping;
};

// All there is to show after a step, or before the first.
struct PaneMoment {
  int frame = 0;  // the number of the step
  double t = 0;
  Message picture;          // null when the step failed
  Message cloud;            // null: there is none
  std::vector<double> row;  // of the series; empty: none at this step
  // For small systems: time, coordinates, velocities and where the trails go on, at every step.
  std::vector<double> path;
  std::vector<double> sections;  // points of sections: which one, x, y
  bool done = false;
  bool interrupted = false;       // it was ended before its time
  std::string failed;             // why the run cannot go on
  std::vector<Verdict> verdicts;  // at the end of a run
};

class Pane {
 public:
  Pane() = default;
  Pane(const Pane&) = delete;
  Pane& operator=(const Pane&) = delete;
  virtual ~Pane() = default;

  [[nodiscard]] virtual const PaneInfo& info() const = 0;
  // Triangles and edges; null for small systems.
  [[nodiscard]] virtual Message mesh() const = 0;
  // Called once, first.
  [[nodiscard]] virtual PaneMoment start() = 0;
  // Called while the last moment was not done.
  [[nodiscard]] virtual PaneMoment step() = 0;

  // Called from any thread: the current step is to end soon, with whatever result, and no other
  // step follows.
  virtual void stop() {}

  // Both throw Error when the pane has nothing to pull at, or no room for a cloud. No pull: let go.
  virtual void pull(const std::optional<Pull>& pull) = 0;
  virtual void cloud(const PhaseCloudRequest& request) = 0;
  // The newest cloud; one without points when it was removed.
  [[nodiscard]] virtual Message cloud_picture() const { return nullptr; }
};

}  // namespace lilyan::view

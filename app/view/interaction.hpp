// Two ways to act on a running scene: to pull at a vertex, and to send a cloud of initial conditions
// along.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/view/command.hpp"
#include "app/view/messages.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan::view {

class PullForce;

// A spring between one vertex and the point it is pulled to.
class VertexPull {
 public:
  // Of a scene that was loaded from this file with these changes, and that must outlive this.
  VertexPull(Scene& scene, std::filesystem::path file, SceneChanges changes)
      : scene_(scene), file_(std::move(file)), changes_(std::move(changes)) {}

  // At the first pull the scene gets another system, with the force. A run that nobody pulls at is the same, to
  // the bit, as one without a viewer.
  void pull(SceneRun& run, int vertex, const Vec3& target);
  void release();
  // To be called before a step that begins at t.
  void begin_step(double t);

 private:
  // Stiff compared with the body around the vertex, and soft enough for the method's step.
  [[nodiscard]] double stiffness(const State& state, int vertex) const;

  void add_force(SceneRun& run);

  Scene& scene_;
  std::filesystem::path file_;
  SceneChanges changes_;
  std::unique_ptr<const System> without_force_;  // from the first pull on
  PullForce* force_ = nullptr;                   // owned by the system
  int vertex_ = -1;
  double stiffness_ = 0;
};

// Many initial conditions of a system with one coordinate, carried along by the same method. It
// shows what the method does to areas of phase space.
class PhaseCloud {
 public:
  // An ellipse of points at time t: as many as are asked for, but no more than can be stepped in
  // some milliseconds. The scene must outlive this.
  PhaseCloud(const Scene& scene, const PhaseCloudRequest& request, double t);

  void step(double h);
  // Points whose step failed are not numbers.
  [[nodiscard]] Message picture(PaneId id, int frame, double t) const;

 private:
  void step(State& point, double h);

  std::unique_ptr<Integrator> integrator_;
  std::vector<State> points_;
};

}  // namespace lilyan::view

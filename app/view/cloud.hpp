// A region of initial conditions of a system with one coordinate, carried along by the same method:
// what a method does to areas of phase space can be seen.
#pragma once

#include <memory>
#include <vector>

#include "app/scene/scene.hpp"
#include "app/view/command.hpp"
#include "app/view/pane.hpp"
#include "lilyan/integrate/integrator.hpp"

namespace lilyan::view {

class Cloud {
 public:
  // An ellipse of points at time t; as many as are asked for and can be stepped in some
  // milliseconds. The scene must outlive this.
  Cloud(const Scene& scene, const CloudRequest& request, double t);

  void step(double h);
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  // Points whose step failed are not numbers.
  [[nodiscard]] Message picture(PaneId id, int frame, double t) const;

 private:
  void step(State& point, double h);

  std::unique_ptr<Integrator> integrator_;
  std::vector<State> points_;
};

}  // namespace lilyan::view

#include "app/view/hand.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

namespace lilyan::view {
namespace {

constexpr double kFirmness = 0.5;      // beside the stiffness with which the body holds the vertex
constexpr double kStepsToFollow = 20;  // in which the hand could carry the whole mass
constexpr double kCalm = 2;  // steps in which the hand comes to rest: it is not to shake the body
// Of the stiffness at which an explicit step gets unstable.
constexpr double kExplicitShare = 0.125;
constexpr double kProbe = 1e-6;  // of the scene's size

}  // namespace

Vec3 Hand::gradient(const Vector& x, int vertex) const {
  const std::array<WeightedNode, 1> node = {WeightedNode{.gradient = 1}};
  Vector all = Vector::Zero(x.size());
  for (const auto& energy : scene_.system->energies()) {
    Evaluation at{.x0 = x.data(), .nodes = node, .want_value = false, .gradient = all.data()};
    static_cast<void>(energy->evaluate(at));
  }
  return all.segment<3>(3 * vertex);
}

double Hand::stiffness(const State& state, int vertex) const {
  const System& system = *scene_.system;
  const double mass = system.vertex_masses()[static_cast<std::size_t>(vertex)];
  const double stable = kExplicitShare * mass / (scene_.step * scene_.step);
  const double probe = kProbe * (state.x.maxCoeff() - state.x.minCoeff());
  Vector moved = state.x;
  moved.segment<3>(3 * vertex).array() += probe / std::sqrt(3.0);
  const double held =
      probe > 0 ? (gradient(moved, vertex) - gradient(state.x, vertex)).norm() / probe : 0;
  const auto masses = system.vertex_masses();
  const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
  const double time = kStepsToFollow * scene_.step;
  const double firm = (std::isfinite(held) ? kFirmness * held : 0) + total / (time * time);
  return scene_.scheme.solve == SolveKind::explicit_ ? std::min(firm, stable) : firm;
}

void Hand::pull(SceneRun& run, int vertex, const Vec3& target) {
  if (!force_) {
    auto force = std::make_unique<PullForce>();
    force_ = force.get();
    scene_.system->add(std::unique_ptr<Force>(std::move(force)));
    run.system_changed();
  }
  if (vertex != vertex_) stiffness_ = stiffness(run.state(), vertex);
  vertex_ = vertex;
  force_->pull(vertex, target, stiffness_, kCalm * scene_.step * stiffness_);
}

void Hand::release() {
  if (force_) force_->release();
  vertex_ = -1;
}

}  // namespace lilyan::view

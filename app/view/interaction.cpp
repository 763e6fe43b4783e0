#include "app/view/interaction.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include "app/run/checkpoint.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/model/system_parts.hpp"
#include "lilyan/model/world.hpp"

namespace lilyan::view {
namespace {

// The spring of a pull. Its stiffness is a part of that with which the body holds the vertex, and
// enough to carry the whole mass in some steps; with an explicit method it is at most a part of the
// stiffness at which a step gets unstable. Its damping takes some steps, so that the body does not
// shake.
constexpr double kFirmness = 0.5;
constexpr double kStepsToFollow = 20;
constexpr double kExplicitShare = 0.125;
constexpr double kStepsToRest = 2;
constexpr double kProbe = 1e-6;  // of the scene: how far a vertex is moved to measure stiffness

constexpr double kMostCloudSeconds = 0.02;  // for a step of all points
constexpr int kTimedSteps = 16;             // to see how long one takes
constexpr std::size_t kFewestCloudPoints = 64;

// The i-th of n points, spread evenly over the ellipse like the seeds of a sunflower.
State cloud_point(const PhaseCloudRequest& request, double t, int i, int n) {
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  const double r = std::sqrt((i + 0.5) / n);
  State point;
  point.t = t;
  point.x = Vector::Constant(1, request.center[0] + request.radius[0] * r * std::cos(golden * i));
  point.v = Vector::Constant(1, request.center[1] + request.radius[1] * r * std::sin(golden * i));
  return point;
}

}  // namespace

// A spring that pulls at one vertex:  F = k (target − x) − c v.
//
// It is set between steps and stays the same during a step. Its effect on the energy is booked as
// work.
class PullForce final : public Force {
 public:
  void pull(int vertex, const Vec3& target, double stiffness, double damping) {
    vertex_ = vertex;
    target_ = target;
    stiffness_ = stiffness;
    damping_ = damping;
  }
  void release() { stiffness_ = damping_ = 0; }
  // To be called before a step that begins at t.
  void begin_step(double t) { begin_ = t; }

  void add(double t, const double* x, const double* v, double* force) const override {
    static_cast<void>(t);
    if (stiffness_ == 0) return;
    for (int c = 0; c < 3; ++c) {
      const int i = 3 * vertex_ + c;
      force[i] += stiffness_ * (target_[c] - x[i]) - damping_ * v[i];
    }
  }
  // Within a step a position is that at its start plus a velocity times the time since. Stiffness
  // therefore acts as damping too, and solvers are told of both.
  void add_damping(double t, const double* x, const double* v, double* diagonal) const override {
    static_cast<void>(x), static_cast<void>(v);
    const double entry = damping_ + stiffness_ * std::max(0.0, t - begin_);
    for (int c = 0; c < 3; ++c) diagonal[3 * vertex_ + c] += entry;
  }

 private:
  int vertex_ = 0;
  Vec3 target_ = Vec3::Zero();
  double stiffness_ = 0;
  double damping_ = 0;
  double begin_ = 0;
};

// The gradient of all energies by the position of one vertex, fixed or not.
Vec3 gradient_at(const World& world, const Vector& x, int vertex) {
  const std::array<WeightedNode, 1> node = {WeightedNode{.gradient = 1}};
  Vector all = Vector::Zero(x.size());
  for (const auto& energy : world.system.energies()) {
    static_cast<void>(energy->evaluate({.x0 = x.data(),
                                        .nodes = node,
                                        .want_value = false,
                                        .gradient = all.data(),
                                        .memory = world.memory_of(*energy)}));
  }
  return all.segment<3>(3 * vertex);
}

double VertexPull::stiffness(const State& state, int vertex) const {
  const System& system = *scene_.system;
  const double mass = system.vertex_masses()[static_cast<std::size_t>(vertex)];
  const double stable = kExplicitShare * mass / (scene_.settings.step * scene_.settings.step);
  const double probe = kProbe * (state.x.maxCoeff() - state.x.minCoeff());
  Vector moved = state.x;
  moved.segment<3>(3 * vertex).array() += probe / std::sqrt(3.0);
  WorldMemory memory(system);
  memory.look_at(state);
  const World world(system, &memory);
  const Vec3 change = gradient_at(world, moved, vertex) - gradient_at(world, state.x, vertex);
  const double held = probe > 0 ? change.norm() / probe : 0;
  const auto masses = system.vertex_masses();
  const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
  const double time = kStepsToFollow * scene_.settings.step;
  const double firm = (std::isfinite(held) ? kFirmness * held : 0) + total / (time * time);
  return scene_.settings.scheme.solve == SolveKind::explicit_ ? std::min(firm, stable) : firm;
}

// Nobody can change the system of a scene, which is therefore read once more.
void VertexPull::add_force(SceneRun& run) {
  PullForce* made = nullptr;
  SceneChanges changes = changes_;
  changes.force = [&] {
    auto force = std::make_unique<PullForce>();
    made = force.get();
    return force;
  };
  Scene again = load_scene(file_, changes);
  if (start_digest(again) != start_digest(scene_)) {
    throw Error("the scene's files have changed: start it anew to pull at it");
  }
  force_ = made;
  without_force_ = std::exchange(scene_.system, std::move(again.system));
  run.system_changed();
}

void VertexPull::pull(SceneRun& run, int vertex, const Vec3& target) {
  if (!force_) add_force(run);
  if (vertex != vertex_) stiffness_ = stiffness(run.state(), vertex);
  vertex_ = vertex;
  force_->pull(vertex, target, stiffness_, kStepsToRest * scene_.settings.step * stiffness_);
}

void VertexPull::release() {
  if (force_) force_->release();
  vertex_ = -1;
}

void VertexPull::begin_step(double t) {
  if (force_) force_->begin_step(t);
}

PhaseCloud::PhaseCloud(const Scene& scene, const PhaseCloudRequest& request, double t)
    : integrator_(make_integrator(*scene.system, scene.settings.scheme, scene.settings.solver)) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kTimedSteps; ++i) {
    State probe = cloud_point(request, t, i, kTimedSteps);
    step(probe, scene.settings.step);
  }
  const double each = std::chrono::duration<double>(Clock::now() - begin).count() / kTimedSteps;
  const double most =
      std::max<double>(kFewestCloudPoints, kMostCloudSeconds / std::max(each, 1e-9));
  const int count = static_cast<int>(std::min<double>(request.count, most));
  for (int i = 0; i < count; ++i) points_.push_back(cloud_point(request, t, i, count));
}

void PhaseCloud::step(State& point, double h) {
  if (!std::isfinite(point.x[0])) return;
  integrator_->forget();
  if (succeeded(integrator_->step(point, h).status)) return;
  point.x[0] = point.v[0] = std::numeric_limits<double>::quiet_NaN();
}

void PhaseCloud::step(double h) {
  for (State& point : points_) step(point, h);
}

Message PhaseCloud::picture(PaneId id, int frame, double t) const {
  std::vector<float> q, v;
  for (const State& point : points_) {
    q.push_back(static_cast<float>(point.x[0]));
    v.push_back(static_cast<float>(point.v[0]));
  }
  return cloud_message(id, frame, t, q, v);
}

}  // namespace lilyan::view

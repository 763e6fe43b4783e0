#include "app/view/cloud.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/view/encode.hpp"

namespace lilyan::view {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostSeconds = 0.02;  // of a step of all points
constexpr int kProbes = 16;            // steps to see how long one takes
constexpr std::size_t kFewest = 64;

// Evenly over the ellipse: the i-th of n seeds of a sunflower.
State seed(const CloudRequest& request, double t, int i, int n) {
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  const double r = std::sqrt((i + 0.5) / n);
  State point;
  point.t = t;
  point.x = Vector::Constant(1, request.center[0] + request.radius[0] * r * std::cos(golden * i));
  point.v = Vector::Constant(1, request.center[1] + request.radius[1] * r * std::sin(golden * i));
  return point;
}

}  // namespace

Cloud::Cloud(const Scene& scene, const CloudRequest& request, double t)
    : integrator_(make_integrator(*scene.system, scene.scheme, scene.solver)) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kProbes; ++i) {
    State probe = seed(request, t, i, kProbes);
    step(probe, scene.step);
  }
  const double each = std::chrono::duration<double>(Clock::now() - begin).count() / kProbes;
  const double most = std::max<double>(kFewest, kMostSeconds / std::max(each, 1e-9));
  const int count = static_cast<int>(std::min<double>(request.count, most));
  for (int i = 0; i < count; ++i) points_.push_back(seed(request, t, i, count));
}

void Cloud::step(State& point, double h) {
  if (!std::isfinite(point.x[0])) return;
  integrator_->forget();
  if (succeeded(integrator_->step(point, h).status)) return;
  point.x[0] = point.v[0] = std::numeric_limits<double>::quiet_NaN();
}

void Cloud::step(double h) {
  for (State& point : points_) step(point, h);
}

Message Cloud::picture(PaneId id, int frame, double t) const {
  std::vector<float> q, v;
  for (const State& point : points_) {
    q.push_back(static_cast<float>(point.x[0]));
    v.push_back(static_cast<float>(point.v[0]));
  }
  return cloud_message(id, frame, t, q, v);
}

}  // namespace lilyan::view

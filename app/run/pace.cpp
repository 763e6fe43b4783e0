#include "app/run/pace.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan {

double ups_through_mean(std::span<const double> values) {
  if (values.empty()) return 0;
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double ups = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1] < mean && values[i] >= mean) ++ups;
  }
  return ups;
}

double shortest_period(std::span<const double> times, std::span<const std::vector<double>> curves) {
  if (times.size() < 3) return 0;
  double most = 0;
  for (const std::vector<double>& curve : curves) most = std::max(most, ups_through_mean(curve));
  return most < 2 ? 0 : (times.back() - times.front()) / most;
}

double shortest_period(const Scene& scene) {
  constexpr auto kTrial = std::chrono::milliseconds(100);
  constexpr std::size_t kMostNumbers = 1'000'000;
  constexpr double kEnough = 20;  // periods
  const std::size_t n = scene.small().coordinates.size();
  if (n == 0) return 0;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<double> times;
  std::vector<std::vector<double>> curves(2 * n);
  std::size_t looked = 64;
  try {
    DriftTracker drift = follow_drift(scene);
    SceneRun run(scene, drift, scene.initial, nullptr);  // without further orbits
    run_to_end(run, [&](const RunMoment& moment) {
      times.push_back(moment.state.t);
      for (std::size_t i = 0; i < n; ++i) {
        curves[i].push_back(moment.state.x[static_cast<Eigen::Index>(i)]);
        curves[n + i].push_back(moment.state.v[static_cast<Eigen::Index>(i)]);
      }
      if (times.size() == looked) {
        looked *= 2;
        const double period = shortest_period(times, curves);
        if (period > 0 && times.back() - times.front() > kEnough * period) return false;
      }
      return 2 * n * times.size() < kMostNumbers &&
             std::chrono::steady_clock::now() - begin < kTrial;
    });
  } catch (const Error&) {  // the run itself will say so
    return 0;
  }
  return shortest_period(times, curves);
}

}  // namespace lilyan

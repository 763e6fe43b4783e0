#include "app/run/tunnelling.hpp"

#include <algorithm>
#include <cmath>

#include "app/run/run_summary.hpp"
#include "app/scene/body/distribution.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/contact/continuous_collision.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {
TunnelWatch::TunnelWatch(const Scene& scene)
    : scene_(scene), bodies_touch_(!scene.bodies().contacts.empty()) {
  for (std::size_t k = 0; k < scene.bodies().obstacles.size(); ++k) {
    const double thickness = lilyan::thickness(scene.bodies().obstacles[k].shape);
    if (scene.bodies().obstacles[k].inside_out || !std::isfinite(thickness)) continue;
    obstacles_.push_back({k, thickness});
  }
}

void TunnelWatch::report(RunSummary& summary) const { summary.passages = found_; }

void TunnelWatch::step(const WatchedStep& step) {
  const State& before = step.before;
  const State& after = step.after;
  const long passages = found_.through_obstacles;
  add_obstacles(before, after);
  if (scene_.shared) {
    found_.through_obstacles = passages + std::lround(scene_.shared->ranks->sum(static_cast<double>(
                                              found_.through_obstacles - passages)));
    found_.longest_step = scene_.shared->ranks->largest(found_.longest_step);
  }
  for (const TouchingBodies& touching : scene_.bodies().contacts) {
    for (const ContactSurface& one : touching.surfaces) {
      for (const ContactSurface& other : touching.surfaces) {
        if (&one == &other) continue;
        found_.through_bodies += points_through(one, other, before.x, after.x, candidates_);
      }
    }
  }
}

void TunnelWatch::add_obstacles(const State& before, const State& after) {
  for (const auto& [number, thickness] : obstacles_) {
    const Obstacle& obstacle = scene_.bodies().obstacles[number];
    const Pose from = obstacle.motion.at(before.t);
    const Pose to = obstacle.motion.at(after.t);
    for (Eigen::Index i = 0; i + 2 < before.x.size(); i += 3) {
      if (scene_.shared && !scene_.system->share()->owns(static_cast<int>(i))) continue;
      // As the obstacle sees it.
      const Vec3 a = from.undo(before.x.segment<3>(i));
      const Vec3 b = to.undo(after.x.segment<3>(i));
      const Approach way = approach(obstacle.shape, thickness, a, b);
      found_.longest_step = std::max(found_.longest_step, way.length / thickness);
      found_.through_obstacles += way.through;
    }
  }
}

}  // namespace lilyan

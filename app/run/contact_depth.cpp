#include "app/run/contact_depth.hpp"

#include <algorithm>
#include <cmath>

#include "app/run/body_spins.hpp"
#include "app/run/run_summary.hpp"
#include "app/scene/body/distribution.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {
namespace {

// A body that is deeper than this many times what explains it is beyond what was asked for.
constexpr double kTooDeep = 1.5;

std::vector<double> sizes_of_bodies(const Scene& scene, const std::vector<int>& body) {
  std::vector<Box> boxes(scene.bodies().names.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] < 0) continue;
    boxes[static_cast<std::size_t>(body[i])].extend(
        Vec3(scene.initial.x.segment<3>(3 * static_cast<Eigen::Index>(i))));
  }
  for (Box& box : boxes) box = box_around(box, scene.shared ? scene.shared->ranks : nullptr);
  std::vector<double> sizes(body.size(), 0.0);
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] < 0) continue;
    const Vec3 extent = boxes[static_cast<std::size_t>(body[i])].sizes();
    const bool flat = extent.minCoeff() < 1e-3 * extent.maxCoeff();
    sizes[i] = flat ? extent.maxCoeff() : extent.minCoeff();
  }
  return sizes;
}

}  // namespace

ContactDepth::ContactDepth(const Scene& scene)
    : scene_(scene), gravity_(scene.bodies().gravity.norm()) {
  if (!scene.bodies().have_contact()) return;
  body_ = bodies_of_vertices(scene);
  sizes_ = sizes_of_bodies(scene, body_);
  touching_.resize(scene.bodies().names.size());
  fastest_free_.resize(
      (scene.bodies().touches.size() + scene.bodies().contacts.size()) * touching_.size(), 0.0);
}

void ContactDepth::begin_contact(double asked) {
  asked_ = asked;
  std::ranges::fill(touching_, Touching{});
}

void ContactDepth::take(int vertex, double depth, const State& state) {
  if (scene_.system->embedding().fixed(vertex)) return;
  const int body = body_[static_cast<std::size_t>(vertex)];
  if (asked_ > 0 && body >= 0) {
    Touching& t = touching_[static_cast<std::size_t>(body)];
    t.depth = std::max(t.depth, depth);
    t.speed = std::max(t.speed, state.v.segment<3>(3 * vertex).norm());
  }
  if (!(depth > 0)) return;
  found_.now = std::max(found_.now, depth);
  found_.deepest = std::max(found_.deepest, depth);
  const double size = sizes_[static_cast<std::size_t>(vertex)];
  if (!(size > 0) || depth / size <= found_.deepest_share) return;
  found_.deepest_share = depth / size;
  found_.asked_there = asked_;
}

// Bodies that meet come with the sum of two speeds.
void ContactDepth::meet(const State& state, const std::vector<ContactSurface>& surfaces) {
  if (!(asked_ > 0)) return;
  double fastest = 0;
  double second = 0;
  for (const ContactSurface& surface : surfaces) {
    double speed = 0;
    for (const int i : surface.vertices) speed = std::max(speed, state.v.segment<3>(3 * i).norm());
    second = std::max(second, std::min(speed, fastest));
    fastest = std::max(speed, fastest);
  }
  for (Touching& t : touching_) t.speed = fastest + second;
}

// A body of mass m that comes with the speed v onto a spring that its weight presses in by δ presses it in by
// δ + √(δ² + δ v²/g). What moves by itself may press it in as far as it likes.
void ContactDepth::end_contact(std::size_t contact, bool moves) {
  if (!(asked_ > 0) || !(gravity_ > 0)) return;
  for (std::size_t b = 0; b < touching_.size(); ++b) {
    std::array<double, 2> now = {touching_[b].depth, touching_[b].speed};
    if (scene_.shared) scene_.shared->ranks->largest(now);
    const auto [depth, speed] = now;
    double& free = fastest_free_[contact * touching_.size() + b];
    if (!(depth > 0)) {
      free = std::max(free, speed);
      continue;
    }
    const double explained = asked_ + std::sqrt(asked_ * asked_ + asked_ * free * free / gravity_);
    const bool further = depth * found_.beyond.explained > found_.beyond.depth * explained;
    if (moves || depth <= kTooDeep * explained || (found_.beyond.depth > 0 && !further)) continue;
    found_.beyond = {.depth = depth, .asked = asked_, .explained = explained};
  }
}

void ContactDepth::report(RunSummary& summary) const { summary.contact = found_; }

void ContactDepth::step(const WatchedStep& step) {
  const State& state = step.after;
  found_.now = 0;
  for (std::size_t k = 0; k < scene_.bodies().touches.size(); ++k) {
    const Obstacle& obstacle = scene_.bodies().obstacles[k];
    const Pose pose = obstacle.motion.at(state.t);
    const Touch& touch = scene_.bodies().touches[k];
    begin_contact(touch.depth);
    for (const int i : touch.vertices) {
      take(i, touch.thickness - obstacle.distance(pose, state.x.segment<3>(3 * i)).value, state);
    }
    end_contact(k, obstacle.motion.moves());
  }
  for (std::size_t k = 0; k < scene_.bodies().contacts.size(); ++k) {
    const TouchingBodies& touching = scene_.bodies().contacts[k];
    begin_contact(touching.depth);
    for (const ContactSurface& one : touching.surfaces) {
      for (const ContactSurface& other : touching.surfaces) {
        if (&one == &other) continue;
        candidates_.each_distance(one, other, state.x, touching.thickness,
                                  [&](int vertex, double distance) {
                                    take(vertex, touching.thickness - distance, state);
                                  });
      }
    }
    meet(state, touching.surfaces);
    end_contact(scene_.bodies().touches.size() + k, false);
  }
  if (!scene_.shared) return;
  const double own_share = found_.deepest_share;
  std::array<double, 3> worst = {found_.now, found_.deepest, found_.deepest_share};
  scene_.shared->ranks->largest(worst);
  found_.now = worst[0];
  found_.deepest = worst[1];
  found_.deepest_share = worst[2];
  found_.asked_there =
      scene_.shared->ranks->largest(own_share == found_.deepest_share ? found_.asked_there : 0);
}

}  // namespace lilyan

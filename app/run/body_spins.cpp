#include "app/run/body_spins.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "app/run/run_summary.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/parallel/classes.hpp"

namespace lilyan {
namespace {

// A spin below this share of what the motion could carry counts as zero, as in conservation/drift.cpp.
constexpr double kNegligibleSpin = 1e-3;

bool is_internal(const Energy& energy) {
  return energy.translation_invariant() && energy.rotation_invariant();
}

// Whether everything that acts on bodies is within them or between them, or uniform gravity.
bool left_alone(const System& system) {
  const auto keeps = [](const auto& part) { return part->keeps_angular_momentum(); };
  return system.dimension() == 3 && system.forces().empty() && system.motions().empty() &&
         std::ranges::all_of(system.dissipations(), keeps) &&
         std::ranges::all_of(system.impulses(), keeps) &&
         std::ranges::all_of(system.energies(), [](const auto& e) {
           return is_internal(*e) || e->kind() == EnergyKind::gravity;
         });
}

std::string name_of(const std::set<int>& bodies, const std::vector<std::string>& names) {
  std::string name;
  for (const int b : bodies) {
    const auto k = static_cast<std::size_t>(b);
    if (b >= 0 && k < names.size()) name += (name.empty() ? "" : " and ") + names[k];
  }
  return name;
}

}  // namespace

std::vector<int> bodies_of_vertices(const Scene& scene) {
  std::vector<int> body(static_cast<std::size_t>(scene.system->vertices()), -1);
  const auto mark = [&](const auto& elements, const std::vector<int>& of) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      for (const int i : elements[k]) body[static_cast<std::size_t>(i)] = of[k];
    }
  };
  mark(scene.bodies().tets, scene.bodies().tet_body);
  mark(scene.bodies().triangles, scene.bodies().triangle_body);
  mark(scene.bodies().edges, scene.bodies().edge_body);
  return body;
}

BodySpins::BodySpins(const Scene& scene, const DriftTracker& drift)
    : scene_(scene), drift_(drift) {}

void BodySpins::report(RunSummary& summary) const {
  if (stepped_) summary.bodies = bodies_;
}

void BodySpins::begin(const State& initial) {
  const Scene& scene = scene_;
  system_ = scene.system.get();
  groups_ = {};
  group_of_.clear();
  touched_.clear();
  references_.clear();
  bodies_.clear();
  // (Where several processes share the bodies, none of them has a whole one.)
  if (scene.shared || !left_alone(*system_)) return;
  std::vector<int> parent = separate_classes(system_->vertices());
  for (const auto& e : system_->energies()) {
    if (is_internal(*e) && !e->changes_between_steps()) connect(e->stencils(), parent);
  }
  connect_constraints(*system_, parent);
  groups_ = TorqueGroups(*system_, parent);
  if (groups_.size() < 2) return;
  groups_.find_symmetries(initial.x);
  const std::vector<int> body_of = bodies_of_vertices(scene);
  group_of_.assign(body_of.size(), -1);
  touched_.assign(groups_.size(), 0);
  for (const TouchingBodies& contact : scene.bodies().contacts) {
    thickness_ = std::max(thickness_, contact.thickness);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::set<int> names;
    double mass = 0;
    Vec3 centre = Vec3::Zero();
    groups_.each(groups_[g], [&](int i, double m) {
      group_of_[static_cast<std::size_t>(i)] = static_cast<int>(g);
      names.insert(body_of[static_cast<std::size_t>(i)]);
      mass += m;
      centre += m * initial.x.segment<3>(3 * i);
    });
    Symmetry symmetry = groups_[g].symmetry;
    // Gravity has no torque about a centre of mass.
    for (const auto& e : system_->energies()) {
      if (symmetry.pinned() && e->kind() == EnergyKind::gravity) e->limit(symmetry);
    }
    if (symmetry.turns() == Symmetry::Turns::none) continue;
    const Vec3 about = symmetry.pinned() ? symmetry.point() : Vec3(centre / mass);
    double radius = 0;
    groups_.each(groups_[g], [&](int i, double) {
      radius = std::max(radius, (initial.x.segment<3>(3 * i) - about).norm());
    });
    bodies_.push_back({.name = name_of(names, scene.bodies().names)});
    references_.push_back({.group = g,
                           .symmetry = symmetry,
                           .radius = radius,
                           .most = radius * std::sqrt(2 * mass * drift_.energy().exchange),
                           .spin = Vec3::Zero()});
    refer(bodies_.size() - 1, initial);
    bodies_.back().initial = bodies_.back().now = references_.back().spin.norm();
  }
}

Vec3 BodySpins::spin(const Reference& body, const State& state) const {
  const TorqueGroups::Group& group = groups_[body.group];
  Vec3 centre = Vec3::Zero();
  Vec3 mean = Vec3::Zero();
  if (body.symmetry.pinned()) {
    centre = body.symmetry.point();
  } else {
    double mass = 0;
    groups_.each(group, [&](int i, double m) {
      mass += m;
      centre += m * state.x.segment<3>(3 * i);
      mean += m * state.v.segment<3>(3 * i);
    });
    centre /= mass;
    mean /= mass;
  }
  Vec3 sum = Vec3::Zero();
  groups_.each(group, [&](int i, double m) {
    sum += m * (state.x.segment<3>(3 * i) - centre).cross(state.v.segment<3>(3 * i) - mean);
  });
  if (body.symmetry.turns() == Symmetry::Turns::all) return sum;
  return sum.dot(body.symmetry.axis()) * body.symmetry.axis();
}

void BodySpins::refer(std::size_t k, const State& state) {
  Reference& body = references_[k];
  body.spin = spin(body, state);
  const double size = body.spin.norm();
  const bool much = size > kNegligibleSpin * body.most;
  bodies_[k].angular.exchanges(much ? size : body.most, 0, much ? SizeOf::start : SizeOf::motion);
}

// By a force of contact anywhere on the way.
void BodySpins::find_touched(const State& before, const State& after, const WorldMemory* memory) {
  std::ranges::fill(touched_, 0);
  const World world(*system_, memory);
  Vector d, force;
  for (const auto& energy : system_->energies()) {
    if (!energy->changes_between_steps()) continue;
    if (d.size() == 0) d = after.x - before.x;
    force.setZero(d.size());
    constexpr std::array<WeightedNode, 3> kWay{
        {{.theta = 0, .gradient = 1}, {.theta = 0.5, .gradient = 1}, {.theta = 1, .gradient = 1}}};
    constexpr PathMeanWeights kMean{.weight = 1};
    (void)energy->evaluate({.x0 = before.x.data(),
                            .d = d.data(),
                            .nodes = kWay,
                            .want_value = false,
                            .gradient = force.data(),
                            .mean = &kMean,
                            .memory = world.memory_of(*energy)});
    for (int i = 0; i < system_->vertices(); ++i) {
      const int g = group_of_[static_cast<std::size_t>(i)];
      if (g >= 0 && !force.segment<3>(3 * i).isZero(0)) touched_[static_cast<std::size_t>(g)] = 1;
    }
  }
}

// Whether the body's momentum changed by more than gravity makes it change, and by enough to be seen in its
// angular momentum.
bool BodySpins::was_pushed(std::size_t k, const State& before, const State& after) const {
  constexpr double kSeen = 0.1 * kConserved;
  constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .gradient = 1}}};
  Vector weight = Vector::Zero(before.x.size());
  for (const auto& energy : system_->energies()) {
    if (energy->kind() != EnergyKind::gravity) continue;
    (void)energy->evaluate(
        {.x0 = before.x.data(), .nodes = kHere, .want_value = false, .gradient = weight.data()});
  }
  const Reference& body = references_[k];
  const double h = after.t - before.t;
  Vec3 impulse = Vec3::Zero();
  double terms = 0;
  groups_.each(groups_[body.group], [&](int i, double m) {
    const Vec3 from = m * before.v.segment<3>(3 * i);
    const Vec3 to = m * after.v.segment<3>(3 * i);
    const Vec3 fallen = h * weight.segment<3>(3 * i);
    impulse += to - from + fallen;
    terms += to.norm() + from.norm() + fallen.norm();
  });
  const double seen = kSeen * bodies_[k].angular.exchange / body.radius;
  return impulse.norm() > std::max(seen, rounding_of(terms, 1));
}

// Steps whose way is not straight, as that of several in one, may have met another body on it and left it again.
// Of a body that can be pushed freely its momentum tells; of others only that another one was within reach.
void BodySpins::find_touched_on_the_way(const State& before, const State& after, int substeps) {
  if (thickness_ == 0) return;
  const double h = std::abs(after.t - before.t);
  std::vector<Eigen::AlignedBox3d> reach(groups_.size());
  std::vector<double> longest(groups_.size(), 0.0);
  for (int i = 0; i < system_->vertices(); ++i) {
    const int g = group_of_[static_cast<std::size_t>(i)];
    if (g < 0) continue;
    for (const State* state : {&before, &after}) {
      reach[static_cast<std::size_t>(g)].extend(Vec3(state->x.segment<3>(3 * i)));
      double& most = longest[static_cast<std::size_t>(g)];
      most = std::max(most, h * state->v.segment<3>(3 * i).norm());
    }
  }
  for (std::size_t g = 0; g < reach.size(); ++g) {
    const Vec3 grown = Vec3::Constant(0.5 * thickness_ + longest[g]);
    reach[g] = Eigen::AlignedBox3d(reach[g].min() - grown, reach[g].max() + grown);
  }
  for (std::size_t k = 0; k < references_.size(); ++k) {
    const Reference& body = references_[k];
    const std::size_t own = body.group;
    if (touched_[own] != 0) continue;
    bool near = false;
    for (std::size_t g = 0; g < reach.size(); ++g) {
      near = near || (g != own && reach[g].intersects(reach[own]));
    }
    if (!near) continue;
    const bool free = !body.symmetry.pinned() && body.symmetry.shifts_everywhere();
    if (free ? was_pushed(k, before, after) : substeps > 1) touched_[own] = 1;
  }
}

// A step may consist of several, whose way is not straight: one that follows upon a touch does not count
// either.
void BodySpins::step(const WatchedStep& step) {
  if (!wanted()) return;
  stepped_ = true;
  const State& state = step.after;
  find_touched(step.before, state, step.memory);
  find_touched_on_the_way(step.before, state, step.substeps);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Reference& body = references_[k];
    const bool now = touched_[body.group] != 0;
    if (now || body.touched) {
      refer(k, state);
      bodies_[k].now = body.spin.norm();
    } else {
      const Vec3 spin = this->spin(body, state);
      bodies_[k].now = spin.norm();
      bodies_[k].angular.add(state.t, (spin - body.spin).norm());
      ++bodies_[k].steps_apart;
    }
    body.touched = now;
  }
}

void BodySpins::archive(Archive& a) {
  for (Reference& r : references_) a(r);
  for (Body& b : bodies_) a(b);
}

}  // namespace lilyan

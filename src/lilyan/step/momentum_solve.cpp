#include "lilyan/step/momentum_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/parallel/classes.hpp"
#include "lilyan/step/momentum_parts.hpp"

namespace lilyan {
namespace {

using momentum_parts::internal;
using momentum_parts::kRounding;
using momentum_parts::size_of;

constexpr double kStiff = 0.7;  // the part of a body that sound crosses in a step

}  // namespace

bool FreeMomentumEquation::evaluate(Iterate& at) {
  stage_.linearise(at.z, forces_);
  stage_.evaluate(forces_, at);
  return std::isfinite(at.value);
}

MomentumSolve::MomentumSolve(Assembler& assembler, const SolverOptions& options, int multipliers)
    : assembler_(assembler),
      system_(assembler.system()),
      options_(options),
      mixing_(system_, system_.dofs() + multipliers) {
  find_groups();
  const int n = system_.dofs();
  for (Vector* v : {&work_.d, &work_.scratch, &work_.raw, &work_.motion, &work_.image,
                    &bodies_.gradient, &bodies_.force, &clusters_.gradient, &clusters_.force}) {
    v->setZero(n);
  }
  for (Vector* v : {&work_.best, &work_.best_direction, &work_.direction}) {
    v->setZero(n + multipliers);
  }
  for (Iterate* point : {&work_.start, &work_.other}) point->resize(n + multipliers);
  const std::size_t count = bodies_.groups.size();
  rigid_.turns.resize(count);
  rigid_.middles.resize(count);
  rigid_.ends.resize(count);
  rigid_.turning.resize(count);
  rigid_.missing.resize(count);
  rigid_.matrix.resize(count);
  rigid_.stiffening.assign(count, 1);
  sound_.stiff.resize(count);
  bodies_.has_torque.assign(count, 1);
  energies_.stiffening.assign(system_.energies().size(), 1);
  energies_.over_strain.assign(system_.energies().size(), 0);
  work_.nodes.reserve(256);
}

// Contact connects others when it has met new pairs.
void MomentumSolve::find_groups() {
  stencils_version_ = assembler_.world().stencils_version();
  energies_.external.clear();
  energies_.contacts.clear();
  energies_.bodies_of.clear();
  for (Level* level : {&bodies_, &clusters_}) {
    level->groups = {};
    level->dissipates = level->any_torque = false;
  }
  std::vector<int> parent = separate_classes(system_.vertices());
  find_bodies(parent);
  find_clusters(parent);
}

// Vertices that energies and constraints connect for good, with the damping within them.
void MomentumSolve::find_bodies(std::vector<int>& parent) {
  const World& world = assembler_.world();
  for (std::size_t k = 0; k < system_.energies().size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    if (!internal(energy)) {
      energies_.external.push_back(k);
    } else if (energy.changes_between_steps()) {
      if (!Assembler::has_strain(energy)) energies_.contacts.push_back(k);
    } else {
      connect(world.stencils(energy), parent);
    }
  }
  connect_constraints(system_, parent);
  // Damping within bodies; friction between them.
  bodies_.dissipations.assign(system_.dissipations().size(), 0);
  clusters_.dissipations = bodies_.dissipations;
  for (std::size_t k = 0; k < system_.dissipations().size(); ++k) {
    const Dissipation& dissipation = *system_.dissipations()[k];
    if (!dissipation.keeps_angular_momentum()) continue;
    const bool inside = within_groups(dissipation.stencils(world.memory), parent);
    Level& level = inside ? bodies_ : clusters_;
    level.dissipations[k] = 1;
    level.dissipates = true;
  }
  renews_ = !system_.dissipations().empty() &&
            std::ranges::find(bodies_.dissipations, 0) == bodies_.dissipations.end();
  bodies_.groups = TorqueGroups(system_, parent);
  for (const auto& energy : system_.energies()) {
    std::vector<int>& bodies = energies_.bodies_of.emplace_back();
    if (!internal(*energy) || energy->changes_between_steps()) continue;
    for (const int i : world.stencils(*energy).vertices) {
      const int body = bodies_.groups.of_vertex(i);
      if (body >= 0 && (bodies.empty() || bodies.back() != body)) bodies.push_back(body);
    }
    std::ranges::sort(bodies);
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  }
}

// Those that contact and friction connect as well.
void MomentumSolve::find_clusters(std::vector<int>& parent) {
  if (energies_.contacts.empty() && !clusters_.dissipates) return;
  const World& world = assembler_.world();
  for (const std::size_t k : energies_.contacts) {
    connect(world.stencils(*system_.energies()[k]), parent);
  }
  for (std::size_t k = 0; k < system_.dissipations().size(); ++k) {
    if (clusters_.dissipations[k] != 0) {
      connect(system_.dissipations()[k]->stencils(world.memory), parent);
    }
  }
  clusters_.groups = TorqueGroups(system_, parent);
  clusters_.has_torque.assign(clusters_.groups.size(), 1);
  clusters_.any_torque = !clusters_.groups.empty();
}

double MomentumSolve::slack() const {
  constexpr double kCoarse = 1e-4;  // relative velocity error
  return std::max(1.0, kCoarse / std::max(options_.velocity_tolerance, kEpsilon));
}

bool MomentumSolve::begin(const Step& step, Means means) {
  if (stencils_version_ != assembler_.world().stencils_version()) find_groups();
  here_.x0 = &step.start.x;
  here_.h = step.h;
  here_.has_lengths = false;
  if (sound_.rates.empty()) find_rates(step.start);
  bool all_strain = true;
  bool no_strain = true;
  for (std::size_t g = 0; g < sound_.stiff.size(); ++g) {
    const bool own = sound_.rates[g] * std::abs(here_.h) > kStiff;
    sound_.stiff[g] = means == Means::own ? own : means == Means::strain;
    (own ? no_strain : all_strain) = false;
    bodies_.has_torque[g] = sound_.stiff[g] == 0 || !bodies_.groups[g].constraints.empty();
  }
  if ((means == Means::strain && all_strain) || (means == Means::path && no_strain)) return false;
  energies_.any_strain = false;
  energies_.only_strain = true;
  energies_.beside = !system_.dissipations().empty() || !system_.forces().empty();
  for (std::size_t k = 0; k < energies_.over_strain.size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    const std::vector<int>& bodies = energies_.bodies_of[k];
    energies_.over_strain[k] =
        Assembler::has_strain(energy) &&
        (bodies.empty() || sound_.stiff[static_cast<std::size_t>(bodies.front())] != 0);
    if (energies_.over_strain[k] != 0) {
      energies_.any_strain = energies_.any_strain || !bodies.empty();
      continue;
    }
    energies_.only_strain = false;
    if (energy.stencils().size > 0) energies_.beside = true;
    for (const int body : bodies) bodies_.has_torque[static_cast<std::size_t>(body)] = 1;
  }
  sound_.crossings = 0;
  for (std::size_t g = 0; g < sound_.stiff.size(); ++g) {
    if (sound_.stiff[g] != 0)
      sound_.crossings = std::max(sound_.crossings, sound_.rates[g] * std::abs(here_.h));
  }
  bodies_.any_torque = std::ranges::find(bodies_.has_torque, 1) != bodies_.has_torque.end();
  assembler_.average_strain(energies_.over_strain);
  bodies_.groups.find_symmetries(*here_.x0);
  clusters_.groups.find_symmetries(*here_.x0);
  return true;
}

double MomentumSolve::prescribed_work(const Vector& d, std::span<const Node> rule) {
  work_.nodes.clear();
  for (const Node& node : rule)
    work_.nodes.push_back({.theta = node.theta, .gradient = node.weight});
  const PathMeanWeights mean{.weight = 1};
  work_.motion.setZero();
  for (std::size_t k = 0; k < energies_.over_strain.size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    const EnergyMemory* memory = assembler_.world().memory_of(energy);
    if (energies_.over_strain[k] != 0) {
      energy.abilities().discrete_gradient->discrete_gradient({.x0 = here_.x0->data(),
                                                               .d = d.data(),
                                                               .gradient = work_.motion.data(),
                                                               .memory = memory});
    } else {
      (void)energy.evaluate({.x0 = here_.x0->data(),
                             .d = d.data(),
                             .nodes = work_.nodes,
                             .want_value = false,
                             .gradient = work_.motion.data(),
                             .mean = &mean,
                             .memory = memory});
    }
  }
  return prescribed_product(system_, work_.motion, d);
}

void MomentumSolve::archive(Archive& a) { a(sound_.rates); }

void MomentumSolve::find_gradients(const Step& step, MomentumEquation& equation,
                                   const Iterate& at) {
  work_.nodes.clear();
  PathMeanWeights mean;
  bodies_.gradient = at.potential;
  for (const Node& node : step.nodes) {
    const double weight = here_.h * here_.h * node.weight;
    work_.nodes.push_back({.theta = node.theta, .gradient = weight});
    mean.weight += weight;
    if (node.theta == 0) bodies_.gradient += weight * step.start_gradient;
  }
  const auto add = [&](const std::vector<std::size_t>& energies, Vector& sum) {
    sum.setZero();
    for (const std::size_t k : energies) {
      const Energy* energy = system_.energies()[k].get();
      if (energies_.over_strain[k] != 0) {
        energy->abilities().discrete_gradient->discrete_gradient(
            {.x0 = here_.x0->data(),
             .d = work_.d.data(),
             .gradient_weight = mean.weight,
             .gradient = sum.data(),
             .memory = assembler_.world().memory_of(*energy)});
        continue;
      }
      (void)energy->evaluate({.x0 = here_.x0->data(),
                              .d = work_.d.data(),
                              .nodes = work_.nodes,
                              .want_value = false,
                              .gradient = sum.data(),
                              .mean = &mean,
                              .memory = assembler_.world().memory_of(*energy)});
    }
    bodies_.gradient -= sum;
  };
  if (!energies_.external.empty()) add(energies_.external, work_.scratch);
  if (clusters_.any_torque) add(energies_.contacts, clusters_.gradient);
  for (Level* level : {&bodies_, &clusters_}) {
    if (!level->dissipates) continue;
    equation.stage().add_dissipation_of(level->dissipations, work_.d, level->gradient);
  }
  equation.add_constraints(at.z, bodies_.gradient);
}

double MomentumSolve::find_left(const Step& step, MomentumEquation& equation, Iterate& at) {
  work_.d = at.z.head(work_.d.size());
  if (bodies_.any_torque || clusters_.any_torque) find_gradients(step, equation, at);
  for (Level* level : {&bodies_, &clusters_}) {
    if (!level->any_torque) continue;
    find_force(work_.d, *level);
    at.residual.head(work_.d.size()) -= level->force;
  }
  return equation.norm(at.residual);
}

double MomentumSolve::lengths() {
  if (!here_.has_lengths) {
    assembler_.lengths(*here_.x0, work_.scratch);
    here_.lengths = size_of(system_, work_.scratch);
    here_.has_lengths = true;
  }
  return here_.lengths;
}

// Displacements as small as this are rounding errors: the numbers that forces are computed from are lengths within
// the bodies.
double MomentumSolve::rounding_of(const Vector& z) {
  const double within = lengths();
  work_.scratch = z.head(work_.d.size());
  return kRounding * (within + size_of(system_, work_.scratch));
}

bool MomentumSolve::find(const Step& step, MomentumEquation& equation, bool warm, Iterate& at,
                         StepReport& report, FunctionRef<bool(double)> minimise) {
  const StepStatus earlier = report.status;
  const double earlier_residual = report.residual;
  const auto solved = [&](From from) {
    equation.average_strain(true);
    const StepStatus status = solve(step, from, equation, at, report);
    report.status = succeeded(status) && earlier == StepStatus::round_off ? earlier : status;
    return succeeded(status);
  };
  work_.guess = at.z;
  // Whether there is no use in another try.
  const auto over = [&] {
    return report.status == StepStatus::stopped ||
           report.solver_work.iterations >= options_.newton.max_iterations;
  };
  StepStatus failed = StepStatus::converged;
  for (const Means means : {Means::own, Means::strain, Means::path}) {
    if (!begin(step, means)) continue;
    if (energies_.any_strain) {
      equation.average_strain(true);
      at.z = work_.guess;
      if (warm && solved(From::rigid)) return true;
      at.z = work_.guess;
      if (predict(step, equation, at) && solved(From::rigid)) return true;
    }
    if (warm && !energies_.any_strain) {
      at.z = work_.guess;
      if (solved(From::minimiser)) return true;
    }
    if (!over()) {
      at.z = work_.guess;
      equation.average_strain(false);
      const bool found = minimise(slack());
      report.residual = earlier_residual;
      if (found && solved(From::minimiser)) return true;
    }
    if (failed == StepStatus::converged) failed = report.status;
    if (over()) break;
  }
  report.status = failed;
  return false;
}

}  // namespace lilyan

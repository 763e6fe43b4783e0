#include "lilyan/contact/barrier_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <utility>

#include "lilyan/assemble/project.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/contact/barrier_path.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kChunk = 256;  // candidates that a thread takes at a time
// The error of energy that the mean of a pair may make, in units of its stiffness, which is a hundredth of the energy
// that contacts may have to hold.
constexpr double kTolerance = 1e-12;

// Each block (a, b) of a pair's matrix goes where its vertices are in ascending order.
std::array<int, 4> ascending_order(const BarrierPair& pair) {
  std::array<int, 4> order = {0, 1, 2, 3};
  std::ranges::stable_sort(order, {},
                           [&](int a) { return pair.vertex[static_cast<std::size_t>(a)]; });
  return order;
}

}  // namespace

// What a pair adds to an evaluation.
struct BarrierContact::Found {
  const BarrierPairs::Candidate* candidate = nullptr;
  LocalDerivatives<12> sum;
};

BarrierContact::BarrierContact(BarrierModel model, const Vector& x) : model_(std::move(model)) {
  if (!(model_.reach > 0)) throw Error("the reach of a contact must be positive");
  if (!(model_.energy > 0)) throw Error("the energy that a contact can hold must be positive");
  if (!model_.planes.empty() || !model_.containers.empty()) model_.with_obstacles = true;
  first_ = std::make_unique<BarrierPairs>(model_, x);
}

const BarrierPairs& BarrierContact::pairs(const EnergyMemory* memory) const {
  return memory ? *static_cast<const BarrierPairs*>(memory) : *first_;
}

std::optional<Stencils> BarrierContact::stencils_now(const EnergyMemory& memory) const {
  return pairs(&memory).stencils();
}

std::unique_ptr<EnergyMemory> BarrierContact::make_memory() const {
  return std::make_unique<BarrierPairs>(*first_);
}

bool BarrierContact::begin_step(const StepStart& start, EnergyMemory& memory) const {
  return static_cast<BarrierPairs&>(memory).begin_step(start);
}

bool BarrierContact::meet(const double* x0, const double* d, EnergyMemory& memory) const {
  return static_cast<BarrierPairs&>(memory).meet(x0, d);
}

bool BarrierContact::free_start(const double* x0, double* d, const EnergyMemory& memory) const {
  return pairs(&memory).free_start(x0, d);
}

double BarrierContact::largest_step(const double* along, const EnergyMemory& memory) const {
  return pairs(&memory).largest_step(along);
}

int BarrierContact::find_walls(const StepTrial& trial, EnergyMemory& memory) const {
  return static_cast<BarrierPairs&>(memory).find_walls(trial);
}

void BarrierContact::add_walls(const EnergyMemory& memory, double* gradient) const {
  pairs(&memory).add_walls(gradient);
}

void BarrierContact::forget_walls(EnergyMemory& memory) const {
  static_cast<BarrierPairs&>(memory).forget_walls();
}

double BarrierContact::strongest_friction() const {
  double strongest = model_.friction;
  const auto look = [&](const auto& all) {
    for (const auto& one : all) strongest = std::max(strongest, one.friction.value_or(0));
  };
  look(model_.surfaces);
  look(model_.planes);
  look(model_.containers);
  return strongest;
}

// False where the way is not free.
bool BarrierContact::find(const Evaluation& at, const BarrierPairs::Candidate& candidate,
                          Found& found) const {
  const BarrierPair& pair = candidate.pair;
  const PairBarrier barrier(pair);
  const PairCoordinates z0 = pair.gather_positions(at.x0);
  const PairCoordinates d = pair.gather(at.d);
  const bool want_hessian = at.hessian != nullptr;
  found.candidate = nullptr;
  if (at.mean) {
    const BarrierMean mean =
        barrier_mean(barrier, z0, d, kTolerance * pair.stiffness, want_hessian);
    if (!mean.apart) return false;
    if (!mean.active) return true;
    const double w = at.mean->weight;
    found.candidate = &candidate;
    found.sum.value = w * mean.sum.value;
    found.sum.gradient = w * mean.sum.gradient;
    if (want_hessian) found.sum.hessian = w * mean.sum.hessian;
    if (at.mean->start != 0) {
      const PairCoordinates start = at.mean->start * barrier.derivatives(z0, false).gradient;
      found.sum.value -= start.dot(d);
      found.sum.gradient -= start;
    }
    return true;
  }
  if (at.want_value && !stays_apart(barrier, z0, d)) return false;
  found.sum = {};
  for (const WeightedNode& node : at.nodes) {
    const PairCoordinates z = z0 + node.theta * d;
    if (barrier.gap(z) >= pair.reach) continue;
    const LocalDerivatives<12> e = barrier.derivatives(z, want_hessian);
    found.candidate = &candidate;
    found.sum.value += node.value * e.value;
    found.sum.gradient += node.gradient * e.gradient;
    if (want_hessian) found.sum.hessian += node.hessian * e.hessian;
  }
  return true;
}

double BarrierContact::evaluate(const Evaluation& at) const {
  const std::span<const BarrierPairs::Candidate> candidates =
      pairs(at.memory).covering(at.x0, at.d);
  const BarrierPairs::Way way = pairs(at.memory).way(at.x0, at.d);
  const std::size_t chunks = (candidates.size() + kChunk - 1) / kChunk;
  std::vector<std::vector<Found>> all(chunks);
  std::vector<char> blocked(chunks, 0);
  parallel_for(static_cast<int>(chunks), [&](int k) {
    const auto chunk = static_cast<std::size_t>(k);
    const std::size_t first = chunk * kChunk;
    const std::size_t last = std::min(first + kChunk, candidates.size());
    Found found;
    for (std::size_t n = first; n < last; ++n) {
      if (BarrierPairs::far(candidates[n], way)) continue;
      if (!find(at, candidates[n], found)) {
        blocked[chunk] = 1;
        return;
      }
      if (!found.candidate) continue;
      if (at.hessian && at.projection > 0) {
        raise_negative(found.sum.hessian.data(), 12, at.projection);
      }
      all[chunk].push_back(found);
    }
  });
  if (std::ranges::find(blocked, 1) != blocked.end()) {
    return std::numeric_limits<double>::infinity();
  }
  // The matrix of a pair goes to the places of its vertices.
  const auto add_matrix = [&](const BarrierPair& pair, int slot, const PairMatrix& matrix) {
    const std::array<int, 4> order = ascending_order(pair);
    const int size = size_of(pair.kind);
    const auto entry = [&](int a, int b, int r, int c) {
      const int row = order[static_cast<std::size_t>(a)];
      const int column = order[static_cast<std::size_t>(b)];
      return row < size && column < size ? matrix(3 * row + r, 3 * column + c) : 0.0;
    };
    add_element(*at.slots, static_cast<std::size_t>(slot), {.vertices = 4}, entry, at.hessian);
  };
  if (at.hessian) {
    for (const BarrierPairs::Wall& wall : pairs(at.memory).walls()) {
      if (wall.dropped) continue;
      add_matrix(pairs(at.memory).listed()[static_cast<std::size_t>(wall.slot)], wall.slot,
                 wall.stiffness * wall.normal * wall.normal.transpose());
    }
  }
  double value = 0;
  for (const std::vector<Found>& chunk : all) {
    for (const Found& found : chunk) {
      const BarrierPair& pair = found.candidate->pair;
      value += found.sum.value;
      if (at.gradient) {
        for (int a = 0; a < size_of(pair.kind); ++a) {
          const std::ptrdiff_t i = pair.vertex[static_cast<std::size_t>(a)];
          Eigen::Map<Vec3>(at.gradient + 3 * i) += found.sum.gradient.segment<3>(3 * a);
        }
      }
      if (!at.hessian || found.candidate->slot < 0) continue;
      add_matrix(pair, found.candidate->slot, found.sum.hessian);
    }
  }
  return value;
}

ContactPoint BarrierContact::contact_point(std::size_t n, const double* x, const double* d,
                                           const EnergyMemory* memory) const {
  const BarrierPair& pair = pairs(memory).listed()[n];
  const PairBarrier barrier(pair);
  const PairCoordinates z0 = pair.gather_positions(x);
  const PairCoordinates moved = pair.gather(d);
  const BarrierMean mean = barrier_mean(barrier, z0, moved, kTolerance * pair.stiffness, false);
  ContactPoint point;
  if (!mean.apart || !mean.active || pair.friction == 0) return point;
  const std::array<int, 4> order = ascending_order(pair);
  const PairCoordinates middle = z0 + 0.5 * moved;
  const PairNearest nearest = nearest_of(pair.kind, middle);
  // The force on the first of the two primitives.
  Vec3 force = mean.sum.gradient.segment<3>(0);
  if (pair.kind == PairKind::edge_edge) force += mean.sum.gradient.segment<3>(3);
  point.pressure = force.norm();
  if (point.pressure == 0) return point;
  point.normal = force / point.pressure;
  point.pressure *= pair.friction / strongest_friction();
  // Between bodies the gap, thicknesses included, turns with them: friction is no couple. What is held has a surface of
  // its own, however far it is from the vertices.
  const auto held = [&](int from, int to) {
    bool all = true;
    for (int a = from; a < to; ++a) {
      const int v = pair.vertex[static_cast<std::size_t>(a)];
      all = all && model_.held[static_cast<std::size_t>(v)] != 0;
    }
    return all;
  };
  const int second = pair.kind == PairKind::edge_edge ? 2 : 1;
  std::array<Eigen::Matrix3d, 4> turn;
  if (held(0, second) || held(second, 4)) {
    turn.fill(Eigen::Matrix3d::Zero());
  } else {
    turn = gap_turning(pair.kind, middle, nearest);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const auto a = static_cast<std::size_t>(order[i]);
    if (static_cast<int>(a) >= size_of(pair.kind)) continue;
    point.weight[i] = nearest.weight[a];
    point.turn[i] = turn[a];
  }
  return point;
}

}  // namespace lilyan

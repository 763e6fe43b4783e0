#include "lilyan/contact/friction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/model/world.hpp"
#include "lilyan/parallel/share.hpp"

namespace lilyan {
namespace {

// A ContactPoint as numbers: pressure, normal, weights, velocity, matrices.
constexpr std::size_t kNumbers = 47;
// Where angular momentum is an invariant, the contact points of bodies, too, are to be those of the solved
// step, to this part of themselves: the torque of their friction vanishes only there.
constexpr double kGeometryTolerance = 1e-10;
constexpr double kPressureTolerance = 1e-3;

void store(const ContactPoint& t, double* to) {
  to[0] = t.pressure;
  for (int i = 0; i < 3; ++i) to[1 + i] = t.normal[i];
  for (int a = 0; a < 4; ++a) to[4 + a] = t.weight[static_cast<std::size_t>(a)];
  for (int i = 0; i < 3; ++i) to[8 + i] = t.velocity[i];
  for (int a = 0; a < 4; ++a) {
    Eigen::Map<Eigen::Matrix3d>(to + 11 + 9 * a) = t.turn[static_cast<std::size_t>(a)];
  }
}

// A contact point read back from its numbers.
struct LaggedPoint {
  const double* at;

  [[nodiscard]] double pressure() const { return at[0]; }
  [[nodiscard]] Vec3 normal() const { return Eigen::Map<const Vec3>(at + 1); }
  // The share of vertex a's velocity in the sliding velocity, before its normal part is taken out.
  [[nodiscard]] Eigen::Matrix3d map(int a) const {
    return at[4 + a] * Eigen::Matrix3d::Identity() +
           Eigen::Map<const Eigen::Matrix3d>(at + 11 + 9 * a);
  }
  [[nodiscard]] Vec3 velocity() const { return Eigen::Map<const Vec3>(at + 8); }
  // The sliding velocity w of (1).
  [[nodiscard]] Vec3 sliding(const int* vertex, int size, const double* v) const {
    Vec3 relative = -velocity();
    for (int a = 0; a < size; ++a) {
      relative += map(a) * Eigen::Map<const Vec3>(v + 3 * static_cast<std::ptrdiff_t>(vertex[a]));
    }
    return relative - normal().dot(relative) * normal();
  }
};

}  // namespace

Friction::Friction(const ContactEnergy& contact, double mu, double epsilon)
    : contact_(contact), mu_(mu), epsilon_(epsilon) {
  if (!(mu >= 0)) throw Error("the coefficient of friction must not be negative");
  if (!(epsilon > 0)) throw Error("the creep speed of friction must be positive");
}

const EnergyMemory* Friction::contact_memory(const WorldMemory* memory) const {
  return memory ? memory->of(contact_) : nullptr;
}

Stencils Friction::stencils(const WorldMemory* memory) const {
  return contact_.stencils_with(contact_memory(memory));
}

void Friction::begin_step(const StepStart& start, std::vector<double>& lagged) const {
  const Stencils s = stencils(start.memory);
  const EnergyMemory* memory = contact_memory(start.memory);
  const std::size_t count = s.vertices.size() / static_cast<std::size_t>(s.size);
  lagged.resize(kNumbers * count);
  for (std::size_t n = 0; n < count; ++n) {
    store(contact_.contact_point(n, start.x, nullptr, memory), lagged.data() + kNumbers * n);
  }
}

double Friction::renew(const StepStart& start, const double* d, std::vector<double>& lagged) const {
  const EnergyMemory* memory = contact_memory(start.memory);
  // Pairs may have met within the step, which then follow the others.
  const Stencils s = stencils(start.memory);
  lagged.resize(kNumbers * s.vertices.size() / static_cast<std::size_t>(s.size));
  double change = 0;
  double moved = 0;  // of the maps
  double all = 0;
  for (std::size_t n = 0; n * kNumbers < lagged.size(); ++n) {
    double* numbers = lagged.data() + kNumbers * n;
    const Vec3 before = LaggedPoint{numbers}.pressure() * LaggedPoint{numbers}.normal();
    std::array<double, kNumbers> earlier{};
    std::copy_n(numbers, kNumbers, earlier.begin());
    const ContactPoint now = contact_.contact_point(n, start.x, d, memory);
    store(now, numbers);
    for (int a = 0; a < 4; ++a) {
      moved +=
          now.pressure * (LaggedPoint{numbers}.map(a) - LaggedPoint{earlier.data()}.map(a)).norm();
    }
    change += (now.pressure * now.normal - before).norm();
    all += now.pressure;
  }
  std::array<double, 3> sums = {change, moved, all};
  if (start.share) start.share->ranks().sum(sums);
  std::tie(change, moved, all) = std::tuple(sums[0], sums[1], sums[2]);
  if (all == 0) return change > 0 ? 1.0 : 0.0;
  const double geometry = contact_.between_bodies() && start.keeps_spin ? moved / all : 0;
  return std::max(change / all, kPressureTolerance / kGeometryTolerance * geometry);
}

double Friction::evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const {
  const Stencils s = stencils(at.memory);
  double value = 0;
  for (std::size_t n = 0; n * kNumbers < lagged.size(); ++n) {
    const LaggedPoint t{lagged.data() + kNumbers * n};
    if (t.pressure() == 0) continue;
    const int* vertex = s.vertices.data() + n * static_cast<std::size_t>(s.size);
    const Vec3 w = t.sliding(vertex, s.size, at.v);
    const double strength = mu_ * t.pressure();
    const double root = std::sqrt(epsilon_ * epsilon_ + w.squaredNorm());
    value += strength * w.squaredNorm() / (root + epsilon_);  // (1), without its cancellation
    if (at.gradient) {
      for (int a = 0; a < s.size; ++a) {
        Eigen::Map<Vec3>(at.gradient + 3 * static_cast<std::ptrdiff_t>(vertex[a])) +=
            (at.gradient_weight * strength / root) * (t.map(a).transpose() * w);
      }
    }
    if (!at.hessian) continue;
    const Vec3 along = w / root;
    const Eigen::Matrix3d h = (at.hessian_weight * strength / root) *
                              (Eigen::Matrix3d::Identity() - t.normal() * t.normal().transpose() -
                               along * along.transpose());
    std::array<std::array<Eigen::Matrix3d, 4>, 4> block;
    for (int a = 0; a < s.size; ++a) {
      for (int b = 0; b < s.size; ++b) block[a][b] = t.map(a).transpose() * h * t.map(b);
    }
    const auto entry = [&](int a, int b, int r, int c) { return block[a][b](r, c); };
    add_element(*at.slots, n, {.vertices = s.size}, entry, at.hessian);
  }
  return value;
}

double Friction::driven_power(const std::vector<double>& lagged, const RateEvaluation& at) const {
  const Stencils s = stencils(at.memory);
  double power = 0;
  for (std::size_t n = 0; n * kNumbers < lagged.size(); ++n) {
    const LaggedPoint t{lagged.data() + kNumbers * n};
    if (t.pressure() == 0) continue;
    const Vec3 w =
        t.sliding(s.vertices.data() + n * static_cast<std::size_t>(s.size), s.size, at.v);
    const double root = std::sqrt(epsilon_ * epsilon_ + w.squaredNorm());
    power += mu_ * t.pressure() / root * w.dot(t.velocity());
  }
  return power;
}

}  // namespace lilyan

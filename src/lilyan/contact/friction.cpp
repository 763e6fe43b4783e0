#include "lilyan/contact/friction.hpp"

#include <cmath>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

// A Touch as numbers: pressure, normal, weights, velocity.
constexpr std::size_t kNumbers = 11;

void store(const Touch& t, double* to) {
  to[0] = t.pressure;
  for (int i = 0; i < 3; ++i) to[1 + i] = t.normal[i];
  for (int a = 0; a < 4; ++a) to[4 + a] = t.weight[static_cast<std::size_t>(a)];
  for (int i = 0; i < 3; ++i) to[8 + i] = t.velocity[i];
}

struct Stored {
  const double* at;

  [[nodiscard]] double pressure() const { return at[0]; }
  [[nodiscard]] Vec3 normal() const { return Eigen::Map<const Vec3>(at + 1); }
  [[nodiscard]] double weight(int a) const { return at[4 + a]; }
  [[nodiscard]] Vec3 velocity() const { return Eigen::Map<const Vec3>(at + 8); }
  // w of (1).
  [[nodiscard]] Vec3 sliding(const int* vertex, int size, const double* v) const {
    Vec3 relative = -velocity();
    for (int a = 0; a < size; ++a) {
      relative +=
          weight(a) * Eigen::Map<const Vec3>(v + 3 * static_cast<std::ptrdiff_t>(vertex[a]));
    }
    return relative - normal().dot(relative) * normal();
  }
};

}  // namespace

Friction::Friction(const TouchSource& contact, double mu, double epsilon)
    : contact_(contact), mu_(mu), epsilon_(epsilon) {
  if (!(mu >= 0)) throw Error("the coefficient of friction must not be negative");
  if (!(epsilon > 0)) throw Error("the creep speed of friction must be positive");
}

void Friction::begin_step(const StepStart& start, std::vector<double>& kept) const {
  const Stencils s = contact_.touch_stencils();
  const std::size_t count = s.vertices.size() / static_cast<std::size_t>(s.size);
  kept.resize(kNumbers * count);
  for (std::size_t n = 0; n < count; ++n) {
    store(contact_.touch(n, start.x, nullptr), kept.data() + kNumbers * n);
  }
}

double Friction::renew(const StepStart& start, const double* d, std::vector<double>& kept) const {
  double change = 0;
  double all = 0;
  for (std::size_t n = 0; n * kNumbers < kept.size(); ++n) {
    double* numbers = kept.data() + kNumbers * n;
    const Vec3 before = Stored{numbers}.pressure() * Stored{numbers}.normal();
    const Touch now = contact_.touch(n, start.x, d);
    store(now, numbers);
    change += (now.pressure * now.normal - before).norm();
    all += now.pressure;
  }
  return all > 0 ? change / all : (change > 0 ? 1.0 : 0.0);
}

double Friction::evaluate(const std::vector<double>& kept, const RateEvaluation& at) const {
  const Stencils s = contact_.touch_stencils();
  const int blocks = s.size * (s.size + 1) / 2;
  double value = 0;
  for (std::size_t n = 0; n * kNumbers < kept.size(); ++n) {
    const Stored t{kept.data() + kNumbers * n};
    if (t.pressure() == 0) continue;
    const int* vertex = s.vertices.data() + n * static_cast<std::size_t>(s.size);
    const Vec3 w = t.sliding(vertex, s.size, at.v);
    const double strength = mu_ * t.pressure();
    const double root = std::sqrt(epsilon_ * epsilon_ + w.squaredNorm());
    value += strength * w.squaredNorm() / (root + epsilon_);  // (1), without its cancellation
    if (at.gradient) {
      for (int a = 0; a < s.size; ++a) {
        Eigen::Map<Vec3>(at.gradient + 3 * static_cast<std::ptrdiff_t>(vertex[a])) +=
            (at.gradient_weight * strength / root * t.weight(a)) * w;
      }
    }
    if (!at.hessian) continue;
    const Vec3 along = w / root;
    const Eigen::Matrix3d h = (at.hessian_weight * strength / root) *
                              (Eigen::Matrix3d::Identity() - t.normal() * t.normal().transpose() -
                               along * along.transpose());
    const int* position = at.slots->position.data() + n * static_cast<std::size_t>(blocks);
    const int* length = at.slots->column_length.data() + n * static_cast<std::size_t>(s.size);
    for (int b = 0; b < s.size; ++b) {
      for (int a = b; a < s.size; ++a, ++position) {
        for (int c = 0; c < 3; ++c) {
          double* column = at.hessian + *position + c * length[b] - c * (c + 1) / 2;
          for (int r = (a == b ? c : 0); r < 3; ++r) {
            column[r] += t.weight(a) * t.weight(b) * h(r, c);
          }
        }
      }
    }
  }
  return value;
}

double Friction::driven_power(const std::vector<double>& kept, const double* v) const {
  const Stencils s = contact_.touch_stencils();
  double power = 0;
  for (std::size_t n = 0; n * kNumbers < kept.size(); ++n) {
    const Stored t{kept.data() + kNumbers * n};
    if (t.pressure() == 0) continue;
    const Vec3 w = t.sliding(s.vertices.data() + n * static_cast<std::size_t>(s.size), s.size, v);
    const double root = std::sqrt(epsilon_ * epsilon_ + w.squaredNorm());
    power += mu_ * t.pressure() / root * w.dot(t.velocity());
  }
  return power;
}

}  // namespace lilyan

#include "lilyan/physics/damping.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

constexpr int kMostVertices = 8;  // of an element

void check_coefficient(double value) {
  if (!(value >= 0)) throw Error("damping coefficients must not be negative");
}

// Slots of elements whose lower triangles are stored one after the other, by columns.
BlockSlots private_slots(const Stencils& s) {
  BlockSlots slots;
  const int k = s.size;
  int start = 0;
  for (std::size_t first = 0; first < s.vertices.size(); first += static_cast<std::size_t>(k)) {
    for (int b = 0; b < k; ++b) {
      const int length = 3 * (k - b);
      slots.column_length.push_back(length);
      for (int a = b; a < k; ++a) slots.position.push_back(start + 3 * (a - b));
      start += 3 * length - 3;
    }
  }
  return slots;
}

}  // namespace

Rayleigh::Rayleigh(const Energy& energy, double delta, DissipationVelocity velocity)
    : energy_(energy),
      delta_(delta),
      velocity_(velocity),
      places_(private_slots(energy.stencils())),
      element_size_(3 * energy.stencils().size * (3 * energy.stencils().size + 1) / 2) {
  check_coefficient(delta);
  if (energy.stencils().size > kMostVertices) {
    throw Error("stiffness-proportional damping is for energies of small elements");
  }
}

void Rayleigh::begin_step(const StepStart& start, std::vector<double>& lagged) const {
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .hessian = 1}}};
  const Stencils s = energy_.stencils();
  if (s.size == 0) return;
  lagged.assign(s.vertices.size() / static_cast<std::size_t>(s.size) *
                    static_cast<std::size_t>(element_size_),
                0.0);
  (void)energy_.evaluate({.x0 = start.x,
                          .nodes = here,
                          .want_value = false,
                          .hessian = lagged.data(),
                          .slots = &places_,
                          .projection = 1});
}

double Rayleigh::evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const {
  const Stencils s = energy_.stencils();
  const int n = 3 * s.size;
  double value = 0;
  std::array<double, 3 * kMostVertices> v{};
  std::array<double, 3 * kMostVertices> y{};
  const auto size = static_cast<std::size_t>(s.size);
  const double* column = lagged.data();
  for (std::size_t first = 0; first < s.vertices.size(); first += size) {
    const int* vertex = s.vertices.data() + first;
    if (at.hessian) {
      const auto entry = [&](int a, int b, int r, int c) {
        const int j = 3 * b + c;
        return at.hessian_weight * delta_ * column[lower_offset(3 * a + r, j, n)];
      };
      add_element(*at.slots, first / size, {.vertices = s.size}, entry, at.hessian);
    }
    for (int a = 0; a < s.size; ++a) {
      for (int i = 0; i < 3; ++i) v[3 * a + i] = at.v[3 * vertex[a] + i];
    }
    y.fill(0);
    for (int c = 0; c < n; ++c, column += n - c + 1) {
      y[c] += column[0] * v[c];
      for (int r = c + 1; r < n; ++r) {
        y[r] += column[r - c] * v[c];
        y[c] += column[r - c] * v[r];
      }
    }
    for (int a = 0; a < n; ++a) value += v[a] * y[a];
    if (at.gradient) {
      for (int a = 0; a < s.size; ++a) {
        for (int i = 0; i < 3; ++i) {
          at.gradient[3 * vertex[a] + i] += at.gradient_weight * delta_ * y[3 * a + i];
        }
      }
    }
  }
  return 0.5 * delta_ * value;
}

MassDamping::MassDamping(std::vector<int> vertices, std::vector<double> masses, double eta,
                         DissipationVelocity velocity)
    : vertices_(std::move(vertices)), masses_(std::move(masses)), eta_(eta), velocity_(velocity) {
  check_coefficient(eta);
}

double MassDamping::evaluate(const std::vector<double>& /*lagged*/,
                             const RateEvaluation& at) const {
  double value = 0;
  for (std::size_t k = 0; k < vertices_.size(); ++k) {
    const double strength = eta_ * masses_[k];
    const int i = vertices_[k];
    for (int c = 0; c < 3; ++c) {
      const double v = at.v[3 * i + c];
      value += 0.5 * strength * v * v;
      if (at.gradient) at.gradient[3 * i + c] += at.gradient_weight * strength * v;
    }
    if (!at.hessian) continue;
    add_element(
        *at.slots, k, {.vertices = 1},
        [&](int, int, int r, int c) { return r == c ? at.hessian_weight * strength : 0.0; },
        at.hessian);
  }
  return value;
}

namespace {

void check_strain_damping(const Energy& energy, double k) {
  if (!(k >= 0)) throw Error("damping coefficients must not be negative");
  if (!energy.has_moving_rest()) {
    throw Error("strain damping is for elastic energies that have a rest shape of elements (tets)");
  }
}

}  // namespace

ExplicitStrainDamping::ExplicitStrainDamping(const Energy& energy, double k)
    : energy_(energy), k_(k) {
  check_strain_damping(energy, k);
}

void ExplicitStrainDamping::add(const double* x_previous, const double* x, double* impulse) const {
  const std::array<WeightedNode, 1> here{{{.theta = 0, .gradient = -k_}}};
  (void)energy_.evaluate_from(x_previous,
                              {.x0 = x, .nodes = here, .want_value = false, .gradient = impulse});
}

ImplicitStrainDamping::ImplicitStrainDamping(const Energy& energy, double k, int dofs)
    : energy_(energy), k_(k), dofs_(dofs) {
  check_strain_damping(energy, k);
}

void ImplicitStrainDamping::begin_step(const StepStart& start, std::vector<double>& lagged) const {
  lagged.assign(start.x, start.x + dofs_);
  lagged.push_back(start.h);
}

double ImplicitStrainDamping::evaluate(const std::vector<double>& lagged,
                                       const RateEvaluation& at) const {
  const double h = lagged.back();
  const std::array<WeightedNode, 1> there{{{.theta = h,
                                            .value = k_ / (h * h),
                                            .gradient = at.gradient_weight * k_ / h,
                                            .hessian = at.hessian_weight * k_}}};
  return energy_.evaluate_from(lagged.data(), {.x0 = lagged.data(),
                                               .d = at.v,
                                               .nodes = there,
                                               .gradient = at.gradient,
                                               .hessian = at.hessian,
                                               .slots = at.slots,
                                               .projection = at.projection});
}

}  // namespace lilyan

#include "lilyan/physics/damping.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/parallel/share.hpp"

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
      places_(std::make_unique<const BlockSlots>(private_slots(energy.stencils()))),
      element_size_(3 * energy.stencils().size * (3 * energy.stencils().size + 1) / 2),
      shifts_(energy.translation_invariant()) {
  check_coefficient(delta);
  if (energy.stencils().size > kMostVertices) {
    throw Error("stiffness-proportional damping is for energies of small elements");
  }
}

Rayleigh::~Rayleigh() = default;

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
                          .slots = places_.get(),
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
    // Translations that have no force are left out: those of stiff bodies would leave rounding errors.
    for (int a = 0; a < s.size; ++a) {
      for (int i = 0; i < 3; ++i) {
        v[3 * a + i] = at.v[3 * vertex[a] + i] - (shifts_ ? at.v[3 * vertex[0] + i] : 0.0);
      }
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
    for (int i = 0; shifts_ && i < 3; ++i) {
      y[i] = 0;
      for (int a = 1; a < s.size; ++a) y[i] -= y[3 * a + i];
    }
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
  if (!energy.abilities().moving_rest) {
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
  (void)energy_.abilities().moving_rest->evaluate_from(
      x_previous, {.x0 = x, .nodes = here, .want_value = false, .gradient = impulse});
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
  return energy_.abilities().moving_rest->evaluate_from(lagged.data(),
                                                        {.x0 = lagged.data(),
                                                         .d = at.v,
                                                         .nodes = there,
                                                         .gradient = at.gradient,
                                                         .hessian = at.hessian,
                                                         .slots = at.slots,
                                                         .projection = at.projection});
}

namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

// A symmetric matrix and its six numbers, those on the diagonal first.
Eigen::Matrix3d symmetric(const Vec6& e) {
  Eigen::Matrix3d S;
  S << e[0], e[3], e[5],  //
      e[3], e[1], e[4],   //
      e[5], e[4], e[2];
  return S;
}

// The symmetric part of a matrix.
Vec6 strain(const Eigen::Matrix3d& H) {
  return {H(0, 0),
          H(1, 1),
          H(2, 2),
          0.5 * (H(0, 1) + H(1, 0)),
          0.5 * (H(1, 2) + H(2, 1)),
          0.5 * (H(0, 2) + H(2, 0))};
}

// ∂(s·strain(H))/∂H
Eigen::Matrix3d conjugate(const Vec6& s) {
  Vec6 halves = s;
  halves.tail<3>() *= 0.5;
  return symmetric(halves);
}

}  // namespace

KelvinVoigtDamping::KelvinVoigtDamping(const Energy& energy, const Vector& rest, double tau)
    : energy_(energy), tau_(tau) {
  check_strain_damping(energy, tau);
  const Stencils s = energy.stencils();
  if (s.size != 4) throw Error("Kelvin–Voigt damping is for bodies of tets");
  const BlockSlots places = private_slots(s);
  constexpr std::size_t kTriangle = 12 * 13 / 2;
  const std::size_t count = s.vertices.size() / 4;
  std::vector<double> triangles(count * kTriangle, 0.0);
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .hessian = 1}}};
  energy.evaluate({.x0 = rest.data(),
                   .nodes = here,
                   .want_value = false,
                   .hessian = triangles.data(),
                   .slots = &places,
                   .projection = 1});
  elements_.resize(count);
  for (std::size_t e = 0; e < count; ++e) {
    const double* entry = triangles.data() + e * kTriangle;
    Eigen::Matrix<double, 12, 12> hessian;
    for (int c = 0; c < 12; ++c) {
      for (int r = c; r < 12; ++r) hessian(r, c) = hessian(c, r) = *entry++;
    }
    elements_[e].inverse_rest.setIdentity();
    const Eigen::Matrix3d edges = middle(e, rest.data(), rest.data(), 0);
    // What velocities w_a = S X_a, S being the q-th symmetric matrix, have in common with the p-th ones.
    Eigen::Matrix<double, 12, 6> rates;
    rates.setZero();
    for (int q = 0; q < 6; ++q) {
      const Eigen::Matrix3d w = symmetric(Vec6::Unit(q)) * edges;
      rates.col(q).tail<9>() = w.reshaped();
    }
    elements_[e].stiffness = rates.transpose() * hessian * rates;
    elements_[e].inverse_rest = edges.inverse();
  }
}

Eigen::Matrix3d KelvinVoigtDamping::middle(std::size_t element, const double* x, const double* d,
                                           double h) const {
  const int* vertex = energy_.stencils().vertices.data() + 4 * element;
  const auto at = [&](int a) -> Vec3 {
    const std::ptrdiff_t i = 3 * static_cast<std::ptrdiff_t>(vertex[a]);
    return Eigen::Map<const Vec3>(x + i) + (0.5 * h) * Eigen::Map<const Vec3>(d + i);
  };
  Eigen::Matrix3d edges;
  for (int a = 0; a < 3; ++a) edges.col(a) = at(a + 1) - at(0);
  return edges * elements_[element].inverse_rest;
}

void KelvinVoigtDamping::begin_step(const StepStart& start, std::vector<double>& lagged) const {
  lagged.resize(9 * elements_.size());
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    Eigen::Map<Eigen::Matrix3d>(lagged.data() + 9 * e) = middle(e, start.x, start.v, start.h);
  }
}

double KelvinVoigtDamping::renew(const StepStart& start, const double* d,
                                 std::vector<double>& lagged) const {
  // A change of 1e-3 is not worth another solve, unless angular momentum is to be kept.
  constexpr double kSpin = 1e-3 / 1e-11;
  double change = 0;
  double size = 0;
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    Eigen::Map<Eigen::Matrix3d> F(lagged.data() + 9 * e);
    const Eigen::Matrix3d now = middle(e, start.x, d, 1);
    change += (now - F).squaredNorm();
    size += now.squaredNorm();
    F = now;
  }
  std::array<double, 2> sums = {change, size};
  if (start.share) start.share->ranks().sum(sums);
  if (sums[1] == 0) return 0;
  return (start.turns ? kSpin : 1) * std::sqrt(sums[0] / sums[1]);
}

double KelvinVoigtDamping::evaluate(const std::vector<double>& lagged,
                                    const RateEvaluation& at) const {
  const Stencils s = energy_.stencils();
  double value = 0;
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const int* vertex = s.vertices.data() + 4 * e;
    const auto velocity = [&](int a) {
      return Eigen::Map<const Vec3>(at.v + 3 * static_cast<std::ptrdiff_t>(vertex[a]));
    };
    const Eigen::Map<const Eigen::Matrix3d> F(lagged.data() + 9 * e);
    const Element& element = elements_[e];
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = velocity(a + 1) - velocity(0);
    const Vec6 rate = strain(F.transpose() * (edges * element.inverse_rest));
    const Vec6 stress = element.stiffness * rate;
    value += 0.5 * tau_ * rate.dot(stress);
    if (at.gradient) {
      const Eigen::Matrix3d forces =
          (at.gradient_weight * tau_) * F * conjugate(stress) * element.inverse_rest.transpose();
      for (int a = 0; a < 4; ++a) {
        const Vec3 force = a == 0 ? Vec3(-forces.rowwise().sum()) : Vec3(forces.col(a - 1));
        Eigen::Map<Vec3>(at.gradient + 3 * static_cast<std::ptrdiff_t>(vertex[a])) += force;
      }
    }
    if (!at.hessian) continue;
    Eigen::Matrix<double, 6, 12> rates;  // of the strain with the velocities
    for (int a = 0; a < 4; ++a) {
      const Vec3 g = a == 0 ? Vec3(-element.inverse_rest.colwise().sum().transpose())
                            : Vec3(element.inverse_rest.row(a - 1).transpose());
      for (int r = 0; r < 3; ++r) {
        rates.col(3 * a + r) = strain(F.row(r).transpose() * g.transpose());
      }
    }
    const Eigen::Matrix<double, 12, 12> hessian = rates.transpose() * element.stiffness * rates;
    const auto entry = [&](int a, int b, int r, int c) {
      return at.hessian_weight * tau_ * hessian(3 * a + r, 3 * b + c);
    };
    add_element(*at.slots, e, {.vertices = 4}, entry, at.hessian);
  }
  return value;
}

}  // namespace lilyan

#include "lilyan/assemble/invariants.hpp"

#include <array>
#include <cstring>
#include <span>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/numeric/dispatch.hpp"
#include "lilyan/parallel/share.hpp"

namespace lilyan {

namespace {

// Sums over vertices i of m_i u_i, of m_i q_i × u_i and of m_i |u_i|², positions q and velocities u
// of which are given one after the other.
class MotionSums {
 public:
  [[nodiscard]] double* linear() { return numbers_; }
  [[nodiscard]] double* angular() { return numbers_ + 3; }
  [[nodiscard]] double& square() { return numbers_[6]; }
  [[nodiscard]] std::span<double> all() { return numbers_; }
  MotionSums& operator+=(const MotionSums& o) {
    for (int k = 0; k < 7; ++k) numbers_[k] += o.numbers_[k];
    return *this;
  }

 private:
  double numbers_[7] = {};
};

inline void add_vertex(const double* q, const double* u, double m, MotionSums& s) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    s.linear()[i] += m * u[i];
    s.angular()[i] += m * (q[j] * u[k] - q[k] * u[j]);
    s.square() += m * u[i] * u[i];
  }
}

// The coordinates of as many vertices as a pack has lanes, sorted into x, y and z.
template <AnyPack P>
inline void load_sorted(const double* from, P (&r)[3]) {
  const P a = load<P>(from);
  const P b = load<P>(from + lanes_of<P>);
  const P c = load<P>(from + 2 * lanes_of<P>);
  if constexpr (lanes_of<P> == 8) {
    r[0] = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, -1, -1), c, 0,
                                   1, 2, 3, 4, 5, 10, 13);
    r[1] = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, 10, 13, -1, -1, -1), c, 0,
                                   1, 2, 3, 4, 8, 11, 14);
    r[2] = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, 8, 11, 14, -1, -1, -1), c, 0,
                                   1, 2, 3, 4, 9, 12, 15);
  } else if constexpr (lanes_of<P> == 4) {
    r[0] = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, -1), c, 0, 1, 2, 5);
    r[1] = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, -1), c, 0, 1, 2, 6);
    r[2] = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, -1, -1), c, 0, 1, 4, 7);
  } else {
    r[0] = __builtin_shufflevector(a, b, 0, 3);
    r[1] = __builtin_shufflevector(a, c, 1, 2);
    r[2] = __builtin_shufflevector(b, c, 0, 3);
  }
}

template <AnyPack P>
inline MotionSums motion_sums(const double* x, const double* v, const double* mass, int dofs) {
  constexpr int kBlock = 3 * lanes_of<P>;
  P linear[3] = {}, angular[3] = {}, square[3] = {};
  int first = 0;
  for (; first + kBlock <= dofs; first += kBlock) {
    P q[3], u[3], p[3];
    load_sorted(x + first, q);
    load_sorted(v + first, u);
    const P m = load<P>(mass + first / 3);
    for (int i = 0; i < 3; ++i) {
      p[i] = m * u[i];
      linear[i] += p[i];
      square[i] += p[i] * u[i];
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      angular[i] += q[j] * p[k] - q[k] * p[j];
    }
  }
  MotionSums s;
  for (int i = 0; i < 3; ++i) {
    s.linear()[i] = lane_sum(linear[i]);
    s.angular()[i] = lane_sum(angular[i]);
  }
  s.square() = lane_sum(square[0] + square[1] + square[2]);
  for (; first < dofs; first += 3) add_vertex(x + first, v + first, mass[first / 3], s);
  return s;
}

}  // namespace

Invariants invariants(const System& system, const Vector& x, const Vector& v,
                      const EnergyByKind& potential) {
  Invariants result;
  result.potential = potential;
  if (system.dimension() == 3) {
    const auto sums_of = [&](int first, int last) {
      return on_best_lanes([x = x.data() + first, v = v.data() + first,
                            mass = system.vertex_masses().data() + first / 3,
                            dofs = last - first]<int kWidth>(Lanes<kWidth>) {
        return motion_sums<PackOf<kWidth>>(x, v, mass, dofs);
      });
    };
    MotionSums s;
    if (const Share* share = system.share()) {
      for (const auto [first, last] : share->owned()) s += sums_of(first, last);
      share->ranks().sum(s.all());
    } else {
      s = sums_of(0, system.dofs());
    }
    result.kinetic = 0.5 * s.square();
    result.linear_momentum = Eigen::Map<const Vec3>(s.linear());
    result.angular_momentum = Eigen::Map<const Vec3>(s.angular());
  } else {
    result.kinetic = 0.5 * system.mass().square(v);
  }
  result.total = result.kinetic;
  for (const double e : potential) result.total += e;
  return result;
}

Invariants lagrangian_invariants(const Lagrangian& lagrangian, double t, const double* q,
                                 const double* v) {
  const Eigen::Index n = lagrangian.dofs();
  thread_local Vector momentum, rest;
  momentum.resize(n);
  rest.setZero(n);
  const double at_v = lagrangian.evaluate(t, q, v, {.v = momentum.data()});
  Invariants result;
  result.total = momentum.dot(Eigen::Map<const Vector>(v, n)) - at_v;
  const double potential = -lagrangian.evaluate(t, q, rest.data(), {});
  result.potential[static_cast<std::size_t>(EnergyKind::potential)] = potential;
  result.kinetic = result.total - potential;
  return result;
}

Invariants invariants(const System& system, const State& state) {
  if (const Lagrangian* lagrangian = system.lagrangian()) {
    return lagrangian_invariants(*lagrangian, state.t, state.x.data(), state.v.data());
  }
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  WorldMemory memory(system);
  memory.look_at(state);
  const Assembler assembler({system, &memory});
  return invariants(system, state.x, state.v, assembler.values(state.x, nullptr, here));
}

}  // namespace lilyan

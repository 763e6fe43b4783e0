#include "lilyan/diagnose/invariants.hpp"

#include <array>
#include <cstring>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/dispatch.hpp"

namespace lilyan {

namespace {

// Sums over vertices i of m_i u_i, of m_i q_i × u_i and of m_i |u_i|², positions q and velocities u
// of which are given one after the other, as are the masses of all coordinates.
struct MotionSums {
  double linear[3] = {};
  double angular[3] = {};
  double square = 0;
};

inline void add_vertex(const double* q, const double* u, double m, MotionSums& s) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    s.linear[i] += m * u[i];
    s.angular[i] += m * (q[j] * u[k] - q[k] * u[j]);
    s.square += m * u[i] * u[i];
  }
}

// The coordinates go by in packs, not sorted into x, y and z: three packs after another hold whole
// vertices, so that a lane of one of them always sees the same coordinate c. With the neighbours
// one and two places on, it can form all products that begin with c; those that reach into the next
// vertex are not read.
template <AnyPack P>
inline MotionSums motion_sums(const double* x, const double* v, const double* mass, int dofs) {
  constexpr int kBlock = 3 * lanes_of<P>;
  P linear[3] = {}, one_on[3] = {}, two_on[3] = {};
  P square = {};
  int first = 0;
  for (; first + kBlock + 2 <= dofs; first += kBlock) {
    for (int n = 0; n < 3; ++n) {
      const int at = first + n * lanes_of<P>;
      const P q = load<P>(x + at);
      const P u = load<P>(v + at);
      const P p = load<P>(mass + at) * u;
      const P p1 = load<P>(mass + at + 1) * load<P>(v + at + 1);
      const P p2 = load<P>(mass + at + 2) * load<P>(v + at + 2);
      linear[n] += p;
      square += p * u;
      one_on[n] += q * p1 - load<P>(x + at + 1) * p;
      two_on[n] += load<P>(x + at + 2) * p - q * p2;
    }
  }
  // Place k of the three packs in a row is coordinate k mod 3.
  double p[kBlock], one[kBlock], two[kBlock];
  std::memcpy(p, linear, sizeof(p));
  std::memcpy(one, one_on, sizeof(one));
  std::memcpy(two, two_on, sizeof(two));
  MotionSums s;
  s.square = lane_sum(square);
  for (int k = 0; k < kBlock; k += 3) {
    for (int c = 0; c < 3; ++c) s.linear[c] += p[k + c];
    // q_c p_{c+1} − q_{c+1} p_c is the angular momentum about axis c + 2.
    s.angular[2] += one[k];
    s.angular[0] += one[k + 1];
    s.angular[1] += two[k];
  }
  for (; first < dofs; first += 3) add_vertex(x + first, v + first, mass[first], s);
  return s;
}

}  // namespace

Invariants invariants(const System& system, const Vector& x, const Vector& v,
                      const EnergyByKind& potential) {
  Invariants result;
  result.potential = potential;
  if (system.dimension() == 3) {
    const MotionSums s = on_best_lanes([x = x.data(), v = v.data(), mass = system.mass().data(),
                                        dofs = system.dofs()]<int kWidth>(Lanes<kWidth>) {
      return motion_sums<PackOf<kWidth>>(x, v, mass, dofs);
    });
    result.kinetic = 0.5 * s.square;
    result.linear_momentum = Vec3(s.linear[0], s.linear[1], s.linear[2]);
    result.angular_momentum = Vec3(s.angular[0], s.angular[1], s.angular[2]);
  } else {
    result.kinetic = 0.5 * (system.mass().array() * v.array().square()).sum();
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
  return invariants(system, state.x, state.v, Assembler(system).values(state.x, nullptr, here));
}

}  // namespace lilyan

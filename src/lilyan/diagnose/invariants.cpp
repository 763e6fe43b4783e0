#include "lilyan/diagnose/invariants.hpp"

#include <array>

#include "lilyan/assemble/assembler.hpp"

namespace lilyan {

Invariants invariants(const System& system, const Vector& x, const Vector& v,
                      const EnergyByKind& potential) {
  Invariants result;
  result.potential = potential;
  result.kinetic = 0.5 * (system.mass().array() * v.array().square()).sum();
  result.total = result.kinetic;
  for (const double e : potential) result.total += e;
  if (system.dimension() != 3) return result;
  const auto masses = system.vertex_masses();
  double px = 0, py = 0, pz = 0, lx = 0, ly = 0, lz = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double* q = x.data() + 3 * i;
    const double* u = v.data() + 3 * i;
    const double m = masses[i];
    px += m * u[0];
    py += m * u[1];
    pz += m * u[2];
    lx += m * (q[1] * u[2] - q[2] * u[1]);
    ly += m * (q[2] * u[0] - q[0] * u[2]);
    lz += m * (q[0] * u[1] - q[1] * u[0]);
  }
  result.linear_momentum = Vec3(px, py, pz);
  result.angular_momentum = Vec3(lx, ly, lz);
  return result;
}

Invariants invariants(const System& system, const State& state) {
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  return invariants(system, state.x, state.v, Assembler(system).values(state.x, nullptr, here));
}

}  // namespace lilyan

// A program that uses Lilyan as a library: a bar of a material of its own, stepped by methods of Lilyan and by one of
// its own, which is then verified.
#include <lilyan/verify/verification.hpp>

#include <cmath>
#include <cstdio>

#include "../own.hpp"

namespace {

// Swings the bar for two seconds and returns how far its energy went from the start, relative to its largest.
double energy_error(const char* method, double h) {
  const lilyan::TetMesh mesh = lilyan::block({2, 0.5, 0.5}, {8, 2, 2});
  const lilyan::Vector rest = lilyan::rest_positions(mesh);
  const std::vector<double> masses = lilyan::vertex_masses(mesh, 1.0);
  lilyan::System system(masses);
  system.add(lilyan::find_material("sponge")->make({rest, mesh.tets}, {{"stiffness", 50.0}}));
  lilyan::State state{.x = 1.2 * rest, .v = lilyan::Vector::Zero(rest.size())};
  const double start = lilyan::invariants(system, state).total;
  const auto integrator = lilyan::make_integrator(system, lilyan::make_scheme(method), {});
  double worst = 0;
  for (int k = 0; k * h < 2; ++k) {
    const lilyan::StepReport report = integrator->step(state, h);
    if (!lilyan::succeeded(report.status)) return INFINITY;
    worst = std::max(worst, std::abs(report.after.total - start) / start);
  }
  return worst;
}

}  // namespace

int main() {
  static_assert(LILYAN_VERSION_NUMBER >= 200);
  lilyan::add_material(Sponge::info());
  lilyan::add_method(ralston());
  const double avf = energy_error("avf", 0.02);
  const double own = energy_error("ralston", 0.0002);
  std::printf("lilyan %s: energy error of avf %.1e, of ralston %.1e\n", LILYAN_VERSION_STRING, avf,
              own);
  bool fine = avf < 1e-10 && own < 1e-3 && own > 1e-12;
  for (const lilyan::Check& check : lilyan::verify(lilyan::make_scheme("ralston")).checks) {
    std::printf("%-4s %s: claimed %s, measured %s\n", check.passed ? "ok" : "FAIL",
                check.property.c_str(), check.claimed.c_str(), check.measured.c_str());
    fine = fine && check.passed;
  }
  return fine ? 0 : 1;
}

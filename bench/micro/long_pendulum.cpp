// 10⁹ steps of a pendulum: how the energy drifts, with plain and with compensated sums.
//
//   cmake --preset release -DLILYAN_MICRO=ON
//   cmake --build --preset release --target long_pendulum
//   build/release/bench/micro/long_pendulum [STEPS] [FILE]     # FILE: changes of the energy, CSV
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "lilyan/lagrangian/compiled.hpp"
#include "lilyan/verify/measure.hpp"

namespace {

using namespace lilyan;

const auto kPendulum = [](const auto& q) { return -cos(q[0]); };

template <Summation kSummation>
void run(std::string_view name, double h, long steps, std::ofstream& file) {
  auto pendulum = compiled_run<1, kSummation>(kPendulum, {1.0}, make_scheme("stoermer-verlet"), h);
  pendulum.start({2.0}, {0.0});
  const auto start = std::chrono::steady_clock::now();
  const EnergyDrift d = energy_drift(pendulum, steps, 200, 1 << 15);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{:<6} {:<12} {:>8.1f} {:>10.1f} {:>12.1e} ± {:<8.0e} {:>9.1e}\n", h, name, seconds,
             1e9 * seconds / static_cast<double>(steps), d.drift, d.uncertainty, d.band);
  std::fflush(stdout);
  for (std::size_t k = 0; k < d.step.size(); ++k) {
    file << fmt::format("{},{},{},{:.3e}\n", h, name, d.step[k], d.change[k]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = argc > 1 ? static_cast<long>(std::atof(argv[1])) : 1000000000;
  std::ofstream file;
  if (argc > 2) file.open(argv[2]);
  fmt::print(
      "{:.0e} steps of Störmer–Verlet, amplitude 2; drift of the mean energy over the run\n"
      "{:<6} {:<12} {:>8} {:>10} {:>12}   {:<8} {:>9}\n",
      static_cast<double>(steps), "h", "sums", "seconds", "ns a step", "drift", "±", "band");
  // With the second, products h·v are exact.
  for (const double h : {0.1, 0.125}) {
    run<Summation::plain>("plain", h, steps, file);
    run<Summation::compensated>("compensated", h, steps, file);
  }
}

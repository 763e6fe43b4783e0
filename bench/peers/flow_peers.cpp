// Explicit solvers at equal error: Lilyan's, Boost.odeint's and SUNDIALS' on the same right-hand
// side.
//
//   flow_peers [scenes=a.toml,b.toml] [time=10] [errors=1e-3,1e-7] [repetitions=5] [csv=FILE]
//
// Each solver's steps (or tolerance) are chosen such that its error at the end is just below the
// one asked for. `energy` is the error of the energy after ten times as long with that choice.
#include "flow.hpp"

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "peer.hpp"

namespace {

using namespace lilyan;
using peers::Arrival;
using peers::Flow;

constexpr double kReference = 1 << 10;  // steps of the reference per unit of time
constexpr int kLonger = 10;

Flow lilyan_flow(const std::string& name, const std::string& method, const Parameters& parameters) {
  return {name, false, [=](const Scene& scene, double time, double effort) {
            auto integrator = make_integrator(*scene.system, make_scheme(method, parameters), {});
            State state = scene.initial;
            Arrival end;
            end.steps = static_cast<int>(std::ceil(time * effort));
            for (int k = 0; k < end.steps; ++k) {
              const StepReport report = integrator->step(state, time / end.steps);
              end.evaluations += report.solver_work.evaluations;
              end.failed |= !succeeded(report.status);
              if (end.failed) break;
            }
            end.x = state.x;
            end.v = state.v;
            return end;
          }};
}

std::vector<Flow> all_flows() {
  std::vector<Flow> flows = {lilyan_flow("lilyan stoermer-verlet (2)", "stoermer-verlet", {}),
                             lilyan_flow("lilyan yoshida (4)", "yoshida", {}),
                             lilyan_flow("lilyan blanes-moan (4)", "blanes-moan", {}),
                             lilyan_flow("lilyan blanes-moan (6)", "blanes-moan", {{"order", 6.0}}),
                             lilyan_flow("lilyan rk4 (4)", "rk4", {})};
  for (Flow& f : peers::odeint_flows()) flows.push_back(std::move(f));
  for (Flow& f : peers::sundials_flows()) flows.push_back(std::move(f));
  return flows;
}

struct Case {
  Scene scene;
  double time;
  Vector end;    // of the reference
  double moved;  // its distance from the start

  [[nodiscard]] double error(const Arrival& a) const {
    const double e = (a.x - end).norm() / moved;
    return a.failed || !std::isfinite(e) ? std::numeric_limits<double>::infinity() : e;
  }
};

Case make_case(const std::string& file, double time) {
  Case c{.scene = load_scene(file), .time = time};
  const Flow reference = lilyan_flow("", "blanes-moan", {{"order", 6.0}});
  c.end = reference.run(c.scene, time, kReference).x;
  c.moved = (c.end - c.scene.initial.x).norm();
  const double doubt = c.error(reference.run(c.scene, time, kReference / 2));
  fmt::print("{}: the reference differs by {:.0e} from one with half the steps\n", c.scene.name,
             doubt);
  return c;
}

// The least effort, within a few per cent, that reaches the error; zero if none does.
double find_effort(const Case& c, const Flow& flow, double error) {
  const double growth = flow.tolerance ? 10 : 2;
  double low = flow.tolerance ? 10 : 1, high = low;
  while (c.error(flow.run(c.scene, c.time, high)) > error) {
    low = high;
    high *= growth;
    if (high > (flow.tolerance ? 1e14 : kReference * 256)) return 0;
  }
  for (int k = 0; k < 4; ++k) {
    const double middle = std::sqrt(low * high);
    (c.error(flow.run(c.scene, c.time, middle)) > error ? low : high) = middle;
  }
  return high;
}

double energy_error(const Case& c, const Arrival& a) {
  if (a.failed) return std::numeric_limits<double>::infinity();
  const State state{.x = a.x, .v = a.v};
  const Invariants start = invariants(*c.scene.system, c.scene.initial);
  const Invariants end = invariants(*c.scene.system, state);
  return std::abs(end.total - start.total) / std::max(start.scale(), end.scale());
}

void compare(const Case& c, double error, int repetitions, peers::Report& table) {
  const std::vector<Flow> flows = all_flows();
  std::vector<double> efforts;
  for (const Flow& f : flows) efforts.push_back(find_effort(c, f, error));
  std::vector<std::vector<double>> seconds(flows.size());
  std::vector<Arrival> ends(flows.size());
  for (int r = 0; r < repetitions; ++r) {
    for (std::size_t k = 0; k < flows.size(); ++k) {
      if (efforts[k] == 0) continue;
      double spent = 0;
      {
        const peers::CpuTimer timer(spent);
        ends[k] = flows[k].run(c.scene, c.time, efforts[k]);
      }
      seconds[k].push_back(spent);
    }
  }
  double reference = 0;  // Lilyan's best
  for (std::size_t k = 0; k < flows.size(); ++k) {
    if (!flows[k].name.starts_with("lilyan") || seconds[k].empty()) continue;
    const double s = peers::median(seconds[k]);
    reference = reference == 0 ? s : std::min(reference, s);
  }
  for (std::size_t k = 0; k < flows.size(); ++k) {
    peers::Row row{.group = "flow",
                   .problem = fmt::format("{} {:.0e}", c.scene.name, error),
                   .solver = flows[k].name,
                   .status = "error not reached"};
    if (efforts[k] > 0) {
      row.iterations = ends[k].steps;
      row.evaluations = ends[k].evaluations;
      row.ms = 1e3 * peers::median(seconds[k]);
      row.ratio = peers::median(seconds[k]) / reference;
      row.difference = c.error(ends[k]);
      row.energy = energy_error(c, flows[k].run(c.scene, kLonger * c.time, efforts[k]));
      row.status = "";
    }
    table.add(row);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const peers::Options options(argc, argv);
  peers::Report table(options.text("csv", ""));
  table.heading(
      "Explicit solvers at equal error (differs); ratios to Lilyan's best; energy: error after ten "
      "times as long");
  for (const std::string& file : peers::split(options.text("scenes", ""))) {
    const Case c = make_case(file, options.number("time", 10));
    for (const std::string& error : peers::split(options.text("errors", "1e-3,1e-7"))) {
      compare(c, std::stod(error), static_cast<int>(options.number("repetitions", 5)), table);
    }
  }
}

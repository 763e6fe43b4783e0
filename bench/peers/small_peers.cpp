// Small systems at equal error: Lilyan's compiled runs, Boost.odeint and SUNDIALS with the same
// force.
//
//   small_peers [errors=1e-3,1e-6] [repetitions=7] [longest=2] [csv=FILE]
//
// Each solver's steps (or tolerance) are chosen such that the error of the positions at the end is
// just below the one asked for; solvers that need more than `longest` seconds for it are left out.
// They take turns; times are the least of the repetitions. `energy` is the error of the energy
// after ten times as long with that choice.
#include "small_flow.hpp"

#include "lilyan/base/parameter.hpp"
#include "lilyan/lagrangian/compiled.hpp"
#include "peer.hpp"

namespace {

using namespace lilyan;
using peers::SmallArrival;
using peers::SmallFlow;

constexpr int kLonger = 10;
constexpr double kBlownUp = 0.05;  // an error of the energy that only instability leads to
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Problem, Summation kSummation = Summation::plain>
SmallArrival advance(const Scheme& scheme, double effort, int lengths = 1) {
  const double h = Problem::kTime / std::ceil(effort);
  const long steps = lengths * static_cast<long>(std::ceil(effort));
  auto run = compiled_run<Problem::kSize, kSummation>(Problem{}, Problem::mass(), scheme, h);
  run.start(Problem::position(), Problem::velocity());
  run.advance(steps);
  const auto &q = run.q(), &v = run.v();
  const long per_step = static_cast<long>(Splitting(scheme, h).cycle.size());
  return {{q.begin(), q.end()}, {v.begin(), v.end()}, steps, per_step * steps, false};
}

template <class Problem>
std::vector<SmallFlow> all_flows() {
  std::vector<SmallFlow> flows;
  const auto add = [&](const char* method, const Parameters& parameters = {}) {
    const Scheme scheme = make_scheme(method, parameters);
    flows.push_back({"lilyan " + scheme.label.substr(0, scheme.label.find('(')), false,
                     [scheme](double effort, int lengths) {
                       return advance<Problem>(scheme, effort, lengths);
                     }});
  };
  add("stoermer-verlet");
  add("yoshida");
  add("suzuki");
  add("mclachlan-4");
  add("blanes-moan");
  add("blanes-moan", {{"order", 6.0}});
  for (const double n : {6.0, 11.0, 14.0}) add("blanes-moan-nystroem", {{"evaluations", n}});
  add("kahan-li");
  for (SmallFlow& f : peers::small_odeint_flows<Problem>()) flows.push_back(std::move(f));
  for (SmallFlow& f : peers::small_sundials_flows<Problem>()) flows.push_back(std::move(f));
  return flows;
}

struct Reference {
  std::vector<double> end;
  double size = 0;

  [[nodiscard]] double error(const SmallArrival& a) const {
    double sum = 0;
    for (std::size_t i = 0; i < end.size(); ++i) sum += std::pow(a.q[i] - end[i], 2);
    const double e = std::sqrt(sum) / size;
    return a.failed || !std::isfinite(e) ? kInfinity : e;
  }
};

template <class Problem>
double total_energy(const std::vector<double>& q, const std::vector<double>& v) {
  const auto mass = Problem::mass();
  double e = Problem{}.energy(q.data());
  for (std::size_t i = 0; i < mass.size(); ++i) e += 0.5 * mass[i] * v[i] * v[i];
  return e;
}

template <class Problem>
double energy_error(const SmallArrival& a) {
  const auto q = Problem::position(), v = Problem::velocity();
  const double start = total_energy<Problem>({q.begin(), q.end()}, {v.begin(), v.end()});
  return a.failed ? kInfinity : std::abs(total_energy<Problem>(a.q, a.v) / start - 1);
}

template <class Problem>
Reference reference() {
  const Scheme scheme = make_scheme("kahan-li");
  constexpr double kSteps = 1 << 14;
  Reference r{.end = advance<Problem, Summation::compensated>(scheme, kSteps).q};
  for (const double q : r.end) r.size += q * q;
  r.size = std::sqrt(r.size);
  fmt::print("{}: the reference differs by {:.0e} from one with half the steps\n", Problem::name(),
             r.error(advance<Problem, Summation::compensated>(scheme, kSteps / 2)));
  return r;
}

double seconds(const SmallFlow& flow, double effort, SmallArrival* end = nullptr) {
  double spent = 0;
  {
    const peers::CpuTimer timer(spent);
    const SmallArrival a = flow.run(effort, 1);
    if (end) *end = a;
  }
  return spent;
}

// The least effort, within a few per cent, that reaches the error and is stable; zero if it takes
// too long.
template <class Problem>
double find_effort(const Reference& r, const SmallFlow& flow, double error, double longest) {
  const double growth = flow.tolerance ? 10 : 2;
  double low = flow.tolerance ? 64 : 16, high = low;
  SmallArrival end;
  for (double spent = seconds(flow, high, &end); r.error(end) > error;
       spent = seconds(flow, high, &end)) {
    if (spent > longest || high > 1e15) return 0;
    low = high;
    high *= growth;
  }
  for (int k = 0; k < (flow.tolerance ? 6 : 5); ++k) {
    const double middle = std::sqrt(low * high);
    (r.error(flow.run(middle, 1)) > error ? low : high) = middle;
  }
  while (!(energy_error<Problem>(flow.run(high, kLonger)) < kBlownUp)) {
    high *= flow.tolerance ? 1.5 : 1.05;
  }
  return high;
}

template <class Problem>
void compare(const Reference& r, double error, const peers::Options& options,
             peers::Report& table) {
  const std::vector<SmallFlow> flows = all_flows<Problem>();
  std::vector<double> efforts, best(flows.size(), kInfinity);
  for (const SmallFlow& f : flows) {
    efforts.push_back(find_effort<Problem>(r, f, error, options.number("longest", 2)));
  }
  std::vector<SmallArrival> ends(flows.size());
  for (int k = 0; k < static_cast<int>(options.number("repetitions", 7)); ++k) {
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (efforts[f] > 0) best[f] = std::min(best[f], seconds(flows[f], efforts[f], &ends[f]));
    }
  }
  double ours = kInfinity, theirs = kInfinity;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    double& group = flows[f].name.starts_with("lilyan") ? ours : theirs;
    group = std::min(group, best[f]);
  }
  for (std::size_t f = 0; f < flows.size(); ++f) {
    peers::Row row{.group = "small",
                   .problem = fmt::format("{} {:.0e}", Problem::name(), error),
                   .solver = flows[f].name,
                   .status = "takes too long"};
    if (efforts[f] > 0) {
      row.iterations = static_cast<int>(ends[f].steps);
      row.evaluations = static_cast<int>(ends[f].evaluations);
      row.ms = 1e3 * best[f];
      row.ratio = best[f] / ours;
      row.difference = r.error(ends[f]);
      row.energy = energy_error<Problem>(flows[f].run(efforts[f], kLonger));
      row.status = best[f] == ours ? "Lilyan's best" : best[f] == theirs ? "the best other" : "";
    }
    table.add(row);
  }
}

template <class Problem>
void compare_all(const peers::Options& options, peers::Report& table) {
  const Reference r = reference<Problem>();
  for (const std::string& error : peers::split(options.text("errors", "1e-3,1e-6"))) {
    compare<Problem>(r, std::stod(error), options, table);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const peers::Options options(argc, argv);
  peers::Report table(options.text("csv", ""));
  table.heading("Small systems at equal error (differs); ratios to Lilyan's best");
  compare_all<peers::SolarSystem>(options, table);
  compare_all<peers::Chain>(options, table);
}

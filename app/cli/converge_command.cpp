// lilyan converge: the error of methods at smaller and smaller steps, and what it costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>

#include "app/cli/commands.hpp"
#include "app/cli/terminal.hpp"
#include "app/files/file.hpp"
#include "app/report/picture/figure.hpp"
#include "app/report/picture/method_colours.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDefaultSizes = 6;
constexpr int kReferenceFactor = 4;  // steps of the reference in one of the smallest steps
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// One run of one method with one step size.
struct Point {
  double h = 0;
  double error = kNone;  // of the state at the end
  double energy = kNone;
  double seconds = 0;  // of processor time
  long evaluations = 0;
  std::string reason;  // why there is no error; empty: there is one
};

struct Curve {
  std::string method;
  std::vector<Point> points;
};

Scene load(const ConvergeOptions& options, const std::string& method, double h, double duration) {
  SceneChanges changes{
      .settings = options.scene.settings, .steps = {}, .start = options.scene.start};
  for (std::string& setting : settings_of_method(method)) {
    changes.settings.push_back(std::move(setting));
  }
  changes.settings.push_back(fmt::format("integrator.step={:.17g}", h));
  changes.steps = static_cast<int>(std::lround(duration / h));
  return load_scene(find_scene(options.scene.scene), changes);
}

// √(δxᵀMδx / xᵀMx) of positions and the same of velocities, whichever is larger.
double distance(const System& system, const State& state, const State& reference) {
  const auto relative = [&](const Vector& a, const Vector& b, const Vector& start) {
    const auto norm = [&](const auto& v) { return std::sqrt(system.mass().square(v)); };
    const double size = std::max(norm(b), norm(start));
    return size > 0 ? norm(a - b) / size : norm(a - b);
  };
  return std::max(relative(state.x, reference.x, reference.x),
                  relative(state.v, reference.v, reference.v));
}

// Runs the scene to its end; the state there, or why there is none.
State run_to(const Scene& scene, Point& point) {
  DriftTracker drift = follow_drift(scene);
  const double before = processor_seconds();
  FinishedRun finished = run_scene(
      scene, drift, [](const RunMoment&) { return !interrupted(); }, interrupt_flag());
  point.seconds = processor_seconds() - before;
  point.evaluations = finished.solver_work.evaluations;
  if (finished.end != RunEnd::finished) {
    point.reason = finished.message.empty() ? "interrupted" : finished.message;
    return {};
  }
  point.energy = drift.energy().worst_relative();
  return std::move(finished.state);
}

// The method of the highest order, which the reference is made with.
std::string best_method(const std::vector<std::string>& methods, const ConvergeOptions& options,
                        double h, double duration) {
  std::string best;
  int order = 0;
  for (const std::string& method : methods) {
    const int own = load(options, method, h, duration).settings.scheme.claims.order;
    if (own > order) best = method;
    order = std::max(order, own);
  }
  return best;
}

// Step sizes, the largest first, and the time that all of them reach.
struct Steps {
  std::vector<double> sizes;
  double duration;
};

Steps choose_steps(const ConvergeOptions& options, const Scene& scene) {
  std::vector<double> sizes = options.sizes;
  for (int k = 0; options.sizes.empty() && k < kDefaultSizes; ++k) {
    sizes.push_back(std::ldexp(scene.settings.step, -k));
  }
  std::ranges::sort(sizes, std::greater<>());
  // The end is a multiple of the largest step, and close to one of every other.
  const double wanted = options.duration.value_or(scene.settings.duration);
  const double duration = std::max(std::round(wanted / sizes.front()), 1.0) * sizes.front();
  for (const double h : sizes) {
    const double steps = duration / h;
    if (std::abs(steps - std::round(steps)) > 1e-6 * steps) {
      throw Error(
          fmt::format("{} is not a whole number of steps of {}: give steps that divide the "
                      "largest one, or --duration",
                      duration, h));
    }
  }
  return {std::move(sizes), duration};
}

// The state at the end that others are compared with.
State make_reference(const ConvergeOptions& options, const std::vector<std::string>& methods,
                     const Steps& steps) {
  const double finest = steps.sizes.back() / kReferenceFactor;
  const std::string best = best_method(methods, options, finest, steps.duration);
  tell(fmt::format("the reference: {} with steps of {:.5g} until {:.5g}\n", best, finest,
                   steps.duration));
  Point point;
  const State reference = run_to(load(options, best, finest, steps.duration), point);
  if (!point.reason.empty()) {
    throw Error("the reference could not be made: " + point.reason);
  }
  return reference;
}

Point measure(const ConvergeOptions& options, const std::string& method, double h, double duration,
              const State& reference) {
  Point point{.h = h};
  try {
    const Scene run = load(options, method, h, duration);
    const State end = run_to(run, point);
    if (point.reason.empty()) point.error = distance(*run.system, end, reference);
  } catch (const Error& error) {
    point.reason = error.what();
  }
  tell(fmt::format("{} with steps of {:.5g}: {}\n", method, h,
                   point.reason.empty() ? fmt::format("error {:.2e}", point.error) : point.reason));
  return point;
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); }

double order_between(const Point& a, const Point& b) {
  return std::log(a.error / b.error) / std::log(a.h / b.h);
}

void print_table(const std::vector<Curve>& curves) {
  std::size_t widest = 6;
  for (const Curve& c : curves) widest = std::max(widest, c.method.size());
  fmt::print("{:<{}}  {:>10}  {:>9}  {:>5}  {:>9}  {:>10}  {:>10}\n", "method", widest, "step",
             "error", "order", "|ΔE|/E₀", "CPU s", "evaluations");
  for (const Curve& c : curves) {
    for (std::size_t k = 0; k < c.points.size(); ++k) {
      const Point& p = c.points[k];
      fmt::print("{:<{}}  {:>10.5g}  ", k == 0 ? c.method : "", widest, p.h);
      if (!p.reason.empty()) {
        fmt::print("{}\n", p.reason);
        continue;
      }
      const bool both = k > 0 && c.points[k - 1].reason.empty();
      fmt::print("{:>9.2e}  {:>5}  {:>9.1e}  {:>10.3g}  {:>10}\n", p.error,
                 both ? fmt::format("{:.2f}", order_between(c.points[k - 1], p)) : "", p.energy,
                 p.seconds, p.evaluations > 0 ? std::to_string(p.evaluations) : "");
    }
  }
}

std::string csv(const std::vector<Curve>& curves) {
  std::string out =
      "method,step,error,order,worst_relative_energy_error,cpu_seconds,evaluations,reason\n";
  for (const Curve& c : curves) {
    for (std::size_t k = 0; k < c.points.size(); ++k) {
      const Point& p = c.points[k];
      std::string reason = p.reason;
      std::ranges::replace(reason, '"', '\'');
      out += fmt::format("{},{:.17g},{},{},{},{:.6g},{},\"{}\"\n", c.method, p.h, number(p.error),
                         k > 0 ? number(order_between(c.points[k - 1], p)) : "", number(p.energy),
                         p.seconds, p.evaluations, reason);
    }
  }
  return out;
}

void add_curve(Figure& figure, const Curve& curve, int colour, double Point::*x) {
  PlotSeries line{.label = curve.method, .colour = colour};
  for (const Point& p : curve.points) {
    if (!p.reason.empty()) continue;
    line.x.push_back(p.*x);
    line.y.push_back(p.error);
  }
  PlotSeries marks{.x = line.x, .y = line.y, .style = PlotStyle::points, .colour = colour};
  figure.series.push_back(std::move(line));
  figure.series.push_back(std::move(marks));
}

void draw(const std::vector<Curve>& curves, const Scene& scene, const fs::path& folder) {
  const std::string_view unit = time_unit(scene);  // " s", or nothing
  Figure order{.title = scene.title,
               .subtitle = "error at the end of the run",
               .x_label = unit.empty() ? "step" : fmt::format("step ({})", unit.substr(1)),
               .y_label = "error",
               .log_x = true,
               .log_y = true};
  Figure work = order;
  work.subtitle = "work and precision";
  work.x_label = "processor time (s)";
  std::vector<std::string> methods;
  for (const Curve& curve : curves) methods.push_back(curve.method);
  const std::vector<int> colours = method_colours(methods);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    add_curve(order, curves[k], colours[k], &Point::h);
    add_curve(work, curves[k], colours[k], &Point::seconds);
  }
  write_svg({.panels = {order}}, folder / "order.svg");
  write_svg({.panels = {work}}, folder / "work.svg");
}

}  // namespace

int converge(const ConvergeOptions& options) {
  const Scene scene =
      load_scene(find_scene(options.scene.scene),
                 {.settings = options.scene.settings, .steps = {}, .start = options.scene.start});
  if (scene.settings.variable_steps()) {
    throw Error(
        "the steps of this scene vary (step_control): only steps of one size have an order");
  }
  std::vector<std::string> methods = options.methods;
  if (methods.empty()) methods = compared_methods(scene);
  const Steps steps = choose_steps(options, scene);
  const fs::path folder = options.output.empty() ? fs::path("results") / (scene.name + "-converge")
                                                 : fs::path(options.output);
  fs::create_directories(folder);
  catch_interrupts();
  set_threads(1);
  const State reference = make_reference(options, methods, steps);
  std::vector<Curve> curves;
  for (const std::string& method : methods) {
    Curve curve{.method = method};
    for (const double h : steps.sizes) {
      if (interrupted()) return kStopped;
      curve.points.push_back(measure(options, method, h, steps.duration, reference));
    }
    curves.push_back(std::move(curve));
  }
  print_table(curves);
  write_file(folder / "convergence.csv", csv(curves));
  draw(curves, scene, folder);
  fmt::print("results in {}: convergence.csv, order.svg, work.svg\n", folder.string());
  return kDone;
}

}  // namespace lilyan::cli

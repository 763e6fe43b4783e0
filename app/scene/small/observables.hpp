// Observables of a small system's run: invariants, events, plots, the exact solution. They are read
// from [system.invariants], [[system.event]], [[system.plot]] and [system.exact].
#pragma once

#include <string>
#include <vector>

#include "app/scene/toml/table_reader.hpp"
#include "lilyan/lagrangian/expression_model.hpp"
#include "lilyan/lagrangian/expression_parts.hpp"
#include "lilyan/lagrangian/expression_text.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

struct ObservedInvariant {
  std::string name;
  // True: found as a symmetry of the Lagrangian; false: named by the scene.
  bool found = false;
};

// A function of the state that passes through zero.
struct ObservedEvent {
  enum class Direction { rising, falling, both };
  std::string name;
  Direction direction = Direction::both;
  bool stops = false;  // the run ends there
  // The section through the motion that the events make: axes of its picture, empty for none.
  std::string x, y;
};

struct ObservedPlot {
  std::string name, title;
  std::string x, y;                 // labels of the axes
  std::vector<std::string> curves;  // one or more, each with its formula (or name) for the legend
  bool equal = false;
  bool points = false;
};

class Observables {
 public:
  std::vector<ObservedInvariant> invariants;
  std::vector<ObservedEvent> events;
  std::vector<ObservedPlot> plots;
  bool has_exact = false;

  // Values at a state, one per entry of the lists above; two (x, y) for every curve of a plot and
  // for the sections of events (those that have none included). Good until the next call.
  [[nodiscard]] const double* invariant_values(const State& s) const { return run(invariants_, s); }
  // The size of the terms that they are sums of: Σ |z ∂Q/∂z| over coordinates and velocities z.
  [[nodiscard]] const double* invariant_scales(const State& s) const { return run(scales_, s); }
  [[nodiscard]] const double* event_values(const State& s) const { return run(events_, s); }
  [[nodiscard]] const double* section_values(const State& s) const { return run(sections_, s); }
  [[nodiscard]] const double* plot_values(const State& s) const { return run(plots_, s); }
  // √Σ (q − q_exact)², over the coordinates whose exact motion is given.
  [[nodiscard]] double exact_error(const State& s) const;

 private:
  friend Observables read_observables(TableReader& reader, ExpressionModel& model);
  [[nodiscard]] static const double* run(const ExpressionEvaluator& evaluator, const State& s) {
    return evaluator.run(static_cast<int>(s.x.size()), s.x.data(), s.v.data(), s.t);
  }
  ExpressionEvaluator invariants_, scales_, events_, sections_, plots_, exact_;
  std::vector<int> exact_coordinates_;
};

// Reads them from the [system] table; the model's formulas must be complete.
[[nodiscard]] Observables read_observables(TableReader& reader, ExpressionModel& model);

// Calls `work` and turns what it throws about a formula into an error at its place in the file.
template <class Work>
auto with_formula(const TableReader& reader, const SceneFormula& formula, const Work& work) {
  try {
    return work();
  } catch (const ExpressionError& error) {
    reader.fail_within(formula, error.position(), error.what());
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(formula.where, error.what());
  }
}

}  // namespace lilyan

#include "app/scene/small/observables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "lilyan/lagrangian/differentiate.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostFound = 12;  // invariants that are watched without being asked for

ExpressionNode read_formula(TableReader& reader, const std::string& key, ExpressionModel& model) {
  const SceneFormula formula = reader.formula(key);
  return with_formula(reader, formula, [&] { return model.parse(formula.text); });
}

// Names become columns and names of files.
void check_name(const TableReader& reader, const std::string& key, const std::string& name) {
  const bool good = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  if (!good) {
    reader.fail(key, fmt::format("'{}' cannot be a name: use letters, digits, _ and -", name));
  }
}

std::vector<ExpressionNode> read_invariants(TableReader& system, ExpressionModel& model,
                                            std::vector<ObservedInvariant>& invariants) {
  std::vector<ExpressionNode> nodes;
  TableReader reader = system.table("invariants");
  // By name, as in scene.resolved.toml: whatever order they stand in, a scene and its resolved form have the
  // same columns.
  std::vector<std::string> names = reader.unread();
  std::ranges::sort(names);
  for (const std::string& name : names) {
    check_name(reader, name, name);
    nodes.push_back(read_formula(reader, name, model));
    invariants.push_back({.name = name});
  }
  std::size_t found = 0;
  for (const int i : model.conserved_momenta()) {
    const ExpressionNode p = model.momentum(i);
    const std::string name = "p_" + model.coordinates()[static_cast<std::size_t>(i)];
    const bool named =
        std::ranges::find(invariants, name, &ObservedInvariant::name) != invariants.end();
    if (found == kMostFound || named || std::ranges::find(nodes, p) != nodes.end()) continue;
    ++found;
    nodes.push_back(p);
    invariants.push_back({name, true});
  }
  return nodes;
}

void refuse_twice(const TableReader& reader, std::set<std::string>& names,
                  const std::string& name) {
  if (!names.insert(name).second) reader.fail("name", fmt::format("'{}' is taken", name));
}

void read_events(TableReader& system, ExpressionModel& model, std::vector<ObservedEvent>& events,
                 std::vector<ExpressionNode>& functions, std::vector<ExpressionNode>& sections) {
  using Direction = ObservedEvent::Direction;
  std::set<std::string> names;
  for (TableReader& reader : system.tables("event")) {
    ObservedEvent event;
    event.name = reader.text("name");
    check_name(reader, "name", event.name);
    refuse_twice(reader, names, event.name);
    functions.push_back(read_formula(reader, "zero", model));
    const std::string direction = reader.choice("direction", {"rising", "falling", "both"}, "both");
    event.direction = direction == "rising"    ? Direction::rising
                      : direction == "falling" ? Direction::falling
                                               : Direction::both;
    event.stops = reader.flag("stop", false);
    if (reader.has("section")) {
      const std::vector<SceneFormula> axes = reader.formulas("section");
      if (axes.size() != 2) reader.fail("section", "'section' must be a list of two formulas");
      for (const SceneFormula& axis : axes) {
        sections.push_back(with_formula(reader, axis, [&] { return model.parse(axis.text); }));
      }
      event.x = axes[0].text;
      event.y = axes[1].text;
    } else {
      sections.insert(sections.end(), 2, functions.back());
    }
    reader.finish();
    events.push_back(event);
  }
}

std::vector<ExpressionNode> read_plots(TableReader& system, ExpressionModel& model,
                                       std::vector<ObservedPlot>& plots) {
  std::vector<ExpressionNode> nodes;
  std::set<std::string> names = {"trajectory", "phase", "energy"};
  for (TableReader& reader : system.tables("plot")) {
    ObservedPlot plot;
    plot.name = reader.text("name");
    check_name(reader, "name", plot.name);
    refuse_twice(reader, names, plot.name);
    if (plot.name.starts_with("section-")) {
      reader.fail("name", "names that begin with 'section-' are for sections of events");
    }
    plot.title = reader.text("title", plot.name);
    const std::vector<SceneFormula> xs = reader.formulas("x");
    const std::vector<SceneFormula> ys = reader.formulas("y");
    if (xs.size() != 1 && xs.size() != ys.size()) {
      reader.fail("x", "'x' must be one formula, or as many as 'y' has");
    }
    if (ys.empty()) reader.fail("y", "'y' must have a formula");
    for (std::size_t k = 0; k < ys.size(); ++k) {
      for (const SceneFormula* f : {&xs[xs.size() == 1 ? 0 : k], &ys[k]}) {
        nodes.push_back(with_formula(reader, *f, [&] { return model.parse(f->text); }));
      }
      plot.curves.push_back(ys[k].text);
    }
    if (reader.has("labels")) {
      plot.curves = reader.texts("labels");
      if (plot.curves.size() != ys.size()) {
        reader.fail("labels", "'labels' must have as many texts as 'y' has formulas");
      }
    }
    plot.x = reader.text("x_label", xs.size() == 1 ? xs[0].text : "");
    plot.y = reader.text("y_label", ys.size() == 1 ? ys[0].text : "");
    plot.equal = reader.flag("equal", false);
    plot.points = reader.choice("style", {"line", "points"}, "line") == "points";
    reader.finish();
    plots.push_back(plot);
  }
  return nodes;
}

// Formulas in t for coordinates by their names, or for lists of them in t and the index i.
std::vector<ExpressionNode> read_exact(TableReader& system, ExpressionModel& model,
                                       std::vector<int>& coordinates) {
  std::vector<ExpressionNode> nodes;
  if (!system.has("exact")) return nodes;
  TableReader reader = system.table("exact");
  std::vector<std::string> names;
  int at = 0;
  for (const auto& [name, first, count, list] : model.coordinate_groups()) {
    names.push_back(name);
    for (int i = 0; i < count && reader.has(name); ++i) {
      const SceneFormula formula = reader.formula(name);
      coordinates.push_back(at + i);
      nodes.push_back(with_formula(reader, formula, [&, list = list, index = first + i] {
        return list ? model.parse(formula.text, index) : model.parse(formula.text);
      }));
    }
    at += count;
  }
  reader.finish(names);
  return nodes;
}

// Σ |z ∂Q/∂z|; zero where Q has no derivative.
ExpressionNode size_of_terms(ExpressionModel& model, ExpressionNode q) {
  ExpressionGraph& graph = model.graph();
  std::vector<int> variables(static_cast<std::size_t>(2 * model.dofs()));
  std::iota(variables.begin(), variables.end(), 0);
  try {
    std::vector<ExpressionNode> terms = gradient(graph, q, variables);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const ExpressionNode z = graph.variable(static_cast<int>(i));
      terms[i] = graph.apply(Operation::abs, graph.multiply(z, terms[i]));
    }
    return graph.sum(terms);
  } catch (const Error&) {
    return graph.constant(0);
  }
}

}  // namespace

double Observables::exact_error(const State& s) const {
  const double* exact = run(exact_, s);
  double sum = 0;
  for (const int i : exact_coordinates_) {
    const double off = s.x[i] - *exact++;
    sum += off * off;
  }
  return std::sqrt(sum);
}

Observables read_observables(TableReader& reader, ExpressionModel& model) {
  Observables o;
  const auto invariants = read_invariants(reader, model, o.invariants);
  std::vector<ExpressionNode> events, sections;
  read_events(reader, model, o.events, events, sections);
  const auto plots = read_plots(reader, model, o.plots);
  const auto exact = read_exact(reader, model, o.exact_coordinates_);
  std::vector<ExpressionNode> scales;
  for (const ExpressionNode q : invariants) scales.push_back(size_of_terms(model, q));
  o.has_exact = !exact.empty();
  const ExpressionGraph& graph = model.graph();
  o.invariants_ = ExpressionEvaluator(graph, invariants);
  o.scales_ = ExpressionEvaluator(graph, scales);
  o.events_ = ExpressionEvaluator(graph, events);
  o.sections_ = ExpressionEvaluator(graph, sections);
  o.plots_ = ExpressionEvaluator(graph, plots);
  o.exact_ = ExpressionEvaluator(graph, exact);
  return o;
}

}  // namespace lilyan

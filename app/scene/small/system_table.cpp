// [system]: a small system of a built-in kind, or kind = "lagrangian" with formulas.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "app/scene/body/actions.hpp"
#include "app/scene/small/drawing.hpp"
#include "app/scene/small/ensemble_table.hpp"
#include "app/scene/small/observables.hpp"
#include "app/scene/small/small_system.hpp"
#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/lagrangian/expression_text.hpp"
#include "lilyan/lagrangian/parse.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/numeric/dense.hpp"
#include "lilyan/step/capabilities.hpp"

namespace lilyan {
namespace {

constexpr const char* kLagrangian = "lagrangian";
constexpr double kMostCoordinates = 100000;
constexpr Eigen::Index kLargestChecked = 500;  // inertia matrices, which are dense

using WaitingParameters = std::map<std::string, std::vector<SceneFormula>>;

// Throws when one of the parameters left is in the formula of another of them, and the other way
// round.
void refuse_circle(const TableReader& reader, const WaitingParameters& waiting) {
  for (const auto& [name, formulas] : waiting) {
    for (const SceneFormula& f : formulas) {
      for (const Token& token : tokens(f.text)) {
        const std::string used(token.text);
        if (token.kind != TokenKind::name || !waiting.contains(used)) continue;
        // An unknown name is reported where it stands, not where it is waited for.
        const bool both = std::ranges::any_of(waiting.at(used), [&](const SceneFormula& other) {
          return std::ranges::any_of(tokens(other.text), [&](const Token& t) {
            return t.kind == TokenKind::name && waiting.contains(std::string(t.text));
          });
        });
        if (both) {
          reader.fail_within(f, token.position,
                             fmt::format("'{}' and '{}' are defined by each other", name, used));
        }
      }
    }
  }
}

// Parameters may come in any order: one that needs another waits for it.
void read_model_parameters(TableReader reader, ExpressionModel& model) {
  WaitingParameters waiting;
  std::map<std::string, bool> list;
  for (const std::string& name : reader.unread()) {
    list[name] = reader.is_list(name);
    waiting[name] = reader.formulas(name);
  }
  while (!waiting.empty()) {
    const std::size_t before = waiting.size();
    for (auto it = waiting.begin(); it != waiting.end();) {
      const std::string& name = it->first;
      const auto add = [&] {
        std::vector<double> values;
        for (const SceneFormula& f : it->second) {
          values.push_back(model.number(f.text));
          if (!std::isfinite(values.back())) {
            throw InputError(f.where, fmt::format("'{}' is {}", f.text, values.back()));
          }
        }
        list[name] ? model.add_parameter(name, values) : model.add_parameter(name, values[0]);
      };
      try {
        add();
        it = waiting.erase(it);
      } catch (const ExpressionError&) {
        ++it;
      } catch (const InputError&) {
        throw;
      } catch (const Error& error) {
        reader.fail(name, error.what());
      }
    }
    if (waiting.size() < before) continue;
    refuse_circle(reader, waiting);
    const auto& [name, formulas] = *waiting.begin();
    for (const SceneFormula& f : formulas) {
      with_formula(reader, f, [&] { return model.number(f.text); });
    }
  }
}

int read_index(const TableReader& reader, const SceneFormula& f, ExpressionModel& model) {
  const double value = with_formula(reader, f, [&] { return model.number(f.text); });
  if (value == std::floor(value) && std::abs(value) <= kMostCoordinates) {
    return static_cast<int>(value);
  }
  throw InputError(f.where, fmt::format("'{}' is {}: a whole number of at most {} is expected",
                                        f.text, value, kMostCoordinates));
}

// "theta", "x[8]" for x[1] … x[8], "x[0..n]".
void add_coordinates(const SceneFormula& given, ExpressionModel& model) {
  const std::string& text = given.text;
  const std::size_t open = text.find('[');
  if (open == std::string::npos) {
    model.add_coordinate(text);
    return;
  }
  if (text.back() != ']') {
    throw InputError(given.where,
                     fmt::format("'{}' must be a name, or a list of them as in \"x[8]\" or "
                                 "\"x[0..7]\"",
                                 text));
  }
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  const std::size_t dots = inside.find("..");
  const auto bound = [&](const std::string& formula) {
    const double value = model.number(formula);
    if (value == std::floor(value) && std::abs(value) <= kMostCoordinates) {
      return static_cast<int>(value);
    }
    throw Error(fmt::format("'{}' is {}: the numbers of coordinates must be whole and at most {}",
                            formula, value, kMostCoordinates));
  };
  const int first = dots == std::string::npos ? 1 : bound(inside.substr(0, dots));
  const int last = bound(dots == std::string::npos ? inside : inside.substr(dots + 2));
  model.add_coordinates(text.substr(0, open), first, last);
}

void read_coordinates(TableReader& reader, ExpressionModel& model) {
  const std::vector<SceneFormula> all = reader.formulas("coordinates");
  for (const SceneFormula& given : all) {
    try {
      add_coordinates(given, model);
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      throw InputError(given.where, error.what());
    }
  }
  try {
    model.finish_coordinates();
  } catch (const Error& error) {
    reader.fail("coordinates", error.what());
  }
}

// Names that keys by coordinate may have: a list of coordinates has one name.
std::vector<std::string> coordinate_names(const ExpressionModel& model) {
  std::vector<std::string> names;
  for (const auto& group : model.coordinate_groups()) names.push_back(group.name);
  return names;
}

// Initial values of coordinates or velocities: a number, a formula in parameters (for lists also in
// the index i), or a list.
Vector read_values(TableReader reader, ExpressionModel& model) {
  Vector values = Vector::Zero(model.dofs());
  int at = 0;
  for (const auto& [name, first, count, list] : model.coordinate_groups()) {
    if (reader.has(name)) {
      const bool many = reader.is_list(name);
      const std::vector<SceneFormula> given = reader.formulas(name);
      if (many && (!list || static_cast<int>(given.size()) != count)) {
        reader.fail(name, fmt::format("'{}' has {}, not {}", name,
                                      list ? fmt::format("{} elements", count) : "one value",
                                      given.size()));
      }
      for (int i = 0; i < count; ++i) {
        const SceneFormula& f = given[many ? static_cast<std::size_t>(i) : 0];
        const double value = with_formula(reader, f, [&, list = list, index = first + i] {
          return list ? model.number(f.text, index) : model.number(f.text);
        });
        if (!std::isfinite(value))
          throw InputError(f.where, fmt::format("'{}' is not finite", f.text));
        values[at + i] = value;
      }
    }
    at += count;
  }
  reader.finish(coordinate_names(model));
  return values;
}

void read_formula_forces(TableReader reader, ExpressionModel& model) {
  int at = 0;
  for (const auto& [name, first, count, list] : model.coordinate_groups()) {
    if (reader.has(name)) {
      const SceneFormula f = reader.formula(name);
      for (int i = 0; i < count; ++i) {
        const std::optional<int> index = list ? std::optional(first + i) : std::nullopt;
        with_formula(reader, f, [&] {
          model.add_force(at + i, f.text, index);
          return 0;
        });
      }
    }
    at += count;
  }
  reader.finish(coordinate_names(model));
}

// One formula, a list of them, or [[system.constraint]] tables with a formula in an index i.
void read_formula_constraints(TableReader& reader, ExpressionModel& model) {
  if (!reader.has("constraint")) return;
  const auto add = [&](const SceneFormula& f, std::optional<int> i) {
    with_formula(reader, f, [&] {
      model.add_constraint(f.text, i);
      return 0;
    });
  };
  if (!reader.has_tables("constraint")) {
    for (const SceneFormula& f : reader.formulas("constraint")) add(f, {});
    return;
  }
  for (TableReader& table : reader.tables("constraint")) {
    const SceneFormula f = table.formula("zero");
    if (!table.has("i")) {
      add(f, {});
    } else {
      const std::vector<SceneFormula> ends = table.formulas("i");
      if (ends.size() != 2) table.fail("i", "'i' must be a list of its first and its last value");
      const int first = read_index(table, ends[0], model);
      const int last = read_index(table, ends[1], model);
      if (last < first) table.fail("i", fmt::format("there is no i from {} to {}", first, last));
      for (int i = first; i <= last; ++i) add(f, i);
    }
    table.finish();
  }
}

void read_energies(TableReader& reader, ExpressionModel& model) {
  const auto read = [&](const char* key, void (ExpressionModel::*set)(std::string_view)) {
    const SceneFormula f = reader.formula(key);
    with_formula(reader, f, [&] {
      (model.*set)(f.text);
      return 0;
    });
  };
  if (reader.has("lagrangian")) {
    for (const char* key : {"kinetic", "potential"}) {
      if (reader.has(key)) {
        reader.fail(key, "give either 'lagrangian' or 'kinetic' and 'potential', not both");
      }
    }
    read("lagrangian", &ExpressionModel::set_lagrangian);
  } else {
    read("kinetic", &ExpressionModel::set_kinetic);
    if (reader.has("potential")) read("potential", &ExpressionModel::set_potential);
  }
  if (reader.has("dissipation")) read("dissipation", &ExpressionModel::set_dissipation);
  read_formula_constraints(reader, model);
}

// A mass matrix without an inverse would only show as a step that fails.
void check_inertia(const TableReader& reader, const char* key, const ReadSystem& read) {
  const Lagrangian* l = read.system->lagrangian();
  if (!l) return;
  const State& s = read.initial;
  const Eigen::Index n = s.x.size();
  if (n > kLargestChecked) return;
  Eigen::MatrixXd qq(n, n), qv(n, n), vv(n, n);
  l->evaluate(s.t, s.x.data(), s.v.data(), {.qq = qq.data(), .qv = qv.data(), .vv = vv.data()});
  // In units in which the diagonal is one, so that light coordinates count beside heavy ones.
  const Vector unit =
      vv.diagonal().cwiseAbs().cwiseSqrt().unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
  if (vv.allFinite() && is_invertible(unit.asDiagonal() * vv * unit.asDiagonal())) return;
  reader.fail(key,
              vv.allFinite()
                  ? "the velocities cannot be found from the momenta: at the initial state the "
                    "second derivatives by the velocities have no inverse"
                  : "the second derivatives by the velocities are not finite at the initial "
                    "state");
}

void read_lagrangian(TableReader& reader, const Scheme& scheme, ReadSystem& read) {
  reader.expect({"parameters", "coordinates", "lagrangian", "kinetic", "potential", "dissipation",
                 "constraint", "force", "position", "velocity", "project_velocities", "reference",
                 "invariants", "event", "plot", "exact", "draw", "ensemble"});
  ExpressionModel model;
  read_model_parameters(reader.table("parameters"), model);
  read_coordinates(reader, model);
  read_energies(reader, model);
  if (reader.has("force") && !reader.is_table("force")) {
    reader.fail("force",
                "forces on a Lagrangian system are formulas by coordinate: [system.force]");
  }
  read_formula_forces(reader.table("force"), model);
  (void)reader.text("reference", "");
  read.small.coordinates = model.coordinates();
  read.initial.x = read_values(reader.table("position"), model);
  read.initial.v = read_values(reader.table("velocity"), model);
  const char* energy = reader.has("lagrangian") ? "lagrangian" : "kinetic";
  try {
    read.system = model.make_system();
    if (model.has_dissipation() && !reason_unsupported(*read.system, scheme).empty()) {
      read.system = model.make_system(true);
    }
  } catch (const Error& error) {
    reader.fail(energy, error.what());
  }
  check_inertia(reader, energy, read);
  const bool project = reader.flag("project_velocities", false);
  try {
    if (project && !read.system->constraints().empty()) {
      project_velocities(*read.system, read.initial);
    }
    if (!read.system->constraints().empty()) check_constraints(*read.system, read.initial);
  } catch (const Error& error) {
    reader.fail("constraint", error.what());
  }
  read.small.observables = std::make_unique<Observables>(read_observables(reader, model));
  read.small.drawing = std::make_unique<Drawing>(read_drawing(reader, model, kLagrangian));
  read.small.orbits = read_ensemble(reader, model, read);
  reader.finish();
}

// Observables and drawing of a built-in system. Their formulas may use coordinates, velocities,
// momenta, and those of the system's parameters whose names are free.
void read_builtin_observables(TableReader& reader, ReadSystem& read, const std::string& kind,
                              const Parameters& given) {
  ExpressionModel model;
  const auto& names = read.small.coordinates;
  for (const auto& [name, value] : given.values()) {
    const double* number = std::get_if<double>(&value);
    if (!number || std::ranges::find(names, name) != names.end()) continue;
    try {
      model.add_parameter(name, *number);
    } catch (const Error&) {  // not a name that formulas can use
    }
  }
  std::string kinetic = "0";
  for (std::size_t i = 0; i < names.size(); ++i) {
    model.add_coordinate(names[i]);
    const std::size_t vertex = i / static_cast<std::size_t>(read.system->dimension());
    kinetic += fmt::format("+{}*{}'^2/2", read.system->vertex_masses()[vertex], names[i]);
  }
  model.finish_coordinates();
  model.set_kinetic(kinetic);
  model.name_momenta(false);
  read.small.observables = std::make_unique<Observables>(read_observables(reader, model));
  read.small.drawing = std::make_unique<Drawing>(read_drawing(reader, model, kind));
  read.small.orbits = read_ensemble(reader, model, read);
}

}  // namespace

SmallSystem::SmallSystem() = default;
SmallSystem::~SmallSystem() = default;
SmallSystem::SmallSystem(SmallSystem&&) noexcept = default;
SmallSystem& SmallSystem::operator=(SmallSystem&&) noexcept = default;

ReadSystem read_system(TableReader reader, const Scheme& scheme) {
  const ExpressionBudget budget;
  ReadSystem read;
  std::vector<std::string> names = {kLagrangian};
  for (const Problem& p : problems()) names.push_back(p.name);
  reader.expect({"kind", "force", "invariants", "event", "plot", "exact", "draw", "ensemble"});
  const std::string kind = reader.choice("kind", names);
  if (kind == kLagrangian) {
    read_lagrangian(reader, scheme, read);
    return read;
  }
  const Problem* problem = find_problem(kind);
  for (const ParameterSpec& p : problem->parameters) reader.expect({p.name});
  std::vector<SceneForce> forces;
  for (TableReader& table : reader.tables("force")) {
    forces.push_back(read_force(table, problem->dimension));
    table.finish();
  }
  try {
    const Parameters given = read_parameter_values(reader, problem->parameters);
    ProblemInstance made = make_problem(problem->name, given);
    read.system = std::move(made.system);
    read.initial = std::move(made.initial);
    read.small.coordinates = std::move(made.coordinates);
    for (const SceneForce& force : forces) {
      add_force(force, 0, read.system->vertices(), *read.system);
    }
    read_builtin_observables(reader, read, problem->name, given);
    std::vector<std::string> known;
    for (const ParameterSpec& p : problem->parameters) known.push_back(p.name);
    reader.finish(known);
  } catch (const ParameterError& error) {
    fail_parameter(reader, error);
  }
  return read;
}

}  // namespace lilyan

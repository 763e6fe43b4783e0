#include "app/scene/small/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/scene/small/observables.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostPlaces = 20000;
constexpr int kMostTrails = 12;  // that are drawn without being asked for
constexpr int kLargestLattice = 2000;
constexpr double kMostIndex = 100000;

using Place = std::array<ExpressionNode, 3>;

}  // namespace

class DrawingReader {
 public:
  explicit DrawingReader(ExpressionModel& model) : model_(model) {}

  void read(TableReader& reader) {
    reader.expect({"point", "rod", "spring", "trail", "up"});
    if (reader.has("up")) up_ = reader.choice("up", {"y", "z"});
    for (TableReader& table : reader.tables("point")) {
      const std::string name = table.text("name", "");
      std::optional<SceneFormula> radius;
      if (table.has("radius")) radius = table.formula("radius");
      each(table, [&](std::optional<int> i) {
        points_.push_back(place(table, "at", i));
        drawing_.points.push_back({name, radius ? radius_of(table, *radius, i) : 1});
      });
    }
    for (const auto& [key, to] : {std::pair{"rod", &rods_}, std::pair{"spring", &springs_}}) {
      for (TableReader& table : reader.tables(key)) {
        each(table, [&, to = to](std::optional<int> i) {
          for (const char* end : {"from", "to"}) to->push_back(place(table, end, i));
        });
      }
    }
    for (TableReader& table : reader.tables("trail")) {
      const std::string name = table.text("name", "");
      each(table, [&](std::optional<int> i) {
        trails_.push_back(place(table, "at", i));
        drawing_.trails.push_back(name);
      });
    }
    reader.finish();
  }

  // The drawings of systems that have no table of their own.
  void make(const std::string& kind) {
    if (kind == "pendulum") {
      const std::vector<std::string> bob = {"length*sin(angle)", "-length*cos(angle)"};
      // The parameter 'angle' is the initial one, in degrees: here it is the coordinate.
      rods_.push_back(place({"0", "0"}, {}));
      rods_.push_back(place(bob, {}));
      add_point(bob, {}, 1, true);
    } else if (kind == "spherical-pendulum") {
      rods_.push_back(place({"0", "0", "0"}, {}));
      rods_.push_back(place({"x", "y", "z"}, {}));
      add_point({"x", "y", "z"}, {}, 1, true);
    } else if (kind == "kepler") {
      add_point({"0", "0"}, {}, 1.6, false);
      add_point({"x", "y"}, {}, 1, true);
    } else {
      by_coordinates();
    }
  }

  Drawing take() {
    if (up_.empty()) up_ = drawing_.flat ? "y" : "z";
    std::vector<ExpressionNode> nodes;
    for (const auto* places : {&points_, &rods_, &springs_, &trails_}) {
      for (const Place& p : *places) {
        if (up_ == "z" && !drawing_.flat) {
          nodes.insert(nodes.end(), {p[0], p[2], model_.graph().negate(p[1])});
        } else {
          nodes.insert(nodes.end(), p.begin(), p.end());
        }
      }
    }
    drawing_.rods = rods_.size() / 2;
    drawing_.springs = springs_.size() / 2;
    for (const auto* ends : {&rods_, &springs_}) {
      for (std::size_t k = 0; k < ends->size(); ++k) {
        const bool still = std::ranges::all_of(
            (*ends)[k], [&](ExpressionNode n) { return model_.graph().variables(n).empty(); });
        if (still) drawing_.held.push_back(k + (ends == &rods_ ? 0 : rods_.size()));
      }
    }
    drawing_.places_ = ExpressionEvaluator(model_.graph(), nodes);
    return std::move(drawing_);
  }

 private:
  // Calls once, or for each value of the index that the table gives as i = [first, last].
  template <class Add>
  void each(TableReader& table, const Add& add) {
    if (!table.has("i")) {
      add(std::nullopt);
    } else {
      const std::vector<SceneFormula> ends = table.formulas("i");
      if (ends.size() != 2) table.fail("i", "'i' must be a list of its first and its last value");
      const auto index = [&](const SceneFormula& f) {
        const double value = with_formula(table, f, [&] { return model_.number(f.text); });
        if (value == std::floor(value) && std::abs(value) <= kMostIndex) {
          return static_cast<int>(value);
        }
        throw InputError(f.where,
                         fmt::format("'{}' is {}: a whole number of at most {} is expected", f.text,
                                     value, kMostIndex));
      };
      const int first = index(ends[0]);
      const int last = index(ends[1]);
      if (last < first) table.fail("i", fmt::format("there is no i from {} to {}", first, last));
      for (int i = first; i <= last; ++i) {
        add(i);
        refuse_many(table);
      }
    }
    refuse_many(table);
    table.finish();
  }

  void refuse_many(const TableReader& table) const {
    if (points_.size() + rods_.size() + springs_.size() + trails_.size() <= kMostPlaces) return;
    table.fail("i", fmt::format("a drawing has at most {} places", kMostPlaces));
  }

  Place place(TableReader& table, const char* key, std::optional<int> i) {
    const std::vector<SceneFormula> given = table.formulas(key);
    if (given.size() != 2 && given.size() != 3) {
      table.fail(key, fmt::format("'{}' must be a list of two or three formulas", key));
    }
    Place p = {model_.graph().constant(0), model_.graph().constant(0), model_.graph().constant(0)};
    for (std::size_t k = 0; k < given.size(); ++k) {
      const SceneFormula& f = given[k];
      p[k] = with_formula(table, f, [&] { return parse(f.text, i); });
    }
    if (given.size() == 3) drawing_.flat = false;
    return p;
  }

  Place place(const std::vector<std::string>& formulas, std::optional<int> i) {
    Place p = {model_.graph().constant(0), model_.graph().constant(0), model_.graph().constant(0)};
    for (std::size_t k = 0; k < formulas.size(); ++k) p[k] = parse(formulas[k], i);
    if (formulas.size() == 3) drawing_.flat = false;
    return p;
  }

  ExpressionNode parse(const std::string& text, std::optional<int> i) {
    return i ? model_.parse(text, *i) : model_.parse(text);
  }

  double radius_of(const TableReader& table, const SceneFormula& f, std::optional<int> i) {
    const double radius = with_formula(
        table, f, [&] { return i ? model_.number(f.text, *i) : model_.number(f.text); });
    if (radius > 0 && std::isfinite(radius)) return radius;
    throw InputError(f.where, fmt::format("'{}' is {}: a radius must be positive", f.text, radius));
  }

  void add_point(const std::vector<std::string>& at, std::optional<int> i, double radius,
                 bool trail) {
    points_.push_back(place(at, i));
    drawing_.points.push_back({"", radius});
    if (!trail) return;
    trails_.push_back(points_.back());
    drawing_.trails.emplace_back();
  }

  // Coordinates x, y and z, or lists of them, are places; those of a single list are how far the
  // parts of a lattice are from theirs.
  void by_coordinates() {
    const auto& groups = model_.coordinate_groups();
    const auto find = [&](const char* name) {
      return std::ranges::find(groups, name, &ExpressionModel::Group::name);
    };
    const auto x = find("x");
    const auto y = find("y");
    const auto z = find("z");
    const auto same = [&](auto other) {
      return x->list == other->list && x->count == other->count && x->first == other->first;
    };
    if (x != groups.end() && y != groups.end() && same(y) && (z == groups.end() || same(z)) &&
        x->count <= kLargestLattice) {
      const std::string index = x->list ? "[i]" : "";
      std::vector<std::string> at = {"x" + index, "y" + index};
      if (z != groups.end()) at.push_back("z" + index);
      for (int k = 0; k < x->count; ++k) {
        const std::optional<int> i = x->list ? std::optional(x->first + k) : std::nullopt;
        add_point(at, i, 1, x->count <= kMostTrails);
      }
    } else if (groups.size() == 1 && groups[0].list && groups[0].count <= kLargestLattice) {
      const auto& [name, first, count, list] = groups[0];
      for (int i = first; i < first + count; ++i) {
        const std::vector<std::string> at = {"i", name + "[i]"};
        add_point(at, i, 1, false);
        if (i == first) continue;
        springs_.push_back(points_[points_.size() - 2]);
        springs_.push_back(points_.back());
      }
    }
  }

  ExpressionModel& model_;
  std::string up_;
  std::vector<Place> points_, rods_, springs_, trails_;
  Drawing drawing_;
};

Drawing read_drawing(TableReader& system, ExpressionModel& model, const std::string& kind) {
  DrawingReader reader(model);
  if (system.has("draw")) {
    TableReader table = system.table("draw");
    reader.read(table);
  } else {
    reader.make(kind);
  }
  return reader.take();
}

}  // namespace lilyan

#include "app/scene/small/ensemble_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "app/scene/small/observables.hpp"
#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

constexpr int kMostOrbits = 1000;
constexpr int kTriesPerOrbit = 1000;  // to draw one that has the energy asked for

// What a table says of one coordinate or velocity.
struct EnsembleAxis {
  Eigen::Index at = 0;       // among the coordinates, then the velocities
  std::vector<double> list;  // its values, one by one; empty: a range
  double from = 0, to = 0;
  int count = 0;  // points of the range; 0: drawn at random
};

class EnsembleReader {
 public:
  EnsembleReader(TableReader& table, ExpressionModel& model, ReadSystem& read)
      : table_(table), model_(model), read_(read) {}

  void read() {
    table_.expect({"position", "velocity", "random", "seed", "energy", "solve"});
    if (table_.has("random")) random_ = table_.whole("random", 1, kMostOrbits);
    if (random_ == 0 && table_.has("seed")) {
      table_.fail("seed", "'seed' is for a number of points drawn at 'random'");
    }
    if (random_ > 0) {
      seed_ = table_.whole("seed", 0, std::numeric_limits<int>::max(), 1);
    }
    const auto n = static_cast<Eigen::Index>(read_.small.coordinates.size());
    read_axes("position", 0);
    read_axes("velocity", n);
    if (axes_.empty()) {
      table_.fail("position", "an ensemble says in 'position' or 'velocity' what differs");
    }
    read_energy();
    table_.finish();
  }

  std::vector<State> make() {
    std::vector<State> orbits;
    if (random_ > 0) {
      draw(orbits);
    } else {
      go_through(orbits);
    }
    for (const State& s : orbits) check(s);
    return orbits;
  }

 private:
  double number(TableReader& reader, const std::string& key) {
    return number(reader, reader.formula(key));
  }
  double number(const TableReader& reader, const SceneFormula& f) {
    const double value = with_formula(reader, f, [&] { return model_.number(f.text); });
    if (!std::isfinite(value)) throw InputError(f.where, fmt::format("'{}' is {}", f.text, value));
    return value;
  }

  void read_axes(const char* key, Eigen::Index first) {
    if (!table_.has(key)) return;
    TableReader reader = table_.table(key);
    for (std::size_t i = 0; i < read_.small.coordinates.size(); ++i) {
      const std::string& name = read_.small.coordinates[i];
      if (!reader.has(name)) continue;
      axes_.push_back(read_axis(reader, name));
      axes_.back().at = first + static_cast<Eigen::Index>(i);
    }
    reader.finish(read_.small.coordinates);
  }

  EnsembleAxis read_axis(TableReader& reader, const std::string& name) {
    EnsembleAxis axis;
    if (reader.is_table(name)) {
      TableReader range = reader.table(name);
      range.expect({"from", "to", "count"});
      axis.from = number(range, "from");
      axis.to = number(range, "to");
      if (random_ > 0 && range.has("count")) {
        range.fail("count", "'random' says how many points there are, not 'count'");
      }
      if (random_ == 0) axis.count = range.whole("count", 2, kMostOrbits);
      range.finish();
      return axis;
    }
    for (const SceneFormula& f : reader.formulas(name)) axis.list.push_back(number(reader, f));
    if (axis.list.empty()) reader.fail(name, fmt::format("'{}' has no values", name));
    if (axis.list.size() == 1) return axis;
    if (random_ > 0) {
      reader.fail(name, "points drawn at 'random' take ranges { from, to } and single values");
    }
    if (listed_ > 1 && listed_ != axis.list.size()) {
      reader.fail(name,
                  fmt::format("the lists of an ensemble belong together, point by point: this "
                              "one has {} values, another {}",
                              axis.list.size(), listed_));
    }
    listed_ = axis.list.size();
    return axis;
  }

  void read_energy() {
    if (!table_.has("energy")) {
      if (table_.has("solve")) table_.fail("solve", "'solve' is for an ensemble with an 'energy'");
      return;
    }
    energy_ = number(table_, "energy");
    const std::vector<std::string>& names = read_.small.coordinates;
    std::vector<std::string> velocities;
    for (const std::string& name : names) velocities.push_back(name + "'");
    std::optional<std::string> fallback;
    if (names.size() == 1) fallback = velocities[0];
    const std::string chosen = table_.choice("solve", velocities, fallback);
    solved_ = static_cast<Eigen::Index>(std::ranges::find(velocities, chosen) - velocities.begin());
    for (const EnsembleAxis& axis : axes_) {
      if (axis.at != solved_ + static_cast<Eigen::Index>(names.size())) continue;
      table_.fail("solve", fmt::format("{} is given by 'velocity' and by 'energy'", chosen));
    }
  }

  static void set(State& s, const EnsembleAxis& axis, double value) {
    (axis.at < s.x.size() ? s.x[axis.at] : s.v[axis.at - s.x.size()]) = value;
  }

  // Adds the point, unless it cannot have the energy.
  bool add(State s, std::vector<State>& orbits) {
    if (solved_ >= 0 && !solve(s)) return false;
    if (orbits.size() == kMostOrbits) {
      table_.fail("position", fmt::format("an ensemble has at most {} orbits", kMostOrbits));
    }
    orbits.push_back(std::move(s));
    return true;
  }

  // All combinations of the ranges' points, with each point of the lists.
  void go_through(std::vector<State>& orbits) {
    double all = static_cast<double>(listed_);
    for (const EnsembleAxis& axis : axes_) all *= axis.list.empty() ? axis.count : 1;
    if (all > kMostOrbits) {
      table_.fail("position",
                  fmt::format("an ensemble has at most {} orbits, not {}", kMostOrbits, all));
    }
    int left_out = 0;
    for (int k = 0; k < static_cast<int>(all); ++k) {
      State s = read_.initial;
      auto rest = static_cast<std::size_t>(k);
      const std::size_t listed = rest % listed_;
      rest /= listed_;
      for (const EnsembleAxis& axis : axes_) {
        if (!axis.list.empty()) {
          set(s, axis, axis.list[axis.list.size() == 1 ? 0 : listed]);
          continue;
        }
        const auto count = static_cast<std::size_t>(axis.count);
        const double share = static_cast<double>(rest % count) / static_cast<double>(count - 1);
        set(s, axis, axis.from + share * (axis.to - axis.from));
        rest /= count;
      }
      if (add(s, orbits)) continue;
      if (all == static_cast<double>(listed_)) {
        table_.fail("energy", fmt::format("point {} cannot have the energy {}: it has more with a "
                                          "velocity of zero",
                                          k + 1, energy_));
      }
      ++left_out;
    }
    if (orbits.empty()) {
      table_.fail("energy", fmt::format("no point of the ranges can have the energy {}", energy_));
    }
    if (left_out > 0) {
      read_.remarks.push_back(
          fmt::format("{} of {} points of an ensemble cannot have the energy {} and are left out",
                      left_out, all, energy_));
    }
  }

  void draw(std::vector<State>& orbits) {
    // The standard says what this generator gives; how a library makes it a number between 0 and 1 it
    // does not.
    std::mt19937_64 random(static_cast<std::uint64_t>(seed_));
    const auto uniform = [&] { return std::ldexp(static_cast<double>(random() >> 11U), -53); };
    for (int tries = 0; static_cast<int>(orbits.size()) < random_; ++tries) {
      if (tries == kTriesPerOrbit * random_) {
        table_.fail("energy", fmt::format("of {} points drawn at random only {} can have the "
                                          "energy {}",
                                          tries, orbits.size(), energy_));
      }
      State s = read_.initial;
      for (const EnsembleAxis& axis : axes_) {
        set(s, axis,
            axis.list.empty() ? axis.from + uniform() * (axis.to - axis.from) : axis.list[0]);
      }
      (void)add(std::move(s), orbits);
    }
  }

  // Sets the velocity with which the state has the energy: of two the larger. The energy is quadratic in
  // it. Returns false where there is none.
  bool solve(State& s) {
    const auto energy = [&](double v) {
      s.v[solved_] = v;
      return invariants(*read_.system, s).total;
    };
    const double c = energy(0);
    const double up = energy(1);
    const double down = energy(-1);
    const double a = 0.5 * (up + down) - c;
    const double b = 0.5 * (up - down);
    if (!(a > 0)) {
      table_.fail("solve", "the energy does not grow with this velocity: choose another one");
    }
    const double inside = b * b - 4 * a * (c - energy_);
    if (!(inside >= 0)) return false;
    const double v = (-b + std::sqrt(inside)) / (2 * a);
    const double off = std::abs(energy(v) - energy_);
    constexpr double kOff = 1e-9;
    if (!(off <= kOff * (1 + std::abs(energy_) + std::abs(c)))) {
      table_.fail("solve",
                  "the energy is not quadratic in this velocity: choose another one, or "
                  "give the velocities");
    }
    return true;
  }

  void check(const State& s) const {
    const Invariants at = invariants(*read_.system, s);
    if (!std::isfinite(at.total)) {
      table_.fail("position", "a point of the ensemble has infinite energy");
    }
    if (read_.system->constraints().empty()) return;
    try {
      check_constraints(*read_.system, s);
    } catch (const Error& error) {
      table_.fail("position", fmt::format("a point of the ensemble: {}", error.what()));
    }
  }

  TableReader& table_;
  ExpressionModel& model_;
  ReadSystem& read_;
  std::vector<EnsembleAxis> axes_;
  std::size_t listed_ = 1;  // points of the lists
  int random_ = 0;
  int seed_ = 1;
  double energy_ = 0;
  Eigen::Index solved_ = -1;  // velocity; −1: none
};

}  // namespace

std::vector<State> read_ensemble(TableReader& system, ExpressionModel& model, ReadSystem& read) {
  std::vector<State> all;
  for (TableReader& table : system.tables("ensemble")) {
    EnsembleReader reader(table, model, read);
    reader.read();
    const std::vector<State> orbits = reader.make();
    all.insert(all.end(), orbits.begin(), orbits.end());
    if (all.size() > kMostOrbits) {
      table.fail("position", fmt::format("all ensembles have more than {} orbits", kMostOrbits));
    }
  }
  return all;
}

}  // namespace lilyan

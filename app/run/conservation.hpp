// Conservation in a run: of the invariants that a scene names, of energy and of momenta; and the
// distance of the motion from its exact solution.
#pragma once

#include <string>
#include <vector>

#include "lilyan/core/archive.hpp"

namespace lilyan {

class DriftTracker;
class System;
struct RunSummary;
struct Scene;
struct State;

// A relative deviation below this counts as conserved.
inline constexpr double kConserved = 1e-9;

// Follows the invariants that a scene of a small system names, and the distance from its exact
// solution.
class Watch {
 public:
  // The scene must outlive this.
  explicit Watch(const Scene& scene);

  void start(const State& initial);
  void add(const State& state);
  // Throws Error, with the step and the column, when a value of the last state is not finite.
  void require_finite(int step, double t) const;

  struct Quantity {
    std::string name;
    bool found = false;  // by a symmetry
    double start = 0;
    double now = 0;
    double worst = 0;  // largest |Q − Q₀|
    double scale = 0;  // largest |Q|, and largest size of its terms at some moments
    void archive(Archive& a) { a(name, found, start, now, worst, scale); }
    [[nodiscard]] double worst_relative() const { return scale > 0 ? worst / scale : worst; }
  };
  [[nodiscard]] const std::vector<Quantity>& invariants() const { return invariants_; }
  [[nodiscard]] bool has_exact() const { return has_exact_; }
  [[nodiscard]] double error() const { return error_; }  // √Σ (q − q_exact)² now
  [[nodiscard]] double worst_error() const { return worst_error_; }

  // Further columns of series.csv, and their values at the state last added.
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] std::vector<double> values() const;
  void archive(Archive& a) { a(invariants_, seen_, error_, worst_error_); }

 private:
  const Scene& scene_;
  bool has_exact_ = false;
  std::vector<Quantity> invariants_;
  long seen_ = 0;
  double error_ = 0;
  double worst_error_ = 0;
};

struct Verdict {
  enum class Kind { kept, not_kept, no_invariant };
  Kind kind = Kind::kept;
  std::string text;  // "energy conserved, |ΔE|/E₀ ≤ 5.3e-13"
};
// Verdicts on energy, and on the momenta of points in space.
[[nodiscard]] std::vector<Verdict> verdicts(const System& system, const RunSummary& summary,
                                            const DriftTracker& drift);

}  // namespace lilyan

// Conservation in a run: of the invariants that a scene names, of energy and of momenta; and the
// distance of the motion from its exact solution.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/conservation/drift.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

class System;
struct RunSummary;
struct Scene;
struct State;

// Follows the invariants that a scene of a small system names, the distance from its exact solution, and the depth
// of contact.
class Watch {
 public:
  // The scene must outlive this.
  explicit Watch(const Scene& scene);

  void start(const State& initial, double kinetic, double contact_depth);
  // kinetic: the kinetic energy. contact_depth: how deep contact has given way (app/run/contact_depth.hpp).
  void add(const State& state, double kinetic, double contact_depth);
  // Throws Error, with the step and the column, when a value of the last state is not finite.
  void require_finite(int step, double t) const;

  struct Quantity {
    std::string name;
    bool found = false;  // by a symmetry
    double start = 0;
    double now = 0;
    Deviation deviation = {};
    double largest_terms = 0;  // regardless of their signs
    double grown = 0;          // what its growth may have added to its parts
    void archive(Archive& a) { a(name, found, start, now, deviation, largest_terms, grown); }
    [[nodiscard]] double worst_relative() const { return deviation.worst_relative(); }
  };
  [[nodiscard]] const std::vector<Quantity>& invariants() const { return invariants_; }
  [[nodiscard]] bool has_exact() const { return has_exact_; }
  [[nodiscard]] double error() const { return error_; }  // √Σ (q − q_exact)² now
  [[nodiscard]] double worst_error() const { return worst_error_; }

  // Further columns of series.csv, and their values at the state last added; of the depth of contact the largest
  // since the row before.
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] std::vector<double> take_values();
  void archive(Archive& a) { a(invariants_, seen_, first_, error_, worst_error_, contact_depth_); }

 private:
  void measure(const State& state);

  const Scene& scene_;
  bool has_exact_ = false;
  std::vector<Quantity> invariants_;
  long seen_ = 0;
  State first_;
  State mixed_;  // positions and velocities of different moments
  double error_ = 0;
  double worst_error_ = 0;
  double contact_depth_ = 0;
};

// Follows the conservation of a run of the scene, from its initial state or another.
[[nodiscard]] DriftTracker follow_drift(const Scene& scene);
[[nodiscard]] DriftTracker follow_drift(const Scene& scene, const State& initial);

// The end of a run in a few numbers, by name: the total energy, of a small system its coordinates and velocities ("q",
// "v_q"), of bodies their common centre of mass ("center_x").
[[nodiscard]] std::vector<std::pair<std::string, double>> last_state(const Scene& scene,
                                                                     const State& state,
                                                                     double energy);

struct Verdict {
  std::optional<Kept> kept;  // none: the scene does not keep this quantity
  std::string text;          // "energy conserved, |ΔE|/E₀ ≤ 5.3e-13 (E₀ = …)"
};
// "conserved, |ΔE|/E₀ ≤ 5.3e-13 (E₀ = 0.35, the elastic energy at the start)",
// "bounded, in a band of 64 % of E₀, drift 1e-12 E₀ a step (E₀ = 0.5 at the start)".
// The shares are those of the deviation's size(), which is called `size` here.
[[nodiscard]] std::string how_kept(const Deviation& deviation, std::string_view symbol,
                                   std::string_view size, int steps);
// "the elastic energy at the start": what the deviation is compared with.
[[nodiscard]] std::string_view describe(SizeOf of);
// Verdicts on energy, and on the momenta of points in space.
[[nodiscard]] std::vector<Verdict> verdicts(const System& system, const RunSummary& summary,
                                            const DriftTracker& drift);

}  // namespace lilyan

// The pairs of points and triangles that may touch in a step, which a contact remembers from step to step.
#pragma once

#include <array>
#include <vector>

#include "lilyan/contact/candidates.hpp"
#include "lilyan/contact/distance.hpp"
#include "lilyan/contact/surface.hpp"
#include "lilyan/model/energy_memory.hpp"

namespace lilyan {

struct NearPair {
  std::array<int, 4> vertex;     // point, then corners
  std::array<int, 4> ascending;  // which of them is the first, second, … in ascending order

  explicit NearPair(const std::array<int, 4>& v);
  auto operator<=>(const NearPair& o) const { return vertex <=> o.vertex; }
  bool operator==(const NearPair& o) const { return vertex == o.vertex; }

  [[nodiscard]] PointTriangle gather(const double* x) const;
  // Positions as seen from the point: far from the origin their own rounding errors would drown the
  // distance.
  [[nodiscard]] PointTriangle gather_positions(const double* x) const;
};

// Pairs are looked for before a step, within the ways that vertices are going to take. They stay while they are
// enough, since new ones mean a new sparsity pattern.
class NearPairs final : public EnergyMemory {
 public:
  // The surfaces, at their initial positions x, must outlive this.
  NearPairs(const ContactSurfaces& surfaces, double thickness, const Vector& x);

  [[nodiscard]] const std::vector<NearPair>& all() const { return pairs_; }
  [[nodiscard]] Stencils stencils() const { return {4, vertices_}; }

  // True when there are other pairs than before.
  bool begin_step(const StepStart& start);
  // Whether no further pair could have touched on the way to x.
  [[nodiscard]] bool found_all(const double* x);
  void archive(Archive& a) override;

 private:
  // Sets near_ to all pairs whose ways, grown by the thickness and `extra`, meet.
  void find(double extra);
  void take(const std::vector<NearPair>& pairs);

  const ContactSurfaces* surfaces_;
  double thickness_;
  std::vector<NearPair> pairs_;
  std::vector<int> vertices_;  // of the pairs, each four ascending
  // In this step: where vertices started, how far from there pairs have been looked for, and how
  // far that should be when the step is repeated.
  Vector start_;
  std::vector<double> reach_, needed_;
  // Storage for the search.
  std::vector<NearPair> near_;
  std::vector<std::array<int, 4>> corners_;  // of pairs that are saved or loaded
  Candidates candidates_;
};

}  // namespace lilyan

// Rounding of the energy balance of a whole system over the path of a step (numeric/path_rounding.hpp).
#pragma once

#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/world.hpp"
#include "lilyan/numeric/path_rounding.hpp"

namespace lilyan {

class PathBalance {
 public:
  // The system and its memory must outlive this.
  explicit PathBalance(const World& world);

  struct Step {
    const Vector* x0;
    const Vector* v0;
    const Vector* d;
    const Vector* x1;
    double h;
    std::span<const Node> rule;
    // ∇E averaged over the path, times a factor.
    const Vector* mean_force;
    double force_factor;
    double other = 0;  // what else the balance has rounding errors of
  };
  // Bounds the defect that a rule without an error of its own would show. `energy` is that of the step. The
  // ceiling is kMostOfEnergy of it, or where that is more the energy that a strain of kStrain stores and the
  // work of weights along as much of the body's size: a body at rest has no energy of its own.
  [[nodiscard]] RoundingFloor floor(const Step& step, double energy);
  static constexpr double kMostOfEnergy = 1e-6;
  // Parts of the energy that rounding may be where a formula is not known, whose terms may be large and cancel:
  // the first is in the floor then; errors up to the second are believed to be rounding if they stay the same
  // however many points there are. Whatever else they were would be worse than a failed step.
  static constexpr double kUnknown = 1e-12;
  static constexpr double kUnknownPlateau = 1e-9;
  [[nodiscard]] double plateau() const { return unknown_ ? kUnknownPlateau : 0; }
  static constexpr double kStrain = 1e-6;

 private:
  [[nodiscard]] double estimate(const Energy& energy, const Step& step);
  [[nodiscard]] double stiffness(const Vector& x) const;
  [[nodiscard]] double extent(const Vector& x) const;

  World world_;
  const System& system_;
  std::vector<const KnowsPathRounding*> known_;  // null for energies that do not say
  bool unknown_ =
      false;  // some energy does not, other than gravity and contact, whose terms are known
  Vector reach_, gradient_;
  double weight_ = 0;  // Σ |∂E/∂x| of energies that do not say how they round
};

}  // namespace lilyan

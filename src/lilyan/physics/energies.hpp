// Potential energies beside those of solids: gravity, and the elements of cloth and rods. Each is
// one file, NAME.cpp, which opens with its equations.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"

namespace lilyan {

// The documentation of an energy.
struct EnergyInfo {
  std::string name;
  std::string summary;  // one line
  std::string formula;
  std::string citation;  // may be empty
  int degree = 0;        // of E as a polynomial in x; 0 when it is none
};

// Uniform gravity.
class Gravity final : public Energy, public DiscreteGradient, public ForcePolynomial {
 public:
  Gravity(const Vec3& acceleration, std::vector<double> vertex_masses)
      : acceleration_(acceleration), masses_(std::move(vertex_masses)) {}

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::gravity; }
  [[nodiscard]] Stencils stencils() const override { return {}; }
  [[nodiscard]] bool translation_invariant() const override { return acceleration_.isZero(0); }
  [[nodiscard]] bool rotation_invariant() const override { return acceleration_.isZero(0); }
  void limit(Symmetry& symmetry) const override {
    if (!acceleration_.isZero(0)) symmetry.level(acceleration_);
  }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;
  [[nodiscard]] Abilities abilities() const override {
    return {.discrete_gradient = this, .polynomial = this};
  }
  [[nodiscard]] std::optional<int> degree_of_force() const override { return 0; }
  void discrete_gradient(const DiscreteEvaluation& at) const override;

 private:
  Vec3 acceleration_;
  std::vector<double> masses_;
};
[[nodiscard]] EnergyInfo gravity_info();

// Springs of rest length zero from vertices to points in space.
struct Anchor {
  int vertex = 0;
  Vec3 point = Vec3::Zero();
  double stiffness = 0;
};
[[nodiscard]] std::unique_ptr<Energy> anchors(const std::vector<Anchor>& anchors);
[[nodiscard]] EnergyInfo anchors_info();

// Springs between pairs of vertices.
struct Spring {
  int a = 0;
  int b = 0;
  double stiffness = 0;
  double length = 0;  // at rest
};
enum class SpringKind { hookean, stvk };

// Throws Error for a spring between a vertex and itself, a stiffness that is not positive or a
// negative rest length.
[[nodiscard]] std::unique_ptr<Energy> springs(SpringKind kind, const std::vector<Spring>& springs);
[[nodiscard]] EnergyInfo hookean_springs_info();
[[nodiscard]] EnergyInfo stvk_springs_info();

// In-plane elasticity of triangulated sheets. μ and λ are those of the plane, times the thickness:
// forces per length.
struct MembraneStiffness {
  double mu = 0;
  double lambda = 0;
};
// Throws Error naming the first triangle without area.
[[nodiscard]] std::unique_ptr<Energy> membrane(const MembraneStiffness& stiffness,
                                               const Vector& rest,
                                               std::span<const std::array<int, 3>> triangles);
[[nodiscard]] EnergyInfo membrane_info();

// Bending of triangulated sheets at their edges: two triangles (a,b,c) and (b,a,d).
using Hinge = std::array<int, 4>;
// Throws Error for a stiffness that is not positive, and naming the hinge whose triangles are flat.
[[nodiscard]] std::unique_ptr<Energy> hinge_bending(double stiffness, const Vector& rest,
                                                    std::span<const Hinge> hinges);
[[nodiscard]] EnergyInfo hinge_bending_info();

// Bending of rods made of straight segments: consecutive vertices before, inner, after. Throws Error
// for a stiffness that is not positive and for segments of length zero or folded back at rest.
[[nodiscard]] std::unique_ptr<Energy> rod_bending(double stiffness, const Vector& rest,
                                                  std::span<const std::array<int, 3>> corners);
[[nodiscard]] EnergyInfo rod_bending_info();

// All of the above.
[[nodiscard]] inline std::vector<EnergyInfo> energy_infos() {
  return {gravity_info(),  anchors_info(),       hookean_springs_info(), stvk_springs_info(),
          membrane_info(), hinge_bending_info(), rod_bending_info()};
}

}  // namespace lilyan

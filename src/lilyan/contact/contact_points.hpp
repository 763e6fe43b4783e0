// Energies of contact, which tell friction where bodies touch.
#pragma once

#include <array>
#include <cstddef>

#include "lilyan/base/types.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"

namespace lilyan {

// Where one element of a contact energy presses, and how hard. Its sliding velocity is that of
// Σ (weight_a + turn_a) v_a over the element's vertices, less the velocity of an obstacle. The weights compare
// a point with the nearest point of a triangle. The matrices carry the gap between them along with the
// triangle, so that nothing slides in a rigid rotation of both; otherwise friction would be a couple.
struct ContactPoint {
  double pressure = 0;
  Vec3 normal = Vec3::Zero();
  std::array<double, 4> weight{};
  std::array<Eigen::Matrix3d, 4> turn = {Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero(),
                                         Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero()};
  Vec3 velocity = Vec3::Zero();  // of the obstacle
};

class ContactEnergy : public Energy, public ForcePolynomial {
 public:
  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::contact; }
  [[nodiscard]] std::optional<int> degree_of_force() const override { return 0; }

  // The contact point of element n (of four vertices at most), from the mean contact force over the
  // step x → x + d. A null d is zero; memory is as in Evaluation.
  [[nodiscard]] virtual ContactPoint contact_point(std::size_t n, const double* x, const double* d,
                                                   const EnergyMemory* memory) const = 0;
  [[nodiscard]] virtual bool between_bodies() const = 0;
};

}  // namespace lilyan

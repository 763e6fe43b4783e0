// Energies of contact: how stiff they are, and what they tell friction about where bodies touch.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"

namespace lilyan {

// The stiffness of a contact, force per length: one number for all its vertices, or one for each of them.
class ContactStiffness {
 public:
  ContactStiffness(double all) : values_{all} {}  // NOLINT(google-explicit-constructor)
  explicit ContactStiffness(std::vector<double> each) : values_(std::move(each)), each_(true) {}

  // One for each of so many vertices. Throws Error unless all are positive.
  [[nodiscard]] std::vector<double> of(std::size_t vertices) const {
    for (const double k : values_) {
      if (!(k > 0)) throw Error("the stiffness of a contact must be positive");
    }
    if (!each_) return std::vector<double>(vertices, values_[0]);
    if (values_.size() != vertices)
      throw Error("a contact needs a stiffness for each of its vertices");
    return values_;
  }

 private:
  std::vector<double> values_;
  bool each_ = false;
};

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

// Springs of rest length zero from vertices to points in space:
//   E = Σ ½ k |x_i − p_i|²                                                                      (1)
// E is quadratic, so its discrete gradient is the gradient at the midpoint.
#include "lilyan/assemble/elements.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan {
namespace {

struct AnchorElement {
  static constexpr int kVertices = 1;
  static constexpr LocalCoordinates kCoordinates = LocalCoordinates::positions;
  static constexpr int kForceDegree = 1;
  Vec3 point;
  double stiffness;

  [[nodiscard]] Vec3 origin() const { return point; }
  double evaluate(const Vec3& offset, Vec3* gradient, Eigen::Matrix3d* hessian) const {
    if (gradient) *gradient = stiffness * offset;
    if (hessian) *hessian = stiffness * Eigen::Matrix3d::Identity();
    return 0.5 * stiffness * offset.squaredNorm();  // (1)
  }
  void discrete(const Vec3& start, const Vec3& d, Vec3& gradient) const {
    gradient = stiffness * (start + 0.5 * d);
  }
};

}  // namespace

std::unique_ptr<Energy> anchors(const std::vector<Anchor>& anchors) {
  std::vector<Element<AnchorElement>> elements;
  elements.reserve(anchors.size());
  for (const Anchor& a : anchors) {
    elements.emplace_back(AnchorElement{a.point, a.stiffness}, std::array{a.vertex});
  }
  return std::make_unique<Elements<AnchorElement>>(std::move(elements));
}

EnergyInfo anchors_info() {
  return {.name = "anchors",
          .summary = "springs of rest length zero from vertices to points in space",
          .formula = "E = Σ ½ k |x_i − p_i|²",
          .degree = 2};
}

}  // namespace lilyan

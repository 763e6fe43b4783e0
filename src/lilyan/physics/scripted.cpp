#include "lilyan/physics/scripted.hpp"

#include <utility>

namespace lilyan {

ScriptedVertices::ScriptedVertices(std::vector<int> vertices, const Vector& x, RigidMotion motion)
    : vertices_(std::move(vertices)), motion_(std::move(motion)) {
  for (const int i : vertices_) from_.emplace_back(x.segment<3>(3 * i));
}

void ScriptedVertices::positions(double t, double* x) const {
  const Pose pose = motion_.at(t);
  for (std::size_t k = 0; k < vertices_.size(); ++k) {
    Eigen::Map<Vec3>(x + 3 * static_cast<std::ptrdiff_t>(vertices_[k])) = pose.apply(from_[k]);
  }
}

}  // namespace lilyan

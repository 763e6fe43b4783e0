// Vertices that follow a keyframed rigid motion from where they are at the beginning.
#pragma once

#include <span>
#include <vector>

#include "lilyan/core/motion.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {

class ScriptedVertices final : public Motion {
 public:
  // `x` are the positions of all vertices that the motion applies to as it stands.
  ScriptedVertices(std::vector<int> vertices, const Vector& x, RigidMotion motion);

  [[nodiscard]] std::span<const int> vertices() const override { return vertices_; }
  void positions(double t, double* x) const override;

 private:
  std::vector<int> vertices_;
  std::vector<Vec3> from_;
  RigidMotion motion_;
};

}  // namespace lilyan

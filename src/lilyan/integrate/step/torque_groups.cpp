#include "lilyan/integrate/step/torque_groups.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>

namespace lilyan {
namespace {

constexpr double kFlatInertia = 1e-10;

// The inverse over the directions in which there is any inertia: two points have none about their line.
Eigen::Matrix3d pseudo_inverse(const Eigen::Matrix3d& inertia) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
  const Vec3& values = solver.eigenvalues();
  Vec3 inverse = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    if (values[k] > kFlatInertia * values[2]) inverse[k] = 1 / values[k];
  }
  return solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

// Whether a constraint does not hold bodies to anything but each other.
bool is_internal(const Constraint& constraint) {
  Symmetry symmetry;
  constraint.limit(symmetry);
  return symmetry.shifts_everywhere() && symmetry.turns() == Symmetry::Turns::all;
}

}  // namespace

int root_of(std::vector<int>& parent, int vertex) {
  int i = vertex;
  while (parent[static_cast<std::size_t>(i)] != i) {
    parent[static_cast<std::size_t>(i)] =
        parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
    i = parent[static_cast<std::size_t>(i)];
  }
  return i;
}

void connect(const Stencils& stencils, std::vector<int>& parent) {
  if (stencils.size < 2) return;
  const auto size = static_cast<std::size_t>(stencils.size);
  for (std::size_t k = 0; k + size <= stencils.vertices.size(); k += size) {
    const int first = root_of(parent, stencils.vertices[k]);
    for (std::size_t j = 1; j < size; ++j) {
      parent[static_cast<std::size_t>(root_of(parent, stencils.vertices[k + j]))] = first;
    }
  }
}

void connect_constraints(const System& system, std::vector<int>& parent) {
  const int dimension = system.dimension();
  for (const auto& constraint : system.constraints()) {
    if (constraint->dofs().empty()) continue;
    const int first = root_of(parent, constraint->dofs().front() / dimension);
    for (const int dof : constraint->dofs()) {
      parent[static_cast<std::size_t>(root_of(parent, dof / dimension))] = first;
    }
  }
}

bool within_groups(const Stencils& stencils, std::vector<int>& parent) {
  const auto size = static_cast<std::size_t>(std::max(stencils.size, 1));
  for (std::size_t k = 0; k + size <= stencils.vertices.size(); k += size) {
    for (std::size_t j = 1; j < size; ++j) {
      if (root_of(parent, stencils.vertices[k + j]) != root_of(parent, stencils.vertices[k])) {
        return false;
      }
    }
  }
  return true;
}

TorqueGroups::TorqueGroups(const System& system, std::vector<int>& parent) : system_(&system) {
  const auto count = static_cast<std::size_t>(system.vertices());
  std::vector<std::vector<int>> of(count);
  for (int i = 0; i < system.vertices(); ++i) {
    of[static_cast<std::size_t>(root_of(parent, i))].push_back(i);
  }
  std::vector<int> group_of(count, -1);
  for (std::size_t root = 0; root < count; ++root) {
    const std::vector<int>& vertices = of[root];
    if (vertices.size() < 2) continue;
    Group group{.first = static_cast<int>(members_.size()),
                .first_fixed = static_cast<int>(fixed_.size())};
    for (const int i : vertices) (system.fixed(i) ? fixed_ : members_).push_back(i);
    group.last = static_cast<int>(members_.size());
    group.last_fixed = static_cast<int>(fixed_.size());
    if (group.last == group.first) continue;
    group_of[root] = static_cast<int>(groups_.size());
    groups_.push_back(group);
  }
  for (const auto& constraint : system.constraints()) {
    const int owner = constraint->dofs().empty()
                          ? -1
                          : group_of[static_cast<std::size_t>(
                                root_of(parent, constraint->dofs().front() / system.dimension()))];
    owners_.push_back(owner);
    if (owner < 0) continue;
    Group& group = groups_[static_cast<std::size_t>(owner)];
    group.constraints.push_back(constraint.get());
    constraint->limit(group.symmetry);
  }
}

void TorqueGroups::find_symmetries(const Vector& x) {
  for (Group& group : groups_) {
    const int count = group.last_fixed - group.first_fixed;
    if (count == 0) continue;
    // Fixed vertices come first, since a frame's centre is the first of them.
    group.symmetry = {};
    bool moving = false;
    for (int k = group.first_fixed; k < group.last_fixed; ++k) {
      const int i = fixed_[static_cast<std::size_t>(k)];
      group.symmetry.pin(x.segment<3>(3 * static_cast<Eigen::Index>(i)));
      moving = moving || system_->moving(i);
    }
    // About one moving vertex a body turns freely, but not if something else holds it.
    if (moving && count > 1) group.symmetry.clear();
    for (const Constraint* constraint : group.constraints) {
      constraint->limit(group.symmetry);
      if (moving && !is_internal(*constraint)) group.symmetry.clear();
    }
  }
}

void TorqueGroups::find_inverse(const Group& group, Frame& frame) const {
  const Symmetry& symmetry = group.symmetry;
  switch (symmetry.turns()) {
    case Symmetry::Turns::none: break;
    case Symmetry::Turns::about_axis: {
      const Vec3& axis = symmetry.axis();
      const double about = axis.dot(frame.inertia * axis);
      if (about > 0) frame.inverse = axis * axis.transpose() / about;
      break;
    }
    case Symmetry::Turns::all: frame.inverse = pseudo_inverse(frame.inertia); break;
  }
}

}  // namespace lilyan

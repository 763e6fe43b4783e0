// The groups of vertices whose angular momentum a step is to keep (momentum_solve.hpp), and their rigid
// motions.
//
// A body is what internal energies and constraints connect. Which of its rigid motions belong to an
// invariant, its symmetry, depends on its fixed vertices and on its constraints: a free body has all of
// them, one that hangs at a point turns about this point, one on a hinge about an axis, and one on a plane
// slides along it and turns about its normal. Constraint forces do no work on these motions, so that they
// neither give nor take the momenta that belong to them.
//
// Where several processes share the system, all of them have the same groups in the same order, each with the
// vertices that it owns. They find symmetries and frames together.
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <span>
#include <vector>

#include "lilyan/model/symmetry.hpp"
#include "lilyan/model/world.hpp"

namespace lilyan {

class TorqueGroups {
 public:
  struct Group {
    int first, last;              // its free vertices here, in members()
    int first_fixed, last_fixed;  // its fixed ones here, in fixed_
    int fixed = 0;                // how many there are, in all processes
    bool moving = false;          // whether one of them moves
    bool has_pin = false;         // whether the first of them is here
    std::vector<const Constraint*> constraints;
    Symmetry symmetry;
  };
  // Moments of a group with positions q and velocities (or displacements) u. Its rigid motions nearest to
  // u are mean + spin × r, with r the positions about the centre.
  struct Frame {
    Vec3 centre = Vec3::Zero();  // centre of mass, or the point that it turns about
    Vec3 mean = Vec3::Zero();  // velocity of the centre of mass, as far as the group can be shifted
    Vec3 spin = Vec3::Zero();
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
    Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero();  // over the turns that the group can make
    double mass = 0;
    double square = 0;  // Σ m u²
    double rest = 0;    // Σ m w², w = u − mean − spin × r
  };

  TorqueGroups() = default;
  // The classes of a partition of the vertices, given by the parents of a forest. Points that nothing
  // is connected to are no groups.
  TorqueGroups(const System& system, std::vector<int>& parent);

  [[nodiscard]] bool empty() const { return groups_.empty(); }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  [[nodiscard]] const Group& operator[](std::size_t g) const { return groups_[g]; }
  // The vertices of a group that can move.
  template <class Function>
  void each(const Group& group, const Function& function) const {
    for (int k = group.first; k < group.last; ++k) {
      const int i = members_[static_cast<std::size_t>(k)];
      function(i, system_->vertex_masses()[static_cast<std::size_t>(i)]);
    }
  }
  // The group of a vertex; −1 for none.
  [[nodiscard]] int of_vertex(int i) const { return group_of_[static_cast<std::size_t>(i)]; }

  // Takes the fixed vertices from where x has them.
  void find_symmetries(const Vector& x);
  template <class Position, class Velocity>
  [[nodiscard]] Frame frame(const Group& group, const Position& q, const Velocity& u) const;
  // Adds up sums over the vertices of a group over the processes that have some.
  void add_up(std::initializer_list<std::span<double>> sums) const;

 private:
  void add_groups(std::vector<int>& parent);
  [[nodiscard]] std::vector<double> gather_fixed(const Group& group, const Vector& x) const;
  void find_inverse(const Group& group, Frame& frame) const;

  const System* system_ = nullptr;
  std::vector<Group> groups_;
  std::vector<int> members_, fixed_, group_of_;
};

inline std::span<double> numbers(double& value) { return {&value, 1}; }
template <class Matrix>
std::span<double> numbers(Matrix& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

// Joins the classes of vertices that share an element, or a constraint.
void connect(const Stencils& stencils, std::vector<int>& parent);
void connect_constraints(const System& system, std::vector<int>& parent);
[[nodiscard]] bool within_groups(const Stencils& stencils, std::vector<int>& parent);

template <class Position, class Velocity>
TorqueGroups::Frame TorqueGroups::frame(const Group& group, const Position& q,
                                        const Velocity& u) const {
  Frame result;
  each(group, [&](int i, double m) {
    result.mass += m;
    result.centre += m * q(i);
    result.mean += m * u(i);
  });
  // A vertex may be moved by a script.
  Vec3 pin = Vec3::Zero();
  if (group.has_pin) pin = q(fixed_[static_cast<std::size_t>(group.first_fixed)]);
  add_up({numbers(result.mass), numbers(result.centre), numbers(result.mean), numbers(pin)});
  result.centre /= result.mass;
  result.mean /= result.mass;
  if (group.symmetry.pinned()) {
    result.centre = group.fixed > 0 ? pin : group.symmetry.point();
  }
  if (!group.symmetry.shifts_everywhere()) result.mean = group.symmetry.shifts() * result.mean;
  Vec3 angular = Vec3::Zero();
  each(group, [&](int i, double m) {
    const Vec3 r = q(i) - result.centre;
    const Vec3 v = u(i) - result.mean;
    angular += m * r.cross(v);
    result.inertia += m * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
    result.square += m * u(i).squaredNorm();
  });
  add_up({numbers(angular), numbers(result.inertia), numbers(result.square)});
  find_inverse(group, result);
  result.spin = result.inverse * angular;
  each(group, [&](int i, double m) {
    const Vec3 r = q(i) - result.centre;
    result.rest += m * (u(i) - result.mean - result.spin.cross(r)).squaredNorm();
  });
  add_up({numbers(result.rest)});
  return result;
}

}  // namespace lilyan

#include "lilyan/step/torque_groups.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cstdint>

#include "lilyan/parallel/classes.hpp"
#include "lilyan/parallel/share.hpp"

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

void connect(const Stencils& stencils, std::vector<int>& parent) {
  if (stencils.size < 2) return;
  const auto size = static_cast<std::size_t>(stencils.size);
  for (std::size_t k = 0; k + size <= stencils.vertices.size(); k += size) {
    for (std::size_t j = 1; j < size; ++j) {
      join(parent, stencils.vertices[k], stencils.vertices[k + j]);
    }
  }
}

void connect_constraints(const System& system, std::vector<int>& parent) {
  const int dimension = system.dimension();
  for (const auto& constraint : system.constraints()) {
    for (const int dof : constraint->dofs()) {
      join(parent, constraint->dofs().front() / dimension, dof / dimension);
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
  group_of_.assign(static_cast<std::size_t>(system.vertices()), -1);
  add_groups(parent);
  for (const auto& constraint : system.constraints()) {
    const int owner =
        constraint->dofs().empty()
            ? -1
            : group_of_[static_cast<std::size_t>(constraint->dofs().front() / system.dimension())];
    if (owner < 0) continue;
    Group& group = groups_[static_cast<std::size_t>(owner)];
    group.constraints.push_back(constraint.get());
    constraint->limit(group.symmetry);
  }
}

void TorqueGroups::add_groups(std::vector<int>& parent) {
  const System& system = *system_;
  const Share* share = system.share();
  const std::vector<std::int64_t> class_of = classes_of(parent, share);
  const auto class_of_vertex = [&](int i) { return class_of[static_cast<std::size_t>(i)]; };
  std::vector<int> own;  // by classes
  for (int i = 0; i < system.vertices(); ++i) {
    if (!share || share->owns(3 * i)) own.push_back(i);
  }
  std::ranges::stable_sort(own, {}, class_of_vertex);
  const std::vector<std::int64_t> classes = unite(class_of, share);
  const auto each_of = [&](std::int64_t one, const auto& function) {
    auto i = std::ranges::lower_bound(own, one, {}, class_of_vertex);
    for (; i != own.end() && class_of_vertex(*i) == one; ++i) function(*i);
  };
  struct Counts {
    double free = 0, fixed = 0, moving = 0;
  };
  std::vector<Counts> here(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    each_of(classes[c], [&](int i) {
      ++(system.embedding().fixed(i) ? here[c].fixed : here[c].free);
      if (system.embedding().scripted(i)) ++here[c].moving;
    });
  }
  std::vector<Counts> all = here;
  std::vector<double> pins(classes.size(), 0);  // the first process with a fixed vertex has the pin
  if (share) {
    static_assert(sizeof(Counts) == 3 * sizeof(double));
    const Ranks& ranks = share->ranks();
    ranks.sum({reinterpret_cast<double*>(all.data()), 3 * all.size()});
    for (std::size_t c = 0; c < classes.size(); ++c) {
      pins[c] = here[c].fixed > 0 ? -ranks.rank() : -ranks.count();
    }
    ranks.largest(pins);
  }
  std::vector<int> group_of_class(classes.size(), -1);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (all[c].free + all[c].fixed < 2 || all[c].free == 0) continue;
    Group group{.first = static_cast<int>(members_.size()),
                .first_fixed = static_cast<int>(fixed_.size()),
                .fixed = static_cast<int>(all[c].fixed),
                .moving = all[c].moving > 0};
    each_of(classes[c],
            [&](int i) { (system.embedding().fixed(i) ? fixed_ : members_).push_back(i); });
    group_of_class[c] = static_cast<int>(groups_.size());
    group.last = static_cast<int>(members_.size());
    group.last_fixed = static_cast<int>(fixed_.size());
    group.has_pin = here[c].fixed > 0 && (!share || pins[c] == -share->ranks().rank());
    groups_.push_back(group);
  }
  // Of copies of other processes' vertices, too.
  for (std::size_t i = 0; i < class_of.size(); ++i) {
    const auto c = std::ranges::lower_bound(classes, class_of[i]) - classes.begin();
    group_of_[i] = group_of_class[static_cast<std::size_t>(c)];
  }
}

void TorqueGroups::add_up(std::initializer_list<std::span<double>> sums) const {
  const Share* share = system_->share();
  if (!share) return;
  std::array<double, 16> all{};
  double* end = all.data();
  for (const std::span<double> sum : sums) end = std::ranges::copy(sum, end).out;
  share->ranks().sum({all.data(), end});
  const double* next = all.data();
  for (const std::span<double> sum : sums) {
    std::copy_n(next, sum.size(), sum.begin());
    next += sum.size();
  }
}

// Fixed vertices of a group, of which those of a process are told by three: the first, the one farthest from it, and the
// one farthest from the line through both.
std::vector<double> TorqueGroups::gather_fixed(const Group& group, const Vector& x) const {
  std::vector<double> chosen;
  const auto first = fixed_.begin() + group.first_fixed;
  const auto last = fixed_.begin() + group.last_fixed;
  const auto point = [&](int i) -> Vec3 { return x.segment<3>(3 * Eigen::Index{i}); };
  const auto choose = [&](int i) {
    chosen.insert(chosen.end(), x.data() + 3 * std::ptrdiff_t{i},
                  x.data() + 3 * std::ptrdiff_t{i} + 3);
  };
  const auto farthest = [&](const auto& distance) {
    return *std::ranges::max_element(first, last, {}, distance);
  };
  if (first != last) {
    const Vec3 origin = point(*first);
    const int end = farthest([&](int i) { return (point(i) - origin).squaredNorm(); });
    const Vec3 arm = point(end) - origin;
    choose(*first);
    choose(end);
    choose(farthest([&](int i) { return arm.cross(point(i) - origin).squaredNorm(); }));
  }
  return system_->share()->ranks().gather(chosen);
}

void TorqueGroups::find_symmetries(const Vector& x) {
  for (Group& group : groups_) {
    if (group.fixed == 0) continue;
    // Fixed vertices come first, since a frame's centre is the first of them.
    group.symmetry = {};
    if (system_->share()) {
      const std::vector<double> points = gather_fixed(group, x);
      for (std::size_t k = 0; k < points.size(); k += 3) {
        group.symmetry.pin(Eigen::Map<const Vec3>(points.data() + k));
      }
    } else {
      for (int k = group.first_fixed; k < group.last_fixed; ++k) {
        group.symmetry.pin(x.segment<3>(3 * Eigen::Index{fixed_[static_cast<std::size_t>(k)]}));
      }
    }
    // About one moving vertex a body turns freely, but not if something else holds it.
    if (group.moving && group.fixed > 1) group.symmetry.clear();
    for (const Constraint* constraint : group.constraints) {
      constraint->limit(group.symmetry);
      if (group.moving && !is_internal(*constraint)) group.symmetry.clear();
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

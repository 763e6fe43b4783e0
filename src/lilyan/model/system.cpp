#include "lilyan/model/system.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "lilyan/base/error.hpp"
#include "lilyan/parallel/share.hpp"

namespace lilyan {

System::System(std::vector<double> vertex_masses, int dimension)
    : dimension_(dimension),
      masses_(std::move(vertex_masses)),
      mass_(masses_, dimension),
      embedding_(vertices(), dimension) {
  if (dimension != 1 && dimension != 3) throw Error("the dimension of a system must be 1 or 3");
}

System::System(std::unique_ptr<Lagrangian> lagrangian)
    : System(std::vector<double>(static_cast<std::size_t>(lagrangian->dofs()), 1.0), 1) {
  lagrangian_ = std::move(lagrangian);
}

System::System(System&&) noexcept = default;
System& System::operator=(System&&) noexcept = default;
System::~System() = default;

bool System::contains(const std::vector<const void*>& list, const void* one) {
  return std::ranges::find(list, one) != list.end();
}

void System::add_uncounted(std::unique_ptr<Energy> energy) {
  uncounted_.push_back(energy.get());
  add(std::move(energy));
}

void System::add_uncounted(std::unique_ptr<Dissipation> dissipation) {
  uncounted_.push_back(dissipation.get());
  add(std::move(dissipation));
}

void System::set_share(std::unique_ptr<Share> share) {
  share_ = std::move(share);
  fixed_elsewhere_ = share_->ranks().any(embedding_.fixed_count() > 0);
}

void System::refuse_with_lagrangian(const char* what) const {
  if (lagrangian_) throw Error(std::string("a system given by a Lagrangian cannot have ") + what);
}

void System::add(std::unique_ptr<Energy> energy) {
  refuse_with_lagrangian("potential energies beside it");
  energies_.push_back(std::move(energy));
}

void System::add(std::unique_ptr<Force> force) { forces_.push_back(std::move(force)); }

void System::add(std::unique_ptr<Dissipation> dissipation) {
  refuse_with_lagrangian("dissipation by elements");
  dissipations_.push_back(std::move(dissipation));
}

void System::add(std::unique_ptr<Impulse> impulse) {
  refuse_with_lagrangian("impulses");
  impulses_.push_back(std::move(impulse));
}

void System::add(std::unique_ptr<Motion> motion) {
  for (const int vertex : motion->vertices()) {
    if (vertex < 0 || vertex >= vertices()) {
      throw Error("cannot move vertex " + std::to_string(vertex) + ": the system has " +
                  std::to_string(vertices()));
    }
    if (embedding_.fixed(vertex)) {
      throw Error("vertex " + std::to_string(vertex) + " is " +
                  (embedding_.scripted(vertex) ? "moved by another script" : "fixed") + " already");
    }
  }
  refuse_with_lagrangian("fixed vertices");
  for (const int vertex : motion->vertices()) embedding_.script(vertex);
  motions_.push_back(std::move(motion));
}

bool System::changes_between_steps() const {
  return !motions_.empty() || !impulses_.empty() ||
         std::ranges::any_of(energies_, [](const auto& e) { return e->changes_between_steps(); });
}

void System::add(std::unique_ptr<Constraint> constraint) {
  const int dimension = constraint->dimension();
  if (dimension != 0 && dimension != dimension_) {
    throw Error("the constraint '" + constraint->name() + "' is about points in space; vertices " +
                "of this system have " + std::to_string(dimension_) + " coordinate(s)");
  }
  for (const int dof : constraint->dofs()) {
    if (dof < 0 || dof >= dofs()) {
      throw Error("the constraint '" + constraint->name() + "' refers to a vertex the system " +
                  "does not have: there are " + std::to_string(vertices()) + ", counted from 0");
    }
  }
  constraints_.push_back(std::move(constraint));
}

void System::fix(int vertex) {
  refuse_with_lagrangian("fixed vertices");
  if (vertex < 0 || vertex >= vertices()) {
    throw Error("cannot fix vertex " + std::to_string(vertex) + ": the system has " +
                std::to_string(vertices()));
  }
  embedding_.fix(vertex);
}

Symmetry System::symmetry() const {
  Symmetry symmetry;
  if (dimension_ != 3 || !forces_.empty() || !motions_.empty()) symmetry.clear();
  const auto damp = [&](const auto& part) {
    if (!part.keeps_linear_momentum()) {
      part.keeps_angular_momentum() ? symmetry.pin(Vec3::Zero()) : symmetry.clear();
    } else if (!part.keeps_angular_momentum()) {
      symmetry.stop_turns();
    }
  };
  for (const auto& r : dissipations_) damp(*r);
  for (const auto& p : impulses_) damp(*p);
  for (const auto& e : energies_) e->limit(symmetry);
  for (const auto& c : constraints_) c->limit(symmetry);
  return symmetry;
}

Symmetry System::symmetry(const Vector& x) const {
  Symmetry symmetry = this->symmetry();
  if (dimension_ != 3) return symmetry;
  std::vector<double> points;
  for (int i = 0; i < vertices(); ++i) {
    if (!embedding_.fixed(i) || (share_ && !share_->owns(3 * i))) continue;
    points.insert(points.end(), x.data() + 3 * i, x.data() + 3 * i + 3);
  }
  if (share_) points = share_->ranks().gather(points);
  for (std::size_t k = 0; k < points.size(); k += 3) {
    symmetry.pin(Eigen::Map<const Vec3>(points.data() + k));
  }
  return symmetry;
}

bool System::translation_invariant() const {
  return !any_fixed() && symmetry().shifts_everywhere();
}

bool System::rotation_invariant() const {
  return !any_fixed() && symmetry().turns_about(Vec3::Zero());
}

}  // namespace lilyan

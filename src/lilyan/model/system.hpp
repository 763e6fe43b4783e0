// A mechanical system of masses with potential energies: what is integrated.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/dissipation.hpp"
#include "lilyan/model/embedding.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/impulse.hpp"
#include "lilyan/model/mass.hpp"
#include "lilyan/model/motion.hpp"
#include "lilyan/model/system_parts.hpp"

namespace lilyan {

class Share;

// Built once, then only read while stepping:
//
//   System system(masses);                       // one mass per vertex
//   system.add(std::make_unique<Gravity>(...));
//   system.fix(0);
//
// A vertex is a point in space, with three coordinates; or, in a system of dimension one, a single
// generalised coordinate with its own (constant) mass: an angle and its moment of inertia, say.
//
// Where masses are not constant, a Lagrangian takes the place of masses and energies:
//
//   System system(std::make_unique<DoublePendulum>());
class System {
 public:
  // Throws Error unless every mass is positive and finite and the dimension 1 or 3.
  explicit System(std::vector<double> vertex_masses, int dimension = 3);
  // A system of dimension one. Forces and constraints may be added, nothing else; its vertex_masses() are
  // ones, which weigh coordinates against each other where errors are measured.
  explicit System(std::unique_ptr<Lagrangian> lagrangian);
  System(System&&) noexcept;
  System& operator=(System&&) noexcept;
  ~System();

  void add(std::unique_ptr<Energy> energy);
  void add(std::unique_ptr<Force> force);
  void add(std::unique_ptr<Dissipation> dissipation);
  void add(std::unique_ptr<Impulse> impulse);
  // Its vertices count as fixed, but move. Throws Error for one that moves or is fixed already.
  void add(std::unique_ptr<Motion> motion);
  // Throws Error when the constraint is not for a system of this size or dimension.
  void add(std::unique_ptr<Constraint> constraint);

  // In a system that several processes share: an energy, or dissipation, of elements that another process
  // counts. It acts on the vertices here, but its value is no part of sums.
  void add_uncounted(std::unique_ptr<Energy> energy);
  void add_uncounted(std::unique_ptr<Dissipation> dissipation);
  // Makes this the part of a shared system that one process has (parallel/share.hpp). To be called when all
  // vertices that are fixed or moved are known.
  void set_share(std::unique_ptr<Share> share);
  // Null where a single process has all of it.
  [[nodiscard]] const Share* share() const { return share_.get(); }

  // A fixed vertex stays where the state has it; its velocity is taken as zero.
  void fix(int vertex);

  // Null unless the system was made of one.
  [[nodiscard]] const Lagrangian* lagrangian() const { return lagrangian_.get(); }

  [[nodiscard]] int vertices() const { return static_cast<int>(masses_.size()); }
  [[nodiscard]] int dimension() const { return dimension_; }  // of each vertex
  [[nodiscard]] int dofs() const { return dimension_ * vertices(); }
  [[nodiscard]] std::span<const double> vertex_masses() const { return masses_; }
  [[nodiscard]] const Mass& mass() const { return mass_; }
  // Which vertices are fixed or scripted, and what this means for displacements, forces and Hessians.
  [[nodiscard]] const Embedding& embedding() const { return embedding_; }
  // Whether any vertex is fixed, in any process.
  [[nodiscard]] bool any_fixed() const { return embedding_.fixed_count() > 0 || fixed_elsewhere_; }
  // Whether anything is to be done between steps: vertices to move, energies that change, impulses.
  [[nodiscard]] bool changes_between_steps() const;
  [[nodiscard]] std::span<const std::unique_ptr<Energy>> energies() const { return energies_; }
  [[nodiscard]] bool counts(const Energy& energy) const { return !contains(uncounted_, &energy); }
  [[nodiscard]] bool counts(const Dissipation& r) const { return !contains(uncounted_, &r); }

  [[nodiscard]] std::span<const std::unique_ptr<Force>> forces() const { return forces_; }
  [[nodiscard]] std::span<const std::unique_ptr<Constraint>> constraints() const {
    return constraints_;
  }
  [[nodiscard]] std::span<const std::unique_ptr<Dissipation>> dissipations() const {
    return dissipations_;
  }
  [[nodiscard]] std::span<const std::unique_ptr<Impulse>> impulses() const { return impulses_; }
  [[nodiscard]] std::span<const std::unique_ptr<Motion>> motions() const { return motions_; }

  // The rigid motions that leave all parts of the system unchanged, and its fixed vertices at x.
  [[nodiscard]] Symmetry symmetry(const Vector& x) const;
  // Whether Noether's theorem promises linear (angular) momentum for this system.
  [[nodiscard]] bool translation_invariant() const;
  [[nodiscard]] bool rotation_invariant() const;

 private:
  void refuse_with_lagrangian(const char* what) const;
  [[nodiscard]] static bool contains(const std::vector<const void*>& list, const void* one);
  [[nodiscard]] Symmetry symmetry() const;  // without fixed vertices

  int dimension_;
  std::unique_ptr<Lagrangian> lagrangian_;
  std::vector<double> masses_;
  Mass mass_;
  Embedding embedding_;
  std::vector<std::unique_ptr<Energy>> energies_;
  std::vector<std::unique_ptr<Force>> forces_;
  std::vector<std::unique_ptr<Dissipation>> dissipations_;
  std::vector<std::unique_ptr<Impulse>> impulses_;
  std::vector<std::unique_ptr<Motion>> motions_;
  std::vector<std::unique_ptr<Constraint>> constraints_;
  std::vector<const void*> uncounted_;  // energies and dissipations
  std::unique_ptr<Share> share_;
  bool fixed_elsewhere_ = false;
};

}  // namespace lilyan

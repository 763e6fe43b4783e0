// A mechanical system of point masses with potential energies: what is integrated.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// Built once, then only read while stepping:
//
//   System system(masses);                       // one mass per vertex
//   system.add(std::make_unique<Gravity>(...));
//   system.fix(0);
class System {
 public:
  // Throws Error unless every mass is positive and finite.
  explicit System(std::vector<double> vertex_masses);

  void add(std::unique_ptr<Energy> energy);

  // A fixed vertex stays where the state has it; its velocity is taken as zero.
  void fix(int vertex);

  [[nodiscard]] int vertices() const { return static_cast<int>(masses_.size()); }
  [[nodiscard]] int dofs() const { return 3 * vertices(); }
  [[nodiscard]] std::span<const double> vertex_masses() const { return masses_; }
  // Mass of each degree of freedom.
  [[nodiscard]] const Vector& mass() const { return dof_mass_; }
  [[nodiscard]] bool fixed(int vertex) const { return fixed_[vertex]; }
  [[nodiscard]] int fixed_count() const { return fixed_count_; }
  [[nodiscard]] std::span<const std::unique_ptr<Energy>> energies() const { return energies_; }

  // Whether Noether's theorem promises linear (angular) momentum for this system.
  [[nodiscard]] bool translation_invariant() const;
  [[nodiscard]] bool rotation_invariant() const;

 private:
  std::vector<double> masses_;
  Vector dof_mass_;
  std::vector<char> fixed_;
  int fixed_count_ = 0;
  std::vector<std::unique_ptr<Energy>> energies_;
};

}  // namespace lilyan

// Interpreter of explicit tables: drifts and kicks in order.
#pragma once

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/potential_cache.hpp"

namespace lilyan {

class ExplicitIntegrator final : public Integrator {
 public:
  ExplicitIntegrator(const World& world, ExplicitTable table);
  StepReport step(State& state, double h) override;

 private:
  [[nodiscard]] Invariants at_start(const State& state);
  // total += share (F + dissipation) at x, v, and the dissipation apart.
  void add_all_forces(double t, const Vector& x, const Vector& v, double share, Vector& total,
                      Vector& dissipated);
  // False where forced_kick() is.
  bool kick(std::size_t stage, double t, double h, const Vector& x, const Vector& gradient,
            const Vector*& v, StepAccount& account);
  // A kick of h under external forces as well; false when its iteration does not converge.
  bool forced_kick(std::size_t stage, double t, double h, const Vector& x, const Vector& gradient,
                   Vector& v, StepAccount& account);

  // The end of the last step, which is usually the start of the next; its positions are those of
  // potential_.
  struct End {
    bool known = false;
    Invariants invariants;
    Vector v;
  };
  struct Workspace {
    Vector x1, v1;
    Vector kicked, force, before, dissipated, before_dissipated, scratch;  // with external forces
    Vector moved, moved_scratch;  // with prescribed vertices
  };

  const System& system_;
  ExplicitTable table_;
  Assembler assembler_;
  PotentialCache potential_;
  DissipationAssembler dissipation_;
  bool forced_;
  TimeSpan span_;  // of the step, as forces see it
  Workspace work_;
  End end_;
};

}  // namespace lilyan

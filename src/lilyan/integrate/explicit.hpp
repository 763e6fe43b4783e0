// Interpreter of explicit tables: drifts and kicks in order.
#pragma once

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/potential_cache.hpp"

namespace lilyan {

class ExplicitIntegrator final : public Integrator {
 public:
  ExplicitIntegrator(const System& system, ExplicitTable table);
  StepReport step(State& state, double h) override;

 private:
  const System& system_;
  ExplicitTable table_;
  Assembler assembler_;
  PotentialCache potential_;
  Vector inverse_mass_;
};

}  // namespace lilyan

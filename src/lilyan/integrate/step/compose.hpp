// Interpreter of compositions: steps of another method by fractions of h.
#pragma once

#include <vector>

#include "lilyan/integrate/integrator.hpp"

namespace lilyan {

class ComposeIntegrator final : public Integrator {
 public:
  ComposeIntegrator(std::unique_ptr<Integrator> base, std::vector<double> fractions);
  StepReport step(State& state, double h) override;
  [[nodiscard]] std::string_view linear_solver() const override { return base_->linear_solver(); }
  [[nodiscard]] NewtonTimes times() const override { return base_->times(); }

 private:
  std::unique_ptr<Integrator> base_;
  std::vector<double> fractions_;
  State start_;
};

}  // namespace lilyan

// Interpreter of compositions: steps of another method by fractions of h.
#pragma once

#include <memory>
#include <vector>

#include "lilyan/step/integrator.hpp"

namespace lilyan {

class ComposeIntegrator final : public Integrator {
 public:
  ComposeIntegrator(std::unique_ptr<Integrator> base, std::vector<double> fractions);

  StepReport step(State& state, double h) override;
  [[nodiscard]] const WorldMemory* memory() const override { return base_->memory(); }
  void archive_memory(Archive& a) override { base_->archive_memory(a); }
  void archive(Archive& a) override { base_->archive(a); }
  [[nodiscard]] std::string_view linear_solver() const override { return base_->linear_solver(); }
  [[nodiscard]] NewtonTimes times() const override { return base_->times(); }

 private:
  std::unique_ptr<Integrator> base_;
  std::vector<double> fractions_;
  State start_;
};

}  // namespace lilyan

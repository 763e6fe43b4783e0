#include "lilyan/physics/springs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

struct Hookean {
  // A spring of length zero has no direction: its force is taken as zero, its curvature as that
  // of a spring of this share of the rest length.
  static constexpr double kShortest = 1e-12;

  static SpringTerms terms(const Spring& spring, double s) {
    const double r = spring.length;
    const double k = spring.stiffness;
    const double l = std::sqrt(s);
    if (r == 0) return {0.5 * k * s, 0.5 * k, 0};
    const double inverse = 1 / std::max(l, kShortest * r);
    return {0.5 * k * (l - r) * (l - r), 0.5 * k * (1 - r * inverse),
            0.25 * k * r * inverse * inverse * inverse};  // (1)
  }
  static SpringQuotient quotient(const Spring& spring, double s0, double s1) {
    const double r = spring.length;
    const double k = spring.stiffness;
    if (r == 0) return {0.5 * k, 0};
    const double l1 = std::max(std::sqrt(s1), kShortest * r);
    const double sum = std::sqrt(s0) + l1;
    return {0.5 * k * (1 - 2 * r / sum), 0.5 * k * r / (sum * sum * l1)};  // (3)
  }
};

struct Stvk {
  static SpringTerms terms(const Spring& spring, double s) {
    const double stretch = s - spring.length * spring.length;
    const double k = spring.stiffness;
    return {0.5 * k * stretch * stretch, k * stretch, k};  // (2)
  }
  static SpringQuotient quotient(const Spring& spring, double s0, double s1) {
    const double k = spring.stiffness;
    return {0.5 * k * (s0 + s1 - 2 * spring.length * spring.length), 0.5 * k};  // (4)
  }
};

template <class Law>
class Springs final : public Energy {
 public:
  explicit Springs(std::vector<Spring> springs) : springs_(std::move(springs)) {
    for (const Spring& s : springs_) {
      vertices_.push_back(s.a);
      vertices_.push_back(s.b);
    }
  }

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::elastic; }
  [[nodiscard]] Stencils stencils() const override { return {2, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override {
    return evaluate_springs<Law>(springs_, at);
  }
  [[nodiscard]] bool has_discrete_gradient() const override { return true; }
  void discrete_gradient(const DiscreteEvaluation& at) const override {
    discrete_gradient_of_springs<Law>(springs_, at);
  }

 private:
  std::vector<Spring> springs_;
  std::vector<int> vertices_;
};

}  // namespace

std::unique_ptr<Energy> springs(SpringKind kind, std::vector<Spring> springs) {
  for (Spring& s : springs) {
    if (s.a == s.b) throw Error(fmt::format("a spring from vertex {} to itself", s.a));
    if (!(s.stiffness > 0)) throw Error("the stiffness of a spring must be positive");
    if (!(s.length >= 0)) throw Error("the rest length of a spring must not be negative");
    if (s.a > s.b) std::swap(s.a, s.b);
  }
  if (kind == SpringKind::hookean) return std::make_unique<Springs<Hookean>>(std::move(springs));
  return std::make_unique<Springs<Stvk>>(std::move(springs));
}

}  // namespace lilyan

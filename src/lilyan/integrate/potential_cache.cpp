#include "lilyan/integrate/potential_cache.hpp"

#include <array>

namespace lilyan {
namespace {
constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .value = 1, .gradient = 1}}};
}

void PotentialCache::remember(const Vector& x) {
  if (x_.size() == x.size() && x_ == x) return;
  x_ = x;
  gradient_.resize(x.size());
  has_values_ = false;
  has_gradient_ = false;
}

const EnergyByKind& PotentialCache::values(const Vector& x) {
  remember(x);
  if (!has_values_) values_ = assembler_.values(x_, nullptr, kHere);
  has_values_ = true;
  return values_;
}

const Vector& PotentialCache::gradient(const Vector& x) {
  remember(x);
  if (!has_gradient_) values_ = assembler_.values_and_gradient(x_, nullptr, kHere, gradient_);
  has_gradient_ = true;
  has_values_ = true;
  return gradient_;
}

}  // namespace lilyan

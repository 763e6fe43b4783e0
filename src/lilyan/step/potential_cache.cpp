#include "lilyan/step/potential_cache.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "lilyan/parallel/share.hpp"

namespace lilyan {
namespace {
constexpr std::array<WeightedNode, 1> kValueAndGradient{{{.theta = 0, .value = 1, .gradient = 1}}};
}

PotentialCache::PotentialCache(const Assembler& assembler)
    : assembler_(assembler),
      has_moving_(std::ranges::any_of(assembler.system().energies(), [](const auto& energy) {
        return energy->changes_between_steps();
      })) {}

bool PotentialCache::same(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

bool PotentialCache::same_everywhere(const Vector& a, const Vector& b) const {
  return !anywhere(assembler_.system(), !same(a, b));
}

void PotentialCache::remember(const Vector& x) {
  if (version_ != assembler_.world().version()) {
    version_ = assembler_.world().version();
    has_values_ = has_gradient_ = false;  // what is known of energies that do not change stays
  }
  if (same_everywhere(x_, x)) return;
  x_ = x;
  gradient_.resize(x.size());
  has_values_ = has_gradient_ = false;
  has_lasting_values_ = has_lasting_gradient_ = false;
}

void PotentialCache::evaluate_lasting(bool gradient) {
  if (gradient ? has_lasting_gradient_ : has_lasting_values_) return;
  if (gradient) lasting_gradient_.setZero(x_.size());
  lasting_values_ = assembler_.add_part(EnergyPart::lasting, x_, kValueAndGradient,
                                        gradient ? &lasting_gradient_ : nullptr);
  has_lasting_values_ = true;
  has_lasting_gradient_ = has_lasting_gradient_ || gradient;
}

const EnergyByKind& PotentialCache::values(const Vector& x) {
  remember(x);
  if (!has_values_) {
    if (has_moving_) {
      evaluate_lasting(false);
      values_ = assembler_.add_part(EnergyPart::moving, x_, kValueAndGradient, nullptr);
      for (std::size_t k = 0; k < kEnergyKinds; ++k) values_[k] += lasting_values_[k];
    } else {
      values_ = assembler_.values(x_, nullptr, kValueAndGradient);
    }
  }
  has_values_ = true;
  return values_;
}

const Vector& PotentialCache::gradient(const Vector& x) {
  remember(x);
  if (!has_gradient_) {
    if (has_moving_) {
      evaluate_lasting(true);
      gradient_ = lasting_gradient_;
      values_ = assembler_.add_part(EnergyPart::moving, x_, kValueAndGradient, &gradient_);
      for (std::size_t k = 0; k < kEnergyKinds; ++k) values_[k] += lasting_values_[k];
      assembler_.system().embedding().pull_back(gradient_);
    } else {
      values_ = assembler_.values_and_gradient(x_, nullptr, kValueAndGradient, gradient_);
    }
  }
  has_gradient_ = true;
  has_values_ = true;
  return gradient_;
}

}  // namespace lilyan

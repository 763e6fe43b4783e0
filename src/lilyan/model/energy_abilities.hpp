// What some energies know about themselves, or can do beside being evaluated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lilyan/model/energy.hpp"

namespace lilyan {

// The degree of the force as a polynomial of s along a straight path x₀ + s d; none where it is not a
// polynomial. An energy that integrates over paths by itself (Evaluation::mean) has degree 0.
class ForcePolynomial {
 public:
  virtual ~ForcePolynomial() = default;
  [[nodiscard]] virtual std::optional<int> degree_of_force() const = 0;
};

// Says where in a body it is.
class EnergyDensity {
 public:
  virtual ~EnergyDensity() = default;
  // Adds each element's energy and rest volume to its vertices, in equal shares.
  virtual void add_energies(const double* x, std::span<double> energy,
                            std::span<double> volume) const = 0;
};

// What Energy::raise_lengths raises lengths to, where elements' sizes and positions are not it.
class KnowsLengths {
 public:
  virtual ~KnowsLengths() = default;
  virtual void raise_own_lengths(const double* x, int dimension, const EnergyMemory* memory,
                                 std::span<double> lengths) const = 0;
};

// The energy of the same elements with `rest` as their undeformed shape (positions of all
// vertices): what has been strained since then. Elements that are flat there are left out.
class MovingRest {
 public:
  virtual ~MovingRest() = default;
  [[nodiscard]] virtual double evaluate_from(const double* rest, const Evaluation& at) const = 0;
};

// For each element the mass that each of its vertices may count as this element's own, so that all elements
// of a vertex together count no more than it has. An energy whose elements have no use for it has none.
class LendsMass {
 public:
  virtual ~LendsMass() = default;
  [[nodiscard]] virtual std::vector<double> lend_mass(std::span<const double> mass) const = 0;
};

}  // namespace lilyan

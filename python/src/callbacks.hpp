// Energies, forces and Lagrangians whose functions are Python's.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/model/system_parts.hpp"

namespace lilyan::python {

namespace py = pybind11;

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Throws again, as Python's, what a function of Python has thrown on this thread within a step; nothing if none has.
void rethrow_python_error();

// Something of the library's that calls a function of Python's. Python's garbage collector sees the function through
// it, and lets go of it when only a cycle of references keeps it alive.
class HoldsFunction {
 public:
  explicit HoldsFunction(py::function function) : function_(std::move(function)) {}
  HoldsFunction(const HoldsFunction&) = delete;
  HoldsFunction& operator=(const HoldsFunction&) = delete;
  virtual ~HoldsFunction() = default;
  [[nodiscard]] const py::function& function() const { return function_; }
  void let_go() { function_ = py::function(); }

 private:
  py::function function_;
};
// All of a system.
[[nodiscard]] std::vector<HoldsFunction*> held_functions(const System& system);

// A sum over elements of k vertices each, which one call of `function(X, order)` evaluates at once. X has the shape
// (elements, k, dimension). It gives the energies, then the gradients if order ≥ 1 and the Hessians if order ≥ 2.
struct ElementsOfPython {
  int dimension = 3;
  int vertices_each = 0;
  std::vector<int> vertices;  // element by element, each ascending
  bool translation_invariant = false;
  bool rotation_invariant = false;
};
class PythonEnergy final : public Energy, public KnowsLengths, public HoldsFunction {
 public:
  PythonEnergy(py::function function, ElementsOfPython elements);

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::potential; }
  [[nodiscard]] Stencils stencils() const override {
    return {elements_.vertices_each, elements_.vertices};
  }
  [[nodiscard]] bool translation_invariant() const override {
    return elements_.translation_invariant;
  }
  [[nodiscard]] bool rotation_invariant() const override { return elements_.rotation_invariant; }
  [[nodiscard]] Abilities abilities() const override { return {.lengths = this}; }
  void raise_own_lengths(const double* x, int dimension, const EnergyMemory* memory,
                         std::span<double> lengths) const override {
    raise_to_positions(x, dimension, memory, lengths);
  }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;

 private:
  [[nodiscard]] double evaluate_with_python(const Evaluation& at) const;
  // The coordinates of all elements at a point of the path.
  void gather(const Evaluation& at, double theta, double* into) const;

  ElementsOfPython elements_;
  std::size_t count_;  // of elements
  std::size_t size_;   // of coordinates of one
};

// F(t, x, v) = function(t, x, v).
class PythonForce final : public Force, public HoldsFunction {
 public:
  PythonForce(py::function function, int vertices, int dimension);
  void add(double t, const double* x, const double* v, double* force) const override;

 private:
  int vertices_, dimension_;
};

// function(t, q, v, order) gives L, then ∂L/∂q, ∂L/∂v and ∂L/∂t if order ≥ 1, and the matrices qq, qv and vv of second
// derivatives if order ≥ 2.
class PythonLagrangian final : public Lagrangian, public HoldsFunction {
 public:
  PythonLagrangian(py::function function, int dofs, bool depends_on_time, std::vector<bool> cyclic);
  [[nodiscard]] int dofs() const override { return dofs_; }
  double evaluate(double t, const double* q, const double* v,
                  const LagrangianDerivatives& derivatives) const override;
  [[nodiscard]] bool depends_on_time() const override { return depends_on_time_; }
  [[nodiscard]] bool cyclic(int coordinate) const override {
    return cyclic_[static_cast<std::size_t>(coordinate)];
  }

 private:
  int dofs_;
  bool depends_on_time_;
  std::vector<bool> cyclic_;
};

}  // namespace lilyan::python

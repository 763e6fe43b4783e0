#include "callbacks.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <exception>
#include <utility>

#include "lilyan/assemble/project.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::python {
namespace {

// Of the function that was called last on this thread. The library knows nothing of Python's errors: it is told that
// the step failed, and whoever asked for the step gets the error itself.
thread_local std::exception_ptr python_error;

template <class Function>
auto with_python(const Function& function) {
  const py::gil_scoped_acquire gil;
  try {
    return function();
  } catch (const py::error_already_set&) {
    python_error = std::current_exception();
  } catch (const py::cast_error& error) {
    python_error = std::make_exception_ptr(Error(error.what()));
  } catch (const Error&) {
    python_error = std::current_exception();
  }
  throw Error("a function of Python's failed");
}

Numbers copy_of(const double* numbers, std::vector<py::ssize_t> shape) {
  return Numbers(std::move(shape), numbers);
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// As raise_negative does, for matrices of any size.
void make_definite(Eigen::Map<Matrix>& matrix, double strength) {
  if (matrix.rows() <= kMostRaised) {
    raise_negative(matrix.data(), static_cast<int>(matrix.rows()), strength);
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.eigenvalues().minCoeff() >= 0) return;
  const Eigen::VectorXd raise = -strength * solver.eigenvalues().cwiseMin(0.0);
  matrix += solver.eigenvectors() * raise.asDiagonal() * solver.eigenvectors().transpose();
}

// An entry of what a function returned, as so many numbers.
Numbers entry(const py::sequence& result, std::size_t at, std::size_t size, const char* what) {
  if (result.size() <= at) throw Error(fmt::format("the function gave no {}", what));
  Numbers numbers = Numbers::ensure(result[at]);
  if (!numbers) {
    PyErr_Clear();
    throw Error(fmt::format("the {} that the function gave are not numbers", what));
  }
  if (static_cast<std::size_t>(numbers.size()) != size) {
    throw Error(fmt::format("the function gave {} numbers as {}, but {} are expected",
                            numbers.size(), what, size));
  }
  return numbers;
}

}  // namespace

void rethrow_python_error() {
  if (!python_error) return;
  std::rethrow_exception(std::exchange(python_error, nullptr));
}

std::vector<HoldsFunction*> held_functions(const System& system) {
  std::vector<HoldsFunction*> held;
  const auto add = [&](auto* part) {
    if (auto* holds = dynamic_cast<HoldsFunction*>(part)) held.push_back(holds);
  };
  for (const auto& energy : system.energies()) add(energy.get());
  for (const auto& force : system.forces()) add(force.get());
  // The system is const for those who step it; this is the collector.
  add(const_cast<Lagrangian*>(
      system.lagrangian()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return held;
}

PythonEnergy::PythonEnergy(py::function function, ElementsOfPython elements)
    : HoldsFunction(std::move(function)),
      elements_(std::move(elements)),
      count_(elements_.vertices.size() / static_cast<std::size_t>(elements_.vertices_each)),
      size_(static_cast<std::size_t>(elements_.vertices_each * elements_.dimension)) {}

void PythonEnergy::gather(const Evaluation& at, double theta, double* into) const {
  for (const int vertex : elements_.vertices) {
    for (int c = 0; c < elements_.dimension; ++c) {
      const std::ptrdiff_t i = std::ptrdiff_t{elements_.dimension} * vertex + c;
      *into++ = at.x0[i] + (at.d ? theta * at.d[i] : 0.0);
    }
  }
}

double PythonEnergy::evaluate(const Evaluation& at) const {
  return with_python([&] { return evaluate_with_python(at); });
}

double PythonEnergy::evaluate_with_python(const Evaluation& at) const {
  const int order = at.hessian ? 2 : at.gradient ? 1 : 0;
  const auto n = static_cast<Eigen::Index>(size_);
  std::vector<double> sums(at.hessian ? count_ * size_ * size_ : 0, 0.0);
  double value = 0;
  for (const WeightedNode& node : at.nodes) {
    Numbers points({static_cast<py::ssize_t>(count_), py::ssize_t{elements_.vertices_each},
                    py::ssize_t{elements_.dimension}});
    gather(at, node.theta, points.mutable_data());
    const py::sequence result = function()(points, order);
    const Numbers energies = entry(result, 0, count_, "energies");
    for (std::size_t e = 0; e < count_; ++e) value += node.value * energies.data()[e];
    if (at.gradient) {
      const Numbers gradients = entry(result, 1, count_ * size_, "gradients");
      const double* from = gradients.data();
      for (const int vertex : elements_.vertices) {
        double* to = at.gradient + std::ptrdiff_t{elements_.dimension} * vertex;
        for (int c = 0; c < elements_.dimension; ++c) to[c] += node.gradient * *from++;
      }
    }
    if (at.hessian) {
      const Numbers hessians = entry(result, 2, count_ * size_ * size_, "Hessians");
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += node.hessian * hessians.data()[k];
    }
  }
  for (std::size_t e = 0; at.hessian && e < count_; ++e) {
    Eigen::Map<Matrix> sum(sums.data() + e * size_ * size_, n, n);
    sum = (0.5 * (sum + sum.transpose())).eval();
    if (at.projection > 0) make_definite(sum, at.projection);
    const int d = elements_.dimension;
    add_element(
        *at.slots, e, {elements_.vertices_each, d},
        [&](int a, int b, int r, int c) { return sum(d * a + r, d * b + c); }, at.hessian);
  }
  return value;
}

PythonForce::PythonForce(py::function function, int vertices, int dimension)
    : HoldsFunction(std::move(function)), vertices_(vertices), dimension_(dimension) {}

void PythonForce::add(double t, const double* x, const double* v, double* force) const {
  with_python([&] {
    const std::vector<py::ssize_t> shape = dimension_ == 1
                                               ? std::vector<py::ssize_t>{vertices_}
                                               : std::vector<py::ssize_t>{vertices_, dimension_};
    const auto size = static_cast<std::size_t>(vertices_ * dimension_);
    const py::tuple result = py::make_tuple(function()(t, copy_of(x, shape), copy_of(v, shape)));
    const Numbers numbers = entry(result, 0, size, "forces");
    for (std::size_t i = 0; i < size; ++i) force[i] += numbers.data()[i];
    return true;
  });
}

PythonLagrangian::PythonLagrangian(py::function function, int dofs, bool depends_on_time,
                                   std::vector<bool> cyclic)
    : HoldsFunction(std::move(function)),
      dofs_(dofs),
      depends_on_time_(depends_on_time),
      cyclic_(std::move(cyclic)) {}

double PythonLagrangian::evaluate(double t, const double* q, const double* v,
                                  const LagrangianDerivatives& d) const {
  return with_python([&] {
    const bool second = d.qq || d.qv || d.vv;
    const int order = second ? 2 : d.q || d.v || d.t ? 1 : 0;
    const py::sequence result = function()(t, copy_of(q, {dofs_}), copy_of(v, {dofs_}), order);
    const auto n = static_cast<std::size_t>(dofs_);
    const auto take = [&](std::size_t at, double* into, const char* what) {
      if (!into) return;
      const Numbers numbers = entry(result, at, n, what);
      std::copy_n(numbers.data(), n, into);
    };
    // NumPy's matrices come by rows, the library's by columns.
    const auto take_matrix = [&](std::size_t at, double* into) {
      if (!into) return;
      const Numbers numbers = entry(result, at, n * n, "second derivatives");
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < n; ++c) into[c * n + r] = numbers.data()[r * n + c];
      }
    };
    take(1, d.q, "derivatives by q");
    take(2, d.v, "derivatives by v");
    if (d.t) *d.t = *entry(result, 3, 1, "derivatives by t").data();
    take_matrix(4, d.qq);
    take_matrix(5, d.qv);
    take_matrix(6, d.vv);
    return *entry(result, 0, 1, "L").data();
  });
}

}  // namespace lilyan::python

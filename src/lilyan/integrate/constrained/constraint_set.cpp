#include "lilyan/integrate/constrained/constraint_set.hpp"

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {
// Share of an equation's gradient, squared, that must be independent of those before it.
constexpr double kIndependent = 1e-12;
}  // namespace

ConstraintSet::ConstraintSet(const System& system) : system_(system) {
  std::size_t most = 0;
  for (std::size_t k = 0; k < system.constraints().size(); ++k) {
    const Constraint& c = *system.constraints()[k];
    for (int e = 0; e < c.equations(); ++e) {
      owner_.push_back(static_cast<int>(k));
      row_start_.push_back(static_cast<int>(dof_.size()));
      for (const int dof : c.dofs()) {
        dof_.push_back(dof);
        free_.push_back(system.fixed(dof / system.dimension()) ? 0 : 1);
      }
    }
    most = std::max(most, static_cast<std::size_t>(c.equations()) * c.dofs().size());
  }
  row_start_.push_back(static_cast<int>(dof_.size()));
  scratch_.resize(most);
  scratch_values_.setZero(equations());
  scratch_column_.setZero(system.dofs());
  scratch_result_.setZero(equations());
}

void ConstraintSet::values(const Vector& x, Vector& g) const {
  int row = 0;
  for (const auto& c : system_.constraints()) {
    c->evaluate(x.data(), g.data() + row, nullptr);
    row += c->equations();
  }
}

void ConstraintSet::evaluate(const Vector& x, Vector& g, Jacobian& jacobian) const {
  int row = 0;
  for (const auto& c : system_.constraints()) {
    c->evaluate(x.data(), g.data() + row,
                jacobian.data() + row_start_[static_cast<std::size_t>(row)]);
    row += c->equations();
  }
  for (std::size_t i = 0; i < dof_.size(); ++i) {
    if (free_[i] == 0) jacobian[i] = 0;
  }
}

void ConstraintSet::scales(const Vector& x, Vector& scale) const {
  int row = 0;
  for (const auto& c : system_.constraints()) {
    c->evaluate(x.data(), scratch_values_.data(), scratch_.data());
    const auto dofs = c->dofs();
    for (int e = 0; e < c->equations(); ++e, ++row) {
      scale[row] = c->scale();
      for (std::size_t j = 0; j < dofs.size(); ++j) {
        scale[row] +=
            std::abs(scratch_[static_cast<std::size_t>(e) * dofs.size() + j] * x[dofs[j]]);
      }
    }
  }
}

void ConstraintSet::apply(const Jacobian& jacobian, const Vector& v, Vector& result) const {
  for (int k = 0; k < equations(); ++k) {
    double sum = 0;
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) sum += jacobian[i] * v[dof_[i]];
    result[k] = sum;
  }
}

void ConstraintSet::add_transposed(const Jacobian& jacobian, const Vector& lambda, double weight,
                                   Vector& sum) const {
  for (int k = 0; k < equations(); ++k) {
    const double factor = weight * lambda[k];
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) sum[dof_[i]] += factor * jacobian[i];
  }
}

void ConstraintSet::column(const Jacobian& jacobian, int k, Vector& column) const {
  column.setZero();
  for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) column[dof_[i]] += jacobian[i];
}

double ConstraintSet::row_norm(const Jacobian& jacobian, int k) const {
  double sum = 0;
  for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) sum += jacobian[i] * jacobian[i];
  return std::sqrt(sum);
}

void ConstraintSet::gram(const Jacobian& g, const Jacobian& h, DenseMatrix& a) const {
  for (int k = 0; k < equations(); ++k) {
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      scratch_column_[dof_[i]] += h[i] / system_.mass()[dof_[i]];
    }
    apply(g, scratch_column_, scratch_result_);
    a.col(k) = scratch_result_;
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) scratch_column_[dof_[i]] = 0;
  }
}

bool GramFactor::factorise(const DenseMatrix& a) {
  upper_ = a;
  dependent_ = -1;
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      upper_(i, j) = (a(i, j) - upper_.col(i).head(i).dot(upper_.col(j).head(i))) / upper_(i, i);
    }
    const double pivot = a(j, j) - upper_.col(j).head(j).squaredNorm();
    if (!(pivot > kIndependent * a(j, j))) {
      dependent_ = static_cast<int>(j);
      return false;
    }
    upper_(j, j) = std::sqrt(pivot);
  }
  return true;
}

void GramFactor::solve_lower(Eigen::Ref<Vector> b) const {
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    b[i] = (b[i] - upper_.col(i).head(i).dot(b.head(i))) / upper_(i, i);
  }
}

void GramFactor::solve_upper(Eigen::Ref<Vector> b) const {
  for (Eigen::Index i = b.size() - 1; i >= 0; --i) {
    b[i] /= upper_(i, i);
    b.head(i) -= b[i] * upper_.col(i).head(i);
  }
}

void GramFactor::multiply_upper(Vector& b) const {
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    const double bi = b[i];
    b.head(i) += bi * upper_.col(i).head(i);
    b[i] = bi * upper_(i, i);
  }
}

}  // namespace lilyan

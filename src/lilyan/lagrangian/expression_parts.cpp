#include "lilyan/lagrangian/expression_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/numeric/dense.hpp"
#include "lilyan/physics/small_potential.hpp"

namespace lilyan {
namespace {

std::vector<int> range(int first, int count) {
  std::vector<int> r(static_cast<std::size_t>(count));
  std::iota(r.begin(), r.end(), first);
  return r;
}

std::vector<ExpressionNode> nodes_of(const std::vector<DerivativeEntry>& entries) {
  std::vector<ExpressionNode> nodes;
  for (const DerivativeEntry& e : entries) nodes.push_back(e.node);
  return nodes;
}

// The functions at whose zeros an expression goes over to another formula: what comparisons compare, and
// what abs, sign, min and max decide by.
std::vector<ExpressionNode> switches_of(ExpressionGraph& graph, ExpressionNode e) {
  std::set<ExpressionNode> found;
  for (const ExpressionNode n : graph.reachable(std::vector{e})) {
    const ExpressionArguments a = graph.arguments(n);
    switch (graph.operation(n)) {
      case Operation::less:
      case Operation::less_equal:
      case Operation::min:
      case Operation::max: found.insert(graph.subtract(a[0], a[1])); break;
      case Operation::abs:
      case Operation::sign: found.insert(a[0]); break;
      default: break;
    }
  }
  std::erase_if(found, [&](ExpressionNode n) { return graph.variables(n).empty(); });
  return {found.begin(), found.end()};
}

}  // namespace

ExpressionEvaluator::ExpressionEvaluator(const ExpressionGraph& graph,
                                         std::span<const ExpressionNode> outputs)
    : program_(graph, outputs),
      inputs_(static_cast<std::size_t>(program_.input_count())),
      outputs_(outputs.size()),
      scratch_(static_cast<std::size_t>(program_.scratch_size())) {}

const double* ExpressionEvaluator::run(int n, const double* q, const double* v, double t) const {
  const int count = program_.input_count();
  const int positions = std::min(n, count);
  if (q) std::copy(q, q + positions, inputs_.begin());
  if (v && count > n) std::copy(v, v + std::min(n, count - n), inputs_.begin() + n);
  if (count > 2 * n) inputs_.back() = t;
  program_.run(inputs_.data(), outputs_.data(), scratch_.data());
  return outputs_.data();
}

ExpressionLagrangian::ExpressionLagrangian(ExpressionGraph& graph, ExpressionNode l, int dofs)
    : n_(dofs), depends_on_time_(graph.depends(l, 2 * dofs)) {
  std::vector<ExpressionNode> first = {l};
  const std::vector<ExpressionNode> slopes = gradient(graph, l, range(0, 2 * n_ + 1));
  first.insert(first.end(), slopes.begin(), slopes.end());
  entries_ = lilyan::hessian(graph, l, range(0, 2 * n_));
  const std::set<int> used = graph.variables(l);
  for (int i = 0; i < n_; ++i) cyclic_.push_back(used.contains(i) ? 0 : 1);
  value_ = ExpressionEvaluator(graph, std::vector{l});
  first_ = ExpressionEvaluator(graph, first);
  second_ = ExpressionEvaluator(graph, nodes_of(entries_));
}

double ExpressionLagrangian::evaluate(double t, const double* q, const double* v,
                                      const LagrangianDerivatives& d) const {
  if (d.vv) {
    const auto size = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_);
    for (double* matrix : {d.qq, d.qv, d.vv}) std::fill(matrix, matrix + size, 0.0);
    const double* values = second_.run(n_, q, v, t);
    for (const auto& [row, column, node] : entries_) {
      const double value = *values++;
      if (row < n_) {
        d.qq[column * n_ + row] = d.qq[row * n_ + column] = value;
      } else if (column >= n_) {
        const int i = row - n_;
        const int j = column - n_;
        d.vv[j * n_ + i] = d.vv[i * n_ + j] = value;
      } else {  // ∂²L/∂v∂q
        d.qv[(row - n_) * n_ + column] = value;
      }
    }
  }
  if (!d.q && !d.v && !d.t) return d.vv ? 0.0 : *value_.run(n_, q, v, t);
  const double* values = first_.run(n_, q, v, t);
  if (d.q) std::copy(values + 1, values + 1 + n_, d.q);
  if (d.v) std::copy(values + 1 + n_, values + 1 + 2 * n_, d.v);
  if (d.t) *d.t = values[1 + 2 * n_];
  return values[0];
}

ExpressionFunction::ExpressionFunction(std::shared_ptr<ExpressionGraph> graph, ExpressionNode f,
                                       int first, int n)
    : graph_(std::move(graph)), f_(f), first_(first), n_(n) {
  std::vector<ExpressionNode> outputs = {f};
  value_ = ExpressionEvaluator(*graph_, outputs);
  const std::vector<ExpressionNode> slopes = lilyan::gradient(*graph_, f, range(first, n));
  outputs.insert(outputs.end(), slopes.begin(), slopes.end());
  gradient_ = ExpressionEvaluator(*graph_, outputs);
}

void ExpressionFunction::need_hessian() const {
  if (has_hessian_) return;
  has_hessian_ = true;
  entries_ = lilyan::hessian(*graph_, f_, range(first_, n_));
  hessian_ = ExpressionEvaluator(*graph_, nodes_of(entries_));
  sums_.resize(entries_.size());
  find_pairs();
}

void ExpressionFunction::find_pairs() const {
  // A diagonal entry goes to any pair that has its variable.
  std::vector<int> pair_of(static_cast<std::size_t>(n_), -1);
  std::vector<int> block_of(static_cast<std::size_t>(n_), 0);
  int pairs = 0;
  const auto add_pair = [&](int low, int high) {
    pairs_.push_back(low);
    if (n_ > 1) pairs_.push_back(high);
    for (const int i : {low, high}) {
      if (pair_of[static_cast<std::size_t>(i)] >= 0) continue;
      pair_of[static_cast<std::size_t>(i)] = pairs;
      block_of[static_cast<std::size_t>(i)] = i == low ? 0 : 2;
    }
    return pairs++;
  };
  std::map<std::pair<int, int>, int> found;
  for (const auto& [row, column, node] : entries_) {
    if (row != column) found[{column, row}] = add_pair(column, row);
  }
  for (const auto& [row, column, node] : entries_) {
    if (row != column) {
      targets_.push_back({found[{column, row}], 1});
      continue;
    }
    if (pair_of[static_cast<std::size_t>(row)] < 0) {
      add_pair(n_ > 1 && row == n_ - 1 ? row - 1 : row,
               n_ > 1 ? (row == n_ - 1 ? row : row + 1) : row);
    }
    targets_.push_back(
        {pair_of[static_cast<std::size_t>(row)], block_of[static_cast<std::size_t>(row)]});
  }
}

const double* ExpressionFunction::run(const ExpressionEvaluator& evaluator, const double* x) const {
  return first_ == 0 ? evaluator.run(n_, x, nullptr, 0) : evaluator.run(n_, nullptr, x, 0);
}

double ExpressionFunction::value(const double* x) const { return *run(value_, x); }

double ExpressionFunction::gradient(const double* x, double* gradient) const {
  const double* values = run(gradient_, x);
  std::copy(values + 1, values + 1 + n_, gradient);
  return values[0];
}

void ExpressionFunction::hessian(const double* x, double* dense) const {
  need_hessian();
  std::fill(dense, dense + n_ * n_, 0.0);
  const double* values = run(hessian_, x);
  for (const auto& [row, column, node] : entries_) {
    dense[column * n_ + row] = dense[row * n_ + column] = *values++;
  }
}

void ExpressionFunction::begin_hessian() const {
  need_hessian();
  std::ranges::fill(sums_, 0.0);
}

void ExpressionFunction::add_hessian(const double* x, double weight) const {
  const double* values = run(hessian_, x);
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += weight * values[k];
}

void ExpressionFunction::write_hessian(double projection, const BlockSlots& slots,
                                       double* hessian) const {
  if (projection > 0) raise(projection);
  const int blocks = n_ == 1 ? 1 : 3;
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const auto [pair, block] = targets_[k];
    hessian[slots.position[static_cast<std::size_t>(blocks * pair + block)]] += sums_[k];
  }
}

// The nearest positive semidefinite matrix would be dense. Where that is not too large, what it
// takes is spread over the diagonal; otherwise the diagonal is made to dominate (Gershgorin).
void ExpressionFunction::raise(double strength) const {
  constexpr int kDense = 128;
  if (n_ <= kDense) {
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n_, n_);
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      dense(entries_[k].row, entries_[k].column) = sums_[k];
    }
    const double lowest = lowest_eigenvalue(dense);
    if (!(lowest < 0)) return;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      if (entries_[k].row == entries_[k].column) sums_[k] -= strength * lowest;
    }
    return;
  }
  std::vector<double> off(static_cast<std::size_t>(n_), 0.0);
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    if (entries_[k].row == entries_[k].column) continue;
    off[static_cast<std::size_t>(entries_[k].row)] += std::abs(sums_[k]);
    off[static_cast<std::size_t>(entries_[k].column)] += std::abs(sums_[k]);
  }
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    if (entries_[k].row != entries_[k].column) continue;
    const double missing = off[static_cast<std::size_t>(entries_[k].row)] - sums_[k];
    if (missing > 0) sums_[k] += strength * missing;
  }
}

ExpressionPotential::ExpressionPotential(const std::shared_ptr<ExpressionGraph>& graph,
                                         ExpressionNode e, int dofs)
    : n_(dofs),
      function_(graph, e, 0, dofs),
      point_(static_cast<std::size_t>(dofs)),
      gradient_(static_cast<std::size_t>(dofs)) {
  const std::vector<ExpressionNode> zeros = switches_of(*graph, e);
  switches_ = ExpressionEvaluator(*graph, zeros);
  for (auto* v : {&before_, &after_, &middle_}) v->resize(zeros.size());
}

void ExpressionPotential::go_to(const Evaluation& at, double s) const {
  for (int i = 0; i < n_; ++i) {
    point_[static_cast<std::size_t>(i)] = at.x0[i] + (at.d ? s * at.d[i] : 0.0);
  }
}

std::span<const WeightedNode> ExpressionPotential::path_nodes(const Evaluation& at) const {
  // (A rule with a node at the start is not given as a whole.)
  if (!at.mean || at.mean->start != 0 || !at.d || before_.empty()) return at.nodes;
  const PathBreaks breaks = find_breaks(
      [&](double s, std::vector<double>& values) {
        go_to(at, s);
        std::copy_n(switches_.run(n_, point_.data(), nullptr, 0), values.size(), values.begin());
      },
      before_, after_, middle_);
  if (breaks.empty()) return at.nodes;
  nodes_.clear();
  double from = 0;
  for (std::size_t k = 0; k <= breaks.count; ++k) {
    const double to = k < breaks.count ? breaks.bracket[k].second : 1.0;
    for (const WeightedNode& n : at.nodes) {
      const double s = from + n.theta * (to - from);
      const double weight = n.gradient * (to - from);
      nodes_.push_back(
          {.theta = s, .value = weight / s, .gradient = weight, .hessian = weight * s});
    }
    from = to;
  }
  return nodes_;
}

double ExpressionPotential::evaluate(const Evaluation& at) const {
  if (at.hessian) function_.begin_hessian();
  double value = 0;
  const std::span<const WeightedNode> nodes = path_nodes(at);
  if (at.want_value && nodes.data() != at.nodes.data()) {
    // The value's weights move with the breaks: its derivative is the mean only beside the energy at the start.
    double weights = 0;
    for (const WeightedNode& node : nodes) weights += node.value;
    go_to(at, 0);
    value = -weights * function_.value(point_.data());
  }
  for (const WeightedNode& node : nodes) {
    go_to(at, node.theta);
    if (at.gradient) {
      value += node.value * function_.gradient(point_.data(), gradient_.data());
      for (int i = 0; i < n_; ++i) {
        at.gradient[i] += node.gradient * gradient_[static_cast<std::size_t>(i)];
      }
    } else if (at.want_value && node.value != 0) {
      value += node.value * function_.value(point_.data());
    }
    if (at.hessian) function_.add_hessian(point_.data(), node.hessian);
  }
  if (at.hessian) function_.write_hessian(at.projection, *at.slots, at.hessian);
  return value;
}

std::unique_ptr<Energy> expression_potential(std::shared_ptr<ExpressionGraph> graph,
                                             ExpressionNode e, int dofs) {
  if (dofs > SmallPotential::kMost) {
    return std::make_unique<ExpressionPotential>(graph, e, dofs);
  }
  const std::vector<ExpressionNode> zeros = switches_of(*graph, e);
  PotentialSwitches switches{.count = static_cast<int>(zeros.size())};
  if (!zeros.empty()) {
    switches.evaluate = [s = ExpressionEvaluator(*graph, zeros), dofs, count = zeros.size()](
                            const double* q, double* values) {
      std::copy_n(s.run(dofs, q, nullptr, 0), count, values);
    };
  }
  const auto f = std::make_shared<const ExpressionFunction>(std::move(graph), e, 0, dofs);
  return std::make_unique<SmallPotential>(
      dofs, 1,
      [f](const double* q, double* gradient, double* hessian) {
        if (hessian) f->hessian(q, hessian);
        return gradient ? f->gradient(q, gradient) : f->value(q);
      },
      PotentialSymmetry{}, std::move(switches));
}

double ExpressionDissipation::evaluate(const std::vector<double>& /*lagged*/,
                                       const RateEvaluation& at) const {
  double value = 0;
  if (at.gradient) {
    value = function_.gradient(at.v, gradient_.data());
    for (int i = 0; i < n_; ++i) {
      at.gradient[i] += at.gradient_weight * gradient_[static_cast<std::size_t>(i)];
    }
  } else {
    value = function_.value(at.v);
  }
  if (at.hessian) {
    function_.begin_hessian();
    function_.add_hessian(at.v, at.hessian_weight);
    function_.write_hessian(at.projection, *at.slots, at.hessian);
  }
  return value;
}

ExpressionForce::ExpressionForce(ExpressionGraph& graph, std::vector<ExpressionNode> forces,
                                 bool dissipates)
    : n_(static_cast<int>(forces.size())),
      dissipates_(dissipates),
      force_(graph, forces),
      entries_(jacobian(graph, forces, range(0, 2 * n_))) {
  slopes_ = ExpressionEvaluator(graph, nodes_of(entries_));
}

void ExpressionForce::add(double t, const double* x, const double* v, double* force) const {
  const double* values = force_.run(n_, x, v, t);
  for (int i = 0; i < n_; ++i) force[i] += values[i];
}

void ExpressionForce::add_damping(double t, const double* x, const double* v,
                                  double* diagonal) const {
  const double* values = slopes_.run(n_, x, v, t);
  for (const auto& [row, column, node] : entries_) {
    const double value = *values++;
    if (column == n_ + row) diagonal[row] += std::max(0.0, -value);
  }
}

bool ExpressionForce::add_derivatives(double t, const double* x, const double* v, double* by_x,
                                      double* by_v) const {
  const double* values = slopes_.run(n_, x, v, t);
  for (const auto& [row, column, node] : entries_) {
    const double value = *values++;
    (column < n_ ? by_x[column * n_ + row] : by_v[(column - n_) * n_ + row]) += value;
  }
  return true;
}

ExpressionConstraint::ExpressionConstraint(ExpressionGraph& graph, std::string name,
                                           ExpressionNode g, int dofs, double scale)
    : name_(std::move(name)), n_(dofs), scale_(scale) {
  for (const int i : graph.variables(g)) dofs_.push_back(i);
  std::vector<ExpressionNode> outputs = {g};
  value_ = ExpressionEvaluator(graph, outputs);
  const std::vector<ExpressionNode> slopes = gradient(graph, g, dofs_);
  outputs.insert(outputs.end(), slopes.begin(), slopes.end());
  gradient_ = ExpressionEvaluator(graph, outputs);
}

void ExpressionConstraint::evaluate(const double* x, double* values, double* jacobian) const {
  const double* out = (jacobian ? gradient_ : value_).run(n_, x, nullptr, 0);
  values[0] = out[0];
  if (jacobian) std::copy(out + 1, out + 1 + dofs_.size(), jacobian);
}

}  // namespace lilyan

// The order of a method from its coefficients alone.
//
// The solution of ẍ = a(x) and one step of a method are both series over Nyström trees: with h v₀ a
// leaf of order 1 and h²a⁽ᵏ⁾(τ₁, …, τₖ) a tree of order 2 + Σ order(τᵢ), a displacement is
// Σ D(τ) τ and h times a velocity Σ W(τ) τ. Evaluating the acceleration at x₀ + θ d gives the tree
// [τ₁ … τₖ] the coefficient Π θ D(τᵢ); the exact solution has D = Π D(τᵢ)/(n(n−1)) and W = n D for
// a tree of order n. A method has order p when its D agree up to order p and its W up to p+1.
//
// For compositions of a symmetric method S_h = exp(h Y₁ + h³ Y₃ + h⁵ Y₅ + …) with operators that do
// not commute, the product over the substeps has to agree with exp(Y₁) in the coefficients of all
// words of weight up to p.
//
// Hairer, Lubich, Wanner: Geometric Numerical Integration, 2006, chapter III.
#include "lilyan/verify/verification.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace lilyan {
namespace {

constexpr double kAgree = 1e-12;

struct Tree {
  std::vector<int> children;  // indices of trees, ascending; of the leaf h v₀: none
  int order;
};

// All trees up to an order, by ascending order; number 0 is the leaf.
std::vector<Tree> trees(int most) {
  std::vector<Tree> all = {{{}, 1}};
  for (int order = 2; order <= most; ++order) {
    // Multisets of smaller trees with orders summing to order − 2.
    std::vector<int> chosen;
    std::vector<Tree> fresh;
    const int known = static_cast<int>(all.size());
    const auto choose = [&](const auto& self, int first, int left) -> void {
      if (left == 0) fresh.push_back({chosen, order});
      for (int i = first; i < known; ++i) {
        if (all[static_cast<std::size_t>(i)].order > left) continue;
        chosen.push_back(i);
        self(self, i, left - all[static_cast<std::size_t>(i)].order);
        chosen.pop_back();
      }
    };
    choose(choose, 0, order - 2);
    all.insert(all.end(), fresh.begin(), fresh.end());
  }
  return all;
}

// Displacement and h·velocity as series over the trees.
struct Series {
  std::vector<double> D, W;
};

class Nystroem {
 public:
  explicit Nystroem(int most) : trees_(trees(most)) {}

  [[nodiscard]] Series start() const {
    Series s{std::vector<double>(trees_.size()), std::vector<double>(trees_.size())};
    s.W[0] = 1;
    return s;
  }

  // The exact solution at time s·h.
  [[nodiscard]] Series exact(double s) const {
    std::vector<double> unit(trees_.size());
    Series result = start();
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const int n = trees_[i].order;
      unit[i] = i == 0 ? 1 : product(unit, i, 1) / (n * (n - 1));
      result.D[i] = unit[i] * std::pow(s, n);
      result.W[i] = n * unit[i] * std::pow(s, n - 1);
    }
    return result;
  }

  // Coefficient of tree i in h² a(x₀ + θ d).
  [[nodiscard]] double acceleration(const std::vector<double>& D, std::size_t i,
                                    double theta) const {
    return i == 0 ? 0 : product(D, i, theta);
  }

  [[nodiscard]] Series step(const MinimisationTable& table, double ratio) const {
    const Series first = start();
    const Series before = exact(-1 / ratio);
    std::vector<Series> points;
    const auto at = [&](int point) -> const Series& {
      if (point == 0) return first;
      return point < 0 ? before : points[static_cast<std::size_t>(point - 1)];
    };
    const auto known = [&](const std::vector<Known>& list, std::size_t i) {
      double sum = 0;
      for (const Known& k : list) {
        const Series& s = at(k.point);
        sum += k.position * s.D[i] + k.velocity * s.W[i] + k.force * acceleration(s.D, i, 1);
      }
      return sum;
    };
    for (const Stage& stage : table.stages) {
      Series s = start();
      for (std::size_t i = 0; i < trees_.size(); ++i) {  // children have smaller numbers
        s.D[i] = known(stage.target, i);
        for (const auto& [theta, beta] : stage.nodes) s.D[i] += beta * acceleration(s.D, i, theta);
        s.W[i] = stage.displacement * s.D[i] + known(stage.velocity, i);
        for (const auto& [theta, w] : stage.end_forces) s.W[i] += w * acceleration(s.D, i, theta);
      }
      points.push_back(std::move(s));
    }
    return points.back();
  }

  [[nodiscard]] Series step(const ExplicitTable& table) const {
    Series s = start();
    for (const auto& [kind, weight] : table.stages) {
      for (std::size_t i = 0; i < trees_.size(); ++i) {
        if (kind == ExplicitTable::Stage::Kind::drift) {
          s.D[i] += weight * s.W[i];
        } else {
          s.W[i] += weight * acceleration(s.D, i, 1);
        }
      }
    }
    return s;
  }

  [[nodiscard]] Series step(const CollocationTable& table) const {
    const std::size_t s = table.c.size();
    // h times the velocity of each stage and its displacement; W of a tree needs D of smaller ones.
    std::vector<Series> stage(s, start());
    Series end = start();
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      for (std::size_t k = 0; k < s; ++k) {
        stage[k].W[i] = i == 0 ? 1 : 0;
        for (std::size_t j = 0; j < s; ++j) {
          stage[k].W[i] += table.A[k * s + j] * acceleration(stage[j].D, i, 1);
        }
      }
      for (std::size_t k = 0; k < s; ++k) {
        for (std::size_t j = 0; j < s; ++j) stage[k].D[i] += table.A[k * s + j] * stage[j].W[i];
        end.W[i] += table.b[k] * acceleration(stage[k].D, i, 1);
        end.D[i] += table.b[k] * stage[k].W[i];
      }
    }
    return end;
  }

  [[nodiscard]] int order(const Series& step) const {
    const Series truth = exact(1);
    int order = trees_.back().order - 1;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const int n = trees_[i].order;
      if (std::abs(step.D[i] - truth.D[i]) > kAgree) order = std::min(order, n - 1);
      if (std::abs(step.W[i] - truth.W[i]) > kAgree) order = std::min(order, n - 2);
    }
    return order;
  }

 private:
  [[nodiscard]] double product(const std::vector<double>& D, std::size_t i, double theta) const {
    double p = 1;
    for (const int child : trees_[i].children) p *= theta * D[static_cast<std::size_t>(child)];
    return p;
  }

  std::vector<Tree> trees_;
};

// Words in the odd letters Y₁, Y₃, …, up to a weight, with coefficients.
using Words = std::map<std::vector<int>, double>;

int weight(const std::vector<int>& word) {
  int sum = 0;
  for (const int letter : word) sum += letter;
  return sum;
}

Words multiply(const Words& a, const Words& b, int most) {
  Words result;
  for (const auto& [u, x] : a) {
    for (const auto& [v, y] : b) {
      if (weight(u) + weight(v) > most) continue;
      std::vector<int> word = u;
      word.insert(word.end(), v.begin(), v.end());
      result[word] += x * y;
    }
  }
  return result;
}

Words exponential(const Words& generator, int most) {
  Words sum = {{{}, 1.0}};
  Words term = sum;
  for (int n = 1; n <= most; ++n) {
    term = multiply(term, generator, most);
    for (auto& [word, c] : term) sum[word] += (c /= n);
  }
  return sum;
}

int composition_order(const std::vector<double>& fractions, int most) {
  Words product = {{{}, 1.0}};
  for (const double f : fractions) {
    Words generator;
    for (int letter = 1; letter <= most; letter += 2) generator[{letter}] = std::pow(f, letter);
    product = multiply(product, exponential(generator, most), most);
  }
  for (const auto& [word, c] : exponential({{{1}, 1.0}}, most)) product[word] -= c;
  int order = most;
  for (const auto& [word, c] : product) {
    if (std::abs(c) > kAgree) order = std::min(order, weight(word) - 1);
  }
  return order;
}

}  // namespace

std::optional<int> order_by_conditions(const Scheme& scheme, int most) {
  const Nystroem nystroem(most + 1);
  if (const auto* table = std::get_if<MinimisationTable>(&scheme.table)) {
    return nystroem.order(nystroem.step(*table, 1));
  }
  if (const auto* table = std::get_if<ExplicitTable>(&scheme.table)) {
    return nystroem.order(nystroem.step(*table));
  }
  if (const auto* table = std::get_if<CollocationTable>(&scheme.table)) {
    return nystroem.order(nystroem.step(*table));
  }
  if (const auto* table = std::get_if<MultistepTable>(&scheme.table)) {
    int order = nystroem.order(nystroem.step(table->start, 1));
    for (const double ratio : {1.0, 0.4, 1.7}) {
      order = std::min(order, nystroem.order(nystroem.step(table->at_ratio(ratio), ratio)));
    }
    return order;
  }
  if (const auto* table = std::get_if<CompositionTable>(&scheme.table)) {
    const auto base = order_by_conditions(*table->base, 3);
    if (base && base != 2) return std::nullopt;
    return composition_order(table->fractions, most);
  }
  return std::nullopt;
}

}  // namespace lilyan

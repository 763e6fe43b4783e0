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
#pragma once

#include <optional>

#include "lilyan/method/method.hpp"

namespace lilyan {

// Orders up to `most` are told apart; nothing for methods that are not given by coefficients.
[[nodiscard]] std::optional<int> order_by_conditions(const Scheme& scheme, int most = 9);

}  // namespace lilyan

// Making element matrices positive semidefinite.
#pragma once

#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

// Raises the negative eigenvalues e of each lane's matrix to (1 − strength) e: strength 1 gives the
// nearest positive semidefinite matrix, less keeps some of the negative curvature. Lanes without
// negative eigenvalues are left as they are, bit for bit; false when all lanes are such.
template <AnyPack P>
bool raise_negative_eigenvalues(Sym9<P>& a, double strength);

// The same for one symmetric n×n matrix, n ≤ 24, all entries of which are stored. A matrix without
// negative eigenvalues is left as it is, bit for bit; eigenvalues that are negative by rounding only
// do not count, since stress-free elements are singular.
void raise_negative(double* a, int n, double strength);
inline constexpr int kMostRaised = 24;

}  // namespace lilyan

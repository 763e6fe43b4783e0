// Making element tangents positive semidefinite.
#pragma once

#include "lilyan/core/lanes.hpp"
#include "lilyan/core/mat3.hpp"

namespace lilyan {

// Raises the negative eigenvalues e of each lane's matrix to (1 − strength) e: strength 1 gives the
// nearest positive semidefinite matrix, less keeps some of the negative curvature. Lanes without
// negative eigenvalues are left as they are, bit for bit; false when all lanes are such.
template <AnyPack P>
bool raise_negative_eigenvalues(Sym9<P>& a, double strength);
extern template bool raise_negative_eigenvalues(Sym9<PackOf<2>>& a, double strength);
extern template bool raise_negative_eigenvalues(Sym9<PackOf<4>>& a, double strength);
extern template bool raise_negative_eigenvalues(Sym9<PackOf<8>>& a, double strength);

}  // namespace lilyan

// Making element tangents positive semidefinite.
#pragma once

#include "lilyan/assemble/lanes.hpp"
#include "lilyan/core/mat3.hpp"

namespace lilyan {

// Raises the negative eigenvalues e of each lane's matrix to (1 − strength) e: strength 1 gives the
// nearest positive semidefinite matrix, less keeps some of the negative curvature. Lanes without
// negative eigenvalues are left as they are, bit for bit.
void raise_negative_eigenvalues(Sym9<Pack>& a, double strength);

}  // namespace lilyan

// Conjugate gradients as in solve/pcg.hpp, as one of PETSc's methods (-ksp_type lilyan).
//
// PETSc's own end where a direction has no positive curvature. These end already where its curvature is far below its
// inertia, and still go along it as far as the inertia alone would let them: what there is then is a good Newton
// direction. An iteration has one exchange of numbers between neighbours and, with TwoLevel, two reductions: one of the
// preconditioner, which returns r·z as well, and one for curvature and inertia.
#pragma once

#include <petscksp.h>

#include "app/distributed/two_level.hpp"

namespace lilyan::distributed {

inline constexpr const char* kConjugateGradients = "lilyan";

// Makes it known to PETSc.
void register_conjugate_gradients();
// Whether a solver is of this kind; the options may have made it another.
[[nodiscard]] bool has_conjugate_gradients(KSP solver);
// For such a one: the mass of each row's vertex (null: inertia plays no part), and the preconditioner if it is this one.
void set_inertia(KSP solver, const double* mass, const TwoLevel* preconditioner);

}  // namespace lilyan::distributed

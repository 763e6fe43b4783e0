// Which methods can keep constraints, and the table their constrained step is made from.
#pragma once

#include <string>

#include "lilyan/method/method.hpp"

namespace lilyan {

// Variational (symplectic) one-stage methods, explicit ones with one drift among them; those that
// conserve energy exactly by averaging forces; and compositions of these.
[[nodiscard]] bool supports_constraints(const Scheme& scheme);
// "newmark(…) cannot keep constraints; methods that can: avf, …", with the reason where the same
// method can with other parameters.
[[nodiscard]] std::string constraints_unsupported(const Scheme& scheme);
// One stage, y = h v₀ and forces at nodes; it averages forces only where the constrained step is to
// do so as well. Throws Error for other schemes, compositions included.
[[nodiscard]] MinimisationTable constrained_table(const Scheme& scheme);

}  // namespace lilyan

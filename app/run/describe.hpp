// A scene and the end of its run in words.
#pragma once

#include <string>
#include <vector>

#include "app/run/runner.hpp"
#include "lilyan/core/drift.hpp"

namespace lilyan {

// Below this a relative deviation counts as conserved.
inline constexpr double kConserved = 1e-9;

// "1 body, 330 vertices (25 fixed), 2000 tets", "…, 12482 triangles, 31363 springs",
// "1 degree of freedom"
[[nodiscard]] std::string describe_size(const Scene& scene);
// "300 steps of 0.01 s", "error-controlled steps over 60 s"
[[nodiscard]] std::string describe_plan(const Scene& scene);
// " s", or nothing: small systems have units of their own.
[[nodiscard]] std::string_view time_unit(const Scene& scene);

struct Verdict {
  enum class Kind { kept, not_kept, no_invariant };
  Kind kind = Kind::kept;
  std::string text;  // "energy conserved, |ΔE|/E₀ ≤ 5.3e-13"
};
// On energy, and on the momenta of points in space.
[[nodiscard]] std::vector<Verdict> verdicts(const System& system, const RunSummary& summary,
                                            const DriftTracker& drift);

}  // namespace lilyan

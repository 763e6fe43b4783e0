// The figures of a report: one run's curves, or those of several overlaid.
#pragma once

#include <span>

#include "app/report/figure.hpp"
#include "app/report/record.hpp"

namespace lilyan {

using Runs = std::span<const RunRecord* const>;

// (H − H₀)/E₀ over time.
[[nodiscard]] Figure energy_figure(Runs runs);
// |relative energy error| on a logarithmic axis.
[[nodiscard]] Figure energy_error_figure(Runs runs);
// Relative drift of linear and angular momentum, where the scene promises them; no panels
// otherwise.
[[nodiscard]] FigureGrid momenta_figure(Runs runs);
// Of those that iterate; no series otherwise.
[[nodiscard]] Figure iterations_figure(Runs runs);
// What has gone into each entry of the ledger since the start; a panel for each run.
[[nodiscard]] FigureGrid ledger_figure(Runs runs);

}  // namespace lilyan

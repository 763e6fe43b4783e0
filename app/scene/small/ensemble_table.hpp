// Further initial conditions of a small system, which run along with the first: [[system.ensemble]].
#pragma once

#include <vector>

#include "app/scene/small/small_system.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "lilyan/lagrangian/expression_model.hpp"

namespace lilyan {

// Reads the tables of the [system] table. System, coordinates and initial state must be there
// already: what a table does not say is as it is in that state. Points that were left out, because
// they cannot have the energy that is asked for, are told among the remarks. Throws InputError.
[[nodiscard]] std::vector<State> read_ensemble(TableReader& system, ExpressionModel& model,
                                               ReadSystem& read);

}  // namespace lilyan

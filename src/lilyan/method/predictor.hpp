// Names of the starting points of root finds, as scene files spell them.
#pragma once

#include <string>

#include "lilyan/method/method.hpp"

namespace lilyan {

// Throws ParameterError for anything but "constant" and "avf".
[[nodiscard]] DiscreteGradientTable::Predictor predictor(const std::string& name);

}  // namespace lilyan

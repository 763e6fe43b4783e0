// The colours of methods: each has its own wherever it is shown, as in the live view (web/src/colour.ts).
#pragma once

#include <string>
#include <vector>

namespace lilyan {

// The indices into the palette of runs that are shown together. Each has the colour of its method, by the method's name
// with or without parameters. One whose colour is taken, or that has none, gets the first one that is free.
[[nodiscard]] std::vector<int> method_colours(const std::vector<std::string>& methods);

}  // namespace lilyan

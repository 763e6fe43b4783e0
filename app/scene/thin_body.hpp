// Cloth and rods: the [[body]] keys that solids do not have.
#pragma once

#include <string>
#include <vector>

#include "app/scene/body.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

// Reads the 'shape' or 'mesh' of a cloth or rod into the body's rest shape, triangles and edges.
void read_thin_shape(TableReader& reader, const std::string& source, Body& body);

// Areas of the triangles, or lengths of a rod's segments; complains about those without any.
[[nodiscard]] std::vector<double> thin_measures(const TableReader& reader,
                                                const std::string& source, const Body& body);

// Reads 'springs', 'material' and 'bending'.
void read_thin_material(TableReader& reader, Body& body);

// Adds the energies of a cloth or rod, and the anchors of any body, to a system in which the body's
// vertices begin at `first`; `rest` is that of the whole system.
void add_thin_energies(const Body& body, int first, const Vector& rest, System& system);

}  // namespace lilyan

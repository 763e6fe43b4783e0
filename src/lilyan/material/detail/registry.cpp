#include <algorithm>

#include "lilyan/all_materials.hpp"  // generated: one line per file of the folder
#include "lilyan/material/material.hpp"

namespace lilyan {

const std::vector<MaterialInfo>& materials() {
  static const std::vector<MaterialInfo> all = all_materials();
  return all;
}

const MaterialInfo* find_material(std::string_view name) {
  const auto found = std::ranges::find(materials(), name, &MaterialInfo::name);
  return found == materials().end() ? nullptr : &*found;
}

}  // namespace lilyan

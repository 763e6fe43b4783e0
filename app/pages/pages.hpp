// The pages of the documentation that are made from the registries, as Markdown: docs/methods.md with what methods claim
// and what was measured, and docs/materials.md with the formulas of materials and energies.
#pragma once

#include <string>
#include <vector>

#include "lilyan/method/method.hpp"
#include "lilyan/verify/verification.hpp"

namespace lilyan {

// A scheme of a method, its verification, and the time of its step relative to backward Euler's.
struct VerifiedScheme {
  const Method* method;
  Scheme scheme;
  Verification verification;
  double relative_time = 0;
};

[[nodiscard]] std::string method_page(const std::vector<VerifiedScheme>& all);
// The beginning of a method's row: its name and claims, which no measurement changes.
[[nodiscard]] std::string method_row(const Method& method);
[[nodiscard]] std::string material_page();

// A text as a cell of a table of these pages: bars, which would end the cell, are escaped.
[[nodiscard]] std::string table_cell(const std::string& text);
// A text with a capital letter at its start.
[[nodiscard]] std::string sentence(std::string text);

}  // namespace lilyan

// Makes the pieces of an HTML page that needs no other file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/files/file.hpp"
#include "app/report/picture/drawn_motion.hpp"
#include "app/report/picture/figure.hpp"

namespace lilyan::html {

using lilyan::escaped;
// Writes a path below the page as the value of a link. Characters that are not plain become %XX.
[[nodiscard]] std::string url_path(std::string_view path);

// The bytes of PNG files of one picture.
struct Pictures {
  std::string_view light, dark;
  std::string_view still = {},
                   dark_still = {};  // of an animation, for those who want nothing to move
};
// Returns a <picture> that holds them, and shows what fits the reader's screen.
[[nodiscard]] std::string png_image(const Pictures& pictures, std::string_view description);

// Returns a table. Cells are HTML already. The first column holds text, the others numbers.
[[nodiscard]] std::string table(const std::vector<std::string>& head,
                                const std::vector<std::vector<std::string>>& rows);

// Returns a <figure> with the thinned data of a figure as JSON. The script of the page
// (web/src/report.ts) draws it. Without scripts one sees a table instead: where the curves start and
// end, and their least and largest values.
[[nodiscard]] std::string chart(const Figure& figure);

// Returns a <figure> with the places of a drawing at some moments as JSON, which the script of the page
// plays. `colour` is that of the run, an index into the palette.
[[nodiscard]] std::string motion(const DrawnMotion& motion, const SeenBox& box,
                                 std::string_view title, int colour);

// Returns a page with its style and its script. `body` is HTML, `title` is plain text.
[[nodiscard]] std::string page(std::string_view title, std::string_view body);
// The content of web/dist/report.html, which cmake/embed_page.cmake makes part of the program.
[[nodiscard]] std::string_view page_template();

}  // namespace lilyan::html

// Pieces of an HTML page that needs nothing beside itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/figure.hpp"

namespace lilyan::html {

// Escapes a text of a page, or the value of an attribute.
[[nodiscard]] std::string escaped(std::string_view text);
// A path below the page as the value of a link: characters that are not plain become %XX.
[[nodiscard]] std::string url_path(std::string_view path);
[[nodiscard]] std::string base64(std::string_view bytes);

// <img> with the bytes of a PNG in it.
[[nodiscard]] std::string png_image(std::string_view bytes, std::string_view description);

// Cells are HTML already. The first column is text, the others numbers.
[[nodiscard]] std::string table(const std::vector<std::string>& head,
                                const std::vector<std::vector<std::string>>& rows);

// <figure> with the data of a figure, thinned, as JSON: the script of the page (web/src/report.ts)
// draws it. Without scripts the figure is a table of what its curves begin with, end with and reach.
[[nodiscard]] std::string chart(const Figure& figure);

// A page with its style and its script; `body` is HTML, `title` plain text.
[[nodiscard]] std::string page(std::string_view title, std::string_view body);
// web/dist/report.html, which cmake/embed_page.cmake makes part of the program.
[[nodiscard]] std::string_view page_template();

}  // namespace lilyan::html

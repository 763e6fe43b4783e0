// Pieces of an HTML page that needs nothing beside itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lilyan::html {

// As text of a page or as the value of an attribute.
[[nodiscard]] std::string escaped(std::string_view text);
// A path below the page as the value of a link: what is not plain becomes %XX.
[[nodiscard]] std::string url_path(std::string_view path);
[[nodiscard]] std::string base64(std::string_view bytes);

// <img> with the bytes of a PNG in it.
[[nodiscard]] std::string png_image(std::string_view bytes, std::string_view description);
// An SVG as part of the page. Names inside it get the prefix, as two pictures may use the same.
[[nodiscard]] std::string inline_svg(const std::string& svg, const std::string& prefix,
                                     std::string_view description);

// Cells are HTML already. The first column is text, the others numbers.
[[nodiscard]] std::string table(const std::vector<std::string>& head,
                                const std::vector<std::vector<std::string>>& rows);

// A page with its style; `body` is HTML, `title` plain text.
[[nodiscard]] std::string page(std::string_view title, std::string_view body);

}  // namespace lilyan::html

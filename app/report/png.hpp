// PNG files: from pixels, and from SVG files through a program that is installed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lilyan {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb = {};  // row by row from the top
};

// The bytes of a PNG file. Throws Error.
[[nodiscard]] std::string png_bytes(const Image& image);

// Throws Error when no program is installed that makes PNG files from SVG files.
void require_svg_converter();
// Makes NAME.png beside NAME.svg, with two pixels per point, and returns its path. Throws Error when
// there is no converter, or when it fails.
std::filesystem::path convert_to_png(const std::filesystem::path& svg);

struct Conversion {
  std::vector<std::filesystem::path> made;  // PNG files
  std::string note;                         // which could not be made and why; empty: none
};
// The same with several files, at the end of a run: a converter that fails costs only its pictures.
[[nodiscard]] Conversion convert_all_to_png(const std::vector<std::filesystem::path>& svgs);

}  // namespace lilyan

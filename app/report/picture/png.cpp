// Makes PNG files: from pixels, and from SVG files with the help of an installed program.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "app/files/process.hpp"
#include "app/report/picture/figure.hpp"
#include "app/report/picture/render.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

void add_number(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 0xFFU);
}

void add_chunk(std::string& out, const std::string& type, const std::string& content) {
  add_number(out, static_cast<std::uint32_t>(content.size()));
  const std::string both = type + content;
  out += both;
  add_number(out, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(both.data()),
                                                   static_cast<uInt>(both.size()))));
}

// Encodes the rows of a picture. The PNG format stores the difference of each byte from a prediction:
// zero, the byte to the left, the one above, their mean, or Paeth's choice among left, above and
// corner. Each row uses the prediction that leaves the smallest differences.
std::string filtered_rows(const Image& image) {
  const auto stride = 3 * static_cast<std::size_t>(image.width);
  const std::vector<std::uint8_t> nothing(stride, 0);
  std::string out;
  std::array<std::string, 5> rows;
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    const std::uint8_t* row = image.rgb.data() + y * stride;
    const std::uint8_t* above = y == 0 ? nothing.data() : row - stride;
    std::array<long, 5> sizes{};
    for (std::string& r : rows) r.resize(stride);
    for (std::size_t i = 0; i < stride; ++i) {
      const int a = i < 3 ? 0 : row[i - 3];
      const int b = above[i];
      const int c = i < 3 ? 0 : above[i - 3];
      const int guess = a + b - c;
      const int pa = std::abs(guess - a);
      const int pb = std::abs(guess - b);
      const int pc = std::abs(guess - c);
      const int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      const std::array<int, 5> predicted = {0, a, b, (a + b) / 2, paeth};
      for (std::size_t f = 0; f < 5; ++f) {
        const auto difference = static_cast<std::int8_t>(row[i] - predicted[f]);
        rows[f][i] = static_cast<char>(difference);
        sizes[f] += std::abs(difference);
      }
    }
    std::size_t best = 0;
    for (std::size_t f = 1; f < 5; ++f) best = sizes[f] < sizes[best] ? f : best;
    out += static_cast<char>(best);
    out += rows[best];
  }
  return out;
}

struct SvgConverter {
  const char* program;
  std::vector<std::string> (*arguments)(const std::string& svg, const std::string& png);
};

// An SVG file has 96 pixels to 72 points. Enlarged 1.5 times, it has two pixels per point.
const std::array<SvgConverter, 3> kSvgConverters = {
    {{"rsvg-convert",
      [](const std::string& svg, const std::string& png) {
        return std::vector<std::string>{"--zoom", "1.5", "-o", png, svg};
      }},
     {"inkscape",
      [](const std::string& svg, const std::string& png) {
        return std::vector<std::string>{svg, "--export-dpi=144", "--export-filename=" + png};
      }},
     {"convert", [](const std::string& svg, const std::string& png) {
        return std::vector<std::string>{"-density", "144", svg, png};
      }}}};

std::pair<std::filesystem::path, const SvgConverter*> svg_converter() {
  for (const SvgConverter& converter : kSvgConverters) {
    if (const auto found = find_program(converter.program)) return {*found, &converter};
  }
  throw Error(
      "PNG files of plots need a program that makes them from SVG files: install rsvg-convert "
      "(apt-get install librsvg2-bin), Inkscape or ImageMagick, or leave \"png\" out of "
      "output.pictures");
}

std::string packed_rows(const Image& image) {
  const std::string rows = filtered_rows(image);
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()),
                Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw Error("cannot make a picture of a frame");
  }
  packed.resize(size);
  return packed;
}

std::string size_of(const Image& image) {
  std::string out;
  add_number(out, static_cast<std::uint32_t>(image.width));
  add_number(out, static_cast<std::uint32_t>(image.height));
  return out;
}

std::string head_of(const Image& image) {
  std::string out = "\x89PNG\r\n\x1a\n";
  // Eight bits of red, green and blue.
  add_chunk(out, "IHDR", size_of(image) + std::string("\x08\x02\x00\x00\x00", 5));
  return out;
}

// The least part of a picture outside of which it is the same as another of its size.
struct Part {
  int left = 0;
  int top = 0;
  Image image;
};
Part changed_part(const Image& image, const Image& before) {
  int left = image.width, right = 0, top = image.height, bottom = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto at = 3 * static_cast<std::size_t>(y * image.width + x);
      if (std::equal(&image.rgb[at], &image.rgb[at] + 3, &before.rgb[at])) continue;
      left = std::min(left, x);
      right = std::max(right, x + 1);
      top = std::min(top, y);
      bottom = std::max(bottom, y + 1);
    }
  }
  if (left >= right) left = top = 0, right = bottom = 1;  // a frame has a pixel at least
  Part part{left, top, {right - left, bottom - top, {}}};
  for (int y = top; y < bottom; ++y) {
    const auto* row = image.rgb.data() + 3 * static_cast<std::size_t>(y * image.width);
    part.image.rgb.insert(part.image.rgb.end(), row + 3 * left, row + 3 * right);
  }
  return part;
}

}  // namespace

std::string png_bytes(const Image& image) {
  std::string out = head_of(image);
  add_chunk(out, "IDAT", packed_rows(image));
  add_chunk(out, "IEND", "");
  return out;
}

// An animated PNG says how many frames there are before the first, and begins each with its place and duration.
// All but the first are in chunks of their own kind, so that programs that know nothing of this show that one.
AnimatedPng::AnimatedPng(int frames, double rate) : frames_(frames), rate_(rate) {}

void AnimatedPng::add(const Image& image) {
  const bool first = last_.rgb.empty();
  const Part part = first ? Part{0, 0, image} : changed_part(image, last_);
  if (first) {
    bytes_ = head_of(image);
    std::string count;
    add_number(count, static_cast<std::uint32_t>(frames_));
    add_number(count, 0);  // for ever
    add_chunk(bytes_, "acTL", count);
  }
  std::string control;
  add_number(control, sequence_++);
  control += size_of(part.image);
  add_number(control, static_cast<std::uint32_t>(part.left));
  add_number(control, static_cast<std::uint32_t>(part.top));
  // A duration of 1000/(1000 rate) seconds, as two numbers of two bytes; drawn over what is there.
  const auto thousandths =
      static_cast<std::uint32_t>(std::clamp(std::lround(1000 / rate_), 1L, 65535L));
  add_number(control, thousandths << 16 | 1000U);
  control += std::string("\0\0", 2);
  add_chunk(bytes_, "fcTL", control);
  std::string data;
  if (!first) add_number(data, sequence_++);
  add_chunk(bytes_, first ? "IDAT" : "fdAT", data + packed_rows(part.image));
  last_ = image;
}

std::string AnimatedPng::finish() {
  add_chunk(bytes_, "IEND", "");
  return std::move(bytes_);
}

void require_svg_converter() { (void)svg_converter(); }

std::filesystem::path convert_to_png(const std::filesystem::path& svg) {
  const auto [program, converter] = svg_converter();
  const std::filesystem::path file = std::filesystem::absolute(svg);
  std::filesystem::path png = file;
  png.replace_extension(".png");
  // By their names alone, from their folder: converters find a meaning in some characters of paths, and in
  // a dash in front.
  const ProcessResult result = run_process(
      program,
      converter->arguments("./" + file.filename().string(), "./" + png.filename().string()),
      file.parent_path());
  if (result.code != 0 || !std::filesystem::exists(png)) {
    std::error_code ignored;
    std::filesystem::remove(png, ignored);  // half a picture
    throw Error(fmt::format("{} could not make {}: {}", program.string(), png.string(),
                            result.output.substr(0, result.output.find('\n'))));
  }
  return png;
}

Conversion convert_all_to_png(const std::vector<std::filesystem::path>& svgs) {
  Conversion result;
  std::string failed, reason;
  for (const std::filesystem::path& svg : svgs) {
    try {
      result.made.push_back(convert_to_png(svg));
    } catch (const std::exception& error) {
      failed += (failed.empty() ? "" : ", ") + svg.stem().string() + ".png";
      if (reason.empty()) reason = error.what();
    }
  }
  if (!failed.empty()) {
    result.note = fmt::format("{} could not be made, only SVG files: {}", failed, reason);
  }
  return result;
}

}  // namespace lilyan

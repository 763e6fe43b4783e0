// Wavefront surfaces (.obj).
//
// Layout: Wavefront Technologies, "Advanced Visualizer" manual, appendix B1. Each line begins with
// a keyword. Of use here are
//   v x y z [w]             a vertex, numbered from 1 in order, at (x, y, z)/w
//   v x y z r g b [a]       a vertex with a colour, as many programs write it
//   vt u [v [w]]            a place in a picture, numbered likewise
//   f v[/vt[/vn]] ...       a polygon; a negative number counts back from the latest
//   l, surf                 lines and free-form surfaces, which are counted
// and everything else (normals, groups, materials) is passed over. A
// backslash at the end of a line continues it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "app/files/mesh_builder.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/scanner.hpp"

namespace lilyan {
namespace {

class ObjReader {
 public:
  ObjReader(const std::string& file, std::string_view bytes) : scanner_(file, bytes, '#') {}

  SurfaceMesh read() {
    while (scanner_.next_line()) {
      const std::string_view keyword = scanner_.word_in_line();
      if (keyword == "v") {
        read_vertex();
      } else if (keyword == "vt") {
        read_texture();
      } else if (keyword == "f" || keyword == "fo") {
        read_face();
      } else if (keyword == "l" || keyword == "surf") {
        const bool line = keyword == "l";
        builder_.pass_over(scanner_.place(), line ? "line" : "free-form surface", line ? 1 : 2);
        while (!next_word().empty()) continue;
      } else {
        while (!next_word().empty()) continue;
      }
    }
    return builder_.finish_surface(scanner_);
  }

 private:
  std::string_view next_word() {
    std::string_view word = scanner_.word_in_line();
    while (word == "\\" && scanner_.next_line()) word = scanner_.word_in_line();
    return word;
  }

  void read_vertex() {
    const double x = scanner_.to_double(next_word(), "a vertex's x coordinate");
    const double y = scanner_.to_double(next_word(), "a vertex's y coordinate");
    const double z = scanner_.to_double(next_word(), "a vertex's z coordinate");
    std::string_view more = next_word();
    const std::string_view first = more;
    std::size_t count = 0;
    for (; !more.empty(); more = next_word()) ++count;
    // A single number is a weight; three and more are a colour.
    const double w = count == 1 ? scanner_.to_double(first, "a vertex's weight w") : 1;
    if (w == 0 || !std::isfinite(w)) {
      scanner_.fail("vertex " + std::to_string(builder_.vertex_count() + 1) +
                    " has the weight w = " +
                    (w == 0 ? "0, which is a point at infinity" : std::to_string(w)) +
                    ": expected a finite number other than 0");
    }
    builder_.add_vertex(scanner_, builder_.vertex_count() + 1, {x / w, y / w, z / w});
  }

  void read_texture() {
    const double u = scanner_.to_double(next_word(), "a texture coordinate");
    const std::string_view word = next_word();
    const double v = word.empty() ? 0 : scanner_.to_double(word, "a texture coordinate");
    places_.push_back({static_cast<float>(u), static_cast<float>(v)});
    while (!next_word().empty()) continue;
  }

  void read_face() {
    corners_.clear();
    texture_.clear();
    const std::uint64_t place = scanner_.place();
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
      corners_.push_back(corner(word));
      add_texture(word);
    }
    if (corners_.size() < 3) {
      scanner_.fail_at(
          place, "a face has " + std::to_string(corners_.size()) + " vertices: expected 3 or more");
    }
    // A face that has them at some corners only has none.
    if (texture_.size() != corners_.size()) texture_.clear();
    builder_.add_face(place, ++faces_, corners_, texture_);
  }

  // The place in a picture that a corner names, if it names one.
  void add_texture(std::string_view word) {
    const std::size_t begin = word.find('/');
    if (begin == std::string_view::npos) return;
    const std::string_view number = word.substr(begin + 1, word.find('/', begin + 1) - begin - 1);
    if (number.empty()) return;
    const auto count = static_cast<std::int64_t>(places_.size());
    std::int64_t index = scanner_.to_int(number, "the number of a texture coordinate");
    if (index < 0) index += count + 1;
    if (index < 1 || index > count)
      return;  // files name some that are not there; it is only colour
    texture_.push_back(places_[static_cast<std::size_t>(index - 1)]);
  }

  std::uint64_t corner(std::string_view word) {
    const std::string_view number = word.substr(0, word.find('/'));
    if (number.empty()) scanner_.fail_expected("a face's vertex, such as 3 or 3/1/2", word);
    const std::int64_t index = scanner_.to_int(number, "the number of a face's vertex");
    if (index > 0) return static_cast<std::uint64_t>(index);
    const auto count = static_cast<std::int64_t>(builder_.vertex_count());
    if (index == 0 || index < -count) {
      scanner_.fail("a face names vertex " + std::to_string(index) +
                    ": vertices count from 1, or back from the latest, -1, of " +
                    std::to_string(count) + " so far");
    }
    return static_cast<std::uint64_t>(count + index + 1);
  }

  TextScanner scanner_;
  MeshBuilder builder_{MeshCells::faces};
  std::vector<std::uint64_t> corners_;
  std::vector<std::array<float, 2>> places_;   // in a picture
  std::vector<std::array<float, 2>> texture_;  // of the corners
  std::uint64_t faces_ = 0;
};

}  // namespace

SurfaceMesh read_obj(const std::string& file, std::string_view bytes) {
  // Line ends of old Macintosh files.
  if (bytes.find('\n') == std::string_view::npos && bytes.find('\r') != std::string_view::npos) {
    std::string lines(bytes);
    std::ranges::replace(lines, '\r', '\n');
    return ObjReader(file, lines).read();
  }
  return ObjReader(file, bytes).read();
}

}  // namespace lilyan

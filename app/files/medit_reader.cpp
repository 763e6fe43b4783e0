// Medit ASCII meshes (.mesh).
//
// Layout: P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253 (2001),
// appendix; the keywords that came later: L. Maréchal, "The libMeshb library" (INRIA). A file is a
// sequence of words: line ends separate words and mean no more. A keyword is followed by a count
// and that many rows of numbers; a row of Vertices is x y z reference, one of Tetrahedra four
// vertex indices from 1 and a reference.
#include "app/files/mesh_readers.hpp"

#include <array>
#include <cstdint>

#include "app/files/mesh_builder.hpp"
#include "app/files/scanner.hpp"

namespace lilyan {
namespace {

class MeditReader {
 public:
  MeditReader(const std::string& file, std::string_view bytes, MeshCells cells)
      : scanner_(file, bytes, '#'), builder_(cells) {}

  TetMeshOfFile read_tets() {
    read_sections();
    return builder_.finish(scanner_);
  }

  SurfaceMesh read_surface() {
    read_sections();
    return builder_.finish_surface(scanner_);
  }

 private:
  void read_sections() {
    read_header();
    // Sections that are of no use here need no table of their row lengths: their rows are
    // numbers, and the next word that is none is the next keyword.
    bool passing = false;
    for (std::string_view word = scanner_.word(); !word.empty(); word = scanner_.word()) {
      if (is_keyword(word)) {
        if (word == "End") break;
        passing = !read_section(word);
      } else if (!passing) {
        scanner_.fail_expected("a keyword such as Vertices, Tetrahedra or End", word);
      } else if (word.front() == '"') {
        pass_string(word);
      }
    }
    if (!has_vertices_) scanner_.fail("the file ends without a Vertices section");
  }

  static bool is_keyword(std::string_view word) {
    const char c = word.front();
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  void read_header() {
    const std::string_view word = scanner_.word();
    if (word == "MeshVersionUnformatted") {
      scanner_.fail("binary Medit files are not read: save the mesh as ASCII .mesh");
    }
    if (word != "MeshVersionFormatted") {
      scanner_.fail_expected("MeshVersionFormatted, with which a Medit file begins", word);
    }
    constexpr std::int64_t kLatestVersion = 4;
    const std::int64_t version = scanner_.to_int(scanner_.word(), "the format's version");
    if (version < 1 || version > kLatestVersion) {
      scanner_.fail("Medit format version " + std::to_string(version) +
                    " is not known: expected 1 to 4");
    }
  }

  // False if the keyword's section is one to pass over.
  bool read_section(std::string_view keyword) {
    if (keyword == "Dimension") {
      read_dimension();
    } else if (keyword == "Vertices") {
      read_vertices();
    } else if (keyword == "Tetrahedra" && builder_.cells() == MeshCells::tets) {
      read_tet_rows();
    } else if (keyword == "Triangles") {
      read_faces("triangle", 3);
    } else if (keyword == "Quadrilaterals") {
      read_faces("quadrangle", 4);
    } else if (keyword == "Edges") {
      read_faces("line", 2);
    } else {
      pass_over(keyword);
      return false;
    }
    return true;
  }

  // Counts the elements of a section that is not read. Those of higher order are called TetrahedraP2, …P3, …,
  // QuadrilateralsQ2, ….
  void pass_over(std::string_view keyword) {
    struct Kind {
      std::string_view keyword;
      const char* name;
      int dimension;
    };
    constexpr std::array<Kind, 7> kKinds = {{{"Edges", "line", 1},
                                             {"Triangles", "triangle", 2},
                                             {"Quadrilaterals", "quadrangle", 2},
                                             {"Tetrahedra", "tetrahedron", 3},
                                             {"Hexahedra", "hexahedron", 3},
                                             {"Prisms", "prism", 3},
                                             {"Pyramids", "pyramid", 3}}};
    for (const Kind& kind : kKinds) {
      if (!keyword.starts_with(kind.keyword)) continue;
      const std::string_view order = keyword.substr(kind.keyword.size());
      const bool curved = order.size() == 2 && (order[0] == 'P' || order[0] == 'Q') &&
                          order[1] >= '2' && order[1] <= '9';
      if (!order.empty() && !curved) continue;
      const std::uint64_t place = scanner_.place();
      const std::uint64_t count = scanner_.to_uint(scanner_.word(), "the number of elements");
      std::string name = kind.name;
      if (curved) name += std::string(" of order ") + order[1];
      builder_.pass_over(place, name, kind.dimension, count);
      return;
    }
  }

  // The name of a geometry file can have words in it that look like keywords.
  void pass_string(std::string_view word) {
    bool closed = word.size() > 1 && word.back() == '"';
    while (!closed) {
      word = scanner_.word_in_line();
      closed = word.empty() || word.back() == '"';
    }
  }

  void read_dimension() {
    const std::int64_t dimension = scanner_.to_int(scanner_.word(), "the dimension, 3");
    if (dimension != 3) {
      scanner_.fail("the mesh has dimension " + std::to_string(dimension) +
                    ": only dimension 3 is read");
    }
    has_dimension_ = true;
  }

  void read_vertices() {
    // Without the dimension a row's length is not known.
    if (!has_dimension_) scanner_.fail("Vertices comes before Dimension: expected Dimension 3");
    if (has_vertices_) scanner_.fail("a second Vertices section: only one is allowed");
    has_vertices_ = true;
    const std::uint64_t count = scanner_.to_uint(scanner_.word(), "the number of vertices");
    scanner_.check_count(count, kShortestVertex, "vertices");
    builder_.reserve_vertices(count);
    for (std::uint64_t number = 1; number <= count; ++number) {
      const double x = scanner_.to_double(scanner_.word(), "a vertex's x coordinate");
      const double y = scanner_.to_double(scanner_.word(), "a vertex's y coordinate");
      const double z = scanner_.to_double(scanner_.word(), "a vertex's z coordinate");
      builder_.add_vertex(scanner_, number, {x, y, z});
      static_cast<void>(scanner_.to_int(scanner_.word(), "a vertex's reference, an integer"));
    }
  }

  void read_tet_rows() {
    const std::uint64_t count = scanner_.to_uint(scanner_.word(), "the number of tetrahedra");
    scanner_.check_count(count, kShortestTet, "tetrahedra");
    builder_.reserve_tets(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::array<std::uint64_t, 4> corners{};
      for (std::uint64_t& corner : corners) {
        corner = scanner_.to_uint(scanner_.word(), "the index of a tet's vertex");
      }
      builder_.add_tet(scanner_, scanner_.place(), builder_.tet_count() + 1, corners);
      static_cast<void>(scanner_.to_int(scanner_.word(), "a tet's reference, an integer"));
    }
  }

  // Faces of a surface, or what may be the boundary of tets or of faces.
  void read_faces(const char* kind, std::size_t size) {
    const std::uint64_t count = scanner_.to_uint(scanner_.word(), "the number of elements");
    scanner_.check_count(count, 2 * size + 2, std::string(kind) + "s");
    std::array<std::uint64_t, 4> corners{};
    const bool faces = size > 2 && builder_.cells() == MeshCells::faces;
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < size; ++c) {
        corners[c] = scanner_.to_uint(scanner_.word(), "the index of an element's vertex");
      }
      if (faces) {
        builder_.add_face(scanner_.place(), i + 1, {corners.data(), size});
      } else {
        builder_.add_side(kind, {corners.data(), size});
      }
      static_cast<void>(scanner_.to_int(scanner_.word(), "an element's reference, an integer"));
    }
  }

  // "0 0 0 0 " and "1 2 3 4 0 "
  static constexpr std::uint64_t kShortestVertex = 8;
  static constexpr std::uint64_t kShortestTet = 10;

  TextScanner scanner_;
  MeshBuilder builder_;
  bool has_dimension_ = false;
  bool has_vertices_ = false;
};

}  // namespace

TetMeshOfFile read_medit(const std::string& file, std::string_view bytes) {
  return MeditReader(file, bytes, MeshCells::tets).read_tets();
}

SurfaceMesh read_medit_surface(const std::string& file, std::string_view bytes) {
  return MeditReader(file, bytes, MeshCells::faces).read_surface();
}

}  // namespace lilyan

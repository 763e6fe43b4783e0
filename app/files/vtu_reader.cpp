// VTK XML unstructured grids (.vtu).
//
// Layout: VTK User's Guide, "XML File Formats":
//   VTKFile type="UnstructuredGrid" byte_order header_type compressor
//     UnstructuredGrid
//       Piece NumberOfPoints NumberOfCells
//         Points     one DataArray of 3 components
//         Cells      connectivity, offsets (where each cell's connectivity ends), types
//         PointData  CellData
//     AppendedData encoding, the data behind an underscore
// and vtkCellType.h for the types of cells.
#include "app/files/vtu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "app/files/file.hpp"
#include "app/files/mesh_builder.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/scanner.hpp"
#include "app/files/vtu_arrays.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

// The arrays of a piece, as its tags describe them. The line is for messages.
struct VtuPiece {
  std::uint64_t points = 0;
  std::uint64_t cells = 0;
  std::uint64_t line = 0;
  std::vector<VtuArray> coordinates, topology, point_data, cell_data;
};

class VtuReader {
 public:
  VtuReader(const std::string& file, std::string_view bytes) : xml_(file, bytes), bytes_(bytes) {}

  VtuContent read() {
    read_tags();
    VtuDecoder decoder(xml_, encoding_, bytes_.size());
    for (const VtuPiece& piece : pieces_) read_piece(piece, decoder);
    // A velocity for some points only is of no use.
    if (content_.velocity.size() != content_.points.size()) content_.velocity.clear();
    return std::move(content_);
  }

 private:
  // ---- tags

  void read_tags() {
    std::optional<XmlTag> tag = xml_.next();
    if (!tag || tag->name != "VTKFile" || tag->closing) {
      xml_.fail(tag ? tag->line : 1, "expected the tag VTKFile, with which a VTK XML file begins");
    }
    read_file_tag(*tag);
    std::vector<std::string_view> open = {tag->name};
    if (tag->self_closed) open.clear();
    while (!open.empty()) {
      tag = xml_.next();
      if (!tag)
        xml_.fail(xml_.line(),
                  "expected '</" + std::string(open.back()) + ">', found the end of the file");
      if (tag->closing) {
        if (tag->name != open.back()) {
          xml_.fail(tag->line, "expected '</" + std::string(open.back()) + ">', found '</" +
                                   std::string(tag->name) + ">'");
        }
        open.pop_back();
        continue;
      }
      if (tag->name == "AppendedData") {  // always last, and what follows may be no XML
        read_appended(*tag);
        break;
      }
      read_tag(*tag, open.back());
      if (!tag->self_closed) open.push_back(tag->name);
    }
    if (!has_grid_) xml_.fail(1, "the file has no UnstructuredGrid");
  }

  void read_file_tag(const XmlTag& tag) {
    const std::string_view type = tag.attribute("type");
    if (type != "UnstructuredGrid") {
      xml_.fail(tag.line, "the file holds " + in_quotes(type) + ": only UnstructuredGrid is read");
    }
    const std::string_view order = tag.attribute("byte_order");
    if (!order.empty() && order != "LittleEndian" && order != "BigEndian") {
      xml_.fail(tag.line,
                "unknown byte_order " + in_quotes(order) + ": expected LittleEndian or BigEndian");
    }
    encoding_.swapped = order == "BigEndian";
    const std::string_view header = tag.attribute("header_type");
    if (!header.empty() && header != "UInt32" && header != "UInt64") {
      xml_.fail(tag.line,
                "unknown header_type " + in_quotes(header) + ": expected UInt32 or UInt64");
    }
    encoding_.header_bytes = header == "UInt64" ? 8 : 4;
    const std::string_view compressor = tag.attribute("compressor");
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor") {
      xml_.fail(tag.line, "data packed by " + in_quotes(compressor) +
                              " is not read: save the file with zlib or without compression");
    }
    encoding_.compressed = !compressor.empty();
  }

  void read_tag(const XmlTag& tag, std::string_view parent) {
    if (tag.name == "UnstructuredGrid") has_grid_ = true;
    if (tag.name == "Piece") {
      VtuPiece& piece = pieces_.emplace_back();
      piece.line = tag.line;
      piece.points = number(tag, "NumberOfPoints");
      piece.cells = number(tag, "NumberOfCells");
    }
    if (tag.name != "DataArray") return;
    std::vector<VtuArray>* list = list_of(parent);
    if (!list) return;
    VtuArray array;
    array.line = tag.line;
    array.type = tag.attribute("type");
    array.name = tag.attribute("Name");
    array.format = tag.has("format") ? tag.attribute("format") : "ascii";
    if (tag.has("NumberOfComponents")) array.components = number(tag, "NumberOfComponents");
    if (array.format == "appended") {
      array.offset = number(tag, "offset");
    } else if (!tag.self_closed) {
      array.text = xml_.text();
    }
    list->push_back(std::move(array));
  }

  std::vector<VtuArray>* list_of(std::string_view parent) {
    if (pieces_.empty()) return nullptr;
    VtuPiece& piece = pieces_.back();
    if (parent == "Points") return &piece.coordinates;
    if (parent == "Cells") return &piece.topology;
    if (parent == "PointData") return &piece.point_data;
    if (parent == "CellData") return &piece.cell_data;
    return nullptr;
  }

  std::uint64_t number(const XmlTag& tag, std::string_view key) const {
    const TextScanner scanner(xml_.file(), bytes_);
    try {
      return scanner.to_uint(tag.attribute(key), key);
    } catch (const InputError&) {
      xml_.fail(tag.line, "expected " + std::string(tag.name) + " with " + std::string(key) +
                              "=\"a whole number\", found " + in_quotes(tag.attribute(key)));
    }
  }

  void read_appended(const XmlTag& tag) {
    const std::string_view encoding = tag.attribute("encoding");
    if (encoding != "raw" && encoding != "base64") {
      xml_.fail(tag.line, "unknown encoding " + in_quotes(encoding) + ": expected raw or base64");
    }
    encoding_.appended_base64 = encoding == "base64";
    const std::string_view rest = xml_.rest();
    const std::size_t start = rest.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || rest[start] != '_') {
      xml_.fail(tag.line, "expected '_' at the begin of AppendedData");
    }
    // Raw data may look like a tag: the last one is the true end.
    const std::size_t end = rest.rfind("</AppendedData");
    if (end == std::string_view::npos || end < start) {
      xml_.fail(tag.line, "AppendedData has no end: the file is cut short");
    }
    encoding_.appended = rest.substr(start + 1, end - start - 1);
  }

  // ---- data

  static const VtuArray* find(const std::vector<VtuArray>& arrays, std::string_view name) {
    const auto found = std::ranges::find(arrays, name, &VtuArray::name);
    return found == arrays.end() ? nullptr : &*found;
  }

  const VtuArray& need(const VtuPiece& piece, std::string_view name) const {
    const VtuArray* array = find(piece.topology, name);
    if (!array)
      xml_.fail(piece.line, "the piece has no DataArray '" + std::string(name) + "' in Cells");
    return *array;
  }

  std::vector<std::array<double, 3>> vectors(const VtuArray& array, std::uint64_t count,
                                             VtuDecoder& decoder) const {
    // The product below must not wrap.
    if (count > std::numeric_limits<std::uint64_t>::max() / 3)
      count = std::numeric_limits<std::uint64_t>::max() / 3;
    const std::vector<double> flat = decoder.reals(array, 3 * count);
    std::vector<std::array<double, 3>> out(count);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
    }
    return out;
  }

  void read_piece(const VtuPiece& piece, VtuDecoder& decoder) {
    if (piece.points == 0 && piece.cells == 0) return;
    if (piece.coordinates.size() != 1 || piece.coordinates[0].components != 3) {
      xml_.fail(piece.line, "the piece's Points are not one DataArray of 3 components");
    }
    const std::size_t first = content_.points.size();
    const VtuArray& coordinates = piece.coordinates[0];
    for (const std::array<double, 3>& p : vectors(coordinates, piece.points, decoder)) {
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
        xml_.fail(coordinates.line, "the coordinates of point " +
                                        std::to_string(content_.points.size() - first) +
                                        " are not finite");
      }
      content_.points.push_back(p);
    }
    if (content_.points.size() > std::numeric_limits<int>::max()) {
      xml_.fail(piece.line, "the file has more points than can be numbered (2147483647)");
    }
    const VtuArray* velocity = find(piece.point_data, "velocity");
    if (velocity && velocity->components == 3) {
      for (const auto& v : vectors(*velocity, piece.points, decoder))
        content_.velocity.push_back(v);
    }
    read_cells(piece, static_cast<int>(first), decoder);
  }

  void read_cells(const VtuPiece& piece, int first, VtuDecoder& decoder) {
    if (piece.cells == 0) return;
    const VtuArray& offsets_array = need(piece, "offsets");
    const VtuArray& connectivity_array = need(piece, "connectivity");
    const std::vector<std::int64_t> offsets = decoder.integers(offsets_array, piece.cells);
    const std::vector<std::int64_t> types = decoder.integers(need(piece, "types"), piece.cells);
    std::int64_t begin = 0;
    for (const std::int64_t end : offsets) {
      if (end < begin)
        xml_.fail(offsets_array.line, "the DataArray 'offsets' is not ascending from 0");
      begin = end;
    }
    const std::vector<std::int64_t> connectivity =
        decoder.integers(connectivity_array, static_cast<std::uint64_t>(begin));
    for (const std::int64_t index : connectivity) {
      if (index >= 0 && static_cast<std::uint64_t>(index) < piece.points) continue;
      xml_.fail(connectivity_array.line, "the DataArray 'connectivity' names point " +
                                             std::to_string(index) + " of a piece with " +
                                             std::to_string(piece.points) + " points");
    }
    std::vector<std::int64_t> body(piece.cells, 0);
    const VtuArray* body_array = find(piece.cell_data, "body");
    if (body_array && body_array->components == 1 && !body_array->type.starts_with("Float")) {
      body = decoder.integers(*body_array, piece.cells);
      for (const std::int64_t b : body) {
        if (b < 0 || b > std::numeric_limits<int>::max()) {
          xml_.fail(body_array->line, "the DataArray 'body' has the number " + std::to_string(b) +
                                          ": bodies count from 0");
        }
      }
    }
    std::vector<int> cell;
    begin = 0;
    for (std::size_t c = 0; c < offsets.size(); ++c) {
      cell.clear();
      for (; begin < offsets[c]; ++begin) {
        cell.push_back(first + static_cast<int>(connectivity[static_cast<std::size_t>(begin)]));
      }
      add_cell(types[c], cell, static_cast<int>(body[c]), connectivity_array.line, c);
    }
  }

  void add_cell(std::int64_t type, const std::vector<int>& p, int body, std::uint64_t line,
                std::size_t number) {
    const auto need_size = [&](bool right) {
      if (right) return;
      xml_.fail(line, "cell " + std::to_string(number) + " of VTK type " + std::to_string(type) +
                          " has " + std::to_string(p.size()) + " points");
    };
    const auto triangle = [&](int a, int b, int c) {
      content_.triangles.push_back({a, b, c});
      content_.triangle_body.push_back(body);
    };
    switch (type) {
      case 3:  // line, polyline
      case 4:
        need_size(type == 4 ? p.size() >= 2 : p.size() == 2);
        for (std::size_t i = 1; i < p.size(); ++i) {
          content_.edges.push_back({p[i - 1], p[i]});
          content_.edge_body.push_back(body);
        }
        break;
      case 5:  // triangle, quad, polygon
      case 9:
      case 7:
        need_size(type == 5 ? p.size() == 3 : type == 9 ? p.size() == 4 : p.size() >= 3);
        for (std::size_t i = 2; i < p.size(); ++i) triangle(p[0], p[i - 1], p[i]);
        break;
      case 6:  // strip: every other triangle is listed backwards
        need_size(p.size() >= 3);
        for (std::size_t i = 2; i < p.size(); ++i)
          triangle(p[i - 2 + i % 2], p[i - 1 - i % 2], p[i]);
        break;
      case 10:  // tetra
        need_size(p.size() == 4);
        content_.tets.push_back({p[0], p[1], p[2], p[3]});
        content_.tet_body.push_back(body);
        break;
      default:
        ++content_.other_cells;
        if (type == 24 || type == 71) ++content_.curved_tets;
    }
  }

  XmlScanner xml_;
  std::string_view bytes_;
  VtuEncoding encoding_;
  std::vector<VtuPiece> pieces_;
  bool has_grid_ = false;
  VtuContent content_;
};

MeshBuilder builder_with_points(const TextScanner& at, const VtuContent& content, MeshCells cells) {
  MeshBuilder builder(cells);
  builder.reserve_vertices(content.points.size());
  for (std::size_t i = 0; i < content.points.size(); ++i)
    builder.add_vertex(at, i, content.points[i]);
  return builder;
}

// Places within the file are known no more: line 0 leaves them out of messages.
constexpr std::uint64_t kNoPlace = 0;

}  // namespace

VtuContent read_vtu(const std::string& file, std::string_view bytes) {
  return VtuReader(file, bytes).read();
}

VtuContent read_vtu(const std::filesystem::path& path) {
  return read_vtu(path.string(), read_file(path));
}

TetMesh read_vtu_mesh(const std::string& file, std::string_view bytes) {
  const VtuContent content = read_vtu(file, bytes);
  if (content.tets.empty()) {
    throw InputError(
        {file, 0, 0},
        content.curved_tets > 0
            ? "the mesh has tetrahedra of order 2 only, and only linear tets (VTK type "
              "10) are read: save it with element order 1"
            : "the mesh has no tetrahedra (VTK type 10), but " +
                  std::to_string(content.triangles.size()) + " triangles and " +
                  std::to_string(content.other_cells) + " cells of other types");
  }
  const TextScanner at(file, bytes);
  MeshBuilder builder = builder_with_points(at, content, MeshCells::tets);
  std::uint64_t number = 0;
  for (const std::array<int, 4>& t : content.tets) {
    std::array<std::uint64_t, 4> corners{};
    std::ranges::copy(t, corners.begin());
    builder.add_tet(at, kNoPlace, number++, corners);
  }
  return builder.finish(at);
}

SurfaceMesh read_vtu_surface(const std::string& file, std::string_view bytes) {
  const VtuContent content = read_vtu(file, bytes);
  const TextScanner at(file, bytes);
  MeshBuilder builder = builder_with_points(at, content, MeshCells::faces);
  std::uint64_t number = 0;
  for (const std::array<int, 3>& t : content.triangles) {
    std::array<std::uint64_t, 3> corners{};
    std::ranges::copy(t, corners.begin());
    builder.add_face(kNoPlace, number++, corners);
  }
  return builder.finish_surface(at);
}

}  // namespace lilyan

// VTK XML unstructured grids (.vtu), in which runs write their frames for ParaView, and the time
// series over them (.pvd). read_vtu_mesh() and read_vtu_surface() are in mesh_readers.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/file.hpp"
#include "app/files/surface.hpp"

namespace lilyan {

// The content of a .vtu file as far as it is used, pieces one after the other.
struct VtuContent {
  std::vector<std::array<double, 3>> points;
  std::vector<std::array<double, 3>> velocity;  // empty: the file has none
  std::vector<std::int64_t> number;             // of the points, in pieces of a frame; empty: none
  bool double_precision = true;                 // of both
  std::vector<std::array<int, 4>> tets;
  std::vector<std::array<int, 3>> triangles;  // and quads, polygons and strips, cut into triangles
  std::vector<std::array<int, 2>> edges;      // and polylines
  std::vector<TriangleTexture> texture;       // of the triangles; empty: the file has none
  // The cells' numbers in the cell array "body"; all 0 if there is none.
  std::vector<int> tet_body;
  std::vector<int> triangle_body;
  std::vector<int> edge_body;
  std::map<std::int64_t, std::size_t> other_cells;  // how many are passed over, by their VTK type
};

// Arrays may be ASCII, binary (inline base64) or appended (raw, base64), of any type and byte
// order, plain or compressed with zlib. Throws InputError naming file and line. file is the name
// that errors show; bytes is its content.
[[nodiscard]] VtuContent read_vtu(const std::string& file, std::string_view bytes);
// Of a .pvtu file all pieces together. Points with the same number are one; they come in the order of numbers.
[[nodiscard]] VtuContent read_vtu(const std::filesystem::path& path);

struct VtuFrame {
  Points x;
  Points v = {};                                // here and below, empty: none are written
  Points rest = {};                             // for the displacement from there
  std::span<const double> energy_density = {};  // of elements, at the vertices
  std::span<const std::int64_t> number = {};    // of the points of a piece in the whole frame
  FrameGeometry geometry;
  bool float64 = true;
};

// Points with their velocity, displacement and density of elastic energy; tets, triangles and edges with their body's number; as raw appended
// data. Throws Error when the file cannot be written.
void write_vtu(const std::filesystem::path& file, const VtuFrame& frame);

// The .pvd file is complete after every add(), so that an interrupted run can be opened.
class PvdWriter {
 public:
  explicit PvdWriter(const std::filesystem::path& path, Opening opening = Opening::fresh);
  // `frame` is relative to the .pvd file.
  void add(double t, const std::filesystem::path& frame);
  void archive(Archive& a);

 private:
  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t tail_ = 0;  // where the next entry goes
};

// A frame of a run that is done.
struct ListedFrame {
  double t = 0;
  std::filesystem::path file;
};
// The frames that the run.pvd of a result folder lists. Throws InputError when there is none.
[[nodiscard]] std::vector<ListedFrame> listed_frames(const std::filesystem::path& folder);

}  // namespace lilyan

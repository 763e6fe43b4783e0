// Frames for ParaView: VTK XML unstructured grids (.vtu) and the time series over them (.pvd).
#pragma once

#include <filesystem>
#include <fstream>

#include "app/files/frame_geometry.hpp"
#include "app/files/surface.hpp"

namespace lilyan {

struct VtuFrame {
  Points x;
  Points v = {};  // empty: none are written
  FrameGeometry geometry;
  bool float64 = true;
};

// Points with their velocity; tets, triangles and edges with their body's number; as raw appended
// data. Throws Error when the file cannot be written.
void write_vtu(const std::filesystem::path& file, const VtuFrame& frame);

// The .pvd file is complete after every add(), so that an interrupted run can be opened.
class PvdWriter {
 public:
  explicit PvdWriter(const std::filesystem::path& file);
  // `frame` is relative to the .pvd file.
  void add(double t, const std::filesystem::path& frame);

 private:
  void close_tags();

  std::filesystem::path file_;
  std::ofstream stream_;
  std::streampos tail_;
};

}  // namespace lilyan

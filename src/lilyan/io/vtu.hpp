// Frames for ParaView: VTK XML unstructured grids (.vtu) and the time series over them (.pvd).
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <span>

#include "lilyan/core/types.hpp"

namespace lilyan {

struct VtuFrame {
  const Vector& x;
  const Vector& v;
  std::span<const std::array<int, 4>> tets;
  std::span<const int> tet_body;
  bool float64 = true;
};

// Points with their velocity, tets with their body's number, as raw appended data. Throws Error
// when the file cannot be written.
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

// Frames for ParaView.
#include "app/files/vtu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/file.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

constexpr std::uint8_t kVtkLine = 3;
constexpr std::uint8_t kVtkTriangle = 5;
constexpr std::uint8_t kVtkTetra = 10;

// Arrays to be appended behind the XML, each preceded by its size in bytes; the XML refers to them
// by offset.
class AppendedData {
 public:
  template <class T>
  std::size_t add(std::span<const T> values) {
    const std::size_t offset = bytes_.size();
    append_raw(bytes_, std::uint64_t{values.size_bytes()});
    append_raw(bytes_, values);
    return offset;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string data_array(std::string_view type, std::string_view name, int components,
                       std::size_t offset) {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"{}\"/>\n",
      type, name, components, offset);
}

std::string vector_array(AppendedData& data, std::string_view name, Points all, bool float64) {
  if (float64) return data_array("Float64", name, 3, data.add(all));
  const std::vector<float> single(all.begin(), all.end());
  return data_array("Float32", name, 3, data.add(std::span<const float>(single)));
}

struct VtuCells {
  std::vector<std::int64_t> connectivity;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint8_t> types;
  std::vector<std::int32_t> bodies;

  template <std::size_t N>
  void add(std::span<const std::array<int, N>> cells, std::span<const int> body,
           std::uint8_t type) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      connectivity.insert(connectivity.end(), cells[i].begin(), cells[i].end());
      offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
      types.push_back(type);
      bodies.push_back(i < body.size() ? body[i] : 0);
    }
  }
};

template <class T>
std::string scalar_array(AppendedData& data, std::string_view type, std::string_view name,
                         const std::vector<T>& values) {
  return data_array(type, name, 1, data.add(std::span<const T>(values)));
}

// Velocities, and, in single precision, what only pictures need.
std::string point_data(AppendedData& data, const VtuFrame& frame) {
  std::string arrays;
  if (!frame.v.empty()) arrays += vector_array(data, "velocity", frame.v, frame.float64);
  if (!frame.rest.empty()) {
    std::vector<float> displacement(frame.x.size());
    for (std::size_t i = 0; i < displacement.size(); ++i) {
      displacement[i] = static_cast<float>(frame.x[i] - frame.rest[i]);
    }
    arrays +=
        data_array("Float32", "displacement", 3, data.add(std::span<const float>(displacement)));
  }
  if (!frame.energy_density.empty()) {
    const std::vector<float> density(frame.energy_density.begin(), frame.energy_density.end());
    arrays += scalar_array(data, "Float32", "strain_energy_density", density);
  }
  if (!frame.number.empty()) arrays += data_array("Int64", "number", 1, data.add(frame.number));
  if (arrays.empty()) return {};
  return "<PointData Vectors=\"velocity\">\n" + arrays + "</PointData>\n";
}

}  // namespace

void write_vtu(const std::filesystem::path& file, const VtuFrame& frame) {
  static_assert(std::endian::native == std::endian::little);
  AppendedData data;
  VtuCells cells;
  const FrameGeometry& geometry = frame.geometry;
  cells.add(geometry.tets, geometry.tet_body, kVtkTetra);
  cells.add(geometry.triangles, geometry.triangle_body, kVtkTriangle);
  cells.add(geometry.edges, geometry.edge_body, kVtkLine);

  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      frame.x.size() / 3, cells.types.size());
  xml += "<Points>\n" + vector_array(data, "position", frame.x, frame.float64) + "</Points>\n";
  xml += point_data(data, frame);
  xml += "<CellData>\n" + scalar_array(data, "Int32", "body", cells.bodies);
  if (!geometry.texture.empty()) {
    std::vector<TriangleTexture> texture(cells.types.size());
    std::ranges::copy(geometry.texture,
                      texture.begin() + static_cast<std::ptrdiff_t>(geometry.tets.size()));
    xml += data_array("Float32", "texture", 6, data.add(std::span<const TriangleTexture>(texture)));
  }
  xml += "</CellData>\n<Cells>\n";
  xml += scalar_array(data, "Int64", "connectivity", cells.connectivity);
  xml += scalar_array(data, "Int64", "offsets", cells.offsets);
  xml += scalar_array(data, "UInt8", "types", cells.types);
  xml += "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";

  OutputFile out(file, Opening::whole);
  out.write(xml);
  out.write(data.bytes());
  out.write("\n</AppendedData>\n</VTKFile>\n");
  out.close();
}

}  // namespace lilyan

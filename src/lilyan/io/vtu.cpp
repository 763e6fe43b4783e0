#include "lilyan/io/vtu.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

constexpr int kVtkTetra = 10;

// Arrays to be appended behind the XML, each preceded by its size in bytes; the XML refers to them
// by offset.
class Appended {
 public:
  template <class T>
  std::size_t add(std::span<const T> values) {
    const std::size_t offset = bytes_.size();
    const std::uint64_t size = values.size_bytes();
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
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

std::string vectors(Appended& data, std::string_view name, const Vector& values, bool float64) {
  const std::span<const double> all(values.data(), static_cast<std::size_t>(values.size()));
  if (float64) return data_array("Float64", name, 3, data.add(all));
  const std::vector<float> single(all.begin(), all.end());
  return data_array("Float32", name, 3, data.add(std::span<const float>(single)));
}

}  // namespace

void write_vtu(const std::filesystem::path& file, const VtuFrame& frame) {
  static_assert(std::endian::native == std::endian::little);
  Appended data;
  std::vector<std::int64_t> connectivity;
  std::vector<std::int64_t> offsets;
  for (const auto& t : frame.tets) {
    connectivity.insert(connectivity.end(), t.begin(), t.end());
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  }
  const std::vector<std::uint8_t> types(frame.tets.size(), kVtkTetra);

  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      frame.x.size() / 3, frame.tets.size());
  xml += "<Points>\n" + vectors(data, "position", frame.x, frame.float64) + "</Points>\n";
  xml += "<PointData Vectors=\"velocity\">\n" + vectors(data, "velocity", frame.v, frame.float64) +
         "</PointData>\n";
  xml += "<CellData>\n" + data_array("Int32", "body", 1, data.add(frame.tet_body)) +
         "</CellData>\n<Cells>\n";
  xml +=
      data_array("Int64", "connectivity", 1, data.add(std::span<const std::int64_t>(connectivity)));
  xml += data_array("Int64", "offsets", 1, data.add(std::span<const std::int64_t>(offsets)));
  xml += data_array("UInt8", "types", 1, data.add(std::span<const std::uint8_t>(types)));
  xml += "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";

  std::ofstream stream(file, std::ios::binary);
  stream << xml << data.bytes() << "\n</AppendedData>\n</VTKFile>\n";
  stream.flush();
  if (!stream) throw Error(fmt::format("cannot write {}", file.string()));
}

PvdWriter::PvdWriter(const std::filesystem::path& file) : file_(file), stream_(file) {
  stream_ << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
             "<Collection>\n";
  tail_ = stream_.tellp();
  close_tags();
}

void PvdWriter::add(double t, const std::filesystem::path& frame) {
  stream_.seekp(tail_);
  stream_ << fmt::format("<DataSet timestep=\"{:.17g}\" file=\"{}\"/>\n", t,
                         frame.generic_string());
  tail_ = stream_.tellp();
  close_tags();
}

void PvdWriter::close_tags() {
  stream_ << "</Collection>\n</VTKFile>\n";
  stream_.flush();
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
}

}  // namespace lilyan

// Surfaces into files. The layouts of PLY, OBJ and STL are described in their readers.
#include "app/files/surface_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "app/files/file.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

std::vector<float> normals_of(const SurfacePart& part, Points points) {
  std::vector<float> own;
  gather({&part, 1}, points, own);
  std::vector<float> normals;
  vertex_normals(own, part.triangles, normals);
  return normals;
}

double coordinate(Points points, int vertex, std::size_t axis) {
  return points[3 * static_cast<std::size_t>(vertex) + axis];
}

// A name that stays one word of a line.
std::string one_word(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  return name;
}

// A single frame, in memory.
class OneFrame final : public FrameSource {
 public:
  explicit OneFrame(std::vector<float> points) : points_(std::move(points)) {}
  [[nodiscard]] std::size_t frames() const override { return 1; }
  [[nodiscard]] double time(std::size_t /*frame*/) const override { return 0; }
  void read(std::size_t /*frame*/, std::vector<float>& points) const override { points = points_; }

 private:
  std::vector<float> points_;
};

void write_ply(const std::filesystem::path& path, const SurfaceFrame& frame) {
  std::size_t triangles = 0;
  std::size_t edges = 0;
  for (const SurfacePart& part : frame.parts) {
    triangles += part.triangles.size();
    edges += part.edges.size();
  }
  const bool moving = !frame.velocity.empty();
  std::string out = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment written by lilyan\nelement vertex {}\n"
      "property double x\nproperty double y\nproperty double z\n"
      "property float nx\nproperty float ny\nproperty float nz\n{}"
      "element face {}\nproperty list uchar int vertex_indices\nproperty int body\n",
      vertex_count(frame.parts),
      moving ? "property float vx\nproperty float vy\nproperty float vz\n" : "", triangles);
  if (edges > 0) {
    out += fmt::format(
        "element edge {}\nproperty int vertex1\nproperty int vertex2\nproperty int body\n", edges);
  }
  out += "end_header\n";
  for (const SurfacePart& part : frame.parts) {
    const std::vector<float> normals = normals_of(part, frame.points);
    for (std::size_t i = 0; i < part.vertices.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a)
        append_raw(out, coordinate(frame.points, part.vertices[i], a));
      for (std::size_t a = 0; a < 3; ++a) append_raw(out, normals[3 * i + a]);
      for (std::size_t a = 0; moving && a < 3; ++a) {
        append_raw(out, static_cast<float>(coordinate(frame.velocity, part.vertices[i], a)));
      }
    }
  }
  std::int32_t first = 0;
  for (const SurfacePart& part : frame.parts) {
    for (const auto& t : part.triangles) {
      append_raw(out, std::uint8_t{3});
      for (const int v : t) append_raw(out, std::int32_t{first + v});
      append_raw(out, std::int32_t{part.body});
    }
    first += static_cast<std::int32_t>(part.vertices.size());
  }
  first = 0;
  for (const SurfacePart& part : frame.parts) {
    for (const auto& e : part.edges) {
      for (const int v : e) append_raw(out, std::int32_t{first + v});
      append_raw(out, std::int32_t{part.body});
    }
    first += static_cast<std::int32_t>(part.vertices.size());
  }
  write_file(path, out);
}

void write_obj(const std::filesystem::path& path, const SurfaceFrame& frame) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "# written by lilyan\n");
  std::size_t first = 1;
  std::size_t first_place = 1;
  for (const SurfacePart& part : frame.parts) {
    fmt::format_to(to, "o {}\n", one_word(part.name));
    for (const int v : part.vertices) {
      fmt::format_to(to, "v {} {} {}\n", coordinate(frame.points, v, 0),
                     coordinate(frame.points, v, 1), coordinate(frame.points, v, 2));
    }
    const std::vector<float> normals = normals_of(part, frame.points);
    for (std::size_t i = 0; i + 2 < normals.size(); i += 3) {
      fmt::format_to(to, "vn {} {} {}\n", normals[i], normals[i + 1], normals[i + 2]);
    }
    const auto number = [&](int v) { return first + static_cast<std::size_t>(v); };
    const TexturePlaces texture = texture_places(part);
    for (const auto& p : texture.places) fmt::format_to(to, "vt {} {}\n", p[0], p[1]);
    for (std::size_t k = 0; k < part.triangles.size(); ++k) {
      fmt::format_to(to, "f");
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t v = number(part.triangles[k][c]);
        const std::string place = part.texture.empty()
                                      ? std::string()
                                      : std::to_string(first_place + texture.corners[3 * k + c]);
        fmt::format_to(to, " {}/{}/{}", v, place, v);
      }
      fmt::format_to(to, "\n");
    }
    first_place += texture.places.size();
    for (const auto& e : part.edges) fmt::format_to(to, "l {} {}\n", number(e[0]), number(e[1]));
    first += part.vertices.size();
  }
  write_file(path, {out.data(), out.size()});
}

void write_stl(const std::filesystem::path& path, const SurfaceFrame& frame) {
  std::string header = "binary STL written by lilyan";
  header.resize(80, ' ');
  std::string body;
  std::uint32_t count = 0;
  for (const SurfacePart& part : frame.parts) {
    for (const auto& t : part.triangles) {
      std::array<std::array<double, 3>, 3> p{};
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t a = 0; a < 3; ++a) {
          p[c][a] = coordinate(frame.points, part.vertices[static_cast<std::size_t>(t[c])], a);
        }
      }
      std::array<double, 3> n{};
      for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3;
        const std::size_t c = (a + 2) % 3;
        n[a] =
            (p[1][b] - p[0][b]) * (p[2][c] - p[0][c]) - (p[1][c] - p[0][c]) * (p[2][b] - p[0][b]);
      }
      const double length = std::hypot(n[0], n[1], n[2]);
      for (const double x : n) append_raw(body, static_cast<float>(length > 0 ? x / length : 0.0));
      for (const auto& point : p) {
        for (const double x : point) append_raw(body, static_cast<float>(x));
      }
      append_raw(body, std::uint16_t{0});
      ++count;
    }
  }
  append_raw(header, count);
  write_file(path, header + body);
}

}  // namespace

bool is_surface_extension(std::string_view extension) {
  static constexpr std::array<std::string_view, 6> kAll = {".ply", ".obj",  ".stl",
                                                           ".glb", ".gltf", ".usda"};
  return std::ranges::find(kAll, extension) != kAll.end();
}

void write_surface(const std::filesystem::path& path, const SurfaceFrame& frame) {
  const std::string extension = extension_of(path);
  if (extension == ".ply") return write_ply(path, frame);
  if (extension == ".obj") return write_obj(path, frame);
  if (extension == ".stl") return write_stl(path, frame);
  std::vector<float> points;
  gather(frame.parts, frame.points, points);
  const OneFrame one(std::move(points));
  if (extension == ".glb" || extension == ".gltf") {
    return write_gltf(path, frame.parts, one, {.up = frame.up});
  }
  if (extension == ".usda") return write_usda(path, frame.parts, one, {.up = frame.up});
  throw Error(
      fmt::format("{}: unknown format '{}' for a surface: expected .ply, .obj, .stl, .glb, "
                  ".gltf or .usda",
                  path.string(), extension));
}

FrameStore::FrameStore(std::filesystem::path path, std::size_t vertices, Opening opening)
    : path_(std::move(path)), numbers_(3 * vertices) {
  if (opening == Opening::resumed) return;
  file_ = FileHandle(path_, O_RDWR | O_CREAT | O_TRUNC);
}

void FrameStore::archive(Archive& a) {
  if (!a.loading()) file_.sync();
  a(times_);
  if (!a.loading()) return;
  cut_file(path_, place(frames()));
  file_ = FileHandle(path_, O_RDWR);
}

FrameStore::~FrameStore() {
  if (!kept_) remove();
}

void FrameStore::remove() {
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::uint64_t FrameStore::place(std::size_t frame) const {
  return std::uint64_t{frame} * numbers_ * sizeof(float);
}

void FrameStore::add(double t, std::span<const float> points) {
  file_.write_at(place(frames()),
                 {reinterpret_cast<const char*>(points.data()), points.size_bytes()});
  times_.push_back(t);
}

void FrameStore::read(std::size_t frame, std::vector<float>& points) const {
  points.resize(numbers_);
  file_.read_at(place(frame), {reinterpret_cast<char*>(points.data()), numbers_ * sizeof(float)});
}

}  // namespace lilyan

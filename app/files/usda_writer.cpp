// USD as text.
//
// Layout: Pixar, "OpenUSD: Crate and text file formats" and the schemas UsdGeomMesh and
// UsdGeomBasisCurves. An attribute's time samples stand together, so frames are read once for each
// attribute rather than kept.
#include "app/files/surface_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "app/files/file.hpp"
#include "lilyan/base/version.hpp"

namespace lilyan {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// A prim's name has letters, digits and underscores, and does not begin with a digit.
std::string identifier(const std::string& name, std::set<std::string>& taken) {
  std::string id;
  if (name.empty() || !is_letter(name.front())) id = "_";
  for (const char c : name) id += is_letter(c) || (c >= '0' && c <= '9') ? c : '_';
  std::string unique = id;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{}_{}", id, i);
  return unique;
}

// What a prim is called where its name is not one of USD's.
std::string display_name(const std::string& name, const std::string& id) {
  if (name.empty() || name == id) return {};
  std::string quoted;
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
  }
  return fmt::format(" (\n        displayName = \"{}\"\n    )", quoted);
}

class UsdaWriter {
 public:
  UsdaWriter(OutputFile& file, std::span<const SurfacePart> parts, const FrameSource& frames,
             const AnimationLook& look)
      : file_(file), parts_(parts), frames_(frames), look_(look) {}

  void write() {
    const std::size_t last = frames_.frames() - 1;
    file_.write(
        fmt::format("#usda 1.0\n(\n    defaultPrim = \"run\"\n"
                    "    doc = \"Written by lilyan {}\"\n    endTimeCode = {}\n"
                    "    metersPerUnit = 1\n    startTimeCode = {}\n"
                    "    timeCodesPerSecond = {}\n    upAxis = \"{}\"\n)\n\n"
                    "def Xform \"run\"\n{{\n",
                    version(), code(last), code(0), look_.rate, look_.up == UpAxis::y ? "Y" : "Z"));
    std::set<std::string> taken;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const SurfacePart& part = parts_[p];
      if (!part.triangles.empty()) write_mesh(p, identifier(part.name, taken));
      if (!part.edges.empty()) {
        write_curves(p,
                     identifier(part.triangles.empty() ? part.name : part.name + "_edges", taken));
      }
    }
    for (const Prop& prop : look_.props) write_prop(prop, identifier(prop.name, taken));
    file_.write("}\n");
  }

 private:
  using Frame = std::vector<float>;

  [[nodiscard]] double code(std::size_t frame) const { return frames_.time(frame) * look_.rate; }

  [[nodiscard]] Frame points_of(std::size_t p, std::size_t frame) const {
    Frame all;
    frames_.read(frame, all);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(3 * vertex_count(parts_.first(p)));
    return {first, first + static_cast<std::ptrdiff_t>(3 * parts_[p].vertices.size())};
  }

  static std::string tuples(const Frame& numbers) {
    fmt::memory_buffer out;
    out.push_back('[');
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
      fmt::format_to(std::back_inserter(out), "{}({}, {}, {})", i == 0 ? "" : ", ", numbers[i],
                     numbers[i + 1], numbers[i + 2]);
    }
    out.push_back(']');
    return fmt::to_string(out);
  }

  template <class Indices>
  static std::string list(const Indices& cells) {
    fmt::memory_buffer out;
    out.push_back('[');
    const char* separator = "";
    for (const auto& cell : cells) {
      for (const int v : cell) {
        fmt::format_to(std::back_inserter(out), "{}{}", separator, v);
        separator = ", ";
      }
    }
    out.push_back(']');
    return fmt::to_string(out);
  }

  static std::string repeated(int number, std::size_t times) {
    return fmt::format("[{}]", fmt::join(std::vector<int>(times, number), ", "));
  }

  // An attribute that value(frame) gives: plain when there is one frame, else with time samples.
  template <class Value>
  void attribute(const std::string& declaration, const Value& value) {
    if (frames_.frames() == 1) {
      file_.write(fmt::format("        {} = {}\n", declaration, value(std::size_t{0})));
      return;
    }
    file_.write(fmt::format("        {}.timeSamples = {{\n", declaration));
    for (std::size_t k = 0; k < frames_.frames(); ++k) {
      if (k > 0 && !(frames_.time(k) > frames_.time(k - 1))) continue;
      file_.write(fmt::format("            {}: {},\n", code(k), value(k)));
    }
    file_.write("        }\n");
  }

  static std::string extent(const Frame& points) {
    Frame bounds = {points[0], points[1], points[2], points[0], points[1], points[2]};
    for (std::size_t i = 0; i < points.size(); ++i) {
      bounds[i % 3] = std::min(bounds[i % 3], points[i]);
      bounds[3 + i % 3] = std::max(bounds[3 + i % 3], points[i]);
    }
    return tuples(bounds);
  }

  void write_mesh(std::size_t p, const std::string& name) {
    const SurfacePart& part = parts_[p];
    file_.write(fmt::format("    def Mesh \"{}\"{}\n    {{\n        uniform bool doubleSided = 1\n",
                            name, display_name(part.name, name)));
    attribute("float3[] extent", [&](std::size_t k) { return extent(points_of(p, k)); });
    file_.write("        int[] faceVertexCounts = " + repeated(3, part.triangles.size()) + "\n");
    file_.write("        int[] faceVertexIndices = " + list(part.triangles) + "\n");
    file_.write(
        "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n");
    attribute("normal3f[] normals", [&](std::size_t k) {
      Frame normals;
      vertex_normals(points_of(p, k), part.triangles, normals);
      return tuples(normals);
    });
    attribute("point3f[] points", [&](std::size_t k) { return tuples(points_of(p, k)); });
    if (!part.texture.empty()) write_texture(part);
    file_.write("        uniform token subdivisionScheme = \"none\"\n    }\n");
  }

  void write_texture(const SurfacePart& part) {
    const TexturePlaces texture = texture_places(part);
    fmt::memory_buffer places;
    for (const auto& p : texture.places) {
      fmt::format_to(std::back_inserter(places), "{}({}, {})", places.size() == 0 ? "" : ", ", p[0],
                     p[1]);
    }
    file_.write("        texCoord2f[] primvars:st = [" + fmt::to_string(places) +
                "] (\n            interpolation = \"faceVarying\"\n        )\n");
    file_.write(fmt::format("        int[] primvars:st:indices = [{}]\n",
                            fmt::join(texture.corners, ", ")));
  }

  void write_prop(const Prop& prop, const std::string& name) {
    file_.write(fmt::format("    def Mesh \"{}\"{}\n    {{\n        uniform bool doubleSided = 1\n",
                            name, display_name(prop.name, name)));
    file_.write("        float3[] extent = " + extent(prop.points) + "\n");
    file_.write("        int[] faceVertexCounts = " + repeated(3, prop.triangles.size()) + "\n");
    file_.write("        int[] faceVertexIndices = " + list(prop.triangles) + "\n");
    file_.write("        normal3f[] normals = " + tuples(prop.normals) +
                " (\n            interpolation = \"vertex\"\n        )\n");
    file_.write("        point3f[] points = " + tuples(prop.points) + "\n");
    file_.write("        uniform token subdivisionScheme = \"none\"\n");
    if (prop.motion.moves()) {
      attribute("matrix4d xformOp:transform",
                [&](std::size_t k) { return matrix(prop.motion.at(frames_.time(k))); });
      file_.write("        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
    }
    file_.write("    }\n");
  }

  // USD has vectors as rows, and the shift in the last.
  static std::string matrix(const Pose& pose) {
    const Vec3 shift = pose.apply(Vec3::Zero());
    std::string rows;
    for (int i = 0; i < 3; ++i) {
      rows += fmt::format("({}, {}, {}, 0), ", pose.rotation(0, i), pose.rotation(1, i),
                          pose.rotation(2, i));
    }
    return fmt::format("( {}({}, {}, {}, 1) )", rows, shift[0], shift[1], shift[2]);
  }

  // Curves have no indices: each edge is a curve of two points of its own.
  void write_curves(std::size_t p, const std::string& name) {
    const SurfacePart& part = parts_[p];
    file_.write(
        fmt::format("    def BasisCurves \"{}\"{}\n    {{\n", name, display_name(part.name, name)));
    file_.write("        int[] curveVertexCounts = " + repeated(2, part.edges.size()) + "\n");
    const auto points = [&](std::size_t k) {
      const Frame own = points_of(p, k);
      Frame out;
      for (const auto& e : part.edges) {
        for (const int v : e) {
          const auto at = own.begin() + std::ptrdiff_t{3} * v;
          out.insert(out.end(), at, at + 3);
        }
      }
      return out;
    };
    attribute("float3[] extent", [&](std::size_t k) { return extent(points(k)); });
    attribute("point3f[] points", [&](std::size_t k) { return tuples(points(k)); });
    // A width must be given to be seen: a tenth of an edge is thin and visible.
    const Frame first = points(0);
    double length = 0;
    for (std::size_t i = 0; i + 5 < first.size(); i += 6) {
      length += std::hypot(first[i + 3] - first[i], first[i + 4] - first[i + 1],
                           first[i + 5] - first[i + 2]);
    }
    file_.write(
        fmt::format("        uniform token type = \"linear\"\n"
                    "        float[] widths = [{}] (\n            interpolation = "
                    "\"constant\"\n        )\n    }}\n",
                    static_cast<float>(0.1 * length / static_cast<double>(part.edges.size()))));
  }

  OutputFile& file_;
  std::span<const SurfacePart> parts_;
  const FrameSource& frames_;
  const AnimationLook& look_;
};

}  // namespace

void write_usda(const std::filesystem::path& path, std::span<const SurfacePart> parts,
                const FrameSource& frames, const AnimationLook& look) {
  OutputFile file(path, Opening::whole);
  UsdaWriter(file, parts, frames, look).write();
  file.close();
}

}  // namespace lilyan

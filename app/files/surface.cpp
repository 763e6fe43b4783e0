#include "app/files/surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace lilyan {

const std::vector<std::string>& frame_formats() {
  static const std::vector<std::string> kFormats = {"vtu", "ply", "obj", "glb", "usda"};
  return kFormats;
}

Points as_points(const std::vector<std::array<double, 3>>& vertices) {
  static_assert(sizeof(std::array<double, 3>) == 3 * sizeof(double));
  return vertices.empty() ? Points() : Points(vertices.front().data(), 3 * vertices.size());
}

std::vector<BoundaryFace> boundary_faces(std::span<const std::array<int, 4>> tets) {
  // Opposite to each vertex, seen from outside a tet with (b-a)·((c-a)×(d-a)) > 0.
  constexpr std::array<std::array<std::size_t, 3>, 4> kFaces = {
      {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
  struct Keyed {
    std::array<int, 3> key;
    std::size_t face;
  };
  std::vector<Keyed> all;
  all.reserve(4 * tets.size());
  const auto corners = [&](std::size_t face) {
    const std::array<int, 4>& t = tets[face / 4];
    const auto& f = kFaces[face % 4];
    return std::array<int, 3>{t[f[0]], t[f[1]], t[f[2]]};
  };
  for (std::size_t face = 0; face < 4 * tets.size(); ++face) {
    std::array<int, 3> key = corners(face);
    std::ranges::sort(key);
    all.push_back({key, face});
  }
  std::ranges::sort(all, {}, [](const Keyed& k) { return std::pair(k.key, k.face); });
  std::vector<std::size_t> single;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end].key == all[i].key) ++end;
    if (end == i + 1) single.push_back(all[i].face);
    i = end;
  }
  std::ranges::sort(single);
  std::vector<BoundaryFace> faces;
  faces.reserve(single.size());
  for (const std::size_t f : single) faces.push_back({corners(f), static_cast<int>(f / 4)});
  return faces;
}

void vertex_normals(std::span<const float> points, std::span<const std::array<int, 3>> triangles,
                    std::vector<float>& normals) {
  std::vector<double> sum(points.size(), 0.0);
  for (const std::array<int, 3>& t : triangles) {
    const auto at = [&](std::size_t c) { return 3 * static_cast<std::size_t>(t[c]); };
    std::array<double, 3> u{};
    std::array<double, 3> w{};
    for (std::size_t a = 0; a < 3; ++a) {
      u[a] = double{points[at(1) + a]} - points[at(0) + a];
      w[a] = double{points[at(2) + a]} - points[at(0) + a];
    }
    // Twice the area times the normal.
    const std::array<double, 3> n = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                                     u[0] * w[1] - u[1] * w[0]};
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t a = 0; a < 3; ++a) sum[at(c) + a] += n[a];
    }
  }
  normals.resize(points.size());
  for (std::size_t i = 0; i + 2 < sum.size(); i += 3) {
    const double length = std::hypot(sum[i], sum[i + 1], sum[i + 2]);
    const bool known = length > 0 && std::isfinite(length);
    for (std::size_t a = 0; a < 3; ++a) {
      normals[i + a] = known ? static_cast<float>(sum[i + a] / length) : (a == 2 ? 1.0F : 0.0F);
    }
  }
}

std::vector<SurfacePart> surface_parts(const FrameGeometry& geometry) {
  std::map<int, SurfacePart> parts;
  const auto part_of = [&](std::span<const int> bodies, std::size_t cell) -> SurfacePart& {
    const int body = cell < bodies.size() ? bodies[cell] : 0;
    SurfacePart& part = parts[body];
    part.body = body;
    return part;
  };
  // Global numbers first; renumbered below, so that a part's vertices keep the frame's order.
  for (const BoundaryFace& face : boundary_faces(geometry.tets)) {
    part_of(geometry.tet_body, static_cast<std::size_t>(face.tet))
        .triangles.push_back(face.corners);
  }
  for (std::size_t i = 0; i < geometry.triangles.size(); ++i) {
    SurfacePart& part = part_of(geometry.triangle_body, i);
    part.triangles.push_back(geometry.triangles[i]);
    const bool shown = !geometry.texture.empty() &&
                       std::ranges::any_of(geometry.texture[i], [](float u) { return u != 0; });
    if (part.texture.empty() && !shown) continue;
    part.texture.resize(part.triangles.size());  // those before have none
    if (shown) part.texture.back() = geometry.texture[i];
  }
  for (std::size_t i = 0; i < geometry.edges.size(); ++i) {
    part_of(geometry.edge_body, i).edges.push_back(geometry.edges[i]);
  }
  std::vector<SurfacePart> out;
  for (auto& entry : parts) {
    const int body = entry.first;
    SurfacePart& part = entry.second;
    for (const auto& t : part.triangles)
      part.vertices.insert(part.vertices.end(), t.begin(), t.end());
    for (const auto& e : part.edges) part.vertices.insert(part.vertices.end(), e.begin(), e.end());
    std::ranges::sort(part.vertices);
    part.vertices.erase(std::unique(part.vertices.begin(), part.vertices.end()),
                        part.vertices.end());
    const auto renumber = [&](int& v) {
      v = static_cast<int>(std::ranges::lower_bound(part.vertices, v) - part.vertices.begin());
    };
    for (auto& t : part.triangles) std::ranges::for_each(t, renumber);
    for (auto& e : part.edges) std::ranges::for_each(e, renumber);
    const auto b = static_cast<std::size_t>(body);
    part.name =
        b < geometry.body_names.size() ? geometry.body_names[b] : "body" + std::to_string(body + 1);
    out.push_back(std::move(part));
  }
  return out;
}

TexturePlaces texture_places(const SurfacePart& part) {
  TexturePlaces out;
  std::map<std::array<float, 2>, std::uint32_t> known;
  for (const TriangleTexture& t : part.texture) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::array<float, 2> place = {t[2 * c], t[2 * c + 1]};
      const auto [entry, added] =
          known.try_emplace(place, static_cast<std::uint32_t>(out.places.size()));
      if (added) out.places.push_back(place);
      out.corners.push_back(entry->second);
    }
  }
  return out;
}

std::size_t vertex_count(std::span<const SurfacePart> parts) {
  std::size_t count = 0;
  for (const SurfacePart& part : parts) count += part.vertices.size();
  return count;
}

void gather(std::span<const SurfacePart> parts, Points points, std::vector<float>& out) {
  // A run that blows up has its last frames outside of single precision; formats know no infinity.
  constexpr double kMost = 1e37;
  out.clear();
  out.reserve(3 * vertex_count(parts));
  for (const SurfacePart& part : parts) {
    for (const int v : part.vertices) {
      for (std::size_t a = 0; a < 3; ++a) {
        const double x = points[3 * static_cast<std::size_t>(v) + a];
        out.push_back(static_cast<float>(std::clamp(x, -kMost, kMost)));
      }
    }
  }
}

}  // namespace lilyan

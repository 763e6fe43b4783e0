// A mesh as it grows while a file is read.
#include "app/files/mesh_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "app/files/polygon.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

// "a, b and c"
std::string enumerated(const std::vector<std::string>& items) {
  std::string all;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) all += i + 1 == items.size() ? " and " : ", ";
    all += items[i];
  }
  return all;
}

std::string enumerated(const std::map<std::string, std::size_t>& count_of) {
  std::vector<std::string> items;
  for (const auto& [kind, count] : count_of) items.push_back(counted(count, kind));
  return enumerated(items);
}

}  // namespace

std::string counted(std::size_t count, const std::string& kind) {
  const std::size_t head = std::min(kind.find(" of "), kind.size());
  std::string noun = kind.substr(0, head);
  if (count != 1) {
    constexpr std::string_view kGreek = "hedron";
    if (noun.ends_with(kGreek)) {
      noun.replace(noun.size() - 2, 2, "a");
    } else {
      noun += 's';
    }
  }
  return std::to_string(count) + " " + noun + kind.substr(head);
}

void MeshBuilder::reserve_vertices(std::size_t more) {
  points_.reserve(points_.size() + more);
  if (!dense()) index_of_.reserve(points_.size() + more);
}

void MeshBuilder::leave_dense() {
  index_of_.reserve(points_.capacity());
  for (std::size_t i = 0; i < points_.size(); ++i) index_of_.emplace(first_ + i, i);
}

std::size_t MeshBuilder::find(std::uint64_t number) const {
  if (dense()) {
    // Below first_ the difference wraps to a large number, which is out of range as well.
    return std::min<std::uint64_t>(number - first_, points_.size());
  }
  const auto found = index_of_.find(number);
  return found == index_of_.end() ? points_.size() : found->second;
}

void MeshBuilder::add_vertex(const TextScanner& at, std::uint64_t number,
                             const std::array<double, 3>& point) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::isfinite(point[axis])) continue;
    at.fail("the " + std::string(1, "xyz"[axis]) + " coordinate of vertex " +
            std::to_string(number) + " is " + std::to_string(point[axis]) +
            ": coordinates must be finite");
  }
  if (points_.empty()) first_ = number;
  if (dense() && number != first_ + points_.size()) leave_dense();
  if (!dense() && !index_of_.emplace(number, points_.size()).second) {
    at.fail("vertex " + std::to_string(number) + " is defined a second time");
  }
  points_.push_back(point);
}

void MeshBuilder::add_tet(const TextScanner& at, std::uint64_t place, std::uint64_t number,
                          const std::array<std::uint64_t, 4>& corners) {
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      if (corners[a] != corners[b]) continue;
      at.fail_at(place, "tet " + std::to_string(number) + " lists vertex " +
                            std::to_string(corners[a]) + " twice");
    }
  }
  tets_.push_back({corners, number, place});
}

void MeshBuilder::add_triangle(const std::array<std::uint64_t, 3>& corners, std::uint64_t number,
                               std::uint64_t place, std::span<const std::array<float, 2>> texture) {
  triangles_.push_back({corners, number, place});
  if (texture.empty()) return;
  texture_.resize(triangles_.size());
  const auto& [a, b, c] = std::tie(texture[0], texture[1], texture[2]);
  texture_.back() = {a[0], a[1], b[0], b[1], c[0], c[1]};
}

void MeshBuilder::add_face(std::uint64_t place, std::uint64_t number,
                           std::span<const std::uint64_t> corners,
                           std::span<const std::array<float, 2>> texture) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::size_t before = i == 0 ? corners.size() - 1 : i - 1;
    if (corners[i] != corners[before]) kept.push_back(i);
  }
  // Two vertices in turn, however often, are a line.
  const auto third = [&](std::size_t i) {
    return corners[i] != corners[kept[0]] && corners[i] != corners[kept[1]];
  };
  if (kept.size() < 3 || std::ranges::none_of(kept, third)) {
    ++dropped_;
    return;
  }
  if (kept.size() > 3) polygons_.push_back({triangles_.size(), kept.size() - 2});
  for (std::size_t i = 2; i < kept.size(); ++i) {
    const std::array<std::size_t, 3> t = {kept[0], kept[i - 1], kept[i]};
    std::array<std::array<float, 2>, 3> places{};
    for (std::size_t c = 0; c < 3 && !texture.empty(); ++c) places[c] = texture[t[c]];
    add_triangle({corners[t[0]], corners[t[1]], corners[t[2]]}, number, place,
                 std::span(places).first(texture.empty() ? 0 : 3));
  }
}

void MeshBuilder::pass_over(std::uint64_t place, const std::string& kind, int dimension,
                            std::uint64_t count) {
  if (count == 0) return;
  const auto known = std::ranges::find(passed_, kind, &Passed::kind);
  if (known != passed_.end()) {
    known->count += count;
  } else {
    passed_.push_back({kind, dimension, place, count});
  }
}

void MeshBuilder::add_side(const char* kind, std::span<const std::uint64_t> corners) {
  sides_.push_back({kind, side_corners_.size(), corners.size()});
  side_corners_.insert(side_corners_.end(), corners.begin(), corners.end());
}

std::string MeshBuilder::missing(const std::string& cell, std::uint64_t number) const {
  const std::string count = std::to_string(points_.size());
  if (dense()) {
    return "vertex index " + std::to_string(number) + " in " + cell +
           " is out of range: the mesh has " + count + " vertices, numbered " +
           std::to_string(first_) + " to " + std::to_string(first_ + points_.size() - 1);
  }
  return "vertex " + std::to_string(number) + " in " + cell + " is not among the " + count +
         " vertices that the file defines";
}

template <std::size_t N>
std::vector<bool> MeshBuilder::compact(const TextScanner& from, const std::vector<Cell<N>>& cells,
                                       const char* cell_name,
                                       std::vector<std::array<double, 3>>& vertices,
                                       std::vector<std::array<int, N>>& indices) const {
  constexpr int kUnused = -1;
  constexpr int kUsed = 0;
  std::vector<int> new_index(points_.size(), kUnused);
  std::vector<std::array<std::size_t, N>> corners(cells.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    for (std::size_t c = 0; c < N; ++c) {
      const std::uint64_t number = cells[k].corners[c];
      const std::size_t old = find(number);
      if (old == points_.size()) {
        std::string cell = cell_name;
        cell += ' ' + std::to_string(cells[k].number);
        from.fail_at(cells[k].place, missing(cell, number));
      }
      new_index[old] = kUsed;
      corners[k][c] = old;
    }
  }
  std::vector<bool> used(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    used[i] = new_index[i] != kUnused;
    if (!used[i]) continue;
    if (vertices.size() == std::numeric_limits<int>::max()) {
      throw InputError({from.file(), 0, 0},
                       "the mesh has more vertices than can be numbered (2147483647)");
    }
    new_index[i] = static_cast<int>(vertices.size());
    vertices.push_back(points_[i]);
  }
  indices.resize(corners.size());
  for (std::size_t k = 0; k < corners.size(); ++k) {
    for (std::size_t c = 0; c < N; ++c) indices[k][c] = new_index[corners[k][c]];
  }
  return used;
}

void MeshBuilder::refuse_passed(const TextScanner& from, int dimension, const std::string& read,
                                std::size_t count) const {
  std::vector<std::string> kinds;
  std::uint64_t place = std::numeric_limits<std::uint64_t>::max();
  bool curved = true;
  for (const Passed& p : passed_) {
    if (p.dimension != dimension && p.dimension != kUnknownDimension) continue;
    kinds.push_back(counted(p.count, p.kind));
    place = std::min(place, p.place);
    curved = curved && p.kind.find("of order") != std::string::npos;
  }
  if (kinds.empty()) return;
  const std::string beside = count == 0 ? "" : " beside " + std::to_string(count) + " " + read;
  from.fail_at(place, "the mesh has " + enumerated(kinds) + beside + ", and only " + read +
                          " are read: " +
                          (curved ? "save it with element order 1"
                                  : "cut such elements into simpler ones in the program that made "
                                    "the mesh, or save it without them"));
}

std::string MeshBuilder::left_out(const std::vector<bool>& used) const {
  std::map<std::string, std::size_t> loose;
  for (const Side& side : sides_) {
    const auto corners = std::span(side_corners_).subspan(side.begin, side.count);
    const bool bounds = std::ranges::all_of(corners, [&](std::uint64_t number) {
      const std::size_t at = find(number);
      return at < used.size() && used[at];
    });
    if (!bounds) ++loose[side.kind];
  }
  for (const Passed& p : passed_) {
    if (p.dimension > 0) loose[p.kind] += p.count;
  }
  return enumerated(loose);
}

std::string MeshBuilder::others() const {
  std::map<std::string, std::size_t> all;
  for (const Side& side : sides_) ++all[side.kind];
  for (const Passed& p : passed_) all[p.kind] += p.count;
  return all.empty() ? "" : ", but " + enumerated(all);
}

TetMeshOfFile MeshBuilder::finish(const TextScanner& tets_from) const {
  const SourceLocation where{tets_from.file(), 0, 0};
  refuse_passed(tets_from, 3, "linear tets", tets_.size());
  if (points_.empty()) throw InputError(where, "the mesh has no vertices");
  if (tets_.empty()) {
    const std::string found = others();
    throw NoSuchCells(where,
                      "the mesh has no tetrahedra" + found +
                          (found.empty() ? "" : ": was it meshed in 3D, and were volumes saved?"));
  }
  TetMeshOfFile mesh;
  const std::vector<bool> used = compact(tets_from, tets_, "tet", mesh.vertices, mesh.tets);
  mesh.unused_vertices = points_.size() - mesh.vertices.size();
  mesh.left_out = left_out(used);
  return mesh;
}

void MeshBuilder::cut_polygons(const TextScanner& from, SurfaceMesh& mesh) const {
  std::vector<int> corners;
  std::vector<std::array<double, 3>> points;
  std::vector<std::array<float, 2>> places;
  for (const Polygon& polygon : polygons_) {
    corners.clear();
    places.clear();
    const auto add = [&](std::size_t triangle, std::size_t corner) {
      corners.push_back(mesh.triangles[triangle][corner]);
      if (mesh.texture.empty()) return;
      const TriangleTexture& t = mesh.texture[triangle];
      places.push_back({t[2 * corner], t[2 * corner + 1]});
    };
    add(polygon.first, 0);
    add(polygon.first, 1);
    for (std::size_t t = 0; t < polygon.count; ++t) add(polygon.first + t, 2);
    points.clear();
    for (const int v : corners) points.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
    const PolygonCut cut = cut_polygon(points);
    const Cell<3>& cell = triangles_[polygon.first];
    const auto fail = [&](const std::string& fault) {
      from.fail_at(cell.place, "face " + std::to_string(cell.number) + " (" +
                                   std::to_string(corners.size()) + " corners) " + fault);
    };
    if (!cut.fault.empty()) fail(cut.fault);
    for (std::size_t t = 0; t < polygon.count; ++t) {
      std::array<int, 3>& triangle = mesh.triangles[polygon.first + t];
      for (std::size_t c = 0; c < 3; ++c) {
        const auto corner = static_cast<std::size_t>(cut.triangles[t][c]);
        triangle[c] = corners[corner];
        if (places.empty()) continue;
        mesh.texture[polygon.first + t][2 * c] = places[corner][0];
        mesh.texture[polygon.first + t][2 * c + 1] = places[corner][1];
      }
      if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
        fail("lists a vertex twice and has no area: remove it");
      }
    }
  }
}

SurfaceMesh MeshBuilder::finish_surface(const TextScanner& faces_from) const {
  const SourceLocation where{faces_from.file(), 0, 0};
  refuse_passed(faces_from, 2, "linear triangles and polygons", triangles_.size());
  if (points_.empty()) throw InputError(where, "the mesh has no vertices");
  if (triangles_.empty()) {
    throw NoSuchCells(where,
                      "the mesh has no triangles" +
                          (dropped_ == 0 ? others()
                                         : ", but " + std::to_string(dropped_) +
                                               " faces with fewer than 3 different vertices"));
  }
  SurfaceMesh mesh;
  const std::vector<bool> used =
      compact(faces_from, triangles_, "face", mesh.vertices, mesh.triangles);
  mesh.unused_vertices = points_.size() - mesh.vertices.size();
  mesh.dropped_faces = dropped_;
  mesh.texture = texture_;
  if (!texture_.empty()) mesh.texture.resize(triangles_.size());
  mesh.left_out = left_out(used);
  cut_polygons(faces_from, mesh);
  return mesh;
}

}  // namespace lilyan

#include "app/scene/body/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace lilyan {

int BodyPart::find(long whole_number) const {
  const auto search = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    const auto found = std::lower_bound(number.begin() + from, number.begin() + to, whole_number);
    return found != number.begin() + to && *found == whole_number
               ? static_cast<int>(found - number.begin())
               : -1;
  };
  const int own = search(0, owned);
  return own >= 0 ? own : search(owned, static_cast<std::ptrdiff_t>(number.size()));
}

LatticeCut::LatticeCut(const std::array<int, 3>& points, int processes) : points_(points) {
  // Of all ways to cut, the one whose boxes have the least surface; of equals the first.
  double least = std::numeric_limits<double>::infinity();
  for (int a = 1; a <= processes; ++a) {
    if (processes % a != 0) continue;
    for (int b = 1; b <= processes / a; ++b) {
      if (processes / a % b != 0) continue;
      const std::array<int, 3> parts = {a, b, processes / a / b};
      std::array<double, 3> size{};
      for (std::size_t k = 0; k < 3; ++k) size[k] = static_cast<double>(points[k]) / parts[k];
      const double surface = size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
      const bool possible = size[0] >= 1 && size[1] >= 1 && size[2] >= 1;
      if (!possible || !(surface < least)) continue;
      least = surface;
      parts_ = parts;
    }
  }
}

int LatticeCut::first(int axis, int part) const {
  const auto k = static_cast<std::size_t>(axis);
  return static_cast<int>(static_cast<long>(points_[k]) * part / parts_[k]);
}

LatticeBox LatticeCut::box(int process) const {
  LatticeBox box;
  if (process >= parts_[0] * parts_[1] * parts_[2]) return box;  // too few points for all
  const std::array<int, 3> at = {process / (parts_[1] * parts_[2]), process / parts_[2] % parts_[1],
                                 process % parts_[2]};
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    box.low[k] = first(axis, at[k]);
    box.high[k] = first(axis, at[k] + 1);
  }
  return box;
}

int LatticeCut::owner(const std::array<int, 3>& point) const {
  int process = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    int part = static_cast<int>((static_cast<long>(point[k]) * parts_[k]) / points_[k]);
    while (part + 1 < parts_[k] && first(axis, part + 1) <= point[k]) ++part;
    while (first(axis, part) > point[k]) --part;
    process = process * parts_[k] + part;
  }
  return process;
}

namespace {

// The points of a box in a lattice, numbered with the last coordinate first.
class LatticeNumbers {
 public:
  LatticeNumbers(const std::array<int, 3>& low, const std::array<int, 3>& high)
      : low_(low), wide_{high[1] - low[1], high[2] - low[2]} {}

  [[nodiscard]] long number(const std::array<int, 3>& p) const {
    return (long{p[0] - low_[0]} * wide_[0] + (p[1] - low_[1])) * wide_[1] + (p[2] - low_[2]);
  }
  [[nodiscard]] std::array<int, 3> point(long number) const {
    return {static_cast<int>(number / wide_[1] / wide_[0]) + low_[0],
            static_cast<int>(number / wide_[1] % wide_[0]) + low_[1],
            static_cast<int>(number % wide_[1]) + low_[2]};
  }

 private:
  std::array<int, 3> low_;
  std::array<int, 2> wide_;  // in the second and third direction
};

// What a part is made of: vertices known by their numbers in the whole body, and who owns them.
struct Source {
  std::vector<std::array<long, 4>> tets;  // those that have a vertex of this process
  long vertices;
  long elements;
};

template <class Position, class Owner, class Place>
PartOfMesh assemble_part(const Source& source, std::vector<long> owned, int process,
                         const Position& position, const Owner& owner, const Place& place) {
  PartOfMesh result;
  BodyPart& part = result.part;
  part.whole = source.vertices;
  part.whole_elements = source.elements;
  part.owned = static_cast<int>(owned.size());
  std::vector<long> copies;
  for (const auto& tet : source.tets) {
    for (const long v : tet) {
      if (owner(v) != process) copies.push_back(v);
    }
  }
  std::ranges::sort(copies);
  copies.erase(std::unique(copies.begin(), copies.end()), copies.end());
  part.number = std::move(owned);
  part.number.insert(part.number.end(), copies.begin(), copies.end());
  for (const long v : copies) {
    part.owner.push_back(owner(v));
    part.place.push_back(place(v));
  }
  for (const long v : part.number) result.mesh.vertices.push_back(position(v));
  // The owner of its lowest vertex counts a tet.
  for (const bool counted : {true, false}) {
    for (const auto& tet : source.tets) {
      if ((owner(*std::ranges::min_element(tet)) == process) != counted) continue;
      std::array<int, 4> here{};
      for (std::size_t a = 0; a < 4; ++a) here[a] = part.find(tet[a]);
      result.mesh.tets.push_back(here);
    }
    if (counted) part.counted = static_cast<int>(result.mesh.tets.size());
  }
  return result;
}

}  // namespace

std::vector<int> places(std::span<const int> owner, int processes) {
  std::vector<int> next(static_cast<std::size_t>(processes), 0);
  std::vector<int> place;
  place.reserve(owner.size());
  for (const int process : owner) place.push_back(next[static_cast<std::size_t>(process)]++);
  return place;
}

PartOfMesh part_of(const TetMesh& whole, std::span<const int> owner, std::span<const int> place,
                   int process) {
  const auto at = [](long v) { return static_cast<std::size_t>(v); };
  Source source{.vertices = static_cast<long>(whole.vertices.size()),
                .elements = static_cast<long>(whole.tets.size())};
  for (const auto& tet : whole.tets) {
    const bool here = std::ranges::any_of(tet, [&](int v) { return owner[at(v)] == process; });
    if (here) source.tets.push_back({tet[0], tet[1], tet[2], tet[3]});
  }
  std::vector<long> owned;
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (owner[v] == process) owned.push_back(static_cast<long>(v));
  }
  return assemble_part(
      source, std::move(owned), process, [&](long v) { return whole.vertices[at(v)]; },
      [&](long v) { return owner[at(v)]; }, [&](long v) { return place[at(v)]; });
}

PartOfMesh block_part(const std::array<double, 3>& size, const std::array<int, 3>& cells,
                      CubeCut cut, int process, int processes) {
  const std::array<int, 3> points = {cells[0] + 1, cells[1] + 1, cells[2] + 1};
  const LatticeNumbers whole({}, points);
  const LatticeCut lattice(points, processes);
  const LatticeBox own = lattice.box(process);
  // The cells that touch vertices of this process.
  LatticeBox window;
  for (std::size_t k = 0; k < 3; ++k) {
    window.low[k] = std::max(own.low[k] - 1, 0);
    window.high[k] = std::min(own.high[k], cells[k]);
  }
  const bool nothing = own.high[0] <= own.low[0];
  const TetMesh near = nothing ? TetMesh{} : block(size, cells, cut, window.low, window.high);
  // (A window has one point more than cells.)
  const LatticeNumbers of_near(window.low,
                               {window.high[0] + 1, window.high[1] + 1, window.high[2] + 1});
  const auto owner = [&](long v) { return lattice.owner(whole.point(v)); };
  Source source{.vertices = static_cast<long>(points[0]) * points[1] * points[2],
                .elements = static_cast<long>(cells[0]) * cells[1] * cells[2] *
                            (cut == CubeCut::kSixTets ? 6 : 5)};
  for (const auto& tet : near.tets) {
    std::array<long, 4> numbers{};
    for (std::size_t a = 0; a < 4; ++a) numbers[a] = whole.number(of_near.point(tet[a]));
    if (std::ranges::any_of(numbers, [&](long v) { return owner(v) == process; })) {
      source.tets.push_back(numbers);
    }
  }
  std::vector<long> owned;
  for (int i = own.low[0]; i < own.high[0]; ++i) {
    for (int j = own.low[1]; j < own.high[1]; ++j) {
      for (int k = own.low[2]; k < own.high[2]; ++k) {
        owned.push_back(whole.number({i, j, k}));
      }
    }
  }
  const auto position = [&](long v) {
    return near.vertices[static_cast<std::size_t>(of_near.number(whole.point(v)))];
  };
  const auto place = [&](long v) {
    const LatticeBox box = lattice.box(owner(v));
    return static_cast<int>(LatticeNumbers(box.low, box.high).number(whole.point(v)));
  };
  return assemble_part(source, std::move(owned), process, position, owner, place);
}

Eigen::AlignedBox3d box_around(Eigen::AlignedBox3d own, const Distribution* ranks) {
  if (!ranks) return own;
  std::array<double, 6> ends{};
  for (int c = 0; c < 3; ++c) {
    ends[static_cast<std::size_t>(c)] = -own.min()[c];
    ends[static_cast<std::size_t>(c) + 3] = own.max()[c];
  }
  ranks->largest(ends);
  for (int c = 0; c < 3; ++c) {
    own.min()[c] = -ends[static_cast<std::size_t>(c)];
    own.max()[c] = ends[static_cast<std::size_t>(c) + 3];
  }
  return own;
}

}  // namespace lilyan

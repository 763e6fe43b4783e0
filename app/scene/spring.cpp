#include "app/scene/spring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace lilyan {
namespace {

// The first vertex of a body in the system, and how many it has.
struct Range {
  std::string name;
  int first = 0;
  int count = 0;
};

std::array<Range, 2> read_ends(TableReader& reader, const std::vector<Body>& bodies) {
  std::vector<Range> ranges;
  std::vector<std::string> names;
  int first = 0;
  for (const Body& b : bodies) {
    ranges.push_back({b.name, first, static_cast<int>(b.masses.size())});
    names.push_back(b.name);
    first += ranges.back().count;
  }
  if (!reader.has("bodies")) {
    if (bodies.size() > 1) {
      reader.fail("bodies", fmt::format("the scene has {} bodies: say which ones with bodies = "
                                        "[\"…\", \"…\"]",
                                        bodies.size()));
    }
    return {ranges[0], ranges[0]};
  }
  std::vector<std::string> given = reader.texts("bodies");
  if (given.size() == 1) given.push_back(given[0]);
  if (given.size() != 2) {
    reader.fail("bodies", fmt::format("a spring joins two bodies, not {}", given.size()));
  }
  std::array<Range, 2> ends;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto found = std::ranges::find(ranges, given[k], &Range::name);
    if (found == ranges.end()) {
      reader.fail("bodies",
                  fmt::format("there is no body '{}'{}", given[k], suggestion(given[k], names)));
    }
    ends[k] = *found;
  }
  return ends;
}

int nearest(const Range& range, const Vec3& point, const Vector& x) {
  int best = range.first;
  for (int i = range.first; i < range.first + range.count; ++i) {
    if ((x.segment<3>(3 * i) - point).squaredNorm() <
        (x.segment<3>(3 * best) - point).squaredNorm()) {
      best = i;
    }
  }
  return best;
}

std::array<int, 2> read_vertices(TableReader& reader, const std::array<Range, 2>& ends,
                                 const Vector& x) {
  const bool points = reader.has("from") || reader.has("to");
  if (points == reader.has("vertices")) {
    reader.fail("vertices", points
                                ? "give either 'vertices' or the points 'from' and 'to', not both"
                                : "a spring needs vertices = [i, j], or two points 'from' and "
                                  "'to' whose nearest vertices it joins");
  }
  if (points) {
    const Vec3 from = reader.vector("from");
    const Vec3 to = reader.vector("to");
    return {nearest(ends[0], from, x), nearest(ends[1], to, x)};
  }
  const std::vector<int> given = reader.indices("vertices", std::max(ends[0].count, ends[1].count));
  if (given.size() != 2) {
    reader.fail("vertices", fmt::format("'vertices' must be two, not {}", given.size()));
  }
  std::array<int, 2> vertices{};
  for (std::size_t k = 0; k < 2; ++k) {
    if (given[k] >= ends[k].count) {
      reader.fail("vertices", fmt::format("{} is not a vertex of '{}', which has vertices 0 to {}",
                                          given[k], ends[k].name, ends[k].count - 1));
    }
    vertices[k] = ends[k].first + given[k];
  }
  return vertices;
}

}  // namespace

void read_springs(std::vector<TableReader> readers, const std::vector<Body>& bodies,
                  const Vector& x, System& system) {
  std::array<std::vector<Spring>, 2> lists;  // hookean, stvk
  for (TableReader& reader : readers) {
    reader.expect({"bodies", "vertices", "from", "to", "kind", "stiffness", "length"});
    const std::array<Range, 2> ends = read_ends(reader, bodies);
    const auto [a, b] = read_vertices(reader, ends, x);
    if (a == b) reader.fail("vertices", "a spring needs two different vertices");
    const bool hookean = reader.choice("kind", {"hookean", "stvk"}, "hookean") == "hookean";
    const double stiffness = reader.positive("stiffness");
    const double now = (x.segment<3>(3 * a) - x.segment<3>(3 * b)).norm();
    const double length = reader.number("length", now);
    if (length < 0) reader.fail("length", "'length' must not be negative");
    reader.finish();
    lists[hookean ? 0 : 1].push_back({a, b, stiffness, length});
  }
  if (!lists[0].empty()) system.add(springs(SpringKind::hookean, std::move(lists[0])));
  if (!lists[1].empty()) system.add(springs(SpringKind::stvk, std::move(lists[1])));
}

}  // namespace lilyan

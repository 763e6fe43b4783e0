// Regions: sets of vertices chosen by where they are in the rest shape.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/scene/body/body.hpp"
#include "lilyan/base/parameter.hpp"

namespace lilyan {
namespace {

std::vector<int> vertices_inside(const Vector& rest,
                                 const std::function<bool(const Vec3&)>& inside) {
  std::vector<int> chosen;
  for (int i = 0; i < rest.size() / 3; ++i) {
    if (inside(rest.segment<3>(3 * i))) chosen.push_back(i);
  }
  return chosen;
}

// A share of the body's extent along a coordinate axis: 0 is its lowest, 1 its highest point.
std::vector<int> read_slab(TableReader reader, const Body& body) {
  const std::string word = reader.choice("axis", {"x", "y", "z"}, "x");
  const double from = reader.number("from", 0.0);
  const double to = reader.number("to", 1.0);
  reader.finish();
  const int axis = word[0] - 'x';
  const Eigen::AlignedBox3d box = body.box();
  const double low = box.min()[axis];
  const double extent = box.max()[axis] - low;
  // Widened by rounding, so that 0 and 1 include the end faces.
  const double slack = 1e-9;
  return vertices_inside(body.rest, [&](const Vec3& p) {
    const double share = (p[axis] - low) / extent;
    return share >= from - slack && share <= to + slack;
  });
}

const std::vector<std::string>& region_kinds() {
  static const std::vector<std::string> kKinds = {"all",        "box",  "ball",
                                                  "half_space", "slab", "vertices"};
  return kKinds;
}

// Reads the one key that says which vertices.
std::vector<int> read_region_keys(TableReader& reader, const Body& body) {
  const Vector& rest = body.rest;
  const std::vector<std::string>& kinds = region_kinds();
  std::string kind;
  for (const std::string& k : kinds) {
    if (!reader.has(k)) continue;
    if (!kind.empty())
      reader.fail(k, fmt::format("a region is one of '{}' and '{}', not both", kind, k));
    kind = k;
  }
  if (kind.empty()) {
    for (const std::string& key : reader.unread()) {
      if (const auto meant = nearest_name(key, kinds)) reader.refuse_misspelling(*meant);
    }
    reader.fail("", "a region needs one of: all, box, ball, half_space, slab, vertices");
  }

  std::vector<int> chosen;
  if (kind == "all") {
    chosen = vertices_inside(rest, [all = reader.flag("all", true)](const Vec3&) { return all; });
  } else if (kind == "box") {
    TableReader box = reader.table("box");
    const Vec3 low = box.vector("min");
    const Vec3 high = box.vector("max");
    box.finish();
    chosen = vertices_inside(rest, [&](const Vec3& p) {
      return (p.array() >= low.array()).all() && (p.array() <= high.array()).all();
    });
  } else if (kind == "ball") {
    TableReader ball = reader.table("ball");
    const Vec3 center = ball.vector("center");
    const double radius = ball.positive("radius");
    ball.finish();
    chosen = vertices_inside(rest, [&](const Vec3& p) { return (p - center).norm() <= radius; });
  } else if (kind == "half_space") {
    TableReader half = reader.table("half_space");
    const Vec3 point = half.vector("point");
    const Vec3 normal = half.direction("normal");
    half.finish();
    chosen = vertices_inside(rest, [&](const Vec3& p) { return (p - point).dot(normal) >= 0; });
  } else if (kind == "slab") {
    chosen = read_slab(reader.table("slab"), body);
  } else {
    chosen =
        reader.indices("vertices", body.ranks ? static_cast<int>(body.part.whole) : body.count());
    if (body.ranks) {
      for (int& i : chosen) i = body.part.find(i);
      std::erase(chosen, -1);
    }
  }
  if (body.total(chosen.empty() ? 0 : 1) == 0) {
    const Eigen::AlignedBox3d box = body.box();
    const Vec3& low = box.min();
    const Vec3& high = box.max();
    reader.fail(kind, fmt::format("this region contains no vertex; the body's rest shape extends "
                                  "from [{:.4g}, {:.4g}, {:.4g}] to [{:.4g}, {:.4g}, {:.4g}]",
                                  low[0], low[1], low[2], high[0], high[1], high[2]));
  }
  return chosen;
}

}  // namespace

bool has_region(const TableReader& table) {
  if (table.has("region")) return true;
  return std::ranges::any_of(region_kinds(), [&](const auto& kind) { return table.has(kind); });
}

std::vector<int> read_region(TableReader& table, const Body& body) {
  table.expect({"region"});
  table.expect(region_kinds());
  if (!table.has("region")) return read_region_keys(table, body);
  for (const std::string& kind : region_kinds()) {
    if (table.has(kind)) {
      table.fail(kind, fmt::format("give either 'region' or '{}', not both", kind));
    }
  }
  TableReader region = table.table("region");
  std::vector<int> chosen = read_region_keys(region, body);
  region.finish(region_kinds());
  return chosen;
}

}  // namespace lilyan

// How a body starts: deformed (stretch, twist, pull) or from a file, and how it moves.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>

#include "app/scene/body/body.hpp"

namespace lilyan {
namespace {

Vec3 box_center(const Body& body) {
  const Eigen::AlignedBox3d box = body.box();
  return 0.5 * (box.min() + box.max());
}

void stretch(TableReader& reader, const Body& body, Vector& x) {
  const Vec3 factors = reader.vector("factors");
  const Vec3 center = reader.vector("center", box_center(body));
  for (int i = 0; i < x.size() / 3; ++i) {
    x.segment<3>(3 * i) = center + factors.cwiseProduct(x.segment<3>(3 * i) - center);
  }
}

// Turns the cross-sections about an axis through the centre, by an angle that grows linearly from
// −angle/2 at one end of the rest shape to +angle/2 at the other.
void twist(TableReader& reader, const Body& body, Vector& x) {
  const Vector& rest = body.rest;
  const int axis = reader.choice("axis", {"x", "y", "z"}, "x")[0] - 'x';
  const double angle = reader.number("angle") * std::numbers::pi / 180;
  const Vec3 center = reader.vector("center", box_center(body));
  const Eigen::AlignedBox3d box = body.box();
  const double low = box.min()[axis];
  const double extent = box.max()[axis] - low;
  for (int i = 0; i < x.size() / 3; ++i) {
    const double share = (rest[3 * i + axis] - low) / extent - 0.5;
    const Eigen::AngleAxisd turn(angle * share, Vec3::Unit(axis));
    x.segment<3>(3 * i) = center + turn * (x.segment<3>(3 * i) - center);
  }
}

// Moves a region as a whole; the displacement fades out smoothly over the distance `falloff` from
// the region's nearest vertex in the rest shape.
void pull(TableReader& reader, const Body& body, Vector& x) {
  const Vector& rest = body.rest;
  const Vec3 by = reader.vector("by");
  const double falloff = reader.not_negative("falloff", 0.0);
  std::vector<double> region;  // where its vertices are
  for (const int i : read_region(reader, body)) {
    if (i < body.owned()) region.insert(region.end(), rest.data() + 3 * i, rest.data() + 3 * i + 3);
  }
  if (body.ranks) region = body.ranks->gather(region);
  for (int i = 0; i < x.size() / 3; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < region.size(); r += 3) {
      nearest = std::min(
          nearest, (rest.segment<3>(3 * i) - Eigen::Map<const Vec3>(&region[r])).squaredNorm());
    }
    const double distance = std::sqrt(nearest);
    double weight = distance == 0 ? 1.0 : 0.0;
    if (distance > 0 && distance < falloff) {
      const double s = 1 - distance / falloff;
      weight = s * s * (3 - 2 * s);
    }
    x.segment<3>(3 * i) += weight * by;
  }
}

// Applies one [[body.deform]] to the positions x of a body.
void apply_deformation(TableReader reader, const Body& body, Vector& x) {
  const std::string kind = reader.choice("kind", {"stretch", "twist", "pull"});
  if (kind == "stretch") stretch(reader, body, x);
  if (kind == "twist") twist(reader, body, x);
  if (kind == "pull") pull(reader, body, x);
  reader.finish();
}

// A text file of three numbers a line, one line per vertex; empty lines and # comments are skipped.
Vector read_vertex_file(const std::filesystem::path& file, const Body& body) {
  const int vertices = body.ranks ? static_cast<int>(body.part.whole) : body.count();
  std::ifstream stream(file);
  if (!stream) throw InputError({file.string()}, "cannot be read");
  stream.exceptions(std::ios::badbit);
  Vector values(3 * static_cast<Eigen::Index>(vertices));
  int row = 0;
  int line_number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    const SourceLocation here{file.string(), line_number};
    line = line.substr(0, line.find('#'));
    const char* at = line.data();
    const char* const end = at + line.size();
    const auto skip = [&] {
      while (at != end && (*at == ' ' || *at == '\t' || *at == ',' || *at == '\r')) ++at;
    };
    skip();
    if (at == end) continue;
    if (row == vertices) {
      throw InputError(here, fmt::format("more lines than the body's {} vertices", vertices));
    }
    for (int c = 0; c < 3; ++c, skip()) {
      double value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc{} || !std::isfinite(value)) {
        throw InputError(here, fmt::format("expected three numbers, found '{}' as number {}",
                                           std::string(at, std::min(end, at + 20)), c + 1));
      }
      values[3 * row + c] = value;
      at = next;
    }
    if (at != end) throw InputError(here, "more than three numbers on this line");
    ++row;
  }
  if (row < vertices) {
    throw InputError({file.string(), line_number},
                     fmt::format("{} lines for a body of {} vertices: one line of three numbers is "
                                 "needed for each",
                                 row, vertices));
  }
  if (!body.ranks) return values;
  Vector own(body.rest.size());
  for (int i = 0; i < body.count(); ++i) {
    own.segment<3>(3 * i) = values.segment<3>(3 * body.part.number[static_cast<std::size_t>(i)]);
  }
  return own;
}

}  // namespace

void read_initial_state(TableReader& reader, Body& body) {
  const int n = static_cast<int>(body.masses.size());
  if (reader.has("positions") && reader.has("deform")) {
    reader.fail("positions", "give either 'positions' or [[body.deform]], not both");
  }
  body.x = body.rest;
  for (const TableReader& deform : reader.tables("deform")) {
    apply_deformation(deform, body, body.x);
  }
  if (reader.has("positions")) body.x = read_vertex_file(reader.file("positions"), body);

  const Vec3 linear = reader.vector("velocity", Vec3::Zero());
  const Vec3 angular = reader.vector("angular_velocity", Vec3::Zero());
  Vec3 center = Vec3::Zero();
  double mass = 0;
  for (int i = 0; i < body.owned(); ++i) {
    center += body.masses[static_cast<std::size_t>(i)] * body.x.segment<3>(3 * i);
    mass += body.masses[static_cast<std::size_t>(i)];
  }
  if (body.ranks) body.ranks->sum({center.data(), 3});
  center /= body.total(mass);
  body.v = reader.has("velocities") ? read_vertex_file(reader.file("velocities"), body)
                                    : Vector::Zero(3 * n);
  for (int i = 0; i < n; ++i) {
    body.v.segment<3>(3 * i) += linear + angular.cross(body.x.segment<3>(3 * i) - center);
  }
}

}  // namespace lilyan

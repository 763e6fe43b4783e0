// Joints within and between bodies: [[spring]] and [[constraint]].
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "app/scene/bodies.hpp"
#include "app/scene/body/body.hpp"
#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/physics/constraints.hpp"

namespace lilyan {
namespace {

const PlacedBody& find_body(const TableReader& reader, const std::string& key,
                            const std::string& name, const std::vector<PlacedBody>& bodies) {
  std::vector<std::string> names;
  for (const PlacedBody& b : bodies) {
    if (b.name() == name) return b;
    names.push_back(b.name());
  }
  reader.fail(key, fmt::format("there is no body '{}'{}", name, suggestion(name, names)));
}

// The number in the system of a body's vertex.
int vertex_of(const TableReader& reader, const std::string& key, int vertex,
              const PlacedBody& body) {
  if (vertex < body.count()) return body.first + vertex;
  reader.fail(key, fmt::format("{} is not a vertex of '{}', which has vertices 0 to {}", vertex,
                               body.name(), body.count() - 1));
}

int nearest_vertex(const PlacedBody& body, const Vec3& point, const Vector& x) {
  int best = body.first;
  for (int i = body.first; i < body.first + body.count(); ++i) {
    if ((x.segment<3>(3 * i) - point).squaredNorm() <
        (x.segment<3>(3 * best) - point).squaredNorm()) {
      best = i;
    }
  }
  return best;
}

// The longest side of the elements that have a vertex.
double cell_at(const PlacedBody& body, int vertex, const Vector& x) {
  const int own = vertex - body.first;
  double longest = 0;
  const auto look = [&](const auto& elements) {
    for (const auto& element : elements) {
      if (std::ranges::find(element, own) == element.end()) continue;
      for (const int other : element) {
        const Vec3 side = x.segment<3>(3 * vertex) - x.segment<3>(3 * (body.first + other));
        longest = std::max(longest, side.norm());
      }
    }
  };
  look(body.body->tets);
  look(body.body->triangles);
  look(body.body->edges);
  return longest;
}

std::string place(const Vec3& p) {
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", p[0], p[1], p[2]);
}

// The vertex nearest to the point that a key of a table gives. A point farther from it than a cell is remarked on.
int vertex_near(TableReader& reader, const std::string& what, const std::string& key,
                const PlacedBody& body, const Vector& x, std::vector<std::string>& remarks) {
  const Vec3 point = reader.vector(key);
  const int vertex = nearest_vertex(body, point, x);
  const Vec3 found = x.segment<3>(3 * vertex);
  const double apart = (found - point).norm();
  const double cell = cell_at(body, vertex, x);
  if (apart > cell) {
    remarks.push_back(
        fmt::format("'{}' of a {} is {}, {:.3g} away from the nearest vertex of '{}' (vertex {} at "
                    "{}), while the "
                    "cells there are {:.3g} wide: the {} takes this vertex",
                    key, what, place(point), apart, body.name(), vertex - body.first, place(found),
                    cell, what));
  }
  return vertex;
}

using SpringEnds = std::array<const PlacedBody*, 2>;

// The bodies that a spring joins, twice the same for a spring within a body.
SpringEnds spring_bodies(TableReader& reader, const std::vector<PlacedBody>& bodies) {
  if (!reader.has("bodies")) {
    if (bodies.size() > 1) {
      reader.fail("bodies", fmt::format("the scene has {} bodies: say which ones with bodies = "
                                        "[\"…\", \"…\"]",
                                        bodies.size()));
    }
    return {&bodies[0], &bodies[0]};
  }
  std::vector<std::string> given = reader.texts("bodies");
  if (given.size() == 1) given.push_back(given[0]);
  if (given.size() != 2) {
    reader.fail("bodies", fmt::format("a spring joins two bodies, not {}", given.size()));
  }
  return {&find_body(reader, "bodies", given[0], bodies),
          &find_body(reader, "bodies", given[1], bodies)};
}

// The numbers in the system of the vertices that a spring joins.
std::array<int, 2> spring_vertices(TableReader& reader, const SpringEnds& ends, const Vector& x,
                                   std::vector<std::string>& remarks) {
  const bool points = reader.has("from") || reader.has("to");
  if (points == reader.has("vertices")) {
    reader.fail("vertices", points
                                ? "give either 'vertices' or the points 'from' and 'to', not both"
                                : "a spring needs vertices = [i, j], or two points 'from' and "
                                  "'to' whose nearest vertices it joins");
  }
  if (points) {
    const int from = vertex_near(reader, "spring", "from", *ends[0], x, remarks);
    return {from, vertex_near(reader, "spring", "to", *ends[1], x, remarks)};
  }
  const std::vector<int> given =
      reader.indices("vertices", std::max(ends[0]->count(), ends[1]->count()));
  if (given.size() != 2) {
    reader.fail("vertices", fmt::format("'vertices' must be two, not {}", given.size()));
  }
  return {vertex_of(reader, "vertices", given[0], *ends[0]),
          vertex_of(reader, "vertices", given[1], *ends[1])};
}

class ConstraintReader {
 public:
  // What the constraints are is added to the scene's links.
  ConstraintReader(TableReader& reader, const std::vector<PlacedBody>& bodies, ReadBodies& read)
      : reader_(reader),
        bodies_(bodies),
        x_(read.initial.x),
        links_(read.bodies.links),
        remarks_(read.remarks) {}

  std::vector<std::unique_ptr<Constraint>> read() {
    reader_.expect({"kind", "body", "other_body", "between", "vertex", "point", "length", "region",
                    "vertices", "normal", "from", "to"});
    const std::string kind =
        reader_.choice("kind", {"distance", "plane", "point", "joint", "hinge"});
    std::vector<std::unique_ptr<Constraint>> made;
    if (kind == "distance") {
      made.push_back(distance());
    } else if (kind == "plane") {
      planes(made);
    } else if (kind == "point") {
      points(made);
    } else if (kind == "joint") {
      const auto [i, j] = two_vertices();
      made.push_back(joint(i, j));
      add_link(Link::Kind::joint, {i}, {j});
    } else {
      hinge(made);
    }
    reader_.finish();
    return made;
  }

 private:
  const PlacedBody& body_of(const std::string& key, const std::string& default_name) {
    if (!reader_.has(key) && default_name.empty()) {
      reader_.fail(key, fmt::format("the scene has {} bodies: say which one with '{}'",
                                    bodies_.size(), key));
    }
    return find_body(reader_, key, reader_.text(key, default_name), bodies_);
  }
  const PlacedBody& main_body() {
    return body_of("body", bodies_.size() == 1 ? bodies_.front().name() : "");
  }
  [[nodiscard]] Vec3 at(int vertex) const { return x_.segment<3>(3 * vertex); }

  double length(const Vec3& from, const Vec3& to) {
    const double now = (from - to).norm();
    if (!reader_.has("length") && !(now > 1e-9 * (from.norm() + to.norm()))) {
      reader_.fail("", "the two ends of this distance are at the same place; a rod needs a length");
    }
    return reader_.positive("length", now);
  }

  std::unique_ptr<Constraint> distance() {
    const PlacedBody& a = main_body();
    if (reader_.has("between") == (reader_.has("vertex") || reader_.has("point"))) {
      reader_.fail("between", reader_.has("between")
                                  ? "give either 'between' or 'vertex' and 'point', not both"
                                  : "a distance needs between = [i, j], or 'vertex' and 'point'");
    }
    if (!reader_.has("between")) {
      const int i = a.first + reader_.whole("vertex", 0, a.count() - 1);
      const Vec3 point = reader_.vector("point");
      add_link(Link::Kind::rod, {i}, {.point = point});
      return std::make_unique<DistanceConstraint>(i, point, length(at(i), point));
    }
    const auto [i, j] = two_vertices();
    if (i == j) reader_.fail("between", "a distance needs two different vertices");
    add_link(Link::Kind::rod, {i}, {j});
    return std::make_unique<DistanceConstraint>(i, j, length(at(i), at(j)));
  }

  // The vertices of `between`, by their numbers in the system.
  std::pair<int, int> two_vertices() {
    const PlacedBody& a = main_body();
    const PlacedBody& b = body_of("other_body", a.name());
    const std::vector<int> ends = reader_.indices("between", std::max(a.count(), b.count()));
    if (ends.size() != 2) {
      reader_.fail("between", fmt::format("'between' must be two vertices, not {}", ends.size()));
    }
    return {vertex_of(reader_, "between", ends[0], a), vertex_of(reader_, "between", ends[1], b)};
  }

  // The vertices of `region` or `vertices`, by their numbers in the body.
  std::vector<int> chosen_vertices(const PlacedBody& a) {
    if (reader_.has("region") == reader_.has("vertices")) {
      reader_.fail("region", reader_.has("region")
                                 ? "give either 'region' or 'vertices', not both"
                                 : "this constraint needs a 'region' or 'vertices'");
    }
    std::vector<int> chosen = reader_.has("region") ? read_region(reader_, *a.body)
                                                    : reader_.indices("vertices", a.count());
    if (chosen.empty()) reader_.fail("vertices", "this list of vertices is empty");
    return chosen;
  }

  // Holds vertices where they start.
  void points(std::vector<std::unique_ptr<Constraint>>& made) {
    const PlacedBody& a = main_body();
    for (const int v : chosen_vertices(a)) {
      made.push_back(std::make_unique<PointConstraint>(a.first + v, at(a.first + v)));
      add_link(Link::Kind::pivot, {a.first + v}, {a.first + v});
    }
  }

  std::unique_ptr<Constraint> joint(int i, int j) {
    if (i == j) reader_.fail("between", "a joint needs two different vertices");
    const double apart = (at(i) - at(j)).norm();
    const double size = at(i).norm() + at(j).norm();
    if (apart > 1e-9 * size) {
      reader_.fail("", fmt::format("a joint holds vertices together that are at the same place; "
                                   "these are {:.4g} apart",
                                   apart));
    }
    return std::make_unique<PointConstraint>(i, j);
  }

  // Holds the vertices nearest to two points of the axis where they are, or to the nearest vertices of
  // another body.
  void hinge(std::vector<std::unique_ptr<Constraint>>& made) {
    const PlacedBody& a = main_body();
    const int i = vertex_near(reader_, "hinge", "from", a, x_, remarks_);
    const int j = vertex_near(reader_, "hinge", "to", a, x_, remarks_);
    if (i == j) {
      reader_.fail("to", "the same vertex is nearest to both ends of this axis; a hinge needs two");
    }
    add_link(Link::Kind::hinge, {i}, {j});
    if (!reader_.has("other_body")) {
      for (const int v : {i, j}) made.push_back(std::make_unique<PointConstraint>(v, at(v)));
      return;
    }
    const PlacedBody& b = body_of("other_body", "");
    if (a.body == b.body) reader_.fail("other_body", "a hinge is between two different bodies");
    made.push_back(joint(i, nearest_vertex(b, at(i), x_)));
    made.push_back(joint(j, nearest_vertex(b, at(j), x_)));
  }

  void planes(std::vector<std::unique_ptr<Constraint>>& made) {
    const PlacedBody& a = main_body();
    const std::vector<int> vertices = chosen_vertices(a);
    const Vec3 normal = reader_.direction("normal");
    const bool common = reader_.has("point");
    const Vec3 point = common ? reader_.vector("point") : Vec3::Zero();
    for (const int v : vertices) {
      const int i = a.first + v;
      made.push_back(std::make_unique<PlaneConstraint>(i, common ? point : at(i), normal));
      add_link(Link::Kind::slider, {i}, {i});
    }
  }

  void add_link(Link::Kind kind, const Link::End& from, const Link::End& to) {
    links_.push_back({.kind = kind, .ends = {{from, to}}});
  }

  TableReader& reader_;
  const std::vector<PlacedBody>& bodies_;
  const Vector& x_;
  std::vector<Link>& links_;
  std::vector<std::string>& remarks_;
};

}  // namespace

void read_springs(std::vector<TableReader> readers, const std::vector<PlacedBody>& bodies,
                  ReadBodies& read) {
  const Vector& x = read.initial.x;
  System& system = *read.system;
  std::array<std::vector<Spring>, 2> lists;  // hookean, stvk
  for (TableReader& reader : readers) {
    reader.expect({"bodies", "vertices", "from", "to", "kind", "stiffness", "length"});
    const SpringEnds ends = spring_bodies(reader, bodies);
    const auto [a, b] = spring_vertices(reader, ends, x, read.remarks);
    if (a == b) reader.fail("vertices", "a spring needs two different vertices");
    const bool hookean = reader.choice("kind", {"hookean", "stvk"}, "hookean") == "hookean";
    const double stiffness = reader.positive("stiffness");
    const double now = (x.segment<3>(3 * a) - x.segment<3>(3 * b)).norm();
    const double length = reader.not_negative("length", now);
    reader.finish();
    lists[hookean ? 0 : 1].push_back({a, b, stiffness, length});
    read.bodies.links.push_back({.kind = Link::Kind::spring, .ends = {{{a}, {b}}}});
  }
  if (!lists[0].empty()) system.add(springs(SpringKind::hookean, lists[0]));
  if (!lists[1].empty()) system.add(springs(SpringKind::stvk, lists[1]));
}

void read_constraints(std::vector<TableReader> readers, const std::vector<PlacedBody>& bodies,
                      bool project, ReadBodies& read) {
  System& system = *read.system;
  State& initial = read.initial;
  std::vector<std::size_t> table;  // of each constraint of the system
  for (std::size_t k = 0; k < readers.size(); ++k) {
    for (auto& constraint : ConstraintReader(readers[k], bodies, read).read()) {
      system.add(std::move(constraint));
      table.push_back(k);
    }
  }
  try {
    if (project) project_velocities(system, initial);
    check_constraints(system, initial);
  } catch (const ConstraintError& error) {
    readers[table[static_cast<std::size_t>(error.constraint())]].fail("", error.what());
  }
}

}  // namespace lilyan

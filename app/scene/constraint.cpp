#include "app/scene/constraint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "lilyan/integrate/constrained/constraint_check.hpp"
#include "lilyan/physics/distance.hpp"
#include "lilyan/physics/plane.hpp"
#include "lilyan/physics/point.hpp"

namespace lilyan {
namespace {

// A body and where its vertices begin in the system.
struct Part {
  const Body* body;
  int first;
  [[nodiscard]] int count() const { return static_cast<int>(body->masses.size()); }
};

class ConstraintReader {
 public:
  ConstraintReader(TableReader& reader, const std::vector<Body>& bodies, const Vector& x)
      : reader_(reader), bodies_(bodies), x_(x) {}

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
    } else {
      hinge(made);
    }
    reader_.finish();
    return made;
  }

 private:
  Part part(const std::string& key, const std::string& standard) {
    if (!reader_.has(key) && standard.empty()) {
      reader_.fail(key, fmt::format("the scene has {} bodies: say which one with '{}'",
                                    bodies_.size(), key));
    }
    const std::string name = reader_.text(key, standard);
    std::vector<std::string> names;
    int first = 0;
    for (const Body& b : bodies_) {
      if (b.name == name) return {&b, first};
      names.push_back(b.name);
      first += static_cast<int>(b.masses.size());
    }
    reader_.fail(key, fmt::format("there is no body '{}'{}", name, suggestion(name, names)));
  }
  Part main_part() { return part("body", bodies_.size() == 1 ? bodies_.front().name : ""); }
  [[nodiscard]] Vec3 at(int vertex) const { return x_.segment<3>(3 * vertex); }

  double length(const Vec3& from, const Vec3& to) {
    const double now = (from - to).norm();
    if (!reader_.has("length") && !(now > 1e-9 * (from.norm() + to.norm()))) {
      reader_.fail("", "the two ends of this distance are at the same place; a rod needs a length");
    }
    return reader_.positive("length", now);
  }

  std::unique_ptr<Constraint> distance() {
    const Part a = main_part();
    if (reader_.has("between") == (reader_.has("vertex") || reader_.has("point"))) {
      reader_.fail("between", reader_.has("between")
                                  ? "give either 'between' or 'vertex' and 'point', not both"
                                  : "a distance needs between = [i, j], or 'vertex' and 'point'");
    }
    if (!reader_.has("between")) {
      const int i = a.first + reader_.whole("vertex", 0, a.count() - 1);
      const Vec3 point = reader_.vector("point");
      return std::make_unique<DistanceConstraint>(i, point, length(at(i), point));
    }
    const auto [i, j] = two_vertices();
    if (i == j) reader_.fail("between", "a distance needs two different vertices");
    return std::make_unique<DistanceConstraint>(i, j, length(at(i), at(j)));
  }

  // Those of `between`, numbers in the system.
  std::pair<int, int> two_vertices() {
    const Part a = main_part();
    const Part b = part("other_body", a.body->name);
    const std::vector<int> ends = reader_.indices("between", std::max(a.count(), b.count()));
    if (ends.size() != 2) {
      reader_.fail("between", fmt::format("'between' must be two vertices, not {}", ends.size()));
    }
    for (const auto& [p, vertex] : {std::pair(a, ends[0]), std::pair(b, ends[1])}) {
      if (vertex < p.count()) continue;
      reader_.fail("between", fmt::format("{} is not a vertex of '{}', which has vertices 0 to {}",
                                          vertex, p.body->name, p.count() - 1));
    }
    return {a.first + ends[0], b.first + ends[1]};
  }

  // Those of `region` or `vertices`, numbers in the body.
  std::vector<int> chosen_vertices(const Part& a) {
    if (reader_.has("region") == reader_.has("vertices")) {
      reader_.fail("region", reader_.has("region")
                                 ? "give either 'region' or 'vertices', not both"
                                 : "this constraint needs a 'region' or 'vertices'");
    }
    std::vector<int> chosen = reader_.has("region")
                                  ? read_region(reader_.table("region"), a.body->rest)
                                  : reader_.indices("vertices", a.count());
    if (chosen.empty()) reader_.fail("vertices", "this list of vertices is empty");
    return chosen;
  }

  // Where they start.
  void points(std::vector<std::unique_ptr<Constraint>>& made) {
    const Part a = main_part();
    for (const int v : chosen_vertices(a)) {
      made.push_back(std::make_unique<PointConstraint>(a.first + v, at(a.first + v)));
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

  [[nodiscard]] int nearest(const Part& a, const Vec3& point) const {
    int best = a.first;
    for (int i = a.first; i < a.first + a.count(); ++i) {
      if ((at(i) - point).norm() < (at(best) - point).norm()) best = i;
    }
    return best;
  }

  // The vertices nearest to two points of the axis are held where they are, or to the nearest ones
  // of another body.
  void hinge(std::vector<std::unique_ptr<Constraint>>& made) {
    const Part a = main_part();
    const Vec3 from = reader_.vector("from");
    const Vec3 to = reader_.vector("to");
    const int i = nearest(a, from);
    const int j = nearest(a, to);
    if (i == j) {
      reader_.fail("to", "the same vertex is nearest to both ends of this axis; a hinge needs two");
    }
    if (!reader_.has("other_body")) {
      for (const int v : {i, j}) made.push_back(std::make_unique<PointConstraint>(v, at(v)));
      return;
    }
    const Part b = part("other_body", "");
    if (a.body == b.body) reader_.fail("other_body", "a hinge is between two different bodies");
    made.push_back(joint(i, nearest(b, at(i))));
    made.push_back(joint(j, nearest(b, at(j))));
  }

  void planes(std::vector<std::unique_ptr<Constraint>>& made) {
    const Part a = main_part();
    const std::vector<int> vertices = chosen_vertices(a);
    const Vec3 normal = reader_.vector("normal");
    if (normal.isZero(0)) reader_.fail("normal", "'normal' must not be zero");
    const bool common = reader_.has("point");
    const Vec3 point = common ? reader_.vector("point") : Vec3::Zero();
    for (const int v : vertices) {
      const int i = a.first + v;
      made.push_back(std::make_unique<PlaneConstraint>(i, common ? point : at(i), normal));
    }
  }

  TableReader& reader_;
  const std::vector<Body>& bodies_;
  const Vector& x_;
};

}  // namespace

void read_constraints(std::vector<TableReader> readers, const std::vector<Body>& bodies,
                      bool project, System& system, State& initial) {
  std::vector<std::size_t> table;  // of each constraint of the system
  for (std::size_t k = 0; k < readers.size(); ++k) {
    for (auto& constraint : ConstraintReader(readers[k], bodies, initial.x).read()) {
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

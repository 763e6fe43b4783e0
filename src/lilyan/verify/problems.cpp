#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "lilyan/base/error.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/physics/meshes.hpp"
#include "lilyan/verify/measure.hpp"

namespace lilyan {
namespace {

// Stretched along x, bent, spinning, drifting and twisting.
State body_state(const Vector& rest, double stretch, double spin) {
  State s{.x = rest, .v = rest};
  const Vec3 omega = spin * Vec3(0.3, 0.5, 0.8).normalized();
  for (Eigen::Index i = 0; i < rest.size() / 3; ++i) {
    const Vec3 r = rest.segment<3>(3 * i);
    const Vec3 x(stretch * r[0], r[1] + 0.05 * r[0] * r[0], 0.95 * r[2]);
    const Vec3 twist(0, -r[0] * r[2], r[0] * r[1]);
    s.x.segment<3>(3 * i) = x;
    s.v.segment<3>(3 * i) = omega.cross(x) + Vec3(0.2, -0.1, 0.3) + 0.2 * spin * twist;
  }
  return s;
}

const TetMesh& body_mesh() {
  static const TetMesh mesh = block({2, 1, 1}, {2, 1, 1});
  return mesh;
}

constexpr double kDensity = 0.5;  // of a body of mass 1

ProblemInstance block_of(double stiffness) {
  const TetMesh& mesh = body_mesh();
  const Vector rest = rest_positions(mesh);
  ProblemInstance p;
  p.system = std::make_unique<System>(vertex_masses(mesh, kDensity));
  p.system->add(find_material("stvk")->make({rest, mesh.tets},
                                            Parameters{{"mu", stiffness}, {"lambda", stiffness}}));
  p.initial = {.x = rest, .v = Vector::Zero(rest.size())};
  return p;
}

ProblemInstance body_problem() {
  ProblemInstance p = block_of(1);
  p.initial = body_state(p.initial.x, 1.3, 1.5);
  return p;
}

std::map<std::string, ProblemInstance> make_problems() {
  std::map<std::string, ProblemInstance> all;
  all["pendulum"] = make_problem("pendulum", {{"angle", 120.0}, {"speed", 0.3}});
  all["henon-heiles"] = make_problem("henon-heiles");
  all["body"] = body_problem();
  return all;
}

}  // namespace

const ProblemInstance& verification_problem(const std::string& name) {
  static const std::map<std::string, ProblemInstance> all = make_problems();
  const auto found = all.find(name);
  if (found == all.end()) throw Error("there is no verification problem '" + name + "'");
  return found->second;
}

const ProblemInstance& stiff_problem() {
  static const ProblemInstance problem = [] {
    constexpr double kCrossings = 10;
    constexpr double kLength = 2;
    constexpr double kSpeed = kCrossings * kLength / kStiffStep;  // √((λ + 2μ)/ρ), λ = μ
    ProblemInstance p = block_of(kSpeed * kSpeed * kDensity / 3);
    const Vec3 omega = 4 * Vec3(0.3, 0.5, 0.8).normalized();
    for (Eigen::Index i = 0; i < p.initial.x.size() / 3; ++i) {
      const Vec3 r = p.initial.x.segment<3>(3 * i);
      const Vec3 twist(0, -r[0] * r[2], r[0] * r[1]);
      p.initial.v.segment<3>(3 * i) = omega.cross(r) + Vec3(0.2, -0.1, 0.3) + 0.01 * twist;
    }
    return p;
  }();
  return problem;
}

const ProblemInstance& forced_problem() {
  static const ProblemInstance problem = [] {
    ProblemInstance p = make_problem("pendulum", {{"angle", 80.0}, {"speed", 0.5}});
    p.system->add(std::make_unique<Drag>(p.system->mass(), 0.4));
    p.system->add(std::make_unique<Drive>(Vector::Constant(1, 0.7),
                                          DriveTiming{.frequency = 0.3, .phase = 0.4}));
    return p;
  }();
  return problem;
}

State compressed_body() { return body_state(rest_positions(body_mesh()), 0.4, 0); }

}  // namespace lilyan

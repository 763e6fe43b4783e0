// Small elastic bodies for the tests.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "lilyan/material/material.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/meshes.hpp"

namespace lilyan::test {

struct BodyOptions {
  std::array<double, 3> size = {2, 1, 1};
  std::array<int, 3> cells = {2, 1, 1};
  std::string material = "stvk";
  double mu = 1;
  double lambda = 1;
  double mass = 1;
  Vec3 gravity = Vec3::Zero();
  std::vector<int> fixed = {};
};

inline Vector positions(const TetMesh& mesh) {
  Vector x(3 * static_cast<Eigen::Index>(mesh.vertices.size()));
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      x[3 * static_cast<Eigen::Index>(i) + c] = mesh.vertices[i][static_cast<std::size_t>(c)];
    }
  }
  return x;
}

// Six times the signed volume.
inline double orientation(const Vector& x, const std::array<int, 4>& t) {
  Eigen::Matrix3d e;
  for (int a = 0; a < 3; ++a) {
    e.col(a) = x.segment<3>(3 * t[static_cast<std::size_t>(a) + 1]) - x.segment<3>(3 * t[0]);
  }
  return e.determinant();
}

// A quarter of each tet's share of the total mass at each of its vertices.
inline std::vector<double> lumped_masses(const TetMesh& mesh, double total) {
  const Vector x = positions(mesh);
  std::vector<double> masses(mesh.vertices.size(), 0.0);
  double volume = 0;
  for (const auto& t : mesh.tets) {
    const double v = std::abs(orientation(x, t));
    volume += v;
    for (const int i : t) masses[static_cast<std::size_t>(i)] += v / 4;
  }
  for (double& m : masses) m *= total / volume;
  return masses;
}

inline Parameters lame_of(double mu, double lambda) {
  Parameters p;
  p.set("mu", mu);
  p.set("lambda", lambda);
  return p;
}

// A system with its mesh and rest shape. Not to be moved once an integrator refers to it.
struct Body {
  TetMesh mesh;
  Vector rest;
  System system;

  Body(TetMesh shape, const BodyOptions& o)
      : mesh(std::move(shape)), rest(positions(mesh)), system(lumped_masses(mesh, o.mass)) {
    system.add(find_material(o.material)->make({rest, mesh.tets}, lame_of(o.mu, o.lambda)));
    if (!o.gravity.isZero(0)) {
      system.add(std::make_unique<Gravity>(o.gravity, lumped_masses(mesh, o.mass)));
    }
    for (const int v : o.fixed) system.fix(v);
  }
  explicit Body(const BodyOptions& o = {}) : Body(block(o.size, o.cells), o) {}

  [[nodiscard]] State at_rest() const { return {.x = rest, .v = Vector::Zero(rest.size())}; }

  // Stretched along x, spinning, drifting and twisting: no symmetry that could hide an error.
  [[nodiscard]] State moving(double stretch = 1.3, double spin = 1.5, double drift = 1) const {
    State s = at_rest();
    const Vec3 omega = spin * Vec3(0.3, 0.5, 0.8).normalized();
    for (int i = 0; i < system.vertices(); ++i) {
      const Vec3 r = rest.segment<3>(3 * i);
      const Vec3 x(stretch * r[0], r[1] + 0.05 * r[0] * r[0], 0.95 * r[2]);
      const Vec3 twist(0, -r[0] * r[2], r[0] * r[1]);
      s.x.segment<3>(3 * i) = x;
      s.v.segment<3>(3 * i) = omega.cross(x) + drift * Vec3(0.2, -0.1, 0.3) + 0.2 * spin * twist;
    }
    return s;
  }
};

inline Vector random_vector(Eigen::Index n, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> d(-size, size);
  Vector v(n);
  for (double& e : v) e = d(random);
  return v;
}

// Mass-weighted distance of two states, in units of velocity·√mass: position differences are
// divided by the time given.
inline double distance(const System& system, const State& a, const State& b, double time = 1) {
  const Vector dx = (a.x - b.x) / time;
  const Vector dv = a.v - b.v;
  return std::sqrt(system.mass().square(dx) + system.mass().square(dv));
}

}  // namespace lilyan::test

// Derivatives of energies as seen through an Assembler, mean over a path included; surfaces for
// contact between bodies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/physics/meshes.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"

namespace lilyan::test {

struct PathSums {
  double value = 0;
  Vector gradient;
  Matrix hessian;
};

// Value, gradient and Hessian of Σ over nodes (or, with `mean`, over the path), as functions of d.
inline PathSums path_sums(const World& world, const Vector& x0, const Vector& d,
                          const std::optional<PathMeanWeights>& mean) {
  // Weights as a step has them: β/θ, β, βθ.
  const std::vector<WeightedNode> nodes{
      {.theta = 0.3, .value = 0.5 / 0.3, .gradient = 0.5, .hessian = 0.15},
      {.theta = 0.9, .value = 0.5 / 0.9, .gradient = 0.5, .hessian = 0.45}};
  Assembler assembler(world);
  const BlockPattern& pattern = assembler.hessian_pattern();
  PathSums sums;
  sums.gradient.setZero(world.system.dofs());
  const PathMeanWeights* given = mean ? &*mean : nullptr;
  const EnergyByKind values = assembler.values_and_gradient(x0, &d, nodes, sums.gradient, given);
  sums.value = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<double> hessian(static_cast<std::size_t>(pattern.storage()));
  assembler.hessian(x0, d, nodes, 0, hessian, given);
  sums.hessian = dense(pattern, hessian);
  return sums;
}

// (Hessians of means over the path are not meant to be exact: hessian_bound.)
// The gradient is that of the value, the Hessian that of the gradient, along random directions.
inline void expect_path_derivatives(const World& world, const Vector& x0, const Vector& d,
                                    const std::optional<PathMeanWeights>& mean, double bound,
                                    double step = 1e-3, double hessian_bound = 0) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const PathSums here = path_sums(world, x0, d, mean);
  for (int k = 0; k < 3; ++k) {
    Vector direction(world.system.dofs());
    for (double& e : direction) e = normal(random);
    direction.normalize();
    const double slope = difference(
        [&](double s) { return path_sums(world, x0, d + s * direction, mean).value; }, step);
    EXPECT_NEAR(here.gradient.dot(direction), slope, bound * (1 + std::abs(slope)));
    const Vector change = difference(
        [&](double s) { return path_sums(world, x0, d + s * direction, mean).gradient; }, step);
    EXPECT_LE((here.hessian * direction - change).norm(),
              std::max(bound, hessian_bound) * (1 + change.norm()));
  }
}

// The tets' faces that only one tet has, and their vertices.
inline ContactSurface surface_of(const TetMesh& mesh, int body, int first) {
  ContactSurface surface{.body = body};
  std::map<std::array<int, 3>, std::pair<int, std::array<int, 3>>> faces;
  for (const auto& t : mesh.tets) {
    for (const std::array<int, 3>& f :
         {std::array{t[1], t[2], t[3]}, std::array{t[0], t[3], t[2]}, std::array{t[0], t[1], t[3]},
          std::array{t[0], t[2], t[1]}}) {
      std::array<int, 3> key = f;
      std::ranges::sort(key);
      auto& [count, face] = faces[key];
      ++count;
      face = f;
    }
  }
  std::set<int> vertices;
  for (const auto& [key, value] : faces) {
    if (value.first != 1) continue;
    std::array<int, 3> face = value.second;
    for (int& v : face) vertices.insert(v += first);
    surface.triangles.push_back(face);
  }
  surface.vertices.assign(vertices.begin(), vertices.end());
  return surface;
}

}  // namespace lilyan::test

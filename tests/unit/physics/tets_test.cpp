// The elastic energy of tetrahedra, for every material of the registry: derivatives, sums over
// nodes, symmetries, and what surrounds the kernel (padding, vertex order, zero volumes).
#include "lilyan/assemble/tets.hpp"

#include <gtest/gtest.h>

#include <array>

#include "lilyan/assemble/assembler.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"
#include "support/random_mat3.hpp"

namespace lilyan::test::tets_test {
namespace {

constexpr std::array<WeightedNode, 1> kHere{{{0, 1, 1, 1}}};

double elastic(const Assembler& a, const Vector& x) { return a.values(x, nullptr, kHere)[0]; }

Vector gradient(const Assembler& a, const Vector& x) {
  Vector g(x.size());
  a.gradient(x, nullptr, kHere, g);
  return g;
}

struct Case {
  std::string material;
  std::string state;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.material << ", " << c.state; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const MaterialInfo& m : materials()) {
    for (const char* s : {"gentle", "flat", "fixed"}) all.push_back({m.name, s});
    if (m.inverts) all.push_back({m.name, "inverted"});
  }
  return all;
}

class Derivatives : public ::testing::TestWithParam<Case> {
 protected:
  Derivatives()
      : body({.material = GetParam().material,
              .mu = 1.3,
              .lambda = 0.8,
              .fixed = GetParam().state == "fixed" ? std::vector{0, 5, 11} : std::vector<int>{}}),
        x(body.rest) {
    std::mt19937 random(7);
    const std::string& state = GetParam().state;
    x += random_vector(x.size(), 0.1, random);
    if (state == "flat" || state == "inverted") {
      // Squeezes the block along z to a sliver, or through itself.
      for (int i = 2; i < x.size(); i += 3) x[i] *= state == "flat" ? 0.1 : -0.7;
    }
    // Differences must stay well within the distance to inversion.
    if (state == "flat") step = 2e-5;
    if (state == "inverted") step = 3e-4;
  }

  const Body body;
  Vector x;
  double step = 1e-3;
};

TEST_P(Derivatives, GradientOfEnergy) {
  const Assembler assembler(body.system);
  const Vector g = gradient(assembler, x);
  for (int i = 0; i < x.size(); ++i) {
    const double expected = difference(
        [&](double t) {
          Vector moved = x;
          moved[i] += t;
          return elastic(assembler, moved);
        },
        step);
    if (body.system.embedding().fixed(i / 3)) {
      EXPECT_EQ(g[i], 0);
    } else {
      EXPECT_NEAR(g[i], expected, 1e-9 * g.norm() + 1e-14 * elastic(assembler, x) / step) << i;
    }
  }
}

TEST_P(Derivatives, HessianOfGradient) {
  Assembler assembler(body.system);
  const Matrix H = dense_hessian(assembler, x, Vector::Zero(x.size()), kHere);
  const BlockPattern& pattern = assembler.hessian_pattern();
  ASSERT_EQ(H.rows(), 3 * (body.system.vertices() - body.system.embedding().fixed_count()));
  Matrix expected(H.rows(), H.cols());
  for (int c = 0; c < H.cols(); ++c) {
    const int dof = 3 * pattern.free_vertices()[c / 3] + c % 3;
    expected.col(c) = difference(
        [&](double t) {
          Vector moved = x;
          moved[dof] += t;
          return free_part(pattern, gradient(assembler, moved));
        },
        step);
  }
  EXPECT_LE((H - expected).norm(), 1e-9 * H.norm());
}

INSTANTIATE_TEST_SUITE_P(Energy, Derivatives, ::testing::ValuesIn(cases()), [](const auto& p) {
  std::string name = p.param.material + "_" + p.param.state;
  std::ranges::replace(name, '-', '_');
  return name;
});

class Tetrahedra : public ::testing::TestWithParam<std::string> {};

TEST_P(Tetrahedra, SeveralNodesAddUp) {
  const Body body({.material = GetParam()});
  Assembler assembler(body.system);
  std::mt19937 random(3);
  const Vector x0 = body.rest + random_vector(body.rest.size(), 0.05, random);
  const Vector d = random_vector(body.rest.size(), 0.05, random);
  const std::vector<WeightedNode> nodes = {
      {0.0, 0.3, -0.2, 0.9}, {0.4, 1.3, 0.7, 0.1}, {1.0, -0.5, 0.25, 2.0}};
  Vector together(x0.size());
  const double value = assembler.values_and_gradient(x0, &d, nodes, together)[0];
  const Matrix H = dense_hessian(assembler, x0, d, nodes);

  double value_sum = 0;
  Vector sum = Vector::Zero(x0.size());
  Matrix H_sum = Matrix::Zero(H.rows(), H.cols());
  for (const WeightedNode& n : nodes) {
    const Vector x = x0 + n.theta * d;
    value_sum += n.value * elastic(assembler, x);
    sum += n.gradient * gradient(assembler, x);
    H_sum += n.hessian * dense_hessian(assembler, x, Vector::Zero(x.size()), kHere);
  }
  EXPECT_NEAR(value, value_sum, 1e-13 * std::abs(value_sum));
  EXPECT_LE((together - sum).norm(), 1e-13 * sum.norm());
  EXPECT_LE((H - H_sum).norm(), 1e-13 * H_sum.norm());
}

// Unused lanes of the last group must not count: any number of tets is the sum of its parts.
TEST_P(Tetrahedra, AnyNumberOfThemIsTheSumOfEach) {
  const Body body({.cells = {3, 1, 1}, .material = GetParam()});
  std::mt19937 random(5);
  const Vector x = body.rest + random_vector(body.rest.size(), 0.05, random);
  const auto make = [&](std::span<const std::array<int, 4>> tets) {
    auto system = std::make_unique<System>(std::vector<double>(body.mesh.vertices.size(), 1.0));
    system->add(find_material(GetParam())->make({body.rest, tets}, lame_of(1, 1)));
    return system;
  };
  double sum = 0;
  Vector g_sum = Vector::Zero(x.size());
  Matrix H_sum = Matrix::Zero(x.size(), x.size());
  for (std::size_t n = 1; n <= body.mesh.tets.size(); ++n) {
    const auto one = make({&body.mesh.tets[n - 1], 1});
    Assembler single(*one);
    sum += elastic(single, x);
    g_sum += gradient(single, x);
    H_sum += dense_hessian(single, x, Vector::Zero(x.size()), kHere);

    const auto many = make({body.mesh.tets.data(), n});
    Assembler all(*many);
    ASSERT_NEAR(elastic(all, x), sum, 1e-13 * sum) << n;
    ASSERT_LE((gradient(all, x) - g_sum).norm(), 1e-13 * g_sum.norm()) << n;
    const Matrix H = dense_hessian(all, x, Vector::Zero(x.size()), kHere);
    ASSERT_LE((H - H_sum).norm(), 1e-13 * H_sum.norm()) << n;
  }
}

TEST_P(Tetrahedra, RigidMotionsCostNothing) {
  const Body body({.cells = {2, 2, 1}, .material = GetParam()});
  const Assembler assembler(body.system);
  std::mt19937 random(11);
  for (int k = 0; k < 10; ++k) {
    const Eigen::Matrix3d R = random_rotation(random);
    Vector x = body.rest;
    for (int i = 0; i < body.system.vertices(); ++i) {
      x.segment<3>(3 * i) = R * body.rest.segment<3>(3 * i) + Vec3(1, -2, 3);
    }
    EXPECT_NEAR(elastic(assembler, x), 0, 1e-14);
    EXPECT_LE(gradient(assembler, x).norm(), 2e-14);
  }
  EXPECT_TRUE(body.system.translation_invariant());
  EXPECT_TRUE(body.system.rotation_invariant());
}

// Forces of a free body balance, in sum and in torque, whatever its deformation.
TEST_P(Tetrahedra, ForcesAndTorquesBalance) {
  const Body body({.material = GetParam()});
  std::mt19937 random(13);
  const Vector x = body.rest + random_vector(body.rest.size(), 0.1, random);
  const Vector g = gradient(Assembler(body.system), x);
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (int i = 0; i < body.system.vertices(); ++i) {
    force += g.segment<3>(3 * i);
    torque += Vec3(x.segment<3>(3 * i)).cross(Vec3(g.segment<3>(3 * i)));
  }
  EXPECT_LE(force.norm(), 1e-14 * g.norm());
  EXPECT_LE(torque.norm(), 1e-14 * g.norm());
}

TEST_P(Tetrahedra, VertexOrderDoesNotMatter) {
  const Body body({.material = GetParam()});
  std::mt19937 random(17);
  const Vector x = body.rest + random_vector(body.rest.size(), 0.1, random);
  const double expected = elastic(Assembler(body.system), x);
  TetMesh reversed = body.mesh;
  for (auto& t : reversed.tets) std::swap(t[0], t[3]);  // negative orientation
  const Body other(reversed, {.material = GetParam()});
  EXPECT_EQ(elastic(Assembler(other.system), x), expected);
  const Vector difference =
      gradient(Assembler(other.system), x) - gradient(Assembler(body.system), x);
  EXPECT_EQ(difference.norm(), 0);
}

TEST_P(Tetrahedra, FlatRestShapeIsRefusedByNumber) {
  TetMesh mesh = block({2, 1, 1}, {2, 1, 1});
  const Vector rest = positions(mesh);
  mesh.tets[9] = {0, 1, 2, 3};  // the four corners of one side
  try {
    static_cast<void>(find_material(GetParam())->make({rest, mesh.tets}, lame_of(1, 1)));
    FAIL() << "a flat tet was accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("tet 9 "), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Energy, Tetrahedra, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MaterialInfo& m : materials()) names.push_back(m.name);
                           return names;
                         }()),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(NeoHookeanTets, OneInvertedElementMakesTheEnergyNotFinite) {
  const Body body({.material = "neo-hookean"});
  Vector x = body.rest;
  x.segment<3>(0) += Vec3(3, 3, 3);  // through the opposite faces
  EXPECT_FALSE(std::isfinite(elastic(Assembler(body.system), x)));
}

}  // namespace
}  // namespace lilyan::test::tets_test

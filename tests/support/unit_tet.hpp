// A material of the registry at a point: ψ, P and ∂P/∂F through the energy of one tet.
//
// The tet has the corners 0, e₁, e₂, e₃, so that F's column a is where eₐ is; its volume is 1/6.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/material/material.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"

namespace lilyan::test {

using Matrix3 = Eigen::Matrix3d;
using Matrix9 = Eigen::Matrix<double, 9, 9>;

class UnitTet {
 public:
  UnitTet(const MaterialInfo& material, const Parameters& parameters)
      : rest_(12), system_(std::vector<double>(4, 1.0)) {
    rest_ << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
    const std::vector<std::array<int, 4>> tets = {{0, 1, 2, 3}};
    system_.add(material.make({rest_, tets}, parameters));
    assembler_ = std::make_unique<Assembler>(system_);
  }

  [[nodiscard]] double energy(const Matrix3& F) const {
    return 6 * assembler_->values(place(F), nullptr, kHere)[0];
  }

  [[nodiscard]] Matrix3 stress(const Matrix3& F) const {
    Vector g(12);
    assembler_->gradient(place(F), nullptr, kHere, g);
    Matrix3 P;
    for (int a = 0; a < 3; ++a) P.col(a) = 6 * g.segment<3>(3 * a + 3);
    return P;
  }

  // Entry (i,j) of a 3×3 matrix is component 3i+j. `projection` as in Evaluation.
  [[nodiscard]] Matrix9 tangent(const Matrix3& F, double projection = 0) const {
    const Matrix H = dense_hessian(*assembler_, place(F), Vector::Zero(12), kHere, projection);
    Matrix9 A;
    for (int m = 0; m < 9; ++m) {
      for (int n = 0; n < 9; ++n) A(m, n) = 6 * H(3 + 3 * (m % 3) + m / 3, 3 + 3 * (n % 3) + n / 3);
    }
    return A;
  }

 private:
  static constexpr std::array<WeightedNode, 1> kHere{{{0, 1, 1, 1}}};

  static Vector place(const Matrix3& F) {
    Vector x = Vector::Zero(12);
    for (int a = 0; a < 3; ++a) x.segment<3>(3 * a + 3) = F.col(a);
    return x;
  }

  Vector rest_;
  System system_;
  std::unique_ptr<Assembler> assembler_;
};

// Parameters of tests that loop over the registry.
inline std::vector<std::string> material_names() {
  std::vector<std::string> names;
  for (const MaterialInfo& m : materials()) names.push_back(m.name);
  return names;
}

inline std::string material_test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace lilyan::test

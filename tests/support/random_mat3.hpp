// Random deformation gradients, from gentle to extreme.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include "lilyan/numeric/mat3.hpp"

namespace lilyan::test {

template <class T>
Mat3<T> to_mat3(const Eigen::Matrix3d& m) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = constant<T>(m(i, j));
  }
  return r;
}

inline Eigen::Matrix3d random_matrix3(double size, std::mt19937& random) {
  std::uniform_real_distribution<double> d(-size, size);
  Eigen::Matrix3d m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = d(random);
  return m;
}

inline Eigen::Matrix3d random_rotation(std::mt19937& random) {
  std::normal_distribution<double> d;
  return Eigen::Quaterniond(d(random), d(random), d(random), d(random))
      .normalized()
      .toRotationMatrix();
}

// Identity, near identity, strongly stretched and compressed, nearly flat (det down to about 1e-3),
// and, where wanted, inverted and flat.
inline std::vector<Eigen::Matrix3d> deformations(bool inverted, std::mt19937& random) {
  std::vector<Eigen::Matrix3d> all = {Eigen::Matrix3d::Identity()};
  std::uniform_real_distribution<double> exponent(-1, 1);
  for (int i = 0; i < 60; ++i) {
    all.push_back(Eigen::Matrix3d::Identity() + random_matrix3(0.1, random));
  }
  for (int i = 0; i < 80; ++i) {  // principal stretches from 0.1 to 10
    const Eigen::Vector3d s(std::pow(10, exponent(random)), std::pow(10, exponent(random)),
                            std::pow(10, exponent(random)));
    all.push_back(random_rotation(random) * s.asDiagonal() * random_rotation(random).transpose());
  }
  for (int i = 0; i < 20; ++i) {  // nearly flat
    const Eigen::Vector3d s(1e-3 * (1 + i), 1 + 0.1 * exponent(random), 1);
    all.push_back(random_rotation(random) * s.asDiagonal() * random_rotation(random).transpose());
  }
  if (inverted) {
    for (int i = 0; i < 40; ++i) {
      Eigen::Matrix3d m = all[static_cast<std::size_t>(60 + 2 * i)];
      m.col(i % 3) *= -1;
      all.push_back(m);
    }
    all.push_back(Eigen::Vector3d(1, 1, 0).asDiagonal());
    all.push_back(Eigen::Matrix3d::Zero());
  }
  return all;
}

}  // namespace lilyan::test

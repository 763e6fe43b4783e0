// Two systems whose force is a few lines of C++, the same lines for every solver.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lilyan/lagrangian/compiled.hpp"

namespace peers {

// Sun, Jupiter, Saturn, Uranus, Neptune, Pluto in astronomical units and days (Hairer, Lubich,
// Wanner: Geometric Numerical Integration, 2006, section I.2.4; the Sun's mass includes the inner
// planets).
struct SolarSystem {
  static constexpr int kBodies = 6;
  static constexpr int kSize = 3 * kBodies;
  static constexpr double kTime = 2e5;
  static constexpr double kGravity = 2.95912208286e-4;
  static constexpr std::array<double, kBodies> kMass{1.00000597682,      0.000954786104043,
                                                     0.000285583733151,  0.0000437273164546,
                                                     0.0000517759138449, 1 / 1.3e8};
  using Values = std::array<double, kSize>;

  [[nodiscard]] static std::string name() { return "outer solar system"; }
  [[nodiscard]] static Values mass() {
    Values m;
    for (std::size_t i = 0; i < kSize; ++i) m[i] = kMass[i / 3];
    return m;
  }
  [[nodiscard]] static Values position() {
    return {0,          0,           0,           -3.5023653,  -3.8169847,  -1.5507963,
            9.0755314,  -3.0458353,  -1.6483708,  8.3101420,   -16.2901086, -7.2521278,
            11.4707666, -25.7294829, -10.8169456, -15.5387357, -25.2225594, -3.1902382};
  }
  [[nodiscard]] static Values velocity() {
    return {0,          0,          0,          0.00565429, -0.00412490, -0.00190589,
            0.00168318, 0.00483525, 0.00192462, 0.00354178, 0.00137102,  0.00055029,
            0.00288930, 0.00114527, 0.00039677, 0.00276725, -0.00170702, -0.00136504};
  }

  // Distances of all pairs first, then all their inverse cubes, which compilers do several at once.
  template <class T>
  void gradient(const T* q, T* g) const {
    constexpr int kPairs = kBodies * (kBodies - 1) / 2;
    T d[3][kPairs + 1], w[kPairs + 1];
    int k = 0;
    for (int i = 0; i < kBodies; ++i) {
      for (int j = 0; j < i; ++j, ++k) {
        for (int c = 0; c < 3; ++c) d[c][k] = q[3 * i + c] - q[3 * j + c];
      }
    }
    for (int c = 0; c < 3; ++c) d[c][kPairs] = T{} + 1.0;
    for (k = 0; k <= kPairs; ++k) {
      const T r2 = d[0][k] * d[0][k] + d[1][k] * d[1][k] + d[2][k] * d[2][k];
      w[k] = kGravity / (r2 * std::sqrt(r2));
    }
    for (int i = 0; i < kSize; ++i) g[i] = T{};
    k = 0;
    for (int i = 0; i < kBodies; ++i) {
      for (int j = 0; j < i; ++j, ++k) {
        const T pull =
            kMass[static_cast<std::size_t>(i)] * kMass[static_cast<std::size_t>(j)] * w[k];
        for (int c = 0; c < 3; ++c) {
          g[3 * i + c] += pull * d[c][k];
          g[3 * j + c] -= pull * d[c][k];
        }
      }
    }
  }
  [[nodiscard]] double energy(const double* q) const {
    double e = 0;
    for (std::size_t i = 0; i < kBodies; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        e -= kGravity * kMass[i] * kMass[j] /
             std::hypot(q[3 * i] - q[3 * j], q[3 * i + 1] - q[3 * j + 1],
                        q[3 * i + 2] - q[3 * j + 2]);
      }
    }
    return e;
  }
};

// Fermi, Pasta, Ulam and Tsingou's chain between two walls, E = Σ ½d² + α/3 d³ + β/4 d⁴ over the
// elongations d of its springs, with waves of several lengths.
struct Chain {
  static constexpr int kParticles = 1000;
  static constexpr int kSize = lilyan::kAnySize;
  static constexpr double kTime = 200;
  static constexpr double kAlpha = 0.25, kBeta = 0.5;
  using Values = std::vector<double>;

  [[nodiscard]] static std::string name() { return "chain of 1000"; }
  [[nodiscard]] static Values mass() { return Values(kParticles, 1.0); }
  [[nodiscard]] static Values position() { return waves(1.0, 2, 31, 150); }
  [[nodiscard]] static Values velocity() { return waves(0.1, 3, 70, 290); }

  template <class T>
  void gradient(const T* q, T* g) const {
    const auto force = [](const T& d) { return d * (1.0 + d * (kAlpha + kBeta * d)); };
    constexpr int n = kParticles;
    g[0] = force(q[0]) - force(q[1] - q[0]);
    for (int i = 1; i < n - 1; ++i) g[i] = force(q[i] - q[i - 1]) - force(q[i + 1] - q[i]);
    g[n - 1] = force(q[n - 1] - q[n - 2]) - force(-q[n - 1]);
  }
  [[nodiscard]] double energy(const double* q) const {
    double e = 0;
    for (int i = 0; i <= kParticles; ++i) {
      const double d = (i < kParticles ? q[i] : 0) - (i > 0 ? q[i - 1] : 0);
      e += d * d * (0.5 + d * (kAlpha / 3 + kBeta / 4 * d));
    }
    return e;
  }

 private:
  [[nodiscard]] static Values waves(double size, int a, int b, int c) {
    Values q(kParticles);
    for (int i = 0; i < kParticles; ++i) {
      const double s = std::numbers::pi * (i + 1) / (kParticles + 1);
      q[static_cast<std::size_t>(i)] =
          size * (std::sin(a * s) + 0.3 * std::sin(b * s) + 0.1 * std::sin(c * s));
    }
    return q;
  }
};

}  // namespace peers

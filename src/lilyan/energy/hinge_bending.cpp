#include "lilyan/energy/hinge_bending.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "lilyan/assemble/invariant_discrete.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/jet2.hpp"
#include "lilyan/energy/elements.hpp"

namespace lilyan {
namespace {

// (1), as the two arguments of atan2.
template <class T>
struct AnglePair {
  T sine;
  T cosine;
};
template <class T>
AnglePair<T> angle(const std::array<T, 9>& x) {
  using std::sqrt;
  using Point = std::array<T, 3>;
  const Point e = {x[0], x[1], x[2]};
  const Point u = {x[3], x[4], x[5]};
  const Point v = {x[6], x[7], x[8]};
  const Point n1 = detail::cross(e, u);
  const Point n2 = detail::cross(v, e);
  return {-(sqrt(detail::dot(e, e)) * detail::dot(n1, v)), detail::dot(n1, n2)};
}

template <class T>
T energy(const std::array<T, 9>& x, double half, double cos0, double sin0) {
  using std::atan2;
  const AnglePair<T> a = angle(x);
  const T change = atan2(cos0 * a.sine - sin0 * a.cosine, cos0 * a.cosine + sin0 * a.sine);
  return half * change * change;  // (2)
}

std::array<double, 9> numbers(const LocalVector<4>& e) {
  std::array<double, 9> x{};
  for (std::size_t i = 0; i < 9; ++i) x[i] = e[static_cast<Eigen::Index>(i)];
  return x;
}

}  // namespace

HingeElement::HingeElement(double stiffness, const LocalVector<4>& rest) {
  const Vec3 e = rest.segment<3>(0);
  const Vec3 n1 = e.cross(rest.segment<3>(3));
  const Vec3 n2 = rest.segment<3>(6).cross(e);
  if (!(n1.norm() > 0 && n2.norm() > 0)) throw Error("a triangle of a hinge has no area");
  half_ = 0.5 * stiffness * 3 * e.squaredNorm() / (0.5 * (n1.norm() + n2.norm()));
  const AnglePair<double> a = angle(numbers(rest));
  const double size = std::hypot(a.sine, a.cosine);
  cos_ = a.cosine / size;
  sin_ = a.sine / size;
}

double HingeElement::evaluate(const LocalVector<4>& e, LocalVector<4>* gradient,
                              LocalMatrix<4>* hessian) const {
  const std::array<double, 9> x = numbers(e);
  if (hessian) {
    const Jet2<9> f = energy(Jet2<9>::variables(x), half_, cos_, sin_);
    for (int i = 0; i < 9; ++i) {
      if (gradient) (*gradient)[i] = f.gradient[static_cast<std::size_t>(i)];
      for (int j = 0; j < 9; ++j) (*hessian)(i, j) = f.hessian(i, j);
    }
    return f.value;
  }
  if (gradient) {
    const Jet1<9> f = energy(Jet1<9>::variables(x), half_, cos_, sin_);
    for (int i = 0; i < 9; ++i) (*gradient)[i] = f.gradient[static_cast<std::size_t>(i)];
    return f.value;
  }
  return energy(x, half_, cos_, sin_);
}

void HingeElement::discrete(const LocalVector<4>& e0, const LocalVector<4>& d,
                            LocalVector<4>& gradient, LocalMatrix<4>* jacobian) const {
  invariant_discrete(*this, e0, d, gradient, jacobian);
}

std::unique_ptr<Energy> hinge_bending(double stiffness, const Vector& rest,
                                      std::span<const Hinge> hinges) {
  if (!(stiffness > 0)) throw Error("the bending stiffness must be positive");
  std::vector<Element<HingeElement>> elements;
  elements.reserve(hinges.size());
  for (const Hinge& h : hinges) {
    LocalVector<4> edges;
    for (int a = 1; a < 4; ++a) {
      edges.segment<3>(3 * (a - 1)) =
          rest.segment<3>(3 * h[static_cast<std::size_t>(a)]) - rest.segment<3>(3 * h[0]);
    }
    try {
      elements.emplace_back(HingeElement(stiffness, edges), h);
    } catch (const Error& error) {
      throw Error(fmt::format("{} (vertices {} {} {} {})", error.what(), h[0], h[1], h[2], h[3]));
    }
  }
  return std::make_unique<Elements<HingeElement>>(std::move(elements));
}

}  // namespace lilyan

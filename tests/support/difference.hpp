// Derivatives by fourth-order central differences: exact for quartic polynomials, such as the
// St. Venant–Kirchhoff energy, up to rounding.
#pragma once

namespace lilyan::test {

// f(t) may return a number or a vector.
template <class Function>
auto difference(const Function& f, double step) {
  using Result = decltype(f(0.0));
  const Result far = f(2 * step) - f(-2 * step);
  const Result near = f(step) - f(-step);
  return Result((8.0 * near - far) / (12 * step));
}

}  // namespace lilyan::test

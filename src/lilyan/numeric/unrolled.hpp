// Loops over few numbers that the compiler knows, so that entries of small matrices stay in registers.
#pragma once

#include <type_traits>
#include <utility>

namespace lilyan {

// body(k) for k = first … last − 1, each k a constant.
template <int first, int last, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, first + k>{}), ...);
  }
  (std::make_integer_sequence<int, (last > first ? last - first : 0)>{});
}
template <int count, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  unrolled<0, count>(body);
}

}  // namespace lilyan

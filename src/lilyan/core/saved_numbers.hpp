// What energies remember, read back from a list of numbers. Throws Error for numbers that nothing can have
// saved.
#pragma once

#include <cstddef>
#include <span>

#include "lilyan/core/error.hpp"

namespace lilyan {

// Takes `count` numbers from the front of the list.
inline std::span<const double> take_numbers(std::span<const double>& numbers, std::size_t count) {
  if (count > numbers.size()) throw Error("it holds something else than this run needs");
  const std::span<const double> taken = numbers.first(count);
  numbers = numbers.subspan(count);
  return taken;
}

// A whole number from 0 to below `end`.
inline std::size_t saved_index(double number, std::size_t end) {
  if (!(number >= 0 && number < static_cast<double>(end))) {
    throw Error("it holds something else than this run needs");
  }
  return static_cast<std::size_t>(number);
}

}  // namespace lilyan

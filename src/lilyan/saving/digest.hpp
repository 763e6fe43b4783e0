// A number that tells whether two trajectories are the same to the last bit.
#pragma once

#include <bit>
#include <cstdint>

#include "lilyan/base/types.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

// Not a defence against forgery: a product and a rotation for each number, so that it costs nothing
// beside a step.
class Digest {
 public:
  void add(double value) {
    state_ = (state_ ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;
    state_ = std::rotl(state_, 29);
  }
  void add(const Vector& values) {
    for (const double value : values) add(value);
  }
  [[nodiscard]] std::uint64_t value() const { return state_ ^ state_ >> 31; }
  void archive(Archive& a) { a(state_); }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ULL;
};

}  // namespace lilyan

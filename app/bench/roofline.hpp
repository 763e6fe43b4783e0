// The most that one core can do, to which measured speeds are compared.
#pragma once

namespace lilyan {

struct Roofline {
  double flops = 0;  // per second: multiply–adds in registers, two each
  double bytes = 0;  // per second: a triad a = b + s c far larger than the caches, three moved each
};

// Takes well under a second. The best of several tries, since others may use the machine.
[[nodiscard]] Roofline measure_roofline();

}  // namespace lilyan

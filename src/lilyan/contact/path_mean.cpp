#include "lilyan/contact/path_mean.hpp"

#include "lilyan/core/quadrature.hpp"

namespace lilyan {

const PathRule& path_rule() {
  static const PathRule rule = [] {
    PathRule r{};
    const auto nodes = gauss(kPathPoints).nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      r.s[i] = nodes[i].theta;
      r.weight[i] = nodes[i].weight;
    }
    r.s[kPathPoints / 2] = 0.5;  // exactly
    return r;
  }();
  return rule;
}

}  // namespace lilyan

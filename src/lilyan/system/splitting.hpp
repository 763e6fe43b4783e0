// An explicit scheme as it is run for many steps: pairs of a drift and a kick.
//
// Compositions are written out, and neighbours of one kind become one: within a step, and across
// steps, where the last kick (or drift) of one and the first of the next are the same state's. What
// is left of n steps is
//
//   lead, opening, cycle, …, cycle (n − 1 times), closing, tail
//
// with one kick in front, one drift behind (either may be absent, that is, zero) and pairs between.
#pragma once

#include <variant>
#include <vector>

#include "lilyan/core/error.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan {

namespace detail {

inline void append(const ExplicitTable::Stage& stage, std::vector<ExplicitTable::Stage>& stages) {
  if (!stages.empty() && stages.back().kind == stage.kind) {
    stages.back().weight += stage.weight;
  } else {
    stages.push_back(stage);
  }
}

inline void append(const Scheme& scheme, double fraction,
                   std::vector<ExplicitTable::Stage>& stages) {
  if (const auto* flat = std::get_if<ExplicitTable>(&scheme.table)) {
    for (const auto& s : flat->stages) append({s.kind, fraction * s.weight}, stages);
  } else if (const auto* composed = std::get_if<CompositionTable>(&scheme.table)) {
    for (const double f : composed->fractions) append(*composed->base, fraction * f, stages);
  } else {
    throw Error(scheme.label + " is not made of drifts and kicks; choose an explicit method");
  }
}

}  // namespace detail

// The drifts and kicks of a scheme in turn. Throws Error where it has other stages.
[[nodiscard]] inline ExplicitTable drifts_and_kicks(const Scheme& scheme) {
  ExplicitTable flat;
  detail::append(scheme, 1, flat.stages);
  return flat;
}

struct Splitting {
  struct Pair {
    double drift = 0;  // q += drift·v, then
    double kick = 0;   // v −= kick·M⁻¹∇E(q)
  };
  double lead = 0;
  std::vector<Pair> opening, cycle, closing;
  double tail = 0;

  // Of steps h of a scheme. Throws Error as above.
  Splitting(const Scheme& scheme, double h) {
    using Kind = ExplicitTable::Stage::Kind;
    const ExplicitTable flat = drifts_and_kicks(scheme);
    auto stage = flat.stages.begin();
    const auto end = flat.stages.end();
    if (stage != end && stage->kind == Kind::kick) lead = h * (stage++)->weight;
    std::vector<Pair> pairs;
    for (; end - stage >= 2; stage += 2)
      pairs.push_back({h * stage[0].weight, h * stage[1].weight});
    if (stage != end) tail = h * stage->weight;
    join(pairs);
  }

 private:
  void join(const std::vector<Pair>& pairs) {
    cycle = pairs;
    if (lead != 0 && tail != 0) {
      cycle.push_back({tail, lead});
    } else if (tail != 0) {
      cycle.front().drift += tail;
    } else {
      cycle.back().kick += lead;
    }
    (lead == 0 && tail != 0 ? opening : closing) = pairs;
  }
};

}  // namespace lilyan

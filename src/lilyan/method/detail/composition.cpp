#include "lilyan/method/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "lilyan/core/quadrature.hpp"

namespace lilyan {

std::vector<ParameterSpec> composition_parameters() {
  return {{"base", "a symmetric method of order two", std::string("stoermer-verlet"), true},
          {"quadrature", "of the base, where it has one (avf, hp-quadrature)", std::string("gauss"),
           true},
          {"points", "of the base's quadrature", 2.0}};
}

std::vector<double> symmetric_fractions(const std::vector<double>& first_half) {
  std::vector<double> all = first_half;
  all.push_back(1 - 2 * std::accumulate(first_half.begin(), first_half.end(), 0.0));
  all.insert(all.end(), first_half.rbegin(), first_half.rend());
  return all;
}

Scheme compose(const std::string& label, int order, std::vector<double> fractions,
               const Parameters& given) {
  const std::string& name = given.word("base");
  const Method* method = find_method(name);
  if (!method) {
    throw ParameterError(
        "base", fmt::format("unknown method '{}'{}", name, suggestion(name, method_names())));
  }
  // Checked even where the base has no use for them.
  if (given.word("quadrature") != "auto") (void)quadrature(given, {"auto"});
  Parameters parameters;
  for (const char* key : {"quadrature", "points"}) {
    if (std::ranges::find(method->parameters, key, &ParameterSpec::name) !=
        method->parameters.end()) {
      parameters.set(key, given.values().at(key));
    }
  }
  const Scheme base = make_scheme(name, parameters);
  if (!base.claims.symmetric || base.claims.order != 2) {
    throw ParameterError(
        "base",
        fmt::format("the base of a composition must be symmetric and of order two; {} is {}",
                    base.label,
                    base.claims.symmetric ? fmt::format("of order {}", base.claims.order)
                                          : "not symmetric"));
  }
  Scheme scheme{
      .label = fmt::format("{}({})", label, base.label),
      .solve = base.solve,
      .claims = base.claims,
      .table = CompositionTable{std::make_shared<const Scheme>(base), std::move(fractions)}};
  scheme.claims.order = order;
  return scheme;
}

}  // namespace lilyan

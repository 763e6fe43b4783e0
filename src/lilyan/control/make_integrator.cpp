#include "lilyan/control/make_integrator.hpp"

#include <memory>
#include <string>
#include <variant>

#include "lilyan/base/error.hpp"
#include "lilyan/control/moving_world.hpp"
#include "lilyan/step/capabilities.hpp"
#include "lilyan/step/compose.hpp"

namespace lilyan {

std::unique_ptr<Integrator> make_integrator(const System& system, const Scheme& scheme,
                                            const SolverOptions& options) {
  if (const std::string reason = reason_unsupported(system, scheme); !reason.empty()) {
    throw Error(reason);
  }
  // Compositions step with a base that does all the rest.
  if (const auto* composition = std::get_if<CompositionTable>(&scheme.table)) {
    return std::make_unique<ComposeIntegrator>(make_integrator(system, *composition->base, options),
                                               composition->fractions);
  }
  if (system.changes_between_steps()) {
    return std::make_unique<MovingWorldIntegrator>(system, scheme, options, make_plain_integrator);
  }
  return make_plain_integrator(system, scheme, options);
}

}  // namespace lilyan

// Contact between bodies: every vertex of one against every triangle of another's surface,
//   E = Σ ½ kᵢ max(r − dist(vertex i, triangle), 0)²,                                           (1)
// which begins to push at the distance r (their thickness). The distance has no sign: what gets
// through to the other side is pushed on. For that a vertex would have to come through within one
// step, faster than 2r/h against the surface, or with more energy than the ½ kᵢ r² of each of the
// pairs it meets.
//
// The distance to a triangle has continuous derivatives, hence so has E. Mean forces over a step
// are integrated as in numeric/exact_path_mean.hpp, to rounding error, so energy is kept through
// contact.
//
// Which pairs can come near is found once a step, within the ways that vertices are going to take
// (contact/near_pairs.hpp); a step that may have met another pair is solved again with it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/contact/contact_points.hpp"
#include "lilyan/contact/surface.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_memory.hpp"

namespace lilyan {

class NearPairs;

class BodyContact final : public ContactEnergy, public ChangesBetweenSteps {
 public:
  // x are the initial positions. Throws Error unless k and r are positive, and for surfaces that
  // share a vertex.
  BodyContact(const std::vector<ContactSurface>& surfaces, const ContactStiffness& k,
              double thickness, const Vector& x);
  ~BodyContact() override;

  [[nodiscard]] Stencils stencils() const override;
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;

  [[nodiscard]] Abilities abilities() const override {
    return {.changes = this, .polynomial = this};
  }
  [[nodiscard]] std::unique_ptr<EnergyMemory> make_memory() const override;
  [[nodiscard]] std::optional<Stencils> stencils_now(const EnergyMemory& memory) const override;
  bool begin_step(const StepStart& start, EnergyMemory& memory) const override;
  [[nodiscard]] bool found_all_contacts(const double* x, EnergyMemory& memory) const override;

  [[nodiscard]] ContactPoint contact_point(std::size_t n, const double* x, const double* d,
                                           const EnergyMemory* memory) const override;
  [[nodiscard]] bool between_bodies() const override { return true; }

 private:
  [[nodiscard]] const NearPairs& known(const EnergyMemory* memory) const;

  ContactSurfaces surfaces_;
  std::vector<double> k_;  // of each vertex of the system as a point in contact
  double thickness_;
  std::unique_ptr<const NearPairs> first_;  // at the initial positions
};

}  // namespace lilyan

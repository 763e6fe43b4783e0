#include "app/run/contact_gap.hpp"

#include <algorithm>

#include "app/run/run_summary.hpp"
#include "lilyan/model/world.hpp"

namespace lilyan {

ContactGap::ContactGap(const Scene& scene) {
  for (const auto& energy : scene.system->energies()) {
    const auto* contact = dynamic_cast<const BarrierContact*>(energy.get());
    if (contact) contacts_.push_back(contact);
  }
  found_.any = !contacts_.empty();
}

void ContactGap::step(const WatchedStep& step) {
  found_.now = 1;
  long pairs = 0;
  for (const BarrierContact* contact : contacts_) {
    const EnergyMemory* memory = step.memory ? step.memory->of(*contact) : nullptr;
    const BarrierPairs::Nearest nearest = contact->pairs(memory).nearest(step.after.x.data());
    pairs += nearest.pairs;
    found_.now = std::min(found_.now, nearest.gap);
    if (nearest.gap >= found_.smallest) continue;
    found_.smallest = nearest.gap;
    found_.reach = contact->model().reach;
  }
  found_.most_pairs = std::max(found_.most_pairs, pairs);
}

void ContactGap::report(RunSummary& summary) const { summary.gap = found_; }

}  // namespace lilyan

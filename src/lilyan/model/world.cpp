#include "lilyan/model/world.hpp"

#include <algorithm>
#include <limits>

#include "lilyan/model/sums.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

WorldMemory::WorldMemory(const System& system) : system_(system) {
  for (const auto& energy : system.energies()) {
    if (!energy->changes_between_steps()) continue;
    const ChangesBetweenSteps* changing = energy->abilities().changes;
    slots_.push_back({energy.get(), changing, changing->make_memory()});
    depends_on_past_ = depends_on_past_ || changing->depends_on_past();
  }
  save_past(first_);
}

const EnergyMemory* WorldMemory::of(const Energy& energy) const {
  const auto slot = std::ranges::find(slots_, &energy, &Slot::energy);
  return slot == slots_.end() ? nullptr : slot->memory.get();
}

void WorldMemory::save_past(std::string& bytes) const {
  Archive a(&bytes);
  for (const auto& [energy, changing, memory] : slots_) {
    if (changing->depends_on_past()) memory->archive(a);
  }
}

void WorldMemory::remember(double t) {
  constexpr std::size_t kMostPast = 4096;  // many more than one step has substeps
  if (!depends_on_past_) return;
  save_past(scratch_);
  if (scratch_ == (past_.empty() ? first_ : past_.back().bytes)) return;
  if (past_.size() == kMostPast) {
    first_ = past_[kMostPast / 2 - 1].bytes;
    past_.erase(past_.begin(), past_.begin() + kMostPast / 2);
  }
  past_.push_back({.t = t, .bytes = scratch_});
}

void WorldMemory::go_back(double t) {
  if (!depends_on_past_) return;
  while (!past_.empty() && past_.back().t >= t) past_.pop_back();
  Archive a(std::string_view(past_.empty() ? first_ : past_.back().bytes));
  for (const auto& [energy, changing, memory] : slots_) {
    if (changing->depends_on_past()) memory->archive(a);
  }
}

void WorldMemory::settle(double t) {
  ++version_;
  go_back(t);
  for (const auto& [energy, changing, memory] : slots_) changing->end_step(t, *memory);
}

void WorldMemory::begin_step(const StepStart& start) {
  ++version_;
  go_back(start.t);
  bool changed = false;
  for (const auto& [energy, changing, memory] : slots_) {
    changed = changing->begin_step(start, *memory) || changed;
  }
  if (anywhere(system_, changed)) ++stencils_version_;
  remember(start.t);
}

bool WorldMemory::meet(const double* x0, const double* d) {
  bool changed = false;
  for (const auto& [energy, changing, memory] : slots_) {
    changed = changing->meet(x0, d, *memory) || changed;
  }
  if (!anywhere(system_, changed)) return false;
  ++stencils_version_;
  return true;
}

bool WorldMemory::free_start(const double* x0, double* d) const {
  bool changed = false;
  for (const auto& [energy, changing, memory] : slots_) {
    changed = changing->free_start(x0, d, *memory) || changed;
  }
  return changed;
}

double WorldMemory::largest_step(const double* along) const {
  double share = std::numeric_limits<double>::infinity();
  for (const auto& [energy, changing, memory] : slots_) {
    share = std::min(share, changing->largest_step(along, *memory));
  }
  return share;
}

int WorldMemory::find_walls(const StepTrial& trial) {
  int changes = 0;
  for (const auto& [energy, changing, memory] : slots_) {
    changes += changing->find_walls(trial, *memory);
  }
  if (changes > 0) ++stencils_version_;
  return changes;
}

void WorldMemory::add_walls(double* gradient) const {
  for (const auto& [energy, changing, memory] : slots_) changing->add_walls(*memory, gradient);
}

void WorldMemory::forget_walls() {
  for (const auto& [energy, changing, memory] : slots_) changing->forget_walls(*memory);
}

bool WorldMemory::found_all_contacts(const double* x) {
  bool all = true;
  for (const auto& [energy, changing, memory] : slots_) {
    all = changing->found_all_contacts(x, *memory) && all;
  }
  return !anywhere(system_, !all);
}

void WorldMemory::look_at(const State& state) {
  ++version_;
  go_back(-std::numeric_limits<double>::infinity());
  const StepStart here{.t = state.t, .x = state.x.data(), .v = state.v.data()};
  for (const auto& [energy, changing, memory] : slots_) {
    if (!changing->depends_on_past()) changing->begin_step(here, *memory);
    changing->end_step(state.t, *memory);
  }
  ++stencils_version_;
}

void WorldMemory::archive(Archive& a) {
  for (const auto& slot : slots_) slot.memory->archive(a);
  if (!a.loading()) return;
  ++version_;
  ++stencils_version_;
  past_.clear();
  save_past(first_);
}

}  // namespace lilyan

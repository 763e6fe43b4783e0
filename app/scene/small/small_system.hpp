// A small system: coordinates with names, and what is observed and drawn of it. Read from [system].
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/scene/toml/table_reader.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

class Drawing;
class Observables;
class System;
struct Scheme;

struct SmallSystem {
  SmallSystem();
  ~SmallSystem();
  SmallSystem(SmallSystem&&) noexcept;
  SmallSystem& operator=(SmallSystem&&) noexcept;

  std::vector<std::string> coordinates;      // a name for each degree of freedom
  std::vector<State> orbits;                 // further initial states, which run along
  std::unique_ptr<Observables> observables;  // its invariants, events and plots; null: none
  std::unique_ptr<Drawing> drawing;          // where its parts are in space; null: nobody knows
};

struct ReadSystem {
  std::unique_ptr<System> system;
  State initial;
  SmallSystem small;
  std::vector<std::string> remarks;
};
// A system of a built-in kind, or one that is given by formulas. Which form of it is taken depends on the method that
// steps it.
[[nodiscard]] ReadSystem read_system(TableReader reader, const Scheme& scheme);

}  // namespace lilyan

// The angular momentum of each body by itself, while nothing touches it.
#pragma once

#include <string>
#include <vector>

#include "app/run/watcher.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/world.hpp"
#include "lilyan/saving/archive.hpp"
#include "lilyan/step/torque_groups.hpp"

namespace lilyan {

struct Scene;

// The body that each vertex belongs to; −1: none.
[[nodiscard]] std::vector<int> bodies_of_vertices(const Scene& scene);

// A body is what energies and constraints connect. A free one keeps the angular momentum about its own
// centre of mass, in uniform gravity too; one that is held at a point or on an axis that about it. When
// another body touches it, it may take some from that. What is kept is then what it has when they have
// parted.
class BodySpins final : public RunWatcher {
 public:
  // The scene and the drift tracker, with whose energy it is compared, must outlive this.
  BodySpins(const Scene& scene, const DriftTracker& drift);

  // Whether there are several bodies, and some of them keep something.
  [[nodiscard]] bool wanted() const override { return !bodies_.empty(); }
  void begin(const State& state) override;
  void change(const State& state) override { begin(state); }
  void step(const WatchedStep& step) override;
  void archive(Archive& a) override;
  void report(RunSummary& summary) const override;

  struct Body {
    std::string name;    // of the scene's bodies that it is made of
    double initial = 0;  // the size of its angular momentum at the start, and after the last step
    double now = 0;
    Deviation angular;
    long steps_apart = 0;
    void archive(Archive& a) { a(now, angular, steps_apart); }
  };

 private:
  struct Reference {
    std::size_t group;
    Symmetry symmetry;
    double radius;
    double most;  // the angular momentum that a motion of the scene's energy could carry
    Vec3 spin;    // when it was last touched
    bool touched = false;
    void archive(Archive& a) { a(spin, touched); }
  };
  [[nodiscard]] Vec3 spin(const Reference& body, const State& state) const;
  void refer(std::size_t k, const State& state);
  void find_touched(const State& before, const State& after, const WorldMemory* memory);
  void find_touched_on_the_way(const State& before, const State& after, int substeps);
  [[nodiscard]] bool was_pushed(std::size_t k, const State& before, const State& after) const;

  const Scene& scene_;
  const DriftTracker& drift_;
  const System* system_ = nullptr;
  double thickness_ = 0;  // of the contacts between bodies; 0: there are none
  TorqueGroups groups_;
  std::vector<int> group_of_;  // of each vertex; −1: none
  std::vector<char> touched_;  // groups, in the last step
  std::vector<Reference> references_;
  std::vector<Body> bodies_;
  bool stepped_ = false;  // there is something to report
};

}  // namespace lilyan

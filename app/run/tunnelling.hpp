// Tunnelling: vertices that a step carries through an obstacle and out at its other side, where penalty
// forces never meet them, or through the surface of another body, whose forces then push them on.
#pragma once

#include <cstddef>
#include <vector>

#include "app/run/watcher.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/contact/candidates.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

struct State;

class TunnelWatch final : public RunWatcher {
 public:
  // The scene must outlive this.
  explicit TunnelWatch(const Scene& scene);

  // Whether the scene has something that can be gone through.
  [[nodiscard]] bool wanted() const override {
    return !scene_.bodies().obstacles.empty() || bodies_touch_;
  }
  void step(const WatchedStep& step) override;
  void archive(Archive& a) override { a(found_); }
  void report(RunSummary& summary) const override;

  struct Found {
    // Vertices that went through an obstacle, each time that one did.
    long through_obstacles = 0;
    // Vertices whose way went through a triangle of another body that they are in contact with, each step that one
    // did. Edges that go through edges are not looked at: contact does not see them either.
    long through_bodies = 0;
    // The longest step that a vertex made towards an obstacle within its reach, over the obstacle's
    // thickness. Above 1 one may go through.
    double longest_step = 0;
    void archive(Archive& a) { a(through_obstacles, longest_step, through_bodies); }
  };

 private:
  void add_obstacles(const State& before, const State& after);

  struct Thin {
    std::size_t number;
    double thickness;
  };
  const Scene& scene_;
  std::vector<Thin> obstacles_;
  bool bodies_touch_;
  Found found_;
  Candidates candidates_;
};

}  // namespace lilyan

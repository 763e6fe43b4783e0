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
  void archive(Archive& a) override { a(passages_, longest_, between_bodies_); }
  void report(RunSummary& summary) const override;

 private:
  void add_obstacles(const State& before, const State& after);

  struct Thin {
    std::size_t number;
    double thickness;
  };
  const Scene& scene_;
  std::vector<Thin> obstacles_;
  // Vertices that went through an obstacle, each time that one did.
  long passages_ = 0;
  // The longest step that a vertex made towards an obstacle within its reach, over the obstacle's
  // thickness. Above 1 one may go through.
  double longest_ = 0;
  bool bodies_touch_;
  // Vertices whose way went through a triangle of another body that they are in contact with, each step that one did.
  // Edges that go through edges are not looked at: contact does not see them either.
  long between_bodies_ = 0;
  Candidates candidates_;
};

}  // namespace lilyan

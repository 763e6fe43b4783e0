// Tunnelling: vertices that a step carries through an obstacle and out at its other side, where penalty
// forces never meet them, or through the surface of another body, whose forces then push them on.
#pragma once

#include <cstddef>
#include <vector>

#include "app/run/watcher.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/contact/proximity.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

struct ContactSurface;
struct State;

// How often a point goes through a triangle while all four vertices move straight from `before` to `after`: at most
// three times. A point that ends on the triangle goes through it when it leaves to the other side.
[[nodiscard]] int crossings(const PointTriangle& before, const PointTriangle& after);

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
  void add_bodies(const ContactSurface& one, const ContactSurface& other, const State& before,
                  const State& after);

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
  // To be used again in every step.
  SpatialHash hash_;
  std::vector<std::size_t> near_;
  std::vector<Box> boxes_;
  std::vector<int> found_;
};

}  // namespace lilyan

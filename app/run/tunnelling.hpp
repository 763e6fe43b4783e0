// Tunnelling: vertices that a step carries through an obstacle and out at its other side, where penalty
// forces never meet them, or through the surface of another body, whose forces then push them on.
#pragma once

#include <cstddef>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/contact/proximity.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

struct ContactSurface;
struct State;

// How often a point goes through a triangle while all four vertices move straight from `before` to `after`: at most
// three times. A point that ends on the triangle goes through it when it leaves to the other side.
[[nodiscard]] int crossings(const PointTriangle& before, const PointTriangle& after);

class TunnelWatch {
 public:
  // The scene must outlive this.
  explicit TunnelWatch(const Scene& scene);

  // Whether the scene has something that can be gone through.
  [[nodiscard]] bool wanted() const { return !scene_.bodies().obstacles.empty() || bodies_touch_; }
  void add(const State& before, const State& after);

  // Vertices that went through an obstacle, each time that one did.
  [[nodiscard]] long passages() const { return passages_; }
  // The longest step that a vertex made towards an obstacle within its reach, over the obstacle's
  // thickness. Above 1 one may go through.
  [[nodiscard]] double longest() const { return longest_; }
  // Vertices whose way went through a triangle of another body that they are in contact with, each step that one did.
  // Edges that go through edges are not looked at: contact does not see them either.
  [[nodiscard]] long between_bodies() const { return between_bodies_; }
  void archive(Archive& a) { a(passages_, longest_, between_bodies_); }

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
  long passages_ = 0;
  double longest_ = 0;
  bool bodies_touch_;
  long between_bodies_ = 0;
  // To be used again in every step.
  SpatialHash hash_;
  std::vector<std::size_t> near_;
  std::vector<Box> boxes_;
  std::vector<int> found_;
};

}  // namespace lilyan

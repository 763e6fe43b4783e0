// How deep bodies are in obstacles and in each other: contact by penalty gives way, and one that is too soft gives
// way too far.
#pragma once

#include <array>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/contact/proximity.hpp"
#include "lilyan/core/archive.hpp"

namespace lilyan {

struct ContactSurface;

class ContactDepth {
 public:
  // The scene must outlive this.
  explicit ContactDepth(const Scene& scene);

  // Nothing to do for scenes without contact.
  void add(const State& state);

  // How far the deepest vertex is beyond where contact begins: at the surface of an obstacle or of another body, or
  // before it by the contact's thickness. Vertices that are fixed do not count.
  [[nodiscard]] double now() const { return now_; }
  // The same over all states so far, and the largest share of its body's size that a vertex was deep.
  [[nodiscard]] double deepest() const { return deepest_; }
  [[nodiscard]] double deepest_share() const { return deepest_share_; }
  void archive(Archive& a) { a(now_, deepest_, deepest_share_); }

 private:
  void add_bodies(const ContactSurface& one, const ContactSurface& other, double thickness,
                  const Vector& x);
  void take(int vertex, double depth);

  const Scene& scene_;
  // Of each vertex's body: its smallest extent, or if it is flat its largest.
  std::vector<double> sizes_;
  double now_ = 0;
  double deepest_ = 0;
  double deepest_share_ = 0;
  // To be used again in every step.
  SpatialHash hash_;
  std::vector<Box> boxes_;
  std::vector<std::array<int, 3>> near_;
  std::vector<int> found_;
};

}  // namespace lilyan

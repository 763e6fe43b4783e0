// How deep bodies are in obstacles and in each other: contact by penalty gives way, and one that is too soft gives
// way too far.
#pragma once

#include <array>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/contact/proximity.hpp"
#include "lilyan/saving/archive.hpp"

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
  // The depth at worst over all states so far, and the largest share of its body's size that a vertex was deep.
  [[nodiscard]] double deepest() const { return deepest_; }
  [[nodiscard]] double deepest_share() const { return deepest_share_; }
  // The `depth` that the contact of that vertex was told; 0: it was told a stiffness.
  [[nodiscard]] double asked_there() const { return asked_there_; }

  // A body that sank in deeper than the `depth` that the contact was told, and than a fall explains.
  struct Beyond {
    double depth = 0;  // 0: there was none
    double asked = 0;
    double explained = 0;  // by the speed that it came with
    void archive(Archive& a) { a(depth, asked, explained); }
  };
  // The one that went furthest beyond.
  [[nodiscard]] const Beyond& beyond() const { return beyond_; }
  void archive(Archive& a) {
    a(now_, deepest_, deepest_share_, asked_there_, beyond_, fastest_free_);
  }

 private:
  // What a state says of a body that an obstacle or other bodies may touch.
  struct Touching {
    double depth = 0;
    double speed = 0;  // of its fastest vertex
  };
  void add_bodies(const ContactSurface& one, const ContactSurface& other, double thickness,
                  const State& state);
  void take(int vertex, double depth, const State& state);
  void begin_contact(double asked);
  void meet(const State& state, const std::vector<ContactSurface>& surfaces);
  void end_contact(std::size_t contact, bool moves);

  const Scene& scene_;
  // Of each vertex's body: its smallest extent, or if it is flat its largest.
  std::vector<double> sizes_;
  double now_ = 0;
  double deepest_ = 0;
  double deepest_share_ = 0;
  double asked_there_ = 0;
  Beyond beyond_;
  std::vector<int> body_;  // of each vertex; −1: none
  double gravity_;
  // For each contact that was told a depth and each body: the largest speed while nothing of the body touched.
  std::vector<double> fastest_free_;
  // Of the contact that is looked at.
  double asked_ = 0;
  std::vector<Touching> touching_;  // of each body
  // To be used again in every step.
  SpatialHash hash_;
  std::vector<Box> boxes_;
  std::vector<std::array<int, 3>> near_;
  std::vector<int> found_;
};

}  // namespace lilyan

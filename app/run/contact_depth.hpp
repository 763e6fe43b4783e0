// How deep bodies are in obstacles and in each other: contact by penalty gives way, and one that is too soft gives
// way too far.
#pragma once

#include <vector>

#include "app/run/watcher.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/contact/candidates.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

class ContactDepth final : public RunWatcher {
 public:
  // The scene must outlive this.
  explicit ContactDepth(const Scene& scene);

  [[nodiscard]] bool wanted() const override { return scene_.bodies().have_contact(); }
  void begin(const State& state) override { step({state, state}); }
  void step(const WatchedStep& step) override;
  void archive(Archive& a) override { a(found_, fastest_free_); }
  void report(RunSummary& summary) const override;

  // A body that sank in deeper than the `depth` that the contact was told, and than a fall explains.
  struct Beyond {
    double depth = 0;  // 0: there was none
    double asked = 0;
    double explained = 0;  // by the speed that it came with
    void archive(Archive& a) { a(depth, asked, explained); }
  };
  struct Found {
    // How far the deepest vertex is beyond where contact begins: at the surface of an obstacle or of another body, or
    // before it by the contact's thickness. Vertices that are fixed do not count.
    double now = 0;
    // The depth at worst over all states so far, and the largest share of its body's size that a vertex was deep.
    double deepest = 0;
    double deepest_share = 0;
    // The `depth` that the contact of that vertex was told; 0: it was told a stiffness.
    double asked_there = 0;
    Beyond beyond;  // the one that went furthest beyond
    void archive(Archive& a) { a(now, deepest, deepest_share, asked_there, beyond); }
  };

 private:
  // What a state says of a body that an obstacle or other bodies may touch.
  struct Touching {
    double depth = 0;
    double speed = 0;  // of its fastest vertex
  };
  void take(int vertex, double depth, const State& state);
  void begin_contact(double asked);
  void meet(const State& state, const std::vector<ContactSurface>& surfaces);
  void end_contact(std::size_t contact, bool moves);

  const Scene& scene_;
  // Of each vertex's body: its smallest extent, or if it is flat its largest.
  std::vector<double> sizes_;
  Found found_;
  std::vector<int> body_;  // of each vertex; −1: none
  double gravity_;
  // For each contact that was told a depth and each body: the largest speed while nothing of the body touched.
  std::vector<double> fastest_free_;
  // Of the contact that is looked at.
  double asked_ = 0;
  std::vector<Touching> touching_;  // of each body
  Candidates candidates_;
};

}  // namespace lilyan

// How near to each other bodies came that nothing passes through.
#pragma once

#include "app/run/watcher.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/contact/barrier_contact.hpp"

namespace lilyan {

class ContactGap final : public RunWatcher {
 public:
  // The scene must outlive this.
  explicit ContactGap(const Scene& scene);

  [[nodiscard]] bool wanted() const override { return !contacts_.empty(); }
  void step(const WatchedStep& step) override;
  void archive(Archive& a) override { a(found_); }
  void report(RunSummary& summary) const override;

  // Over all states so far, and in the last one: the smallest gap in units of the reach of contact, 1 while nothing is
  // nearer; and how many pairs of points, edges and triangles were within reach.
  struct Found {
    bool any = false;  // the scene has such a contact
    double smallest = 1;
    double reach = 0;  // of the contact it was found in
    long most_pairs = 0;
    double now = 1;
    void archive(Archive& a) { a(any, smallest, reach, most_pairs, now); }
  };

 private:
  std::vector<const BarrierContact*> contacts_;
  Found found_;
};

}  // namespace lilyan

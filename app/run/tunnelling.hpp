// Tunnelling: vertices that a step carries through an obstacle and out at its other side, where penalty
// forces never meet them.
#pragma once

#include <cstddef>
#include <vector>

#include "lilyan/core/archive.hpp"

namespace lilyan {

struct Scene;
struct State;

class TunnelWatch {
 public:
  // The scene must outlive this.
  explicit TunnelWatch(const Scene& scene);

  // Whether the scene has obstacles that can be gone through.
  [[nodiscard]] bool wanted() const { return !obstacles_.empty(); }
  void add(const State& before, const State& after);

  // Vertices that went through an obstacle, each time that one did.
  [[nodiscard]] long passages() const { return passages_; }
  // The longest step that a vertex made towards an obstacle within its reach, over the obstacle's
  // thickness. Above 1 one may go through.
  [[nodiscard]] double longest() const { return longest_; }
  void archive(Archive& a) { a(passages_, longest_); }

 private:
  struct Thin {
    std::size_t number;
    double thickness;
  };
  const Scene& scene_;
  std::vector<Thin> obstacles_;
  long passages_ = 0;
  double longest_ = 0;
};

}  // namespace lilyan

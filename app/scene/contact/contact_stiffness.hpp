// How stiff a contact is, as a scene says it: per vertex, per area, or by how deep bodies may sink.
#pragma once

#include <vector>

#include "app/scene/body/body.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/contact/obstacle.hpp"

namespace lilyan {

// Each vertex of a body's surface has a share of it: a third of the areas of the triangles around the vertex, or of
// a rod half of the lengths of its segments. With `stiffness_per_area` κ the stiffness of a vertex is κ times its
// share, so that a finer mesh stands on the same ground. With `depth` δ each body has a κ of its own,
//   κ = m |g| / Σ sᵢ max(δ − hᵢ, 0),                                                             (1)
// sᵢ the shares and hᵢ the heights of the vertices above the lowest one as the body is placed: on flat ground, as
// a rigid body, it would then sink by δ. On an obstacle that is not flat fewer vertices carry it. It is lowered onto the
// obstacle as it is placed until it touches, and then by δ:
//   κ = m |g| / Σ sᵢ max(dᵢ, 0) max(nᵢ·u, 0),                                                     (2)
// dᵢ the depths of its vertices then, nᵢ the normals of the obstacle and u the direction up. Where it would not meet
// the obstacle on its way down, (1) holds. Vertices within a solid do not touch anything, whatever pushes at the surface.
class SceneStiffness {
 public:
  enum class Kind { per_vertex, per_area, depth };

  // Of exactly one of the keys `stiffness`, `stiffness_per_area` and `depth`. One that is set from outside replaces
  // those of the file.
  SceneStiffness(TableReader& reader, const Vec3& gravity);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] double value() const { return value_; }

  // The depth that bodies are to sink in by; 0: they are told a stiffness.
  [[nodiscard]] double depth() const { return kind_ == Kind::depth ? value_ : 0; }

  // The vertices of a body that can touch an obstacle, and their stiffnesses, are added to the lists. Throws
  // InputError for a body that this kind of stiffness has no meaning for.
  void add(const PlacedBody& body, const Obstacle& obstacle, double thickness,
           std::vector<int>& vertices, std::vector<double>& k) const;
  // The stiffnesses of the given vertices of a body.
  void add_of(const PlacedBody& body, const std::vector<int>& vertices,
              std::vector<double>& k) const;

 private:
  // The sum of (1), and that of (2), which is 0 where it does not hold.
  [[nodiscard]] double flat_support(const PlacedBody& body,
                                    const std::vector<double>& shares) const;
  [[nodiscard]] double support(const PlacedBody& body, const std::vector<double>& shares,
                               const Obstacle& obstacle, double thickness) const;
  [[nodiscard]] double weight(const PlacedBody& body) const;
  void refuse_rods(const PlacedBody& body) const;

  TableReader& reader_;
  Vec3 gravity_;
  Kind kind_ = Kind::per_vertex;
  double value_ = 0;
};

}  // namespace lilyan

// Which pairs of primitives may come near each other in a step: what contact by barriers remembers.
//
// Two lists. Candidates are all pairs that may come within reach while every vertex stays in a box around its way;
// who asks about a displacement that leaves a box gets larger boxes and a new list. So no pair is ever missed, and the
// list is nothing but a shortcut: values do not depend on it. Listed pairs are those that have been active lately.
// They have places in the pattern of the Hessian, and a stiffness that stays while they are active.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/contact/barrier.hpp"
#include "lilyan/contact/broad_phase.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_memory.hpp"

namespace lilyan {

// A surface that may touch others: vertices of the system, and what they span. Its thickness is the distance that it
// keeps from its middle: the radius of a rod, half of that of a cloth. An obstacle is a surface of held vertices; a
// sphere is the edge between two vertices at its centre, and a capsule that of its axis.
struct BarrierSurface {
  int body = 0;
  bool self = false;  // touches itself
  double thickness = 0;
  std::optional<double> friction = {};  // its own, with everything; none: that of the contact
  std::vector<int> points;
  std::vector<std::array<int, 2>> edges;  // all of them
  std::vector<std::array<int, 2>> bare;   // those of them that are on no triangle
  std::vector<std::array<int, 3>> triangles;
};
// A half-space, by a vertex on its plane and the direction out of it.
struct BarrierPlane {
  int body = 0;
  int vertex = 0;
  Vec3 normal = Vec3::UnitY();
  std::optional<double> friction = {};
};
// A ball, or a capsule, that bodies are kept inside of, around two vertices.
struct BarrierContainer {
  int body = 0;
  std::array<int, 2> axis{};
  double radius = 1;
  std::optional<double> friction = {};
};

struct BarrierModel {
  std::vector<BarrierSurface> surfaces;
  std::vector<BarrierPlane> planes;
  std::vector<BarrierContainer> containers;
  bool with_obstacles =
      false;  // some of these are not bodies that give way, so that momenta are not kept
  std::vector<std::array<int, 2>> excluded;  // bodies that do not touch each other
  double reach = 0;                          // d̂
  double energy = 0;                         // that a contact may have to hold
  double friction = 0;                       // coefficient of Coulomb's
  std::vector<char> held;                    // vertices that forces do not move
  std::vector<int> body_of_vertex;           // inner ones too; −1: none, empty: not known
  std::vector<double> masses;                // of vertices
  Vector rest;
};

// The stiffness with which a single pair holds so much energy at a tenth of its reach.
[[nodiscard]] double barrier_stiffness(double energy);

class BarrierPairs final : public EnergyMemory {
 public:
  // The model must outlive this.
  BarrierPairs(const BarrierModel& model, const Vector& x);

  struct Candidate {
    BarrierPair pair;
    double gap = 0;  // where the vertices are at the start
    int slot = -1;   // of the listed pair, if it is one
  };
  // All pairs that may come within reach on the way from x0 to x0 + d (null: zero).
  [[nodiscard]] std::span<const Candidate> covering(const double* x0, const double* d) const;
  // A way, as displacements of where the vertices were at the start of the step.
  struct Way {
    const double* d = nullptr;
    Vector from = {}, to = {};  // empty where it begins at the start
  };
  [[nodiscard]] Way way(const double* x0, const double* d) const;
  // Whether a candidate stays out of reach on this way for the simple reason that it starts too far away.
  [[nodiscard]] static bool far(const Candidate& candidate, const Way& way);

  [[nodiscard]] const std::vector<BarrierPair>& listed() const { return listed_; }
  [[nodiscard]] Stencils stencils() const { return {4, vertices_}; }

  // True when other pairs are listed than before.
  bool begin_step(const StepStart& start);
  // Lists pairs that are active on the way to x0 + d. True when there are new ones.
  bool meet(const double* x0, const double* d);
  void archive(Archive& a) override;

  // A spring against a pair's coming nearer than `target`: ½ stiffness (gap − target)², with the gap as it is linear in
  // the direction.
  struct Wall {
    int slot = 0;
    PairCoordinates normal;
    double stiffness = 0;
    double gap = 0;
    double target = 0;
    bool dropped = false;
  };
  [[nodiscard]] const std::vector<Wall>& walls() const { return walls_; }
  int find_walls(const StepTrial& trial);
  // Lets bodies that held vertices move into go along with them, and those that these meet in turn.
  bool free_start(const double* x0, double* d) const;
  // The share of a direction that vertices may go: no farther at once than inertia takes the fastest in a step, or
  // some reaches. Farther away everything would be a candidate.
  [[nodiscard]] double largest_step(const double* along) const;
  void add_walls(double* gradient) const;
  void forget_walls() { walls_.clear(); }

  // The smallest gap in units of the reach at the start of the step, 1 if nothing is nearer, and how many are.
  struct Nearest {
    double gap = 1;
    long pairs = 0;
  };
  [[nodiscard]] Nearest nearest(const double* x) const;

 private:
  void find() const;
  template <class Function>
  void each_pair(Function function) const;
  template <class Function>
  void each_near(PairKind kind, Function function) const;
  [[nodiscard]] bool touch(int one, int other) const;
  [[nodiscard]] bool held(std::span<const int> vertices) const;
  [[nodiscard]] Box box_of(std::span<const int> vertices, double grown_by) const;
  [[nodiscard]] const BarrierSurface* surface_of(int vertex) const;
  // The pair of these vertices.
  [[nodiscard]] BarrierPair pair_of(PairKind kind, const std::array<int, 4>& vertex) const;
  void list(const BarrierPair& pair);
  void clear_list();
  void relist();

  const BarrierModel* model_;
  std::vector<int> of_vertex_;  // the surface that each vertex is on, or −1
  Vector start_;
  double stiffness_;  // of pairs that become active
  double farthest_ = 0;
  std::vector<BarrierPair> listed_;
  std::vector<int> vertices_;  // of these, each four ascending
  std::map<BarrierPair, int> places_;
  std::vector<Wall> walls_;
  // A shortcut: what is in it follows from the rest.
  mutable std::vector<Box> boxes_;
  mutable std::vector<Candidate> candidates_;
  mutable BroadPhase broad_;
  // Of the list, as it is saved.
  std::vector<PairKind> kinds_;
  std::vector<std::array<int, 4>> corners_;
  std::vector<double> stiffnesses_;
};

}  // namespace lilyan

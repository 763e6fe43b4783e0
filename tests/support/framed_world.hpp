// The same small worlds seen in another frame: moved, turned, mirrored, renumbered, in other units.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/physics/meshes.hpp"
#include "support/body.hpp"

namespace lilyan::test {

// A point p of the world is at  length·turn·p + shift. Units of mass and time are others as well.
struct Frame {
  double length = 1;
  double mass = 1;
  double time = 1;
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  // or a reflection
  Vec3 shift = Vec3::Zero();
  unsigned order = 0;  // of vertices and elements; 0: as they are

  [[nodiscard]] bool mirrors() const { return turn.determinant() < 0; }
  [[nodiscard]] Vec3 direction(const Vec3& n) const { return turn * n; }
  [[nodiscard]] Vec3 point(const Vec3& p) const { return length * (turn * p) + shift; }
  [[nodiscard]] Vec3 back(const Vec3& x) const { return turn.transpose() * (x - shift) / length; }
  [[nodiscard]] Vec3 velocity(const Vec3& v) const { return length / time * (turn * v); }
  [[nodiscard]] Vec3 acceleration(const Vec3& a) const { return velocity(a) / time; }
  // Axes of turns are not mirrored.
  [[nodiscard]] Vec3 axis(const Vec3& a) const { return (mirrors() ? -1.0 : 1.0) * (turn * a); }
  [[nodiscard]] double speed(double v) const { return length / time * v; }
  [[nodiscard]] double stiffness(double k) const { return mass / (time * time) * k; }
  [[nodiscard]] double modulus(double m) const { return stiffness(m) / length; }
  [[nodiscard]] double bending(double k) const { return stiffness(k) * length * length; }

  // new_number[i] of vertices that were numbered 0 to count − 1.
  [[nodiscard]] std::vector<int> numbers(int count) const {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    if (order != 0) std::shuffle(all.begin(), all.end(), std::mt19937(order));
    return all;
  }
  template <class Element>
  void rearrange(std::vector<Element>& elements) const {
    if (order != 0) std::shuffle(elements.begin(), elements.end(), std::mt19937(order + 1));
  }
};

// A world made of parts that are given in the first frame.
class FramedWorld {
 public:
  explicit FramedWorld(const Frame& frame) : frame_(frame) {}

  // Vertices of the whole world, in the first frame, before the system is made.
  int add_vertex(const Vec3& x, const Vec3& v, double mass) {
    x_.push_back(x);
    v_.push_back(v);
    mass_.push_back(mass);
    return static_cast<int>(x_.size()) - 1;
  }
  // Returns the number of its first vertex.
  int add_vertices(const std::vector<std::array<double, 3>>& mesh,
                   const std::vector<double>& masses, const Vec3& at, const Vec3& v,
                   const Vec3& spin) {
    const int first = static_cast<int>(x_.size());
    for (std::size_t i = 0; i < mesh.size(); ++i) {
      const Vec3 r(mesh[i][0], mesh[i][1], mesh[i][2]);
      add_vertex(at + r, v + spin.cross(r), masses[i]);
    }
    return first;
  }

  // All vertices are known.
  void make_system() {
    number_ = frame_.numbers(static_cast<int>(x_.size()));
    std::vector<double> masses(mass_.size());
    state.x.resize(3 * static_cast<Eigen::Index>(x_.size()));
    state.v.resize(state.x.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto n = static_cast<std::size_t>(number_[i]);
      masses[n] = frame_.mass * mass_[i];
      state.x.segment<3>(3 * number_[i]) = frame_.point(x_[i]);
      state.v.segment<3>(3 * number_[i]) = frame_.velocity(v_[i]);
    }
    system = std::make_unique<System>(masses);
  }
  // Positions in the first frame, in the first order.
  [[nodiscard]] Vector positions() const {
    Vector x(state.x.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) =
          frame_.back(state.x.segment<3>(3 * number_[i]));
    }
    return x;
  }

  void add_gravity(const Vec3& g) {
    system->add(std::make_unique<Gravity>(
        frame_.acceleration(g),
        std::vector<double>(system->vertex_masses().begin(), system->vertex_masses().end())));
  }
  // An elastic body; its present positions are those at rest.
  const Energy& add_tets(int first, std::vector<std::array<int, 4>> tets,
                         const std::string& material, double mu, double lambda) {
    for (auto& t : tets) {
      t = renumbered(t, first);
      if (frame_.mirrors()) std::swap(t[2], t[3]);
    }
    frame_.rearrange(tets);
    auto energy = find_material(material)->make(
        {state.x, tets}, lame_of(frame_.modulus(mu), frame_.modulus(lambda)));
    const Energy& added = *energy;
    system->add(std::move(energy));
    return added;
  }
  void add_cloth(int first, const ClothMesh& mesh, double mu, double bending) {
    auto triangles = mesh.triangles;
    for (auto& t : triangles) t = renumbered(t, first);
    auto hinges = hinges_of(mesh.triangles);
    for (auto& h : hinges) h = renumbered(h, first);
    frame_.rearrange(triangles);
    frame_.rearrange(hinges);
    system->add(membrane({frame_.stiffness(mu), frame_.stiffness(mu)}, state.x, triangles));
    system->add(hinge_bending(frame_.bending(bending), state.x, hinges));
  }
  const ContactEnergy& add_obstacle(const Obstacle& obstacle, std::vector<int> vertices, double k,
                                    double friction, double creep) {
    for (int& v : vertices) v = number(v);
    auto contact =
        std::make_unique<ObstacleContact>(obstacle, std::move(vertices), frame_.stiffness(k), 0.0);
    const ContactEnergy& added = *contact;
    system->add(std::move(contact));
    if (friction > 0) {
      system->add(std::make_unique<Friction>(added, friction, frame_.speed(creep)));
    }
    return added;
  }
  void add_contact(std::vector<ContactSurface> surfaces, double k, double thickness,
                   double friction, double creep) {
    for (ContactSurface& s : surfaces) {
      for (int& v : s.vertices) v = number(v);
      for (auto& t : s.triangles) {
        t = renumbered(t, 0);
        if (frame_.mirrors()) std::swap(t[1], t[2]);
      }
      frame_.rearrange(s.triangles);
    }
    auto contact = std::make_unique<BodyContact>(surfaces, frame_.stiffness(k),
                                                 frame_.length * thickness, state.x);
    const ContactEnergy& added = *contact;
    system->add(std::move(contact));
    if (friction > 0) {
      system->add(std::make_unique<Friction>(added, friction, frame_.speed(creep)));
    }
  }

  [[nodiscard]] int number(int vertex) const { return number_[static_cast<std::size_t>(vertex)]; }
  [[nodiscard]] const Frame& frame() const { return frame_; }

  std::unique_ptr<System> system;
  State state;

 private:
  template <std::size_t N>
  [[nodiscard]] std::array<int, N> renumbered(std::array<int, N> element, int first) const {
    for (int& v : element) v = number(first + v);
    return element;
  }

  Frame frame_;
  std::vector<Vec3> x_, v_;
  std::vector<double> mass_;
  std::vector<int> number_;
};

}  // namespace lilyan::test

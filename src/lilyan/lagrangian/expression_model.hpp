// A mechanical system written down as text: coordinates, parameters, energies, forces, constraints.
//
//   ExpressionModel model;
//   model.add_parameter("l", 2.0);
//   model.add_coordinate("theta");
//   model.finish_coordinates();
//   model.set_kinetic("l^2*theta'^2/2");
//   model.set_potential("9.81*l*(1 - cos(theta))");
//   std::unique_ptr<System> system = model.make_system();
//
// A text may use a coordinate theta, its velocity theta' (or v_theta), its momentum
// p_theta = ∂L/∂theta', and the time t. Coordinates may be lists: x[1], x[1]', v_x[1], p_x[1].
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lilyan/model/system.hpp"

namespace lilyan {

class ExpressionGraph;
using ExpressionNode = int;  // lagrangian/graph.hpp

class ExpressionModel {
 public:
  ExpressionModel();
  ExpressionModel(ExpressionModel&&) noexcept;
  ExpressionModel& operator=(ExpressionModel&&) noexcept;
  ~ExpressionModel();

  // Parameters and coordinates first, then the rest. Names that are taken throw Error, texts
  // ExpressionError.
  void add_parameter(const std::string& name, double value);
  void add_parameter(const std::string& name, const std::vector<double>& list);  // from 1
  void add_coordinate(const std::string& name);
  void add_coordinates(const std::string& name, int first, int last);
  // To be called when all coordinates have been added.
  void finish_coordinates();

  // L = kinetic − potential, or L itself.
  void set_kinetic(std::string_view text);
  void set_potential(std::string_view text);
  void set_lagrangian(std::string_view text);
  // The text of a force on an element of a list may use the index i as well.
  void add_force(int coordinate, std::string_view text, std::optional<int> i = {});
  void set_dissipation(std::string_view text);  // a Rayleigh function
  // The constraint is that the text's value is zero. One of a list of constraints may use the index
  // i.
  void add_constraint(std::string_view text, std::optional<int> i = {});

  // A number made of parameters alone.
  [[nodiscard]] double number(std::string_view text);
  // A number made of parameters and the index i.
  [[nodiscard]] double number(std::string_view text, int i);

  [[nodiscard]] bool has_dissipation() const;
  // Whether L = ½ Σ m v² − E(q) with constant positive masses, and dissipation of velocities alone.
  [[nodiscard]] bool separable() const;
  // Throws Error for a system that cannot be made, such as one without inertia.
  // Dissipation of a separable system joins the minimisation of a step, unless it is to be a force,
  // which every method can take.
  [[nodiscard]] std::unique_ptr<System> make_system(bool dissipation_as_force = false);

  struct Group {
    std::string name;
    int first = 0;
    int count = 1;
    bool list = false;
  };
  [[nodiscard]] const std::vector<Group>& coordinate_groups() const;
  [[nodiscard]] int dofs() const { return static_cast<int>(coordinates().size()); }
  [[nodiscard]] const std::vector<std::string>& coordinates() const;
  // Coordinates that L does not depend on, whose momenta no force or constraint changes either.
  [[nodiscard]] std::vector<int> conserved_momenta() const;
  // Any text about the motion, once momenta have their names.
  [[nodiscard]] ExpressionNode parse(std::string_view text);
  [[nodiscard]] ExpressionNode parse(std::string_view text, int i);
  // make_system() does this. Also gives `energy` its name.
  void name_momenta(bool with_energy);
  [[nodiscard]] ExpressionNode momentum(int coordinate) const;
  [[nodiscard]] ExpressionGraph& graph();

  // Numbers of the graph's variables.
  [[nodiscard]] int velocity(int coordinate) const { return dofs() + coordinate; }
  [[nodiscard]] int time() const { return 2 * dofs(); }

 private:
  void find_structure();
  void add_to(System& system, bool dissipation_as_force);
  [[nodiscard]] std::vector<int> velocities() const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lilyan

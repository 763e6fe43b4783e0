// The library on one page: everything that is needed to build a system and to step it.
//
//   #include "lilyan/lilyan.hpp"
//   using namespace lilyan;
//
//   // A bar of jelly above a floor.
//   const TetMesh mesh = block({2, 1, 1}, {4, 2, 2});
//   const Vector rest = rest_positions(mesh);
//   const std::vector<double> masses = vertex_masses(mesh, 1.0);
//   std::vector<int> all(masses.size());
//   std::iota(all.begin(), all.end(), 0);
//
//   System system(masses);
//   system.add(find_material("stable-neo-hookean")
//                  ->make({rest, mesh.tets}, Parameters{{"young", 100.0}, {"poisson", 0.3}}));
//   system.add(std::make_unique<Gravity>(Vec3(0, -9.81, 0), masses));
//   const Obstacle floor{.shape = PlaneShape{.point = Vec3(0, -1, 0)}};
//   system.add(std::make_unique<ObstacleContact>(floor, all, 1e4, 0.01));
//
//   // One second of it. Any method of lilyan::methods() takes the place of "avf".
//   State state{.x = rest, .v = Vector::Zero(rest.size())};
//   const auto integrator = make_integrator(system, make_scheme("avf", {{"points", 3.0}}), {});
//   for (int k = 0; k < 50; ++k) {
//     const StepReport report = integrator->step(state, 0.02);
//     if (!succeeded(report.status)) throw Error(std::string(describe(report.status)));
//   }
//
// A system can also be written down as text, and its derivatives are taken by the library:
//
//   ExpressionModel model;
//   model.add_coordinate("theta");
//   model.finish_coordinates();
//   model.set_kinetic("theta'^2/2");
//   model.set_potential("1 - cos(theta)");
//   const std::unique_ptr<System> pendulum = model.make_system();
//
// A step of a method of your own, made by hand: its equation, its solution, and its account. This one is
// implicit midpoint's.
//
//   const double h = 0.02;
//   const std::vector<Node> nodes{{0.5, 0.5}};  // (θ, β): M (d − h v₀) + h² β ∇E(x₀ + θd) = 0
//   const Vector target = h * state.v;
//   const Invariants before = invariants(system, state);
//   Assembler assembler(system);
//   StageWorkspace workspace(assembler, {});
//   const StageEquation equation(workspace, {.x0 = &state.x,
//                                            .target = &target,
//                                            .t0 = state.t,
//                                            .h = h,
//                                            .nodes = nodes,
//                                            .velocity_weight = 2,
//                                            .energy_scale = before.scale()});
//   Newton newton(assembler.hessian_pattern(), {});
//   Linearised no_forces;
//   Iterate found{.z = target};  // the guess
//   if (!succeeded(newton.minimise(equation, no_forces, found).status)) throw Error("no solution");
//   const Vector u = found.z / h;
//   const State end{.t = state.t + h, .x = state.x + found.z, .v = 2 * u - state.v};
//   const Ledger ledger = ledger_of(
//       {.residual = 2 / h * u.dot(found.residual), .potential = -2 / h * u.dot(found.potential)},
//       potential_change(before, invariants(system, end)));
//
// Methods and materials of your own are added to the library's with add_method and add_material. A file that
// defines a material includes assemble/tets.hpp as well, whose make_tets makes the energy of a body of it.
//
// Headers that are templates of the caller's own functions are not among the following:
// assemble/tets.hpp (materials), assemble/elements.hpp (energies of small elements), lagrangian/automatic.hpp
// (Lagrangians as C++ functions) and lagrangian/compiled.hpp (explicit methods with a potential known when
// compiling). Nor are solve/newton.hpp, step/stage_equation.hpp and step/account.hpp (steps by hand),
// conservation/drift.hpp (the verdict on what a run keeps), plugin.hpp (a shared object for the program) and
// verify/verification.hpp, which measures what a method claims; programs that use it link lilyan::verify as well.
//
// lilyan/version.hpp has the version as macros.
#pragma once

// Systems, states, reports.
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/base/version.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/version.hpp"

// Methods and stepping.
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/method/method.hpp"

// Energies.
#include "lilyan/material/material.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/meshes.hpp"
#include "lilyan/physics/small_potential.hpp"

// Forces, damping, motion.
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/physics/rigid_motion.hpp"

// Constraints.
#include "lilyan/physics/constraints.hpp"

// Contact.
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/contact/repulsion_springs.hpp"

// Lagrangians and built-in problems.
#include "lilyan/lagrangian/expression_model.hpp"
#include "lilyan/lagrangian/problem.hpp"

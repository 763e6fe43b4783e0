// Runs of which it is known what they keep.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace lilyan::test::verdict_table {

struct Case {
  std::string name;
  std::string method;  // and other keys of [integrator], one to a line
  double step;
  double duration;
  std::string scene;            // the rest of it
  std::string right;            // the verdict; two that are both right are separated by "|"
  std::string what = "energy";  // or "momentum", "spin", or the name of an invariant
};

inline std::string lagrangian(const std::string& coordinates, const std::string& kinetic,
                              const std::string& potential, const std::string& position,
                              const std::string& velocity, const std::string& more = "") {
  return "[system]\nkind = \"lagrangian\"\ncoordinates = [" + coordinates + "]\nkinetic = \"" +
         kinetic + "\"\npotential = \"" + potential + "\"\n" + more + "[system.position]\n" +
         position + "\n[system.velocity]\n" + velocity + "\n";
}
// A mass on a spring, with a constant in its potential.
inline std::string spring(const std::string& constant = "", const std::string& position = "x = 1",
                          const std::string& velocity = "", const std::string& more = "") {
  return lagrangian("\"x\"", "x'^2/2", constant + "x^2/2", position, velocity, more);
}
inline std::string pendulum(double angle, const std::string& more = "") {
  return lagrangian("\"a\"", "a'^2/2", "1 - cos(a)", "a = " + std::to_string(angle), "", more);
}
inline std::string kepler(double velocity, const std::string& more = "") {
  return lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "-1/sqrt(x^2 + y^2)", "x = 1",
                    "y = " + std::to_string(velocity), more);
}
// A bar of 0.3 m.
inline std::string bar(const std::string& material, const std::string& more,
                       const std::string& world = "gravity = [0, 0, 0]") {
  return "[world]\n" + world +
         "\n[[body]]\nname = \"bar\"\ndensity = 1100\nmaterial = " + material +
         "\nshape = { kind = \"bar\", size = [0.3, 0.1, 0.1], cells = [3, 1, 1] }\n" + more;
}

const std::string kBoth = "invariants = { big = \"1e9 + x^2 + v_x^2\", plain = \"x^2 + v_x^2\" }\n";
const std::string kSoft = "{ young = 1e4, poisson = 0.3 }";
const std::string kRubber = "{ young = 1e6, poisson = 0.3 }";
const std::string kSteel = "{ young = 2e11, poisson = 0.3 }";
const std::string kStretched = "deform = [{ kind = \"stretch\", factors = [1.05, 1, 1] }]\n";
const std::string kSpinning = "angular_velocity = [0.5, 0, 8]\n";

inline const std::vector<Case>& all() {
  static const std::vector<Case> table = {
      // A constant in the potential says nothing.
      {"gain of 2 %", "explicit-euler", 0.001, 20, spring(), "drifts"},
      {"gain of 2 %, and a constant", "explicit-euler", 0.001, 20, spring("1e8 + "), "drifts"},
      {"gain of 2 %, and a negative constant", "explicit-euler", 0.001, 20, spring("-1e8 + "),
       "drifts"},
      {"gain, hidden by a constant", "explicit-euler", 0.001, 20, spring("1e17 + "), "undecided"},
      {"a constant and a swing", "stoermer-verlet", 0.05, 100, spring("1e8 + "), "bounded"},
      {"a constant, kept", "avf", 0.05, 100, spring("1e8 + "), "conserved"},
      {"a larger constant, kept", "implicit-midpoint", 0.05, 100, spring("1e10 + "), "conserved"},
      {"without a constant, kept", "avf", 0.05, 100, spring(), "conserved"},
      {"negative energy", "stoermer-verlet", 0.05, 100, spring("-10 + "), "bounded"},
      {"no energy at the start", "stoermer-verlet", 0.05, 100, spring("-0.5 + "), "bounded"},
      // So does a constant in the kinetic energy.
      {"gain of 2 %, carried along", "explicit-euler", 0.001, 20,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2", "x = 1", "y = 1e5"), "drifts"},
      {"a pair that gains, carried along", "explicit-euler", 0.001, 20,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "(x - y)^2/2", "x = 1", "x = 1e4\ny = 1e4"),
       "drifts"},
      {"masses that depend on the place, carried along", "explicit-euler", 0.001, 20,
       lagrangian("\"x\", \"y\"", "(1 + 0.1*x^2)*x'^2/2 + y'^2/2", "x^2/2", "x = 1", "y = 1e5"),
       "drifts"},
      {"carried along, kept", "avf", 0.05, 100,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2", "x = 1", "y = 1e4"), "conserved"},
      {"a pair, carried along, kept", "avf", 0.05, 100,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "(x - y)^4/4", "x = 1", "x = 1e3\ny = 1e3"),
       "conserved"},
      {"carried along, swings", "stoermer-verlet", 0.05, 100,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^4/4", "x = 1", "y = 1e4"), "bounded"},
      {"a circle by its radius and its angle", "avf", 0.05, 100,
       lagrangian("\"r\", \"a\"", "(r'^2 + r^2*a'^2)/2", "-1/r", "r = 1", "a = 1"), "conserved"},
      {"a rotor by an implicit method", "gauss", 0.1, 100,
       lagrangian("\"a\", \"b\"", "(3 + sin(b)^2)*a'^2/2 + b'^2/2", "0*a", "b = 0.3",
                  "a = 2\nb = 1"),
       "bounded|conserved"},
      // Invariants, with a constant and without.
      {"an invariant grows", "explicit-euler", 0.01, 50, spring("", "x = 1", "", kBoth), "drifts",
       "plain"},
      {"a constant and an invariant that grows", "explicit-euler", 0.01, 50,
       spring("", "x = 1", "", kBoth), "drifts", "big"},
      {"an invariant swings", "stoermer-verlet", 0.1, 200, spring("", "x = 1", "", kBoth),
       "bounded", "plain"},
      {"a constant and an invariant that swings", "stoermer-verlet", 0.1, 200,
       spring("", "x = 1", "", kBoth), "bounded", "big"},
      {"an invariant is kept", "implicit-midpoint", 0.1, 200, spring("", "x = 1", "", kBoth),
       "conserved", "plain"},
      {"a constant and an invariant that is kept", "implicit-midpoint", 0.1, 200,
       spring("", "x = 1", "", kBoth), "conserved", "big"},
      {"an invariant in a short run", "stoermer-verlet", 0.01, 1, spring("", "x = 1", "", kBoth),
       "undecided", "big"},
      {"angular momentum of a planet", "stoermer-verlet", 0.01, 100,
       kepler(0.9, "invariants = { L = \"x*v_y - y*v_x\" }\n"), "conserved", "L"},
      {"angular momentum that is zero", "stoermer-verlet", 0.05, 100,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "(x^2 + y^2)/2", "x = 1\ny = 2", "",
                  "invariants = { L = \"x*v_y - y*v_x\" }\n"),
       "conserved", "L"},
      {"angular momentum, lost", "rk4", 0.1, 300,
       kepler(0.9, "invariants = { L = \"x*v_y - y*v_x\" }\n"), "drifts", "L"},
      {"the axis of an ellipse turns", "stoermer-verlet", 0.05, 300,
       kepler(0.9, "invariants = { A = \"v_x*(y*v_x - x*v_y) - y/sqrt(x^2 + y^2)\" }\n"), "drifts",
       "A"},
      // Losses that happen once.
      {"a vibration eaten beside a flight", "backward-euler", 0.1, 1000,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2", "x = 0.5", "y = 3"), "drifts"},
      {"a vibration eaten beside a fast flight", "backward-euler", 0.1, 1000,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2", "x = 0.5", "y = 3e4"), "drifts"},
      {"a vibration eaten", "backward-euler", 0.1, 1000, spring(), "drifts"},
      {"a stiff vibration eaten at once", "backward-euler", 0.1, 100,
       lagrangian("\"x\"", "x'^2/2", "1e6*x^2/2", "x = 1", ""), "drifts"},
      {"a vibration eaten beside a slow one", "bdf2", 0.1, 200,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "400*x^2/2 + y^2/2", "x = 1\ny = 1", ""),
       "drifts"},
      {"a stiff vibration eaten", "bdf2", 0.1, 1000,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "100*x^2/2", "x = 0.5", "y = 3"), "drifts"},
      {"a part of the vibration eaten", "bathe", 0.1, 100,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "900*x^2/2 + y^2/2", "x = 1\ny = 1", ""),
       "drifts"},
      {"Newmarks damping", "\"newmark\"\ngamma = 0.6\nbeta = 0.3025", 0.1, 300, spring(), "drifts"},
      // Large swings.
      {"a large swing", "stoermer-verlet", 1.6, 2000, spring(), "bounded"},
      {"a large swing from the middle", "stoermer-verlet", 1.6, 2000, spring("", "x = 0", "x = 1"),
       "bounded"},
      {"a swing at the limit", "stoermer-verlet", 1.95, 2000, spring(), "bounded"},
      {"a large swing of the Euler methods", "symplectic-euler-a", 1, 2000,
       spring("", "x = 1", "x = 0.3"), "bounded"},
      {"beyond the limit", "stoermer-verlet", 2.01, 2000, spring(), "drifts"},
      {"just beyond the limit", "stoermer-verlet", 2.0001, 2000, spring(), "drifts"},
      // Take-off.
      {"a take-off", "stoermer-verlet", 0.202, 13,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2 + 100*y^2/2", "x = 1\ny = 1e-9", ""),
       "drifts"},
      {"a take-off later", "stoermer-verlet", 0.202, 21,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2 + 100*y^2/2", "x = 1\ny = 1e-14", ""),
       "drifts"},
      {"a take-off far away", "stoermer-verlet", 0.202, 100,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2 + 100*y^2/2", "x = 1\ny = 1e-9", ""),
       "drifts"},
      {"before the take-off", "stoermer-verlet", 0.202, 6,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2 + 100*y^2/2", "x = 1\ny = 1e-9", ""),
       "undecided"},
      {"an explosion", "explicit-euler", 0.5, 600, spring(), "drifts"},
      {"an explosion of a stiff spring", "rk4", 0.1, 20,
       lagrangian("\"x\"", "x'^2/2", "2000*x^2/2", "x = 1", ""), "drifts"},
      // Slow and short.
      {"a slow loss", "rk4", 0.1, 1000, spring(), "drifts"},
      {"a very slow loss", "rk4", 0.02, 500, spring(), "drifts"},
      {"a loss below all that counts", "rk4", 0.001, 10, spring(), "conserved"},
      {"a short swing", "stoermer-verlet", 0.05, 1, pendulum(0.8), "undecided"},
      {"one step", "stoermer-verlet", 0.05, 0.05, pendulum(0.8), "undecided"},
      {"a period much longer than the run", "stoermer-verlet", 0.01, 0.5,
       lagrangian("\"x\"", "x'^2/2", "1e-4*x^2/2", "x = 1", "x = 0.01"), "undecided|conserved"},
      {"a pendulum on its top", "stoermer-verlet", 0.05, 8, pendulum(3.1415), "undecided"},
      {"a pendulum", "stoermer-verlet", 0.05, 200, pendulum(2.5), "bounded"},
      {"a pendulum, kept", "avf", 0.05, 200, pendulum(2.5), "conserved"},
      {"a pendulum, of fourth order", "yoshida", 0.05, 200, pendulum(2.5), "bounded"},
      {"a pendulum, with little steps", "\"yoshida\"\norder = 8", 0.005, 20, pendulum(1),
       "conserved"},
      // Planets.
      {"a planet", "stoermer-verlet", 0.02, 300, kepler(0.8), "bounded"},
      {"a planet on a circle", "stoermer-verlet", 0.02, 300, kepler(1), "bounded"},
      {"a planet on a circle, kept", "avf", 0.05, 300, kepler(1), "conserved"},
      {"a planet, falling", "backward-euler", 0.01, 30, kepler(1), "drifts"},
      {"a planet, leaving", "explicit-euler", 0.01, 100, kepler(1), "drifts"},
      {"a planet with chosen steps", "stoermer-verlet", 0.02, 300,
       "[step_control]\nkind = \"error\"\ntolerance = 1e-4\n" + kepler(0.5), "drifts"},
      {"a comet that passes", "stoermer-verlet", 0.02, 50,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "-1/sqrt(x^2 + y^2)", "x = -10\ny = 1",
                  "x = 1"),
       "undecided"},
      {"no energy at all", "avf", 0.02, 20, kepler(std::sqrt(2.0)), "conserved"},
      {"a planet in space, let go", "stoermer-verlet", 0.02, 300,
       "[system]\nkind = \"kepler\"\neccentricity = 0.3\n", "bounded"},
      // Several frequencies, chaos, forces.
      {"many beats", "stoermer-verlet", 0.1, 3000,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "(x^2 + y^2)/2 + 0.05*(x - y)^2",
                  "x = 1\ny = 0", ""),
       "bounded"},
      {"chaos", "stoermer-verlet", 0.05, 2000,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "(x^2 + y^2)/2 + x^2*y - y^3/3",
                  "x = 0\ny = 0.1", "x = 0.4\ny = 0.1"),
       "bounded"},
      {"chaos, kept", "avf", 0.05, 500,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "(x^2 + y^2)/2 + x^2*y - y^3/3",
                  "x = 0\ny = 0.1", "x = 0.4\ny = 0.1"),
       "conserved"},
      {"two wells", "implicit-midpoint", 0.05, 500,
       lagrangian("\"x\"", "x'^2/2", "x^4/4 - x^2/2", "x = 1.6", ""), "bounded"},
      {"a damped spring, explicit", "explicit-euler", 0.01, 100,
       spring("", "x = 1", "", "force = { x = \"-0.1*x'\" }\n"), "drifts"},
      {"a driven spring, kept", "avf", 0.05, 100,
       spring("", "x = 1", "", "force = { x = \"0.1*cos(0.7*t)\" }\n"), "conserved"},
      // Nothing moves, or nothing is exchanged.
      {"rest", "explicit-euler", 0.1, 100, spring("", "x = 0"), "conserved"},
      {"rest and a constant", "explicit-euler", 0.1, 100, spring("1e8 + ", "x = 0"), "conserved"},
      {"a free particle", "explicit-euler", 0.1, 100,
       lagrangian("\"x\"", "x'^2/2", "0*x", "x = 1", "x = 7"), "conserved"},
      {"a free particle and a constant", "implicit-midpoint", 0.1, 100,
       lagrangian("\"x\"", "x'^2/2", "1e8 + 0*x", "x = 1", "x = 7"), "conserved"},
      {"a fall", "explicit-euler", 0.01, 10, lagrangian("\"x\"", "x'^2/2", "9.81*x", "x = 0", ""),
       "drifts"},
      {"a fall, kept", "stoermer-verlet", 0.01, 10,
       lagrangian("\"x\"", "x'^2/2", "9.81*x", "x = 0", ""), "conserved"},
      {"a shifted spring", "avf", 0.05, 100,
       lagrangian("\"x\"", "x'^2/2", "(x - 1e4)^2/2", "x = 10001", ""), "conserved"},
      {"a tiny pendulum", "avf", 0.05, 100, pendulum(1e-6), "conserved"},
      // Bodies.
      {"a soft body vibrates", "avf", 0.01, 0.5, bar(kSoft, kStretched), "conserved"},
      {"a soft body, eaten", "backward-euler", 0.01, 3, bar(kSoft, kStretched), "drifts"},
      {"a flying body, eaten", "backward-euler", 0.01, 3,
       bar(kSoft, kStretched + "velocity = [30, 0, 0]\n"), "drifts"},
      {"a stiff body, eaten", "bdf2", 0.01, 2, bar(kRubber, kStretched + "velocity = [3, 0, 0]\n"),
       "drifts"},
      {"a stiff body, eaten slowly", "backward-euler", 0.001, 0.3,
       bar(kSteel, "deform = [{ kind = \"stretch\", factors = [1.0001, 1, 1] }]\n"), "drifts"},
      {"a soft body swings", "stoermer-verlet", 0.001, 2, bar(kSoft, kStretched), "bounded"},
      {"a soft body whose modes get out of step", "newmark", 0.005, 3, bar(kSoft, kStretched),
       "undecided|bounded"},
      {"a soft body swings, implicit", "newmark", 0.005, 12, bar(kSoft, kStretched), "bounded"},
      {"a soft body for a moment", "stoermer-verlet", 0.001, 0.01, bar(kSoft, kStretched),
       "undecided"},
      {"a body explodes", "stoermer-verlet", 0.02, 1, bar(kSoft, kStretched), "drifts"},
      {"a body at rest", "implicit-midpoint", 0.01, 0.5, bar(kSteel, ""), "conserved"},
      {"a body that flies", "implicit-midpoint", 0.01, 0.5, bar(kRubber, "velocity = [3, 2, 1]\n"),
       "conserved"},
      {"a body that falls from high above", "implicit-midpoint", 0.01, 0.5,
       bar(kRubber, "translate = [0, 1e5, 0]\n", "gravity = [0, -9.81, 0]"), "conserved"},
      {"momentum of a body", "stoermer-verlet", 0.001, 0.5, bar(kSoft, kStretched), "conserved",
       "momentum"},
      {"spin of a body that does not turn", "stoermer-verlet", 0.001, 0.5, bar(kSoft, kStretched),
       "conserved", "spin"},
      {"spin of a body", "implicit-midpoint", 0.005, 0.5, bar(kSoft, kSpinning), "conserved",
       "spin"},
      {"spin of a body, eaten", "backward-euler", 0.01, 1, bar(kSoft, kSpinning), "drifts", "spin"},
      {"spin of a body far away", "implicit-midpoint", 0.005, 0.5,
       bar(kSoft, kSpinning + "translate = [1e5, -2e5, 0]\n"), "conserved", "spin"},
  };
  return table;
}

const std::string kTwo = "\"x\", \"y\"";
const std::string kTwoMasses = "(x'^2 + y'^2)/2";

// Runs that the rule was not made with.
inline const std::vector<Case>& fresh() {
  static const std::vector<Case> table = {
      {"a circle, gain of 2 %", "explicit-euler", 0.001, 20,
       lagrangian("\"x\", \"y\"", "(x'^2 + y'^2)/2", "(x^2 + y^2)/2", "x = 1\ny = 0",
                  "x = 0\ny = 1"),
       "drifts"},
      {"a tiny stiff part on a hinge, far away: rounding of forces", "avf", 1.0 / 240, 0.1,
       "[world]\ngravity = [0, -9.81, 0]\n[[body]]\ndensity = 7800\n"
       "shape = { kind = \"bar\", size = [0.004, 0.002, 0.002], cells = [3, 1, 1] }\n"
       "material = { model = \"neo-hookean-log\", young = 4e8, poisson = 0.45 }\n"
       "translate = [100, 100, 100]\n[[constraint]]\nkind = \"hinge\"\n"
       "from = [99.998, 99.999, 99.999]\nto = [99.998, 100.001, 100.001]\n",
       "conserved"},
      {"quartic, a constant, gain", "explicit-euler", 0.001, 20,
       lagrangian("\"x\"", "x'^2/2", "1e9 + x^4/4", "x = 1", ""), "drifts"},
      {"quartic, a constant, swing", "stoermer-verlet", 0.05, 200,
       lagrangian("\"x\"", "x'^2/2", "1e6 + x^4/4", "x = 1", ""), "bounded"},
      {"quartic, a negative constant, loss", "backward-euler", 0.01, 100,
       lagrangian("\"x\"", "x'^2/2", "-1e9 + x^4/4", "x = 1", ""), "drifts"},
      {"a negative invariant, lost", "backward-euler", 0.01, 100,
       spring("", "x = 1", "", "invariants = { Q = \"-1e7 - x^2 - v_x^2\" }\n"), "drifts", "Q"},
      {"a negative invariant swings", "symplectic-euler-b", 0.5, 500,
       spring("", "x = 1", "", "invariants = { Q = \"3 - x^2 - v_x^2\" }\n"), "bounded", "Q"},
      {"a sum of momenta and a constant", "stoermer-verlet", 0.1, 100,
       lagrangian(kTwo, kTwoMasses, "(x - y)^2/2", "x = 1\ny = 0", "x = 1\ny = 2",
                  "invariants = { P = \"1e6 + v_x + v_y\" }\n"),
       "conserved", "P"},
      {"the energy of one spring of two", "stoermer-verlet", 0.1, 200,
       lagrangian(kTwo, kTwoMasses, "x^2/2 + 2*y^2", "x = 1\ny = 1", "",
                  "invariants = { ex = \"v_x^2/2 + x^2/2\" }\n"),
       "bounded", "ex"},
      {"a stiff spring beside a soft one", "tr-bdf2", 0.1, 100,
       lagrangian(kTwo, kTwoMasses, "1e4*x^2/2 + y^2/2", "x = 1\ny = 1", ""), "drifts"},
      {"Newmark on a spring, large steps", "newmark", 1.9, 2000, spring(), "conserved"},
      {"nearly at the limit", "stoermer-verlet", 1.99, 4000, spring(), "bounded"},
      {"a planet, of fourth order", "yoshida", 0.02, 300, kepler(0.7), "bounded"},
      {"a planet, by rk4", "rk4", 0.05, 200, kepler(0.6), "drifts"},
      {"a quarter of an orbit", "stoermer-verlet", 0.01, 1, kepler(0.9), "undecided"},
      {"a fall and a constant", "explicit-euler", 0.01, 5,
       lagrangian("\"x\"", "x'^2/2", "1e6 + 9.81*x", "x = 0", ""), "drifts"},
      {"a pendulum with large steps", "implicit-midpoint", 1, 3000, pendulum(1.5), "bounded"},
      {"a pendulum that turns over", "stoermer-verlet", 0.05, 200,
       lagrangian("\"a\"", "a'^2/2", "1 - cos(a)", "a = 0", "a = 3"), "bounded"},
      {"a mass that depends on the place", "\"gauss\"\nstages = 2", 0.2, 400,
       lagrangian("\"x\"", "(1 + x^2)*x'^2/2", "x^2/2", "x = 1", ""), "bounded"},
      {"a mass that depends on the place, shortly", "implicit-midpoint", 0.02, 0.4,
       lagrangian("\"x\"", "(1 + x^2)*x'^2/2", "x^2/2", "x = 1", ""), "undecided"},
      {"another take-off", "stoermer-verlet", 0.0668, 60,
       lagrangian(kTwo, kTwoMasses, "x^2/2 + 450*y^2", "x = 1\ny = 1e-6", ""), "drifts"},
      {"before another take-off", "stoermer-verlet", 0.0668, 3,
       lagrangian(kTwo, kTwoMasses, "x^2/2 + 450*y^2", "x = 1\ny = 1e-6", ""), "undecided"},
      {"a rotor", "rk4", 0.1, 100, lagrangian("\"a\"", "a'^2/2", "5 + 0*a", "a = 0", "a = 2"),
       "conserved"},
      {"chaos that gains", "explicit-euler", 0.001, 100,
       lagrangian(kTwo, kTwoMasses, "(x^2 + y^2)/2 + x^2*y - y^3/3", "x = 0\ny = 0.1",
                  "x = 0.3\ny = 0.1"),
       "drifts"},
      {"a chain", "stoermer-verlet", 0.1, 2000,
       lagrangian("\"x\", \"y\", \"z\"", "(x'^2 + y'^2 + z'^2)/2",
                  "x^2/2 + (x - y)^2/2 + (y - z)^2/2 + (x - y)^4/4", "x = 1\ny = 0\nz = 0", ""),
       "bounded"},
      {"a part of a beat", "stoermer-verlet", 0.1, 150,
       lagrangian(kTwo, kTwoMasses, "(x^2 + y^2)/2 + 0.005*(x - y)^2", "x = 1\ny = 0", ""),
       "bounded|undecided"},
      {"driven and damped, kept", "avf", 0.05, 100,
       spring("", "x = 1", "", "force = { x = \"0.1*cos(t) - 0.05*x'\" }\n"), "conserved"},
      {"small units", "stoermer-verlet", 2000, 3e7,
       lagrangian(kTwo, kTwoMasses, "-1e-10/sqrt(x^2 + y^2)", "x = 1\ny = 0", "y = 9e-6"),
       "bounded"},
      {"large units", "stoermer-verlet", 1e-11, 1e-8,
       lagrangian("\"x\"", "x'^2/2", "1e20*x^2/2", "x = 1", ""), "undecided|bounded"},
      {"one step of explicit Euler", "explicit-euler", 0.05, 0.05, spring(), "drifts"},
      {"many small steps", "rk4", 0.0005, 50, spring(), "conserved"},
      {"a hanging body, eaten", "backward-euler", 0.02, 4,
       bar(kSoft, "fix = [{ slab = { axis = \"x\", from = 0, to = 0 } }]\n",
           "gravity = [0, -9.81, 0]"),
       "drifts"},
      {"a falling body, eaten", "backward-euler", 0.01, 1,
       bar(kSoft, kStretched, "gravity = [0, -9.81, 0]"), "drifts"},
      {"a soft body, by Bathe", "bathe", 0.02, 3, bar(kSoft, kStretched), "drifts"},
      {"a soft body that turns", "energy-momentum", 0.01, 0.5, bar(kSoft, kSpinning), "conserved",
       "spin"},
      {"momentum of a flight", "implicit-midpoint", 0.005, 0.5,
       bar(kSoft, kStretched + "velocity = [1, 2, 0]\n"), "conserved", "momentum"},
  };
  return table;
}

}  // namespace lilyan::test::verdict_table

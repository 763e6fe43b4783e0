// Scenes whose systems are formulas: what is read, and where mistakes are reported.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <regex>
#include <string>

#include "app/scene/scene.hpp"
#include "app/scene/small/observables.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::system_table_test {
namespace {

Scene load(const std::string& text, const SceneChanges& changes = {}) {
  const TempFolder folder;
  return load_scene(folder.write("scene.toml", text), changes);
}

const std::string kHead = "[integrator]\nmethod = \"implicit-midpoint\"\nstep = 0.1\nsteps = 5\n";

// Five lines of head, then the system.
std::string pendulum(const std::string& more = "", const std::string& potential = "-g*cos(q)") {
  return kHead + "[system]\nkind = \"lagrangian\"\ncoordinates = [\"q\"]\n" +
         "kinetic = \"q'^2/2\"\npotential = \"" + potential + "\"\nparameters = { g = 2 }\n" + more;
}

TEST(SystemTable, ReadsCoordinatesParametersAndValues) {
  const Scene s = load(kHead + R"(
[system]
kind = "lagrangian"
coordinates = ["x[n]", "y[0..1]", "phi"]
kinetic = """
  sum(i, 1, n, m[i]*x[i]'^2)/2
  + y[0]'^2/2 + y[1]'^2/2 + phi'^2*(2 + cos(phi))/2
"""
potential = "k*sum(i, 1, n, x[i]^2)/2"
reference = "nowhere"
[system.parameters]
n = 3
m = [1, "two", 3]
two = "1 + 1"
k = "two*pi"
[system.position]
x = "10*i"
y = [5, "two^2"]
phi = 1
[system.velocity]
y = 7
)");
  EXPECT_EQ(s.small().coordinates,
            (std::vector<std::string>{"x[1]", "x[2]", "x[3]", "y[0]", "y[1]", "phi"}));
  EXPECT_EQ(s.initial.x, (Vector(6) << 10, 20, 30, 5, 4, 1).finished());
  EXPECT_EQ(s.initial.v, (Vector(6) << 0, 0, 0, 7, 7, 0).finished());
  EXPECT_NE(s.system->lagrangian(), nullptr);
  // y[0], y[1] are cyclic.
  ASSERT_EQ(s.small().observables->invariants.size(), 2u);
  EXPECT_EQ(s.small().observables->invariants[0].name, "p_y[0]");
  EXPECT_TRUE(s.small().observables->invariants[0].found);
}

TEST(SystemTable, ParametersCanBeChangedFromOutside) {
  const Scene s = load(pendulum(), {.settings = {"system.parameters.g=5"}});
  EXPECT_EQ(s.system->lagrangian(), nullptr);  // constant mass
  EXPECT_NE(s.resolved.find("5"), std::string::npos);
}

TEST(SystemTable, TheResolvedSceneIsTheSameScene) {
  const Scene first =
      load(pendulum("[[system.event]]\nname = \"low\"\nzero = \"q\"\n"
                    "[system.invariants]\ne = \"energy\"\n"));
  const Scene again = load(first.resolved);
  EXPECT_EQ(again.resolved, first.resolved);
  EXPECT_EQ(again.small().observables->events.size(), 1u);
  EXPECT_EQ(again.small().observables->invariants.size(), 1u);
}

TEST(SystemTable, ObservablesHaveTheirValues) {
  const Scene s = load(pendulum(R"x([system.invariants]
h = "energy"
[[system.event]]
name = "low"
zero = "q - 1"
section = ["q", "p_q"]
[[system.plot]]
name = "plane"
x = "sin(q)"
y = "t"
[system.exact]
q = "t + 3"
)x"));
  State state = s.initial;
  state.t = 4;
  state.x[0] = 0.5;
  state.v[0] = 2;
  EXPECT_NEAR(s.small().observables->invariant_values(state)[0], 2 - 2 * std::cos(0.5), 1e-15);
  EXPECT_EQ(s.small().observables->event_values(state)[0], -0.5);
  EXPECT_EQ(s.small().observables->section_values(state)[1], 2);
  EXPECT_EQ(s.small().observables->plot_values(state)[1], 4);
  EXPECT_EQ(s.small().observables->exact_error(state), 6.5);
}

TEST(SystemTable, BuiltInKindsCanBeObserved) {
  const Scene s = load(kHead + R"([system]
kind = "kepler"
[system.invariants]
Lz = "x*p_y - y*p_x"
e = "eccentricity"
)");
  ASSERT_EQ(s.small().observables->invariants.size(), 2u);
  EXPECT_NEAR(s.small().observables->invariant_values(s.initial)[0], std::sqrt(1 - 0.36), 1e-14);
  EXPECT_EQ(s.small().observables->invariant_values(s.initial)[1], 0.6);
}

TEST(SystemTable, ForcesOfListsUseTheirIndex) {
  const Scene s = load(kHead + R"([system]
kind = "lagrangian"
coordinates = ["x[2]"]
kinetic = "(x[1]'^2 + x[2]'^2)/2"
[system.force]
x = "i*t - x[i]'"
)");
  ASSERT_EQ(s.system->forces().size(), 1u);
  const double q[] = {0, 0}, v[] = {0.5, 0.25};
  double f[] = {0, 0};
  s.system->forces()[0]->add(10, q, v, f);
  EXPECT_EQ(f[0], 9.5);
  EXPECT_EQ(f[1], 19.75);
}

struct Mistake {
  std::string name, scene, where, says;
};
void PrintTo(const Mistake& m, std::ostream* out) { *out << m.name; }

class SystemTableMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(SystemTableMistakes, AreReportedWithTheirPlace) {
  const TempFolder folder;
  const auto file = folder.write("scene.toml", GetParam().scene);
  try {
    (void)load_scene(file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(std::regex_search(text, std::regex(GetParam().says))) << text;
    EXPECT_NE(text.find("scene.toml:" + GetParam().where + ":"), std::string::npos) << text;
  }
}

const std::string kSystem = kHead + "[system]\nkind = \"lagrangian\"\n";

INSTANTIATE_TEST_SUITE_P(
    Scene, SystemTableMistakes,
    testing::Values(
        Mistake{"MisspeltName", pendulum("", "-g*cos(r)"), "9:21", "unknown name 'r'"},
        Mistake{"MissingParenthesis", pendulum("", "-g*cos(q"), "9:22", "\\)"},
        Mistake{"ImplicitProduct", pendulum("", "2q"), "9:15", "2\\*q"},
        Mistake{"SecondLine",
                kSystem + "coordinates = \"q\"\nkinetic = \"\"\"\n  q'^2\n  + s\"\"\"\n", "10:5",
                "unknown name 's'"},
        Mistake{"NoCoordinates", kSystem + "kinetic = \"1\"\n", "5:1", "coordinates"},
        Mistake{"NoInertia", kSystem + "coordinates = [\"a\", \"b\"]\nkinetic = \"a'^2\"\n", "8:11",
                "b' is not in the kinetic energy"},
        Mistake{"BothForms", pendulum("lagrangian = \"q'^2\"\n"), "8:11", "either 'lagrangian' or"},
        Mistake{"UnknownCoordinate", pendulum("[system.position]\nr = 1\n"), "12:1",
                "unknown key 'system.position.r'"},
        Mistake{"ForceOnUnknown", pendulum("[system.force]\nr = \"1\"\n"), "12:1",
                "unknown key 'system.force.r'"},
        Mistake{"ForcesOfOtherKinds", pendulum("[[system.force]]\nkind = \"drag\"\n"), "11:1",
                "formulas by coordinate"},
        Mistake{"IndexOutOfRange",
                kSystem + "coordinates = [\"x[3]\"]\nkinetic = \"sum(i,1,4,x[i]'^2)\"\n", "8:24",
                "3"},
        Mistake{"FractionalCount", kSystem + "coordinates = [\"x[2.5]\"]\nkinetic = \"0\"\n",
                "7:16", "whole"},
        Mistake{"VelocityInConstraint", pendulum("constraint = \"q'\"\n"), "11:14", "velocities"},
        Mistake{"BrokenConstraint", pendulum("constraint = \"q - 1\"\n"), "11:14", "does not hold"},
        Mistake{"CircularParameters", pendulum("[system.invariants]\na = \"u\"\n"), "12:6",
                "unknown name 'u'"},
        Mistake{"BadEventName", pendulum("[[system.event]]\nname = \"a b\"\nzero = \"q\"\n"),
                "12:8", "cannot be a name"},
        Mistake{"EventTwice",
                pendulum("[[system.event]]\nname = \"a\"\nzero = \"q\"\n[[system.event]]\nname = "
                         "\"a\"\nzero = \"q\"\n"),
                "15:8", "is taken"},
        Mistake{"PlotNameTaken",
                pendulum("[[system.plot]]\nname = \"phase\"\nx = \"q\"\ny = \"q\"\n"), "12:8",
                "is taken"},
        Mistake{"SectionOfThree",
                pendulum("[[system.event]]\nname = \"a\"\nzero = \"q\"\nsection = [\"q\", \"q\", "
                         "\"q\"]\n"),
                "14:11", "two formulas"},
        Mistake{"NotFinite", pendulum("[system.position]\nq = \"1/0\"\n"), "12:5", "not finite"},
        Mistake{"MethodForConstantMasses",
                "[integrator]\nmethod = \"newmark\"\nstep = 0.1\nsteps = 5\n[system]\nkind = "
                "\"lagrangian\"\ncoordinates = \"q\"\nkinetic = \"(1 + q^2)*q'^2\"\n",
                "2:10", "constant masses"},
        Mistake{"IntervalOfBodies",
                kHead +
                    "[output]\ninterval = 1\n[[body]]\nmass = 1\nshape = { kind = \"bar\", size = "
                    "[1,1,1], cells = [1,1,1] }\nmaterial = { mu = 1, lambda = 1 }\n",
                "6:12", "\\[system\\]"}),
    [](const auto& p) { return p.param.name; });

TEST(SystemTable, CircularParametersAreReported) {
  try {
    (void)load(kSystem +
               "coordinates = \"q\"\nkinetic = \"q'^2\"\nparameters = { a = \"b\", b = \"a\" }\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("defined by each other"), std::string::npos);
  }
}

TEST(SystemTable, TheCaretPointsAtTheMistake) {
  try {
    (void)load(pendulum("", "-g*cos(qq) + 1"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("-g*cos(qq) + 1\n       ^"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace lilyan::test::system_table_test

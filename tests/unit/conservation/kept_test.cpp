// The rule of conservation/kept.hpp, on series that are made by formulas.
#include "lilyan/conservation/kept.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>

namespace lilyan::test::kept_test {
namespace {

constexpr double kTau = 2 * std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Course, ALineThroughValues) {
  Course course;
  for (int k = 0; k <= 1000; ++k) course.add(5 + 0.1 * k, 3 - 0.2 * k);
  EXPECT_NEAR(course.rise(), -200, 1e-10);
  EXPECT_NEAR(course.rise(0.5), -200, 1e-10);
  EXPECT_NEAR(course.band(), 200, 1e-12);
  EXPECT_EQ(course.last(), -197);
  // A piece has at most a 32nd of the values.
  EXPECT_NEAR(course.range(0.5, 1).high, -97, 1001 * 0.2 / 32);
  EXPECT_EQ(course.range(0, 0.25).high, 3);
}

// A wave of n periods that begins at its mean is the worst case: its line rises by 0.95/n of the band.
TEST(Course, AWaveRisesByAShareOfItsBand) {
  for (const int values : {1000, 100000}) {
    Course course;
    for (int k = 0; k <= values; ++k) {
      course.add(k, std::sin(kTau * 6 * k / values));
    }
    EXPECT_NEAR(course.rise(), -0.95 * 2 / 6, 0.03) << values;
  }
}

TEST(Course, SettlesWhereTheLossIsOver) {
  Course course;
  for (int k = 0; k <= 10000; ++k) course.add(0.1 * k, std::exp(-0.1 * k / 20.0));
  EXPECT_NEAR(course.settled(), 46, 1000.0 / 32);
}

TEST(Swings, CountsThoseThatAreLargeBesideTheBand) {
  const auto count = [](double periods, double ripple) {
    Swings swings;
    for (int k = 0; k <= 10000; ++k) {
      const double t = kTau * 1e-4 * k;
      swings.add(3 - std::cos(periods * t) + ripple * std::sin(400 * t));
    }
    return swings.count();
  };
  EXPECT_EQ(count(0.4, 0), 0);
  EXPECT_NEAR(count(1, 0), 1, 0.5);
  EXPECT_NEAR(count(7, 0), 7, 0.5);
  EXPECT_NEAR(count(1, 0.05), 1, 0.5);  // a ripple does not count,
  EXPECT_GT(count(1, 1), 100);          // a wave does
  Swings line;
  for (int k = 0; k < 1000; ++k) line.add(-2.0 * k);
  EXPECT_EQ(line.count(), 0);
}

// A series d(t) of a run from 0 to 1, with S = 1.
struct Made {
  std::string what;
  std::function<double(double)> d;
  Kept plain;     // without a promise
  Kept promised;  // and with one; the motion swings as often as said
  double swings = 100;
  int steps = 2000;
  double rounding = 1e-14;
};

Kept verdict(const Made& made, bool promised) {
  Deviation d{.exchange = 1, .rounding = made.rounding, .promised_bounded = promised};
  for (int k = 0; k <= made.steps; ++k) {
    const double t = static_cast<double>(k) / made.steps;
    d.add(t, made.d(t));
    d.add_motion(t, std::pow(std::sin(0.5 * kTau * made.swings * t), 2));
  }
  return d.kept();
}

const auto kConservedBy = Kept::conserved;
constexpr Kept kB = Kept::bounded;
constexpr Kept kU = Kept::undecided;
constexpr Kept kD = Kept::drifts;

double wave(double periods, double t) { return std::sin(kTau * periods * t); }
// From the start and back to it.
double bump(double periods, double t) { return 0.5 * (1 - std::cos(kTau * periods * t)); }
double noise(double t) {
  std::mt19937 random(static_cast<unsigned>(t * 1e9));
  return std::uniform_real_distribution<>(-1, 1)(random);
}

const Made kMade[] = {
    {"zero", [](double) { return 0.0; }, kConservedBy, kConservedBy},
    {"noise of rounding", [](double t) { return 1e-15 * noise(t); }, kConservedBy, kConservedBy},
    {"a drift of rounding", [](double t) { return 1e-12 * t; }, kConservedBy, kConservedBy},
    {"just conserved", [](double t) { return 0.99e-9 * t; }, kConservedBy, kConservedBy},
    {"just not conserved", [](double t) { return 1.01e-9 * t; }, kD, kD},
    {"a wave", [](double t) { return 1e-3 * wave(100, t); }, kB, kB},
    {"a one-sided wave", [](double t) { return -1e-3 * bump(100, t); }, kB, kB},
    {"a wave as large as the energy", [](double t) { return 0.9 * bump(100, t); }, kB, kB},
    {"a wave larger than the energy", [](double t) { return 3 * bump(100, t); }, kB, kB},
    {"a small wave", [](double t) { return 1e-7 * wave(100, t); }, kB, kB},
    {"six periods", [](double t) { return 1e-3 * wave(6, t); }, kB, kB, 12},
    {"noise in a band", [](double t) { return 1e-4 * noise(t); }, kB, kB},
    {"two frequencies", [](double t) { return 1e-3 * (wave(100, t) + wave(141.4, t)); }, kB, kB},
    {"many beats", [](double t) { return 1e-3 * bump(300, t) * bump(12, t); }, kB, kB},
    {"spikes", [](double t) { return 1e-3 * std::pow(bump(40, t), 20); }, kB, kB, 40},
    {"a wave and a hundredth of a drift", [](double t) { return 1e-3 * (wave(100, t) + 0.02 * t); },
     kB, kB},
    {"a wave and half a drift", [](double t) { return 1e-3 * (wave(100, t) + t); }, kD, kD},
    {"a wave and a drift", [](double t) { return 1e-3 * (wave(100, t) - 3 * t); }, kD, kD},
    {"a drift", [](double t) { return 1e-3 * t; }, kD, kD},
    {"a falling drift", [](double t) { return -1e-3 * t; }, kD, kD},
    {"a tiny drift", [](double t) { return 1e-8 * t; }, kD, kD},
    {"a drift like √t", [](double t) { return 1e-3 * std::sqrt(t); }, kD, kD},
    {"a loss of all at once", [](double t) { return -1 + std::exp(-500 * t); }, kD, kD},
    {"a loss at once, of a part", [](double t) { return -0.3 + 0.3 * std::exp(-500 * t); }, kD, kD},
    {"a loss in the first half", [](double t) { return -1 + std::exp(-8 * t); }, kD, kD},
    {"a loss in the last quarter", [](double t) { return t < 0.9 ? 0 : -0.5; }, kD, kD},
    {"a step in the middle", [](double t) { return t < 0.5 ? 0 : -1e-3; }, kD, kD},
    {"a loss with a ripple that decays",
     [](double t) { return -(1 - std::exp(-20 * t) * (1 + 0.2 * wave(100, t))); }, kD, kD},
    {"a loss, then a small ripple",
     [](double t) { return -1 + std::exp(-500 * t) + 1e-3 * wave(100, t); }, kD, kD},
    {"a wave that grows steadily", [](double t) { return 1e-3 * t * wave(100, t); }, kD, kD},
    {"a one-sided wave that grows steadily", [](double t) { return 1e-3 * t * bump(100, t); }, kD,
     kD},
    {"a wave that decays", [](double t) { return 1e-3 * std::exp(-5 * t) * wave(100, t); }, kD, kB},
    {"a take-off", [](double t) { return 1e-9 * std::exp(18 * t); }, kD, kD},
    {"a take-off beside a wave",
     [](double t) { return 1e-3 * wave(100, t) + 1e-9 * std::exp(18 * t); }, kD, kD},
    {"a take-off that swings", [](double t) { return 1e-9 * std::exp(18 * t) * wave(100, t); }, kD,
     kD},
    {"a take-off to the stars", [](double t) { return 1e-9 * std::exp(160 * t); }, kD, kD},
    {"a take-off after four swings",
     [](double t) { return 1e-3 * wave(4, t) + 1e-9 * std::exp(18 * t); }, kD, kD, 4},
    {"an explosion that stays", [](double t) { return t < 0.3 ? 0.1 * t : 50 + noise(t); }, kD, kD},
    {"another band, near by: the modes of a body get out of step",
     [](double t) { return 0.01 * (-1 + std::exp(-60 * t) + 0.3 * noise(t)); }, kD, kB},
    {"a wave of a period of four runs", [](double t) { return 1e-3 * bump(0.25, t); }, kD, kU, 0.5},
    {"half a swing", [](double t) { return 1e-3 * bump(0.5, t); }, kD, kU, 0.5},
    {"a swing there and back", [](double t) { return 1e-3 * bump(1, t); }, kU, kU, 1},
    {"three swings", [](double t) { return 1e-3 * bump(3, t); }, kU, kU, 3},
    {"three swings and a drift of as much", [](double t) { return 1e-3 * (bump(3, t) + 4 * t); },
     kD, kD, 3},
    {"a quarter of a beat", [](double t) { return 1e-3 * std::sin(1.5 * t) * bump(200, t); }, kD,
     kU},
    {"a band that still widens at one edge",
     [](double t) { return 1e-3 * (bump(100, t) + 2 * t * bump(3.3, t)); }, kD, kU},
    {"few steps", [](double t) { return 1e-3 * t * t; }, kD, kU, 0.1, 5},
    {"one step", [](double t) { return 1e-3 * t; }, kD, kU, 0.01, 1},
    {"not a number at the end", [](double t) { return t < 0.99 ? 0 : kNan; }, kD, kD},
    {"not a number at once", [](double t) { return t > 0 ? kNan : 0; }, kD, kD},
    {"infinite", [](double t) { return t < 0.5 ? 0 : kInfinity; }, kD, kD},
    {"noise below a large rounding", [](double t) { return 2e-8 * noise(t); }, kConservedBy,
     kConservedBy, 100, 2000, 1e-7},
    {"a drift above a large rounding", [](double t) { return 2e-2 * t; }, kD, kD, 100, 2000, 1e-7},
    {"a wave above a large rounding", [](double t) { return 1e-2 * wave(100, t); }, kB, kB, 100,
     2000, 1e-7},
    {"rounding that hides all", [](double) { return 0.0; }, kU, kU, 100, 2000, 10},
    {"rounding that hides a drift", [](double t) { return 0.02 * t; }, kU, kU, 100, 2000, 0.1},
    {"a drift above rounding that hides much", [](double t) { return 0.5 * t; }, kD, kD, 100, 2000,
     0.1},
};

TEST(Kept, FollowsTheRuleForMadeSeries) {
  int wrong = 0;
  for (const Made& made : kMade) {
    for (const bool promised : {false, true}) {
      const Kept found = verdict(made, promised);
      const Kept right = promised ? made.promised : made.plain;
      EXPECT_EQ(name(found), name(right)) << made.what << (promised ? ", promised" : "");
      wrong += found != right;
    }
  }
  std::printf("    %d of %zu wrong\n", wrong, 2 * std::size(kMade));
}

// Other units of time or of the quantity change nothing.
TEST(Kept, DoesNotDependOnUnits) {
  for (const Made& made : kMade) {
    for (const bool promised : {false, true}) {
      for (const double unit : {1e-12, 1e15}) {
        Deviation d{
            .exchange = unit, .rounding = unit * made.rounding, .promised_bounded = promised};
        for (int k = 0; k <= made.steps; ++k) {
          const double t = static_cast<double>(k) / made.steps;
          d.add(unit * t, unit * made.d(t));
          d.add_motion(unit * t, unit * std::pow(std::sin(0.5 * kTau * made.swings * t), 2));
        }
        EXPECT_EQ(name(d.kept()), name(verdict(made, promised))) << made.what << " " << unit;
      }
    }
  }
}

// The share that is shown is that of the start where it means something.
TEST(Deviation, IsShownAsAShareOfTheStartOrOfTheExchange) {
  Deviation d{.start = 1};
  d.exchanges(1.2, 0);
  d.add(0, 0);
  d.add(1, 0.65);
  EXPECT_EQ(d.size().of, SizeOf::start);
  EXPECT_EQ(d.worst_relative(), 0.65);
  d.start = 1e9;  // with a constant
  EXPECT_EQ(d.size().of, SizeOf::exchange);
  EXPECT_NEAR(d.worst_relative(), 0.65 / 1.2, 1e-12);
  d.start = 1e-9;  // a difference of the parts
  EXPECT_EQ(d.size().of, SizeOf::exchange);
}

// An energy that explodes has large parts, which are no exchange.
TEST(Deviation, GrowthIsNoExchange) {
  Deviation d;
  for (double grown = 0; grown < 1e60; grown = 2 * grown + 0.1) d.exchanges(1 + grown, grown);
  EXPECT_NEAR(d.exchange, 1, 1e-9);
}

TEST(Deviation, WhereNothingMovesRoundingIsNoDoubt) {
  Deviation d{.rounding = 1e-7};
  for (int k = 0; k < 20; ++k) d.add(k, 0);
  EXPECT_EQ(d.kept(), Kept::conserved);
}

}  // namespace
}  // namespace lilyan::test::kept_test

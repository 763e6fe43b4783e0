#include "lilyan/conservation/kept.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lilyan/base/types.hpp"

namespace lilyan {
namespace {

// The share of S that rounding may hide.
constexpr double kHidden = 1e-3;
// The share of a band that a line through it may rise by while it counts as flat. A wave of n periods has
// a line that rises by up to 0.95/n of its band.
constexpr double kFlat = 0.2;
constexpr double kFewSwings = 1 / kFlat;
constexpr double kFewest = 10;  // values, below which nobody can tell
// The share of the band that each quarter of the run may miss at either edge.
constexpr double kNear = 0.25;
// The share by which a band may widen while it counts as one that stays.
constexpr double kStays = 0.1;
// A band that widens as a quarter of a sine does is √2 times as wide after the run as after half of it. One that
// widens steadily is twice as wide.
constexpr double kSlowly = 1.6;
// The share of S by which a quantity may move to another band.
constexpr double kMoves = 0.2;
// By what factor more the last quarter of a run may widen the band than the motion explains. The deviation
// is at most quadratic in what moves. A wave that has not been seen whole can still show its other half.
constexpr double kTakeOff = 1.5;
constexpr double kTakeOffAtFirst = 2.5;
constexpr double kSeenWhole = 2;  // swings
// The same where the motion is not known: a deviation that grows as t⁴ widens by (4/3)⁴.
constexpr double kTakeOffAlone = 4;

// How far a swing that cannot be told from a drift may go, as a share of S.
constexpr double kFar = 4;

// The share of the kinetic energy below which what its parts exchange is little.
constexpr double kLittle = 0.1;
// What |Q₀| may be as a share of S, to be a size that means something.
constexpr double kLeastOfStart = 1e-3;
constexpr double kMostOfStart = 4;
// Growth counts a little more than once, so that rounding errors of a huge growth are no exchange.
constexpr double kGrown = 1 + 1e-6;

// How much wider the whole band is than that of the run's first part.
double widens_after(double part, const Course& course) {
  const double before = course.range(0, part).width();
  return before > 0 ? course.band() / before : 1;
}

}  // namespace

std::string_view name(Kept kept) {
  switch (kept) {
    case Kept::conserved: return "conserved";
    case Kept::bounded: return "bounded";
    case Kept::undecided: return "undecided";
    case Kept::drifts: break;
  }
  return "drifts";
}

double rounding_of(double terms, double steps) {
  return std::numeric_limits<double>::epsilon() * terms * (8 + std::sqrt(steps));
}

void Deviation::add(double t, double deviation) {
  now = std::abs(deviation);
  worst = larger(worst, now);
  course.add(t, deviation);
  swings.add(deviation);
}

void Deviation::add_motion(double t, double kinetic) {
  motion.add(t, kinetic);
  motion_swings.add(kinetic);
}

void Deviation::exchanges(double parts, double grown, SizeOf what) {
  const double size = parts - kGrown * grown;
  if (what == SizeOf::part_of_kinetic && std::isfinite(size)) {
    largest_kinetic = std::max(largest_kinetic, size / kPartOfKinetic);
  }
  if (!(size > exchange) || !std::isfinite(size)) return;
  exchange = size;
  of = what;
}

Size Deviation::size() const {
  const bool little = (of == SizeOf::exchange || of == SizeOf::part_of_kinetic) &&
                      exchange < kLittle * largest_kinetic;
  const Size parts = little ? Size{largest_kinetic, SizeOf::kinetic} : Size{exchange, of};
  const bool much = start > kLeastOfStart * parts.value;
  const bool natural = much && (start <= kMostOfStart * parts.value || parts.value == 0);
  return natural ? Size{start, SizeOf::start} : parts;
}

// Rule 4.
bool Deviation::steady() const {
  const Course::Range all = course.range();
  const double band = all.width();
  if (course.count() < kFewest || swings.count() < kFewSwings) return false;
  if (std::abs(course.rise()) > kFlat * band) return false;
  return std::ranges::all_of(std::array{0.0, 0.25, 0.5, 0.75}, [&](double from) {
    const Course::Range quarter = course.range(from, from + 0.25);
    return quarter.low <= all.low + kNear * band && quarter.high >= all.high - kNear * band;
  });
}

// Rule 5.
bool Deviation::stays() const {
  const double band = course.band();
  const Course::Range first = course.range(0, 0.5);
  const Course::Range second = course.range(0.5, 1);
  if (std::max(second.high - first.high, first.low - second.low) > kFlat * band) return false;
  if (std::min(std::abs(course.rise()), std::abs(course.rise(0.5))) > kFlat * band) return false;
  const bool across = second.low <= 0 && second.high >= 0;
  const double nearest = across ? 0 : std::min(std::abs(second.low), std::abs(second.high));
  return nearest <= 0.5 * worst || worst <= kMoves * exchange;
}

bool Deviation::widens_slowly() const {
  const double widens = widens_after(0.5, course);
  if (widens <= 1 + kStays || widens > kSlowly || worst > kFar * exchange) return false;
  // A drift takes both edges along from each quarter to the next.
  bool rises = true, falls = true;
  for (const double from : {0.0, 0.25, 0.5}) {
    const Course::Range here = course.range(from, from + 0.25);
    const Course::Range next = course.range(from + 0.25, from + 0.5);
    rises = rises && next.low > here.low && next.high > here.high;
    falls = falls && next.low < here.low && next.high < here.high;
  }
  return !rises && !falls;
}

// Rule 6.
bool Deviation::took_off() const {
  const double widens = widens_after(0.75, course);
  if (motion.count() == 0) return widens > kTakeOffAlone;
  const double moves = widens_after(0.75, motion);
  const double most = motion_swings.count() < kSeenWhole ? kTakeOffAtFirst : kTakeOff;
  return widens > most * moves * moves;
}

Deviation::Judgement Deviation::judge() const {
  if (!std::isfinite(worst)) return {Kept::drifts};
  if (worst <= rounding && exchange > 0 && rounding > kHidden * exchange) {
    return {Kept::undecided, Why::hidden};
  }
  const double visible = kConserved * exchange;
  if (worst <= std::max(visible, rounding)) {
    const bool hides = rounding > visible && exchange > 0;
    return {Kept::conserved, hides ? Why::rounding : Why::plain};
  }
  if (steady()) return {Kept::bounded};
  const double count = (motion.count() > 0 ? motion_swings : swings).count();
  const double rise = std::abs(course.rise());
  const double band = course.band();
  if (promised_bounded && count >= kFewSwings) {
    if (stays()) return {Kept::bounded};
    if (widens_slowly()) return {Kept::undecided, Why::widens};
  } else if (promised_bounded) {
    if (count * rise <= band && worst <= kFar * exchange && !took_off()) return {Kept::undecided};
  } else if (swings.count() > 0 && swings.count() < kFewSwings && rise <= 0.5 * band &&
             widens_after(0.5, course) <= kSlowly) {
    return {Kept::undecided};
  }
  // All but a tenth of it before the second half of the run.
  const bool once = course.range(0.5, 1).width() <= 0.1 * band;
  return {Kept::drifts, once ? Why::once : Why::plain};
}

}  // namespace lilyan

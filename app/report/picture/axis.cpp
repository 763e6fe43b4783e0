#include "app/report/picture/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

constexpr double kLargest = 1e300;    // differences of larger values overflow
constexpr double kNarrowest = 1e-13;  // width of the narrowest range, relative to its values
constexpr double kTickTolerance =
    1e-9;  // of a step: the end of a range that should be a tick is one

// The number n 10^e. Labels are made from n and e, not from the value, so that rounding never shows.
struct Decimal {
  std::int64_t n = 0;
  int e = 0;
  [[nodiscard]] double value() const {
    const auto digits = static_cast<double>(n);
    return e >= 0 ? digits * std::pow(10.0, e) : digits / std::pow(10.0, -e);
  }
};

std::string power_of_ten(int exponent) {
  static constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                          "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(exponent))) {
    out += kDigits[static_cast<std::size_t>(c - '0')];
  }
  return out;
}

std::string plain_number(const Decimal& d) {
  if (d.n == 0) return "0";
  std::string digits = std::to_string(std::abs(d.n));
  if (d.e >= 0) {
    digits.append(static_cast<std::size_t>(d.e), '0');
  } else {
    const auto decimals = static_cast<std::size_t>(-d.e);
    if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
    digits.insert(digits.size() - decimals, ".");
  }
  return (d.n < 0 ? "−" : "") + digits;
}

// Writes a number without trailing zeros: "1.5", "6.02×10²³".
std::string short_number(Decimal d) {
  while (d.n != 0 && d.n % 10 == 0) d = {d.n / 10, d.e + 1};
  const int digits = static_cast<int>(std::to_string(std::abs(d.n)).size());
  const int power = digits - 1 + d.e;
  if (power > -4 && power < 6) return plain_number(d);
  if (d.n == 1) return power_of_ten(power);
  return plain_number({d.n, 1 - digits}) + "×" + power_of_ten(power);
}

// Returns the part that the labels of a narrow range far from zero have in common, so that they can
// be written without it. It is zero when the labels are short enough as they are. The first and the
// last label are given as multiples of the last digit.
std::int64_t common_part(std::int64_t first, std::int64_t last) {
  constexpr std::int64_t kLongest = 1'000'000;
  constexpr std::int64_t kUnit = 1'000;
  if (std::max(std::abs(first), std::abs(last)) < kLongest) return 0;
  const std::int64_t nearest_zero = first > 0 ? first : last;
  const std::int64_t common = nearest_zero / kUnit * kUnit;
  // A round number within the range is best: labels on both sides of it are short.
  const std::int64_t next = common + (common > 0 ? kUnit : -kUnit);
  return next >= first && next <= last ? next : common;
}

// Returns the ticks of a logarithmic axis: the given digits times powers of ten.
std::vector<Decimal> multiples(double lowest, double highest, const std::vector<int>& digits) {
  std::vector<Decimal> out;
  const int last = static_cast<int>(std::floor(std::log10(highest)));
  for (int e = static_cast<int>(std::floor(std::log10(lowest))); e <= last; ++e) {
    for (const int digit : digits) {
      const Decimal d{digit, e};
      if (d.value() >= lowest * (1 - kTickTolerance) && d.value() <= highest * (1 + kTickTolerance))
        out.push_back(d);
    }
  }
  return out;
}

bool can_be_shown(double value, bool logarithmic) {
  return std::abs(value) <= kLargest && (!logarithmic || value >= 1 / kLargest);
}

// Returns an axis over the range of the data, with some air around it.
Axis axis_around(double lowest, double highest, bool logarithmic, double air) {
  const Axis tight(lowest, highest, logarithmic);
  if (lowest != highest) return tight.widened(tight.extent() * (1 + 2 * air));
  if (logarithmic) return tight.widened(1);
  return tight.widened(lowest == 0 ? 2 : std::abs(lowest) / 5);
}

}  // namespace

Ticks linear_ticks(double lowest, double highest, int most) {
  Ticks ticks;
  if (!(highest > lowest)) return ticks;
  most = std::max(most, 2);
  Decimal step{1, static_cast<int>(std::floor(std::log10((highest - lowest) / most)))};
  double first = 0;
  double last = 0;
  while (true) {
    // Far from zero, the rounding errors of the two ends may be as large as a part of a step.
    const double size = std::max(std::abs(lowest), std::abs(highest)) / step.value();
    const double slack = kTickTolerance + 2 * std::numeric_limits<double>::epsilon() * size;
    first = std::ceil(lowest / step.value() - slack);
    last = std::floor(highest / step.value() + slack);
    if (last - first + 1 <= most) break;
    step = step.n == 5 ? Decimal{1, step.e + 1} : Decimal{step.n == 1 ? 2 : 5, step.e};
  }
  const auto first_n = static_cast<std::int64_t>(first) * step.n;
  const auto last_n = static_cast<std::int64_t>(last) * step.n;
  const std::int64_t common = common_part(first_n, last_n);
  if (common != 0) {
    ticks.plus = (common < 0 ? "− " : "+ ") + short_number({std::abs(common), step.e});
  }
  const std::int64_t largest = std::max(std::abs(first_n - common), std::abs(last_n - common));
  int factor = largest == 0 ? 0 : static_cast<int>(std::to_string(largest).size()) - 1 + step.e;
  if (factor > -3 && factor < 5) factor = 0;
  if (factor != 0) ticks.factor = "×" + power_of_ten(factor);
  for (std::int64_t n = first_n; n <= last_n; n += step.n) {
    ticks.major.push_back(
        {Decimal{n, step.e}.value(), plain_number({n - common, step.e - factor})});
  }
  return ticks;
}

Ticks log_ticks(double lowest, double highest, int most) {
  Ticks ticks;
  if (!(highest > lowest) || !(lowest > 0)) return ticks;
  most = std::max(most, 2);
  const int first = static_cast<int>(std::ceil(std::log10(lowest) - kTickTolerance));
  const int last = static_cast<int>(std::floor(std::log10(highest) + kTickTolerance));
  if (last > first) {
    const int least_stride = (last - first) / most + 1;
    static constexpr std::array<int, 10> kStrides = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500};
    const int stride = *std::ranges::lower_bound(kStrides, least_stride);
    for (int e = first; e <= last; ++e) {
      const double value = Decimal{1, e}.value();
      if (e % stride == 0) ticks.major.push_back({value, power_of_ten(e)});
      if (e % stride != 0) ticks.minor.push_back(value);
    }
    if (stride > 1) return ticks;
    for (const Decimal& d : multiples(lowest, highest, {2, 3, 4, 5, 6, 7, 8, 9}))
      ticks.minor.push_back(d.value());
    return ticks;
  }
  const std::vector<Decimal> values = multiples(lowest, highest, {1, 2, 5});
  if (values.size() < 2) return linear_ticks(lowest, highest, most);
  for (const Decimal& d : values) {
    const bool plain = std::abs(d.e) <= 4;
    ticks.major.push_back(
        {d.value(), plain ? plain_number(d) : fmt::format("{}×{}", d.n, power_of_ten(d.e))});
  }
  return ticks;
}

Axis::Axis(double lowest, double highest, bool logarithmic)
    : from_(logarithmic ? std::log10(lowest) : lowest),
      to_(logarithmic ? std::log10(highest) : highest),
      logarithmic_(logarithmic) {
  const double size = std::max({std::abs(from_), std::abs(to_), 1e-280});
  const double missing = kNarrowest * size - (to_ - from_);
  if (missing > 0) {
    from_ -= missing / 2;
    to_ += missing / 2;
  }
}

double Axis::place(double value) const {
  if (!can_be_shown(value, logarithmic_)) return std::numeric_limits<double>::quiet_NaN();
  return ((logarithmic_ ? std::log10(value) : value) - from_) / (to_ - from_);
}

double Axis::value(double place) const {
  const double at = from_ + place * (to_ - from_);
  return logarithmic_ ? std::pow(10, at) : at;
}

Ticks Axis::ticks(int most) const {
  return logarithmic_ ? log_ticks(value(0), value(1), most) : linear_ticks(from_, to_, most);
}

Axis Axis::widened(double extent) const {
  Axis axis = *this;
  const double more = std::max(0.0, extent - (to_ - from_)) / 2;
  axis.from_ -= more;
  axis.to_ += more;
  if (logarithmic_) {
    axis.from_ = std::max(axis.from_, -305.0);
    axis.to_ = std::min(axis.to_, 305.0);
  }
  return axis;
}

std::optional<std::pair<Axis, Axis>> find_axes(const Figure& figure) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> lowest = {kInfinity, kInfinity};
  std::array<double, 2> highest = {-kInfinity, -kInfinity};
  for (const PlotSeries& s : figure.series) {
    if (s.x.size() != s.y.size()) {
      throw Error(
          fmt::format("a figure's series \"{}\" has {} x and {} y: it must have as many of each",
                      s.label, s.x.size(), s.y.size()));
    }
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!can_be_shown(s.x[i], figure.log_x) || !can_be_shown(s.y[i], figure.log_y)) continue;
      const double cut = figure.cut.value_or(kInfinity);
      const std::array<double, 2> at = {s.x[i], std::clamp(s.y[i], -cut, cut)};
      for (std::size_t k = 0; k < 2; ++k) {
        lowest[k] = std::min(lowest[k], at[k]);
        highest[k] = std::max(highest[k], at[k]);
      }
    }
  }
  if (lowest[0] > highest[0]) return {};
  return std::pair{axis_around(lowest[0], highest[0], figure.log_x, figure.over_time ? 0 : 0.04),
                   axis_around(lowest[1], highest[1], figure.log_y, 0.06)};
}

}  // namespace lilyan

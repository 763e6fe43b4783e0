#include "app/report/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>

namespace lilyan {
namespace {

constexpr double kSlack = 1e-9;  // of a step: an end of the range that should be a tick is one

// n 10^e. Labels are made from n and e, not from the value, so that rounding never shows.
struct Decimal {
  std::int64_t n = 0;
  int e = 0;
};

double value_of(const Decimal& d) {
  const auto n = static_cast<double>(d.n);
  return d.e >= 0 ? n * std::pow(10.0, d.e) : n / std::pow(10.0, -d.e);
}

std::string superscript(int number) {
  static constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                          "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = number < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(number))) {
    out += kDigits[static_cast<std::size_t>(c - '0')];
  }
  return out;
}

std::string power_of_ten(int exponent) { return "10" + superscript(exponent); }

std::string fixed(const Decimal& d) {
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

// Exponent of the first digit; n is not 0.
int magnitude(const Decimal& d) {
  return static_cast<int>(std::to_string(std::abs(d.n)).size()) - 1 + d.e;
}

// In as few characters as it takes, without its sign.
std::string shortest(Decimal d) {
  d.n = std::abs(d.n);
  while (d.n != 0 && d.n % 10 == 0) {
    d.n /= 10;
    ++d.e;
  }
  const int m = magnitude(d);
  if (d.n == 0 || (m >= -4 && m <= 6)) return fixed(d);
  return fixed({d.n, d.e - m}) + "×" + power_of_ten(m);
}

std::int64_t power(int exponent) {
  std::int64_t p = 1;
  for (int i = 0; i < exponent; ++i) p *= 10;
  return p;
}

// What is taken off all of first..last to leave few digits: the roundest number among them, or the
// digits that they share.
std::int64_t common_part(std::int64_t first, std::int64_t last) {
  if (std::max(std::abs(first), std::abs(last)) < 100'000 || (first <= 0 && last >= 0)) return 0;
  int digits = 0;
  while (power(digits) <= last - first) ++digits;
  for (int q = 17; q > digits; --q) {
    const std::int64_t p = power(q);
    const std::int64_t multiple = (first > 0 ? last / p : first / p) * p;
    if (multiple != 0 && multiple >= first && multiple <= last) return multiple;
  }
  const std::int64_t p = power(digits);
  return (first > 0 ? first / p : last / p) * p;
}

std::vector<double> multiples(double lowest, double highest, std::span<const int> digits) {
  std::vector<double> out;
  const int first = static_cast<int>(std::floor(std::log10(lowest)));
  const int last = static_cast<int>(std::floor(std::log10(highest)));
  for (int e = first; e <= last; ++e) {
    for (const int digit : digits) {
      const double v = value_of({digit, e});
      if (v >= lowest * (1 - kSlack) && v <= highest * (1 + kSlack)) out.push_back(v);
    }
  }
  return out;
}

std::string log_label(double value) {
  const int e = static_cast<int>(std::floor(std::log10(value) + kSlack));
  return shortest({std::llround(value / value_of({1, e})), e});
}

Ticks decades(int first, int last, int most) {
  Ticks ticks;
  static constexpr std::array<int, 9> kStrides = {1, 2, 3, 5, 10, 20, 50, 100, 200};
  const auto* stride =
      std::ranges::find_if(kStrides, [&](int s) { return (last - first) / s + 1 <= most; });
  if (stride == kStrides.end()) --stride;
  for (int e = first; e <= last; ++e) {
    const double v = value_of({1, e});
    if (e % *stride == 0) {
      ticks.major.push_back({v, power_of_ten(e)});
    } else {
      ticks.minor.push_back(v);
    }
  }
  return ticks;
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
    first = std::ceil(lowest / value_of(step) - kSlack);
    last = std::floor(highest / value_of(step) + kSlack);
    if (last - first + 1 <= most) break;
    step = step.n == 5 ? Decimal{1, step.e + 1} : Decimal{step.n == 1 ? 2 : 5, step.e};
  }
  const auto first_n = static_cast<std::int64_t>(first) * step.n;
  const auto last_n = static_cast<std::int64_t>(last) * step.n;
  const std::int64_t offset = common_part(first_n, last_n);

  const std::int64_t largest = std::max(std::abs(first_n - offset), std::abs(last_n - offset));
  int factor = largest == 0 ? 0 : magnitude({largest, step.e});
  if (factor > -3 && factor < 5) factor = 0;
  for (std::int64_t n = first_n; n <= last_n; n += step.n) {
    ticks.major.push_back({value_of({n, step.e}), fixed({n - offset, step.e - factor})});
  }
  if (factor != 0) ticks.note = "×" + power_of_ten(factor);
  if (offset != 0) {
    if (!ticks.note.empty()) ticks.note += ' ';
    ticks.note += (offset > 0 ? "+ " : "− ") + shortest({offset, step.e});
  }
  return ticks;
}

Ticks log_ticks(double lowest, double highest, int most) {
  if (!(highest > lowest) || !(lowest > 0)) return {};
  most = std::max(most, 2);
  static constexpr std::array<int, 8> kDigits = {2, 3, 4, 5, 6, 7, 8, 9};
  const int first = static_cast<int>(std::ceil(std::log10(lowest) - kSlack));
  const int last = static_cast<int>(std::floor(std::log10(highest) + kSlack));
  if (last > first) {
    Ticks ticks = decades(first, last, most);
    if (ticks.minor.empty()) ticks.minor = multiples(lowest, highest, kDigits);
    return ticks;
  }
  static constexpr std::array<int, 9> kAll = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  static constexpr std::array<int, 3> kSome = {1, 2, 5};
  static constexpr std::array<int, 2> kFew = {1, 3};
  std::vector<double> values;
  for (const std::span<const int> digits :
       std::initializer_list<std::span<const int>>{kAll, kSome, kFew}) {
    values = multiples(lowest, highest, digits);
    if (values.size() <= static_cast<std::size_t>(std::min(most, 6))) break;
  }
  if (values.size() < 2) return linear_ticks(lowest, highest, most);
  Ticks ticks;
  for (const double v : values) ticks.major.push_back({v, log_label(v)});
  for (const double v : multiples(lowest, highest, kDigits)) {
    if (std::ranges::find(values, v) == values.end()) ticks.minor.push_back(v);
  }
  return ticks;
}

}  // namespace lilyan

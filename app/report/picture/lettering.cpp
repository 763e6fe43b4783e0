#include "app/report/picture/lettering.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace lilyan {
namespace {

// The strokes of a letter, with spaces between. A point is two digits, x from the left and y upwards: letters stand on
// y = 2, small ones reach to 6, large ones to 8. A stroke from a point to itself is a dot.
struct Letter {
  char character;
  std::string_view strokes;
};
constexpr std::array kLetters = {
    Letter{'0', "120307183847433212"},
    Letter{'1', "172822 1232"},
    Letter{'2', "07183847460242"},
    Letter{'3', "07183847463515 354443321203"},
    Letter{'4', "32380444"},
    Letter{'5', "480805354443321203"},
    Letter{'6', "4738180703123243443505"},
    Letter{'7', "084812"},
    Letter{'8', "1506071838474635150403123243443515"},
    Letter{'9', "0312324347381807061545"},
    Letter{'a', "4642 4536160503123243"},
    Letter{'b', "0802 0516364543321203"},
    Letter{'c', "4536160503123243"},
    Letter{'d', "4842 4536160503123243"},
    Letter{'e', "04444536160503123243"},
    Letter{'f', "38281712 0636"},
    Letter{'g', "4641301001 4536160503123243"},
    Letter{'h', "0802 0516364542"},
    Letter{'i', "1612 1818"},
    Letter{'j', "26211000 2828"},
    Letter{'k', "0802 4604 2542"},
    Letter{'l', "1812"},
    Letter{'m', "0602 0516263532 3546566562"},
    Letter{'n', "0602 0516364542"},
    Letter{'o', "160503123243453616"},
    Letter{'p', "0600 0516364543321203"},
    Letter{'q', "4640 4536160503123243"},
    Letter{'r', "0602 051636"},
    Letter{'s', "4616051434433202"},
    Letter{'t', "18132232 0636"},
    Letter{'u', "0603123243 4642"},
    Letter{'v', "062246"},
    Letter{'w', "0612365266"},
    Letter{'x', "0642 4602"},
    Letter{'y', "0622 4610"},
    Letter{'z', "06460242"},
    Letter{'A', "022842 1434"},
    Letter{'B', "02083847463505 3544433202"},
    Letter{'C', "4738180703123243"},
    Letter{'D', "02083847433202"},
    Letter{'E', "48080242 0535"},
    Letter{'F', "480802 0535"},
    Letter{'G', "47381807031232434525"},
    Letter{'H', "0802 4842 0545"},
    Letter{'I', "1812"},
    Letter{'J', "3833221203"},
    Letter{'K', "0802 4804 1542"},
    Letter{'L', "080242"},
    Letter{'M', "0208254842"},
    Letter{'N', "02084248"},
    Letter{'O', "120307183847433212"},
    Letter{'P', "02083847463505"},
    Letter{'Q', "120307183847433212 2442"},
    Letter{'R', "02083847463505 2542"},
    Letter{'S', "473818070615354443321203"},
    Letter{'T', "0848 2822"},
    Letter{'U', "080312324348"},
    Letter{'V', "082248"},
    Letter{'W', "0812365268"},
    Letter{'X', "0842 4802"},
    Letter{'Y', "0825 4825 2522"},
    Letter{'Z', "08480242"},
    Letter{' ', ""},
    Letter{'-', "0434"},
    Letter{'_', "0141"},
    Letter{'.', "1212"},
    Letter{',', "1311"},
    Letter{':', "1212 1616"},
    Letter{'=', "0343 0545"},
    Letter{'+', "0444 2622"},
    Letter{'~', "04153445"},
    Letter{'/', "0248"},
    Letter{'(', "28171322"},
    Letter{')', "18272312"},
    Letter{'[', "28181222"},
    Letter{']', "18282212"},
    Letter{'?', "07183847462524 2222"},
};
constexpr float kTall = 6;       // units of a large letter
constexpr float kApart = 2.2F;   // units between letters
constexpr float kBlank = 2;      // units of a space, without what is between letters
constexpr float kShare = 0.04F;  // of the picture's height that a large letter takes up
constexpr float kLeastUnit = 0.8F, kMostUnit = 6;  // pixels
constexpr float kHalo = 1.6F;                      // pixels

struct Stroke {
  float ax, ay, bx, by;

  [[nodiscard]] float distance(float x, float y) const {
    const float dx = bx - ax, dy = by - ay;
    const float length = dx * dx + dy * dy;
    const float s =
        length > 0 ? std::clamp(((x - ax) * dx + (y - ay) * dy) / length, 0.0F, 1.0F) : 0.0F;
    return std::hypot(x - ax - s * dx, y - ay - s * dy);
  }
};

const Letter& letter_of(char c) {
  const auto found = std::ranges::find(kLetters, c, &Letter::character);
  return found == kLetters.end() ? kLetters.back() : *found;
}

// The strokes of a line of text in units, with y downwards from the top of large letters, and its width.
std::pair<std::vector<Stroke>, float> strokes_of(std::string_view text) {
  std::vector<Stroke> all;
  float pen = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // within a character of UTF-8
    const std::string_view strokes = letter_of(c).strokes;
    float right = strokes.empty() ? kBlank : 0;
    for (std::size_t i = 0; i + 1 < strokes.size(); i += 2) {
      const auto x = [&](std::size_t at) { return static_cast<float>(strokes[at] - '0'); };
      const auto y = [&](std::size_t at) { return 8 - static_cast<float>(strokes[at + 1] - '0'); };
      right = std::max(right, x(i));
      const bool last = i + 2 >= strokes.size() || strokes[i + 2] == ' ';
      if (!last) all.push_back({pen + x(i), y(i), pen + x(i + 2), y(i + 2)});
      if (last) ++i;  // the space
    }
    pen += right + kApart;
  }
  return {all, std::max(0.0F, pen - kApart)};
}

}  // namespace

Caption::Caption(std::string_view text, const PictureSize& size) {
  auto [strokes, length] = strokes_of(text);
  if (strokes.empty()) return;
  const auto wide = static_cast<float>(size.width);
  float unit = std::min(kShare * static_cast<float>(size.height) / kTall, kMostUnit);
  const float margin = 0.5F * kTall * unit + 2;
  unit = std::min(unit, (wide - 2 * margin) / length);
  if (!(unit >= kLeastUnit)) return;
  const float pen = std::max(1.0F, 0.8F * unit);  // the width of strokes
  const int border = static_cast<int>(std::ceil(kHalo + pen));
  left_ = std::max(0, static_cast<int>(margin) - border);
  top_ = std::max(0, static_cast<int>(margin) - border);
  width_ = std::min(size.width - left_, static_cast<int>(std::ceil(length * unit)) + 2 * border);
  height_ =
      std::min(size.height - top_, static_cast<int>(std::ceil((kTall + 2) * unit)) + 2 * border);
  for (Stroke& s : strokes) {
    const auto place = [&](float at) { return at * unit + static_cast<float>(border); };
    s = {place(s.ax), place(s.ay), place(s.bx), place(s.by)};
  }
  for (int row = 0; row < height_; ++row) {
    for (int column = 0; column < width_; ++column) {
      float nearest = std::numeric_limits<float>::infinity();
      for (const Stroke& s : strokes) {
        nearest = std::min(
            nearest, s.distance(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F));
      }
      ink_.push_back(std::clamp(0.5F + 0.5F * pen - nearest, 0.0F, 1.0F));
      ground_.push_back(0.85F * std::clamp(0.5F + 0.5F * pen + kHalo - nearest, 0.0F, 1.0F));
    }
  }
}

void Caption::draw(Image& image, bool dark) const {
  constexpr float kPaper = 252, kNight = 22, kInk = 45, kNightInk = 225;
  const float ink = dark ? kNightInk : kInk;
  const float ground = dark ? kNight : kPaper;
  for (int row = 0; row < height_ && !empty(); ++row) {
    for (int column = 0; column < width_; ++column) {
      const auto k = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(column);
      const auto at =
          3 * (static_cast<std::size_t>(top_ + row) * static_cast<std::size_t>(image.width) +
               static_cast<std::size_t>(left_ + column));
      for (std::size_t a = at; a < at + 3; ++a) {
        const float behind = static_cast<float>(image.rgb[a]);
        const float softened = behind + ground_[k] * (ground - behind);
        image.rgb[a] =
            static_cast<std::uint8_t>(std::lround(softened + ink_[k] * (ink - softened)));
      }
    }
  }
}

}  // namespace lilyan

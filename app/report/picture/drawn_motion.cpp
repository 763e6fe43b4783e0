#include "app/report/picture/drawn_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/report/picture/figure.hpp"
#include "app/run/pace.hpp"
#include "app/scene/small/drawing.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostNumbers = 2'000'000;  // in memory, of each table
constexpr std::size_t kMostMotionRows = 20'000;
constexpr std::size_t kMostFrames = 480;          // of an animation
constexpr std::size_t kMostPageNumbers = 60'000;  // of an animation in a page
constexpr std::size_t kFewestFrames = 24;
// The page of the live view looks at drawings in space from the same side (web/src/motion.ts).
constexpr double kAbout = -0.6;
constexpr double kUpwards = 0.42;

std::size_t rows_for(std::size_t places) {
  return places == 0 ? 0
                     : std::clamp<std::size_t>(kMostNumbers / (2 * places), 50, kMostMotionRows);
}

}  // namespace

DrawnParts::DrawnParts(const Drawing* drawing) {
  if (!drawing) return;
  for (const Drawing::Point& point : drawing->points) radii.push_back(point.radius);
  rods = drawing->rods;
  springs = drawing->springs;
  held = drawing->held;
  trails = drawing->trails.size();
  flat = drawing->flat;
}

double DrawnMotion::rate(double asked) const {
  constexpr double kSlowest = 2;
  std::vector<std::vector<double>> curves(stride());
  for (std::size_t k = 0; k < times.size(); ++k) {
    for (std::size_t i = 0; i < stride(); ++i) {
      curves[i].push_back(static_cast<double>(frame(k)[i]));
    }
  }
  const double period = shortest_period(times, curves);
  if (!(period > 0)) return asked;
  const double frames =
      period / (times.back() - times.front()) * static_cast<double>(times.size() - 1);
  return std::min(asked, std::max(kSlowest, kPeriodsASecond * frames));
}

void add_seen_places(const Drawing& drawing, const State& state, std::vector<float>& to) {
  const std::span<const double> places = drawing.places(state);
  const double c = std::cos(kAbout);
  const double s = std::sin(kAbout);
  for (std::size_t i = 0; i + 2 < places.size(); i += 3) {
    const double x = places[i];
    const double y = places[i + 1];
    const double z = places[i + 2];
    to.push_back(static_cast<float>(drawing.flat ? x : c * x - s * z));
    to.push_back(static_cast<float>(
        drawing.flat ? y : std::cos(kUpwards) * y - std::sin(kUpwards) * (s * x + c * z)));
  }
}

MotionRecorder::MotionRecorder(const Drawing* drawing)
    : drawing_(drawing),
      parts_(drawing),
      most_(rows_for(parts_.places())),
      begin_(most_ == 0 ? 0 : 1 + 2 * parts_.places(), most_),
      whole_(most_ == 0 ? 0 : 1 + 2 * parts_.places(), std::min(most_, 4 * kMostFrames)) {}

void MotionRecorder::add(const State& state) {
  if (most_ == 0) return;
  last_ = state.t;
  const bool begins = begin_.empty() || begin_[0].size() < most_;
  const bool due = whole_.due();
  if (!begins && !due) return;
  seen_.clear();
  add_seen_places(*drawing_, state, seen_);
  const auto set = [&](ThinnedTable& table) {
    table.set(0, state.t);
    for (std::size_t i = 0; i < seen_.size(); ++i) table.set(1 + i, static_cast<double>(seen_[i]));
  };
  if (begins) set(begin_);
  if (due) set(whole_);
}

DrawnMotion MotionRecorder::sampled(const ThinnedTable& table, double end) const {
  DrawnMotion motion{.parts = parts_, .end = last_};
  const std::vector<double>& t = table[0];
  const std::size_t most =
      std::min(kMostFrames, kMostPageNumbers / (2 * parts_.places()) + kFewestFrames);
  const auto rows = static_cast<std::size_t>(std::ranges::upper_bound(t, end) - t.begin());
  const std::size_t frames = std::min(most, rows);
  std::size_t row = 0;
  for (std::size_t k = 0; k < frames && frames > 1; ++k) {
    const double wanted = t.front() + (t[rows - 1] - t.front()) * static_cast<double>(k) /
                                          static_cast<double>(frames - 1);
    while (row + 1 < rows && std::abs(t[row + 1] - wanted) <= std::abs(t[row] - wanted)) ++row;
    motion.times.push_back(t[row]);
    for (std::size_t i = 1; i < 1 + 2 * parts_.places(); ++i) {
      motion.at.push_back(static_cast<float>(table[i][row]));
    }
  }
  return motion;
}

DrawnMotion MotionRecorder::motion(double length) const {
  if (most_ == 0 || begin_.empty()) return {};
  const double end = begin_[0].front() + length;
  // The whole run has steps enough where the wanted part is a large one.
  const bool kept = begin_[0].back() >= std::min(end, last_);
  const auto in_whole = std::ranges::upper_bound(whole_[0], end) - whole_[0].begin();
  if (kept || static_cast<std::size_t>(in_whole) < kMostFrames / 2) return sampled(begin_, end);
  return sampled(whole_, end);
}

SeenBox box_of(std::span<const DrawnMotion* const> motions) {
  constexpr float kExplodedReach = 8;  // times as large as in half of the time until then: exploded
  SeenBox box;
  bool any = false;
  const auto grow = [&](std::span<const float> places, SeenBox& to, bool& first) {
    for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
      const float x = places[i];
      const float y = places[i + 1];
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      if (!first) to = {x, x, y, y};
      first = true;
      to = {std::min(to.left, x), std::max(to.right, x), std::min(to.low, y), std::max(to.high, y)};
    }
  };
  for (const DrawnMotion* motion : motions) {
    // A motion that goes steadily on, or faster and faster, is seen to its end. One that has exploded is not: it
    // grows by far more in the second half of a time than in the first.
    std::vector<float> sizes;  // of what was counted until then, for each moment
    SeenBox begin;
    bool begun = false;
    const std::size_t tenth = motion->times.size() / 10 + 1;
    for (std::size_t k = 0; k < motion->times.size(); ++k) {
      SeenBox now;
      bool seen = false;
      grow(motion->frame(k), now, seen);
      const float reach =
          std::max({std::abs(now.right - begin.left), std::abs(now.left - begin.right),
                    std::abs(now.high - begin.low), std::abs(now.low - begin.high)});
      const float size = sizes.empty() ? 0 : sizes[std::max(k / 2, std::min(k, tenth) - 1)];
      if (seen && (k < tenth || size == 0 || reach <= kExplodedReach * size)) {
        grow(motion->frame(k), box, any);
        grow(motion->frame(k), begin, begun);
      }
      sizes.push_back(std::max(begin.right - begin.left, begin.high - begin.low));
    }
  }
  return box;
}

namespace {

using Eigen::Vector3f;

Vector3f colour_from(int rgb) {
  constexpr unsigned kByte = 255;
  const auto bits = static_cast<unsigned>(rgb);
  return Vector3f(static_cast<float>((bits >> 16U) & kByte),
                  static_cast<float>((bits >> 8U) & kByte), static_cast<float>(bits & kByte)) /
         255.0F;
}

// The colours of lines on paper, and lighter ones on a dark ground.
Vector3f motion_colour(int i, bool dark) {
  static constexpr std::array<int, kAllColours> kOnDark = {0x56b4e9, 0xf0803c, 0x2bbf95, 0xdd8fbc,
                                                           0xe6b422, 0x8ccbf0, 0x9ca3af, 0xe5e7eb,
                                                           0xd9b600, 0xa78bfa, 0xd2a08f};
  if (!dark) return colour_from(palette(i));
  return colour_from(kOnDark[static_cast<std::size_t>(i < kAllColours ? i : i % kPaletteSize)]);
}

// Draws one moment, in layers: what is drawn later is nearer.
class MotionPainter {
 public:
  MotionPainter(const DrawnMotion& motion, const SeenBox& box, const PictureSize& size, bool dark,
                int colour)
      : motion_(motion),
        dark_(dark),
        colour_(colour),
        paper_(dark ? colour_from(0x14171b) : Vector3f::Ones()),
        ink_(colour_from(dark ? 0xc6ccd4 : 0x3d4651)),
        raster_(size.width, size.height, paper_) {
    const float aspect = static_cast<float>(size.height) / static_cast<float>(size.width);
    const float half =
        0.5F * std::max({box.right - box.left, (box.high - box.low) / aspect, 1e-6F});
    scale_ = kFill / half;
    middle_ = {0.5F * (box.left + box.right), 0.5F * (box.low + box.high)};
    unit_ = static_cast<float>(size.width) / 480;
  }

  Image paint(std::size_t frame) {
    trails(frame);
    const std::span<const float> at = motion_.frame(frame);
    const std::size_t points = motion_.parts.radii.size();
    for (std::size_t r = 0; r < motion_.parts.rods; ++r) {
      line(at, points + 2 * r, points + 2 * r + 1, 3 * unit_);
    }
    for (std::size_t s = 0; s < motion_.parts.springs; ++s) {
      spring(at, points + 2 * (motion_.parts.rods + s));
    }
    for (const std::size_t k : motion_.parts.held) support(at, points + k);
    for (std::size_t i = 0; i < points; ++i) disc(at, i);
    return raster_.image();
  }

 private:
  static constexpr float kFill = 0.88F;       // of the picture's width
  static constexpr std::size_t kTrail = 160;  // frames that a trail is seen for

  [[nodiscard]] Projected seen(float x, float y) {
    layer_ += 1;
    return {(x - middle_[0]) * scale_, (y - middle_[1]) * scale_, layer_};
  }
  [[nodiscard]] Projected seen(std::span<const float> at, std::size_t i) {
    return seen(at[2 * i], at[2 * i + 1]);
  }
  void line(std::span<const float> at, std::size_t from, std::size_t to, float width) {
    const Projected a = seen(at, from);
    Projected b = seen(at, to);
    b.inverse_depth = a.inverse_depth;
    raster_.line(a, b, width, ink_);
  }

  [[nodiscard]] Vector3f own(std::size_t i) const {
    return motion_colour(motion_.parts.trails > 1 ? static_cast<int>(i % kPaletteSize) : colour_,
                         dark_);
  }

  void trails(std::size_t frame) {
    const std::size_t first = frame > kTrail ? frame - kTrail : 0;
    for (std::size_t k = first + 1; k <= frame; ++k) {
      const float age = static_cast<float>(frame - k) / static_cast<float>(kTrail);
      for (std::size_t t = 0; t < motion_.parts.trails; ++t) {
        const std::size_t i = motion_.parts.first_trail() + t;
        const Projected a = seen(motion_.frame(k - 1), i);
        Projected b = seen(motion_.frame(k), i);
        b.inverse_depth = a.inverse_depth;
        const float share = 0.15F + 0.6F * (1 - age);
        raster_.line(a, b, 1.5F * unit_, paper_ + share * (own(t) - paper_));
      }
    }
  }

  // A zigzag with straight ends.
  void spring(std::span<const float> at, std::size_t i) {
    constexpr int kTurns = 6;
    const Projected a = seen(at, i);
    const Projected b = seen(at, i + 1);
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    const float wide = std::min(0.03F, 0.16F * length);
    Projected before = a;
    const auto go = [&](float along, float side) {
      const float ux = length > 0 ? (b.x - a.x) / length : 0;
      const float uy = length > 0 ? (b.y - a.y) / length : 0;
      const Projected next{a.x + along * length * ux - side * wide * uy,
                           a.y + along * length * uy + side * wide * ux, a.inverse_depth};
      raster_.line(before, next, 1.5F * unit_, ink_);
      before = next;
    };
    if (length > 0.06F) {
      for (int k = 0; k <= 2 * kTurns; ++k) {
        const bool end = k == 0 || k == 2 * kTurns;
        go(0.15F + 0.7F * static_cast<float>(k) / (2 * kTurns), end          ? 0.0F
                                                                : k % 2 == 1 ? 1.0F
                                                                             : -1.0F);
      }
    }
    go(1, 0);
  }

  // A triangle on hatched ground: what does not move.
  void support(std::span<const float> at, std::size_t i) {
    const Projected tip = seen(at, i);
    const float pixel = 2.0F / 480;
    const auto stroke = [&](float x0, float y0, float x1, float y1) {
      raster_.line({tip.x + x0 * pixel, tip.y + y0 * pixel, tip.inverse_depth},
                   {tip.x + x1 * pixel, tip.y + y1 * pixel, tip.inverse_depth}, 1.5F * unit_, ink_);
    };
    stroke(0, 0, -9, 11);
    stroke(0, 0, 9, 11);
    stroke(-13, 11, 13, 11);
    for (const float x : {-10.0F, -5.0F, 0.0F, 5.0F, 10.0F}) stroke(x, 11, x + 4, 16);
  }

  void disc(std::span<const float> at, std::size_t i) {
    const DrawnParts& parts = motion_.parts;
    const std::size_t count = parts.radii.size();
    const float apart = 0.5F * scale_ * 480;  // pixels of a unit
    const float usual =
        count > 1 && parts.springs > 0 ? std::clamp(0.35F * apart, 1.5F, 7.0F) : 7.0F;
    const float radius = std::min(26.0F, usual * static_cast<float>(parts.radii[i])) * unit_;
    const Projected p = seen(at, i);
    const bool coloured = parts.trails > 1 && parts.trails == count;
    const bool after_first = parts.trails > 1 && parts.trails + 1 == count && i > 0;
    const Vector3f colour = coloured               ? own(i)
                            : parts.radii[i] < 0.6 ? ink_
                            : after_first          ? own(i - 1)
                                                   : motion_colour(colour_, dark_);
    raster_.line(p, p, 2 * radius + 2 * unit_, paper_);
    Projected over = p;
    over.inverse_depth += 0.5F;
    raster_.line(over, over, 2 * radius, colour);
  }

  const DrawnMotion& motion_;
  bool dark_;
  int colour_;
  Vector3f paper_, ink_;
  Raster raster_;
  float scale_ = 1;
  std::array<float, 2> middle_ = {};
  float unit_ = 1;
  float layer_ = 1;
};

}  // namespace

Image draw_motion(const DrawnMotion& motion, std::size_t frame, const SeenBox& box,
                  const PictureSize& size, bool dark, int colour) {
  return MotionPainter(motion, box, size, dark, colour).paint(frame);
}

}  // namespace lilyan

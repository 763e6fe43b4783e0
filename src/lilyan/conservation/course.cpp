#include "lilyan/conservation/course.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lilyan {
namespace {

// The share of its band by which a quantity comes back where it has turned.
constexpr double kTurn = 0.25;
// The share of the band within which a quantity counts as settled.
constexpr double kSettled = 0.1;

}  // namespace

void Course::add(double t, double value) {
  if (count_ == 0) first_t_ = t;
  last_t_ = t;
  last_ = value;
  count_ += 1;
  if (size_ == kMost && pieces_[kMost - 1].count == each_) {
    for (std::size_t i = 0; i < kMost / 2; ++i) {
      const Piece a = pieces_[2 * i];
      const Piece b = pieces_[2 * i + 1];
      pieces_[i] = {.low = std::min(a.low, b.low),
                    .high = std::max(a.high, b.high),
                    .mean = a.mean + (b.mean - a.mean) / 2,
                    .mean_t = a.mean_t + (b.mean_t - a.mean_t) / 2,
                    .count = a.count + b.count};
    }
    size_ = kMost / 2;
    each_ *= 2;
  }
  const bool begins = size_ == 0 || pieces_[static_cast<std::size_t>(size_ - 1)].count == each_;
  if (begins) pieces_[static_cast<std::size_t>(size_++)] = {.low = value, .high = value};
  Piece& piece = pieces_[static_cast<std::size_t>(size_ - 1)];
  piece.count += 1;
  piece.low = std::min(piece.low, value);
  piece.high = std::max(piece.high, value);
  piece.mean += (value - piece.mean) / piece.count;
  piece.mean_t += (t - piece.mean_t) / piece.count;
}

// The piece at which a part of the values begins.
int Course::index(double part) const {
  return std::clamp(static_cast<int>(std::lround(part * count_ / each_)), 0, size_);
}

Course::Range Course::range(double from, double to) const {
  Range range;
  for (int i = index(from); i < index(to); ++i) {
    const Piece& piece = pieces_[static_cast<std::size_t>(i)];
    range.add(piece.low, piece.high);
  }
  return range;
}

double Course::rise(double from) const {
  double n = 0, mean_t = 0, mean = 0, squares = 0, products = 0;
  for (int i = index(from); i < size_; ++i) {
    const Piece& p = pieces_[static_cast<std::size_t>(i)];
    n += p.count;
    const double before = p.mean_t - mean_t;
    mean_t += before * (p.count / n);
    mean += (p.mean - mean) * (p.count / n);
    squares += p.count * before * (p.mean_t - mean_t);
    products += p.count * before * (p.mean - mean);
  }
  return squares > 0 ? products / squares * (last_t_ - first_t_) : 0;
}

double Course::settled() const {
  const double near = kSettled * band();
  double t = last_t_;
  for (int i = size_; i-- > 0;) {
    const Piece& piece = pieces_[static_cast<std::size_t>(i)];
    if (piece.high > last_ + near || piece.low < last_ - near) break;
    t = i > 0 ? pieces_[static_cast<std::size_t>(i - 1)].mean_t : first_t_;
  }
  return t;
}

void Course::archive(Archive& a) {
  a(pieces_, size_, each_, count_, first_t_, last_t_, last_);
  Archive::require(size_ >= 0 && size_ <= kMost && each_ >= 1);
}

void Swings::add(double value) {
  if (!begun_) {
    begun_ = true;
    low_ = high_ = extreme_ = value;
    return;
  }
  if (high_ == low_) rising_ = value > low_;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  const double band = high_ - low_;
  if (band > 2 * band_) {
    band_ = band;
    turns_ = 0;
  }
  const double further = rising_ ? value - extreme_ : extreme_ - value;
  if (further >= 0) {
    extreme_ = value;
  } else if (-further > kTurn * band) {
    turns_ += 1;
    rising_ = !rising_;
    extreme_ = value;
  }
}

}  // namespace lilyan

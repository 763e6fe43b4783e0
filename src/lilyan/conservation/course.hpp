// The course of a quantity over a run, in memory that does not grow with the run.
#pragma once

#include <array>
#include <limits>

#include "lilyan/saving/archive.hpp"

namespace lilyan {

// The values that a quantity had, in pieces of equally many values: the lowest and the highest of each piece,
// its mean, and its mean time. When there are 64 pieces, neighbours are joined.
class Course {
 public:
  void add(double t, double value);

  // An interval of values. An empty one has a negative width.
  struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    [[nodiscard]] double width() const { return high - low; }
    void add(double l, double h) {
      low = l < low ? l : low;
      high = h > high ? h : high;
    }
    void archive(Archive& a) { a(low, high); }
  };

  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double last() const { return last_; }
  // All values.
  [[nodiscard]] Range range() const { return range(0, 1); }
  [[nodiscard]] double band() const { return count_ > 0 ? range().width() : 0; }
  // The values of a part of the run: range(0.75, 1) has those of its last quarter.
  [[nodiscard]] Range range(double from, double to) const;
  // By how much the straight line through the values from there to the end would rise in the whole run.
  [[nodiscard]] double rise(double from = 0) const;
  // The time from which on all values are within a tenth of the whole band of the last one.
  [[nodiscard]] double settled() const;
  void archive(Archive& a);

 private:
  struct Piece {
    double low = 0, high = 0, mean = 0, mean_t = 0, count = 0;
    void archive(Archive& a) { a(low, high, mean, mean_t, count); }
  };
  static constexpr int kMost = 64;

  [[nodiscard]] int index(double part) const;

  std::array<Piece, kMost> pieces_{};
  int size_ = 0;      // pieces in use
  double each_ = 1;   // values in a full piece
  double count_ = 0;  // values
  double first_t_ = 0, last_t_ = 0, last_ = 0;
};

// How many times a quantity has swung to and fro, from the turns that it made. A turn counts when the
// quantity has come back by a quarter of the band it moves in. Swings that a much wider band has made small
// do not count any more.
class Swings {
 public:
  void add(double value);
  [[nodiscard]] double count() const { return 0.5 * turns_; }  // a swing has two turns
  void archive(Archive& a) { a(begun_, rising_, turns_, low_, high_, extreme_, band_); }

 private:
  bool begun_ = false;
  bool rising_ = true;  // since the last turn
  double turns_ = 0;
  double low_ = 0, high_ = 0;
  double extreme_ = 0;  // the farthest value since the last turn
  double band_ = 0;     // when the counting began
};

}  // namespace lilyan

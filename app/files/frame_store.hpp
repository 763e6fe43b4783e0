// The surface of a run's frames, kept until an animation file can be written: such a file begins
// with, or has in many places, what is only known at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "app/files/surface.hpp"

namespace lilyan {

// Frames with the points of all parts, one part after the other, in single precision.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  [[nodiscard]] virtual std::size_t frames() const = 0;
  [[nodiscard]] virtual double time(std::size_t frame) const = 0;
  virtual void read(std::size_t frame, std::vector<float>& points) const = 0;
};

// Frames in a temporary file, 12 bytes a vertex: memory does not grow with the length of a run. The
// file is removed at the end.
class FrameStore final : public FrameSource {
 public:
  // Throws Error when the file cannot be written, now or later.
  FrameStore(std::filesystem::path file, std::size_t vertices);
  ~FrameStore() override;
  FrameStore(const FrameStore&) = delete;
  FrameStore& operator=(const FrameStore&) = delete;

  // points as gather() makes them
  void add(double t, std::span<const float> points);

  [[nodiscard]] std::size_t frames() const override { return times_.size(); }
  [[nodiscard]] double time(std::size_t frame) const override { return times_[frame]; }
  void read(std::size_t frame, std::vector<float>& points) const override;

 private:
  std::filesystem::path file_;
  std::size_t numbers_;  // of a frame
  mutable std::fstream stream_;
  std::vector<double> times_;
};

// A single frame, in memory.
class OneFrame final : public FrameSource {
 public:
  explicit OneFrame(std::vector<float> points) : points_(std::move(points)) {}
  [[nodiscard]] std::size_t frames() const override { return 1; }
  [[nodiscard]] double time(std::size_t /*frame*/) const override { return 0; }
  void read(std::size_t /*frame*/, std::vector<float>& points) const override { points = points_; }

 private:
  std::vector<float> points_;
};

}  // namespace lilyan

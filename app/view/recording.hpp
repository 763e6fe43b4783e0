// The frames of a run that can be shown again, within a bound on their memory.
#pragma once

#include <cstddef>
#include <vector>

#include "app/view/messages.hpp"

namespace lilyan::view {

struct RecordedFrame {
  int frame = 0;
  double t = 0;
  Message picture, cloud;

  [[nodiscard]] std::size_t bytes() const {
    return sizeof(*this) + (picture ? picture->size() : 0) + (cloud ? cloud->size() : 0);
  }
};

// Whenever the bound is reached, every second frame goes; the first and the newest stay.
class Recording {
 public:
  explicit Recording(std::size_t most_bytes) : most_(most_bytes) {}

  void clear();
  // Frames come in the order of their numbers.
  void add(RecordedFrame frame);
  // The newest once more, with another cloud.
  void replace_cloud(Message cloud);

  [[nodiscard]] bool empty() const { return frames_.empty(); }
  [[nodiscard]] const RecordedFrame& newest() const { return frames_.back(); }
  // The last one not after t (the first, when all are); the last not after a frame of that number.
  [[nodiscard]] const RecordedFrame& at_time(double t) const;
  [[nodiscard]] const RecordedFrame& at_frame(int frame) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void thin();

  std::size_t most_;
  std::size_t bytes_ = 0;
  int stride_ = 1;  // only multiples of it are kept
  std::vector<RecordedFrame> frames_;
};

}  // namespace lilyan::view

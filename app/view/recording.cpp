#include "app/view/recording.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace lilyan::view {
namespace {

constexpr std::size_t kFewest = 3;  // are kept, however large

}  // namespace

void Recording::clear() {
  frames_.clear();
  bytes_ = 0;
  stride_ = 1;
}

void Recording::add(RecordedFrame frame) {
  // The one that was the newest until now.
  if (!frames_.empty() && newest().frame % stride_ != 0) {
    bytes_ -= newest().bytes();
    frames_.pop_back();
  }
  bytes_ += frame.bytes();
  frames_.push_back(std::move(frame));
  while (bytes_ > most_ && frames_.size() > kFewest) thin();
}

void Recording::thin() {
  if (stride_ > std::numeric_limits<int>::max() / 2) return;
  stride_ *= 2;
  const int last = newest().frame;
  std::erase_if(frames_,
                [&](const RecordedFrame& f) { return f.frame % stride_ != 0 && f.frame != last; });
  bytes_ = 0;
  for (const RecordedFrame& f : frames_) bytes_ += f.bytes();
}

void Recording::replace_cloud(Message cloud) {
  if (empty()) return;
  bytes_ -= newest().bytes();
  frames_.back().cloud = std::move(cloud);
  bytes_ += newest().bytes();
}

const RecordedFrame& Recording::at_time(double t) const {
  const auto after = std::ranges::upper_bound(frames_, t, {}, &RecordedFrame::t);
  return after == frames_.begin() ? *after : *(after - 1);
}

const RecordedFrame& Recording::at_frame(int frame) const {
  const auto after = std::ranges::upper_bound(frames_, frame, {}, &RecordedFrame::frame);
  return after == frames_.begin() ? *after : *(after - 1);
}

}  // namespace lilyan::view

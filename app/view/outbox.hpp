// Messages that wait to be sent to one client: all texts and all history in order, and the latest
// picture of each slot.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "app/view/session.hpp"

namespace lilyan::view {

struct Outgoing {
  Message message;
  bool binary = false;
  bool counts = true;  // as waiting
};

// It stays bounded however slow the client is: it overflows when too many texts wait.
class Outbox {
 public:
  explicit Outbox(std::size_t most) : most_(most) {}

  // No picture overtakes a text that `begins`.
  void text(Message message, bool begins) {
    push({std::move(message), false});
    if (begins) barrier_ = pushed_;
  }
  // The session keeps these anyway, so that they take no room here: any number may wait.
  void history(Message message, bool binary) {
    push({.message = std::move(message), .binary = binary, .counts = false});
  }
  void picture(std::size_t slot, Message message) { pictures_[slot] = std::move(message); }
  [[nodiscard]] bool overflowed() const { return waiting_ > most_; }

  // Queued messages and pictures take turns, so that neither starves the other.
  [[nodiscard]] std::optional<Outgoing> next() {
    const bool picture_turn = queue_.empty() || (last_was_queued_ && popped_ >= barrier_);
    if (picture_turn) {
      if (Message picture = next_picture()) {
        last_was_queued_ = false;
        return Outgoing{std::move(picture), true};
      }
    }
    if (queue_.empty()) return {};
    Outgoing next = std::move(queue_.front());
    queue_.pop_front();
    if (next.counts) waiting_ -= next.message->size();
    ++popped_;
    last_was_queued_ = true;
    return next;
  }

 private:
  // Meshes go first, then all others in turn: otherwise the first pane would use up a slow
  // connection.
  [[nodiscard]] Message next_picture() {
    for (std::size_t i = 0; i < kMostPanes; ++i) {
      if (pictures_[i]) return std::exchange(pictures_[i], nullptr);
    }
    constexpr std::size_t kOthers = kPictureSlots - kMostPanes;
    for (std::size_t k = 0; k < kOthers; ++k) {
      const std::size_t i = (turn_ + k) % kOthers;
      if (!pictures_[kMostPanes + i]) continue;
      turn_ = i + 1;
      return std::exchange(pictures_[kMostPanes + i], nullptr);
    }
    return nullptr;
  }
  void push(Outgoing next) {
    if (next.counts) waiting_ += next.message->size();
    queue_.push_back(std::move(next));
    ++pushed_;
  }

  std::size_t most_;
  std::size_t waiting_ = 0;  // bytes in the queue
  std::size_t pushed_ = 0, popped_ = 0, barrier_ = 0;
  bool last_was_queued_ = false;
  std::size_t turn_ = 0;
  std::deque<Outgoing> queue_;
  std::array<Message, kPictureSlots> pictures_;
};

}  // namespace lilyan::view

// What waits to be sent to one client: all texts and data in order, and of pictures the latest of
// each slot.
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

// However slow the client, this stays bounded: it overflows when too much waits that must not be
// dropped.
class Outbox {
 public:
  explicit Outbox(std::size_t most) : most_(most) {}

  // No picture is sent before a text that `begins`, should it wait still.
  void text(Message message, bool begins) {
    push({std::move(message), false});
    if (begins) barrier_ = pushed_;
  }
  // What the session keeps anyway, and so takes no room here: of these any number may wait.
  void kept(Message message, bool binary) {
    push({.message = std::move(message), .binary = binary, .counts = false});
  }
  void picture(std::size_t slot, Message message) { pictures_[slot] = std::move(message); }
  [[nodiscard]] bool overflowed() const { return waiting_ > most_; }

  // What is queued and pictures take turns, so that neither starves the other.
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
  // Meshes first; then all others in turn, or the first pane would leave nothing to the rest where
  // the connection is slow.
  [[nodiscard]] Message next_picture() {
    for (std::size_t i = 0; i < kMostPanes; ++i) {
      if (pictures_[i]) return std::exchange(pictures_[i], nullptr);
    }
    constexpr std::size_t kOthers = kSlots - kMostPanes;
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
  std::array<Message, kSlots> pictures_;
};

}  // namespace lilyan::view

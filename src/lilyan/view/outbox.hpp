// What waits to be sent to one client: all texts in order, and of pictures the latest of each slot.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "lilyan/view/session.hpp"

namespace lilyan::view {

struct Outgoing {
  Message message;
  bool binary = false;
};

// However slow the client, this stays bounded: it overflows when too much text waits.
class Outbox {
 public:
  explicit Outbox(std::size_t most_text) : most_(most_text) {}

  // No picture is sent before a text that `begins`, should it wait still.
  void text(Message message, bool begins) {
    waiting_ += message->size();
    texts_.push_back(std::move(message));
    ++pushed_;
    if (begins) barrier_ = pushed_;
  }
  void picture(std::size_t slot, Message message) { pictures_[slot] = std::move(message); }
  [[nodiscard]] bool overflowed() const { return waiting_ > most_; }

  // Texts and pictures take turns, so that neither starves the other.
  [[nodiscard]] std::optional<Outgoing> next() {
    const bool picture_turn = texts_.empty() || (last_was_text_ && popped_ >= barrier_);
    if (picture_turn) {
      for (Message& picture : pictures_) {
        if (!picture) continue;
        last_was_text_ = false;
        return Outgoing{std::exchange(picture, nullptr), true};
      }
    }
    if (texts_.empty()) return {};
    Message message = std::move(texts_.front());
    texts_.pop_front();
    waiting_ -= message->size();
    ++popped_;
    last_was_text_ = true;
    return Outgoing{std::move(message), false};
  }

 private:
  std::size_t most_;
  std::size_t waiting_ = 0;  // bytes of texts
  std::size_t pushed_ = 0, popped_ = 0, barrier_ = 0;
  bool last_was_text_ = false;
  std::deque<Message> texts_;
  std::array<Message, kSlots> pictures_;
};

}  // namespace lilyan::view

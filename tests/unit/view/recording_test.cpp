#include "app/view/recording.hpp"

#include <gtest/gtest.h>

#include <map>

#include "app/view/outbox.hpp"

namespace lilyan::test::recording_test {
namespace {

view::Message message(std::size_t size) { return std::make_shared<const std::string>(size, 'x'); }

TEST(Recording, StaysWithinItsBoundAndKeepsFirstAndLast) {
  view::Recording recording(100'000);
  for (int i = 0; i < 1001; ++i) recording.add({i, 0.5 * i, message(1000), nullptr});
  EXPECT_LE(recording.bytes(), 100'000U);
  EXPECT_EQ(recording.at_frame(0).frame, 0);
  EXPECT_EQ(recording.newest().frame, 1000);
  // Evenly thinned: what is asked for is never far.
  for (int i = 0; i <= 1000; ++i) {
    EXPECT_LE(recording.at_frame(i).frame, i);
    EXPECT_GE(recording.at_frame(i).frame, i - 31) << i;
  }
  EXPECT_EQ(recording.at_time(1e9).frame, 1000);
  EXPECT_EQ(recording.at_time(-1).frame, 0);
}

TEST(Recording, WithinItsBoundKeepsAll) {
  view::Recording recording(1'000'000);
  for (int i = 0; i < 100; ++i) recording.add({i, 0.1 * i, message(100), nullptr});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(recording.at_frame(i).frame, i);
}

TEST(Outbox, KeepsTextsAndTheLatestPictures) {
  view::Outbox outbox(1000);
  outbox.text(message(1), true);
  outbox.picture(4, message(100));
  outbox.picture(4, message(101));
  outbox.text(message(2), false);
  outbox.text(message(3), false);
  std::vector<std::size_t> sizes;
  while (const auto next = outbox.next()) sizes.push_back(next->message->size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 101, 2, 3}));
}

TEST(Outbox, NoPictureOvertakesTheTextItBelongsTo) {
  view::Outbox outbox(1000);
  outbox.text(message(1), false);
  outbox.text(message(2), true);
  outbox.picture(4, message(100));
  std::vector<std::size_t> sizes;
  while (const auto next = outbox.next()) sizes.push_back(next->message->size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 100}));
}

TEST(Outbox, RowsAndPathsAreInOrderWithTexts) {
  view::Outbox outbox(1000);
  outbox.text(message(1), true);
  outbox.history(message(2), true);
  outbox.history(message(3), true);
  outbox.text(message(4), false);
  for (const std::size_t size : {1U, 2U, 3U, 4U}) {
    const auto next = outbox.next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->message->size(), size);
    EXPECT_EQ(next->binary, size == 2 || size == 3);
  }
}

// Whoever sends frames without end must not keep the other panes from being seen.
TEST(Outbox, PanesTakeTurns) {
  view::Outbox outbox(1000);
  std::map<std::size_t, int> sent;
  for (int i = 0; i < 40; ++i) {
    for (std::size_t pane = 0; pane < 4; ++pane) outbox.picture(4 + pane, message(10 + pane));
    outbox.picture(8, message(20));  // a cloud
    ++sent[outbox.next()->message->size()];
  }
  EXPECT_EQ(sent, (std::map<std::size_t, int>{{10, 8}, {11, 8}, {12, 8}, {13, 8}, {20, 8}}));
  // Meshes go first all the same.
  outbox.picture(5, message(11));
  outbox.picture(2, message(99));
  EXPECT_EQ(outbox.next()->message->size(), 99U);
}

TEST(Outbox, WhatIsKeptAnywayDoesNotCount) {
  view::Outbox outbox(1000);
  outbox.history(message(5000), false);
  EXPECT_FALSE(outbox.overflowed());
  outbox.text(message(600), false);
  (void)outbox.next();
  EXPECT_FALSE(outbox.overflowed());
  outbox.text(message(600), false);
  EXPECT_TRUE(outbox.overflowed());
}

TEST(Outbox, DoesNotOverflowByPictures) {
  view::Outbox outbox(1000);
  outbox.picture(4, message(5000));
  EXPECT_FALSE(outbox.overflowed());
  outbox.text(message(1001), false);
  EXPECT_TRUE(outbox.overflowed());
}

}  // namespace
}  // namespace lilyan::test::recording_test

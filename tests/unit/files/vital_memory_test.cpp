// Guards of memory that come and go on several threads, and what becomes of memory that is not enough there.
#include "app/files/vital_memory.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <thread>

namespace lilyan::test::vital_memory_test {
namespace {

// More than there can be.
void ask_for_too_much() {
  const volatile std::size_t size = std::numeric_limits<std::size_t>::max() / 4;
  ::operator delete(::operator new(size));
}

TEST(MemoryGuard, LeavesNothingBehindWhereGuardsOverlap) {
  const std::new_handler before = std::get_new_handler();
  auto first = std::make_optional<NoticedMemory>();
  auto second = std::make_optional<NoticedMemory>();
  EXPECT_NE(std::get_new_handler(), before);
  first.reset();  // the one that was made first goes first
  EXPECT_NE(std::get_new_handler(), before);
  second.reset();
  EXPECT_EQ(std::get_new_handler(), before);
}

// With an address sanitizer such a request ends the program.
#ifdef __SANITIZE_ADDRESS__
#define LILYAN_NEEDS_BAD_ALLOC GTEST_SKIP() << "the sanitizer does not throw"
#else
#define LILYAN_NEEDS_BAD_ALLOC static_cast<void>(0)
#endif

TEST(MemoryGuard, NoticesWhatIsMissingOnItsOwnThread) {
  LILYAN_NEEDS_BAD_ALLOC;
  const NoticedMemory memory;
  std::thread([] { EXPECT_THROW(ask_for_too_much(), std::bad_alloc); }).join();
  EXPECT_NO_THROW(memory.require());
  EXPECT_THROW(ask_for_too_much(), std::bad_alloc);
  EXPECT_THROW(memory.require(), std::bad_alloc);
}

TEST(MemoryGuardDeathTest, EndsTheProgramOnlyOnTheThreadThatCannotDoWithout) {
  LILYAN_NEEDS_BAD_ALLOC;
  const VitalMemory vital;
  std::thread([] { EXPECT_THROW(ask_for_too_much(), std::bad_alloc); }).join();
  EXPECT_DEATH(ask_for_too_much(), "");
}

}  // namespace
}  // namespace lilyan::test::vital_memory_test

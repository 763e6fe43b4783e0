#include "lilyan/core/thread_pool.hpp"

#include <chrono>
#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace lilyan {
namespace {

using Clock = std::chrono::steady_clock;

// How long a worker looks out for the next loop: longer than what a step does between two of them,
// too short to matter once the work is over.
constexpr auto kAwake = std::chrono::microseconds(200);
// How long the owner of a loop looks out for the others' last chunks before it offers its core to
// them, in case they have none.
constexpr auto kPatience = std::chrono::microseconds(50);
constexpr int kLooks = 32;  // between two looks at the clock, which is dearer

thread_local bool within_loop = false;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// Whether done() within the time given.
template <class Done, class Duration>
bool look_out(Duration time, const Done& done) {
  const Clock::time_point end = Clock::now() + time;
  do {
    for (int k = 0; k < kLooks; ++k) {
      if (done()) return true;
      pause();
    }
  } while (Clock::now() < end);
  return false;
}

}  // namespace

void ThreadPool::resize(int threads) {
  const std::lock_guard lock(owner_);
  if (threads == count_) return;
  stop_ = true;
  loop_ += 2;
  loop_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  stop_ = false;
  count_ = threads;
  ranges_ = std::make_unique<Range[]>(static_cast<std::size_t>(count_));
  for (int k = 1; k < count_; ++k) workers_.emplace_back([this, k] { work(k); });
}

void ThreadPool::run(int chunks, Function function, const void* body) {
  if (within_loop || !owner_.try_lock()) {
    for (int chunk = 0; chunk < chunks; ++chunk) function(body, chunk);
    return;
  }
  const std::lock_guard lock(owner_, std::adopt_lock);
  within_loop = true;
  function_ = function;
  body_ = body;
  for (int k = 0; k < count_; ++k) {
    ranges_[k].next.store(static_cast<int>(std::int64_t{chunks} * k / count_),
                          std::memory_order_relaxed);
    ranges_[k].end = static_cast<int>(std::int64_t{chunks} * (k + 1) / count_);
  }
  ++loop_;
  loop_.notify_all();  // does nothing where nobody sleeps
  take_chunks(0);
  ++loop_;
  await_others();
  within_loop = false;
}

void ThreadPool::await_others() const {
  const auto done = [&] { return inside_.load() == 0; };
  if (look_out(kPatience, done)) return;
  while (!done()) std::this_thread::yield();
}

void ThreadPool::take_chunks(int self) {
  for (int k = 0; k < count_; ++k) {
    Range& range = ranges_[(self + k) % count_];
    for (int chunk; (chunk = range.next.fetch_add(1, std::memory_order_relaxed)) < range.end;) {
      function_(body_, chunk);
    }
  }
}

void ThreadPool::work(int self) {
  within_loop = true;
  unsigned seen = 0;
  while (true) {
    seen = await(seen);
    if (seen % 2 == 0) {
      if (stop_) return;
      continue;
    }
    ++inside_;
    if (loop_.load() == seen) take_chunks(self);
    --inside_;
  }
}

unsigned ThreadPool::await(unsigned seen) const {
  const auto changed = [&] { return loop_.load(std::memory_order_acquire) != seen; };
  if (!look_out(kAwake, changed)) loop_.wait(seen);
  return loop_.load();
}

}  // namespace lilyan

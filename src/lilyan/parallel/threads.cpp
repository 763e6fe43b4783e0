#include "lilyan/parallel/threads.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

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

void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Whether done() becomes true within the time given.
template <class Done, class Duration>
bool look_out(Duration time, const Done& done) {
  const Clock::time_point end = Clock::now() + time;
  do {
    for (int k = 0; k < kLooks; ++k) {
      if (done()) return true;
      spin_pause();
    }
  } while (Clock::now() < end);
  return false;
}

// Threads that wait for loops over chunks of work.
//
// A step is a sequence of hundreds of loops of some tens of microseconds, which is about what it
// takes to wake a thread that sleeps. So workers look out for the next loop for a while before they
// go to sleep, and a loop never waits for a worker that has not come: whoever is there takes the
// chunks.
class ThreadPool {
 public:
  using Function = void (*)(const void* body, int chunk);

  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { dismiss(); }

  // Threads that share a loop, the calling one among them. Not to be called from within a loop.
  void resize(int threads);

  // function(body, chunk) for each chunk of 0, …, chunks − 1. A loop within a loop, or one begun
  // while another thread has its own in the pool, is left to the calling thread.
  void run(int chunks, Function function, const void* body);

 private:
  static constexpr std::size_t kLine = 64;  // bytes that processors pass to each other at once

  // Chunks that one thread begins with, each time the same, so that it finds their data in its
  // cache. A thread that is done with its own chunks goes on with those of others.
  struct alignas(kLine) Range {
    std::atomic<int> next = 0;
    int end = 0;
  };

  void dismiss();  // the workers
  void work(int self);
  void take_chunks(int self);
  // Returns when loop_ is no longer `seen`.
  unsigned await(unsigned seen) const;
  void await_others() const;

  std::mutex owner_;  // held by the thread whose loop it is
  std::vector<std::thread> workers_;
  std::unique_ptr<Range[]> ranges_;
  int count_ = 1;  // number of threads, and of ranges
  Function function_ = nullptr;
  const void* body_ = nullptr;
  std::atomic<bool> stop_ = false;
  // Odd while a loop is open. Workers enter (count themselves in inside_), then look whether it is
  // still open; the owner closes it, then waits until nobody is inside. In this order at least one
  // of the two sees the other.
  alignas(kLine) std::atomic<unsigned> loop_ = 0;
  alignas(kLine) std::atomic<int> inside_ = 0;
};

void ThreadPool::resize(int threads) {
  const std::lock_guard lock(owner_);
  if (threads == count_) return;
  auto ranges = std::make_unique<Range[]>(static_cast<std::size_t>(threads));
  dismiss();
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  ranges_ = std::move(ranges);
  count_ = threads;
  try {
    for (int k = 1; k < count_; ++k) workers_.emplace_back([this, k] { work(k); });
  } catch (const std::system_error&) {
    // The system has no more of them to give. Those that are there take all chunks.
  }
}

void ThreadPool::dismiss() {
  stop_ = true;
  loop_ += 2;
  loop_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  stop_ = false;
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

std::atomic<int> count_of_threads = 1;

ThreadPool& shared_pool() {
  static ThreadPool pool;
  return pool;
}

}  // namespace

void set_threads(int count) {
  if (count <= 0) count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  shared_pool().resize(count);
  count_of_threads = count;
}

int threads() { return count_of_threads; }

void detail::share_chunks(int chunks, void (*function)(const void* body, int chunk),
                          const void* body) {
  if (chunks > 1 && count_of_threads > 1) {
    shared_pool().run(chunks, function, body);
  } else {
    for (int chunk = 0; chunk < chunks; ++chunk) function(body, chunk);
  }
}

}  // namespace lilyan

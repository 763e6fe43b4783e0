// Threads that wait for loops over chunks of work.
//
// A step is a sequence of hundreds of loops of some tens of microseconds, which is about what it
// takes to wake a thread that sleeps. So workers look out for the next loop for a while before they
// go to sleep, and a loop never waits for a worker that has not come: whoever is there takes the
// chunks.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace lilyan {

class ThreadPool {
 public:
  using Function = void (*)(const void* body, int chunk);

  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { resize(1); }

  // Threads that share a loop, the calling one among them. Not to be called from within a loop.
  void resize(int threads);

  // function(body, chunk) for each chunk of 0, …, chunks − 1. A loop within a loop, or one begun
  // while another thread has its own in the pool, is left to the calling thread.
  void run(int chunks, Function function, const void* body);

 private:
  static constexpr std::size_t kLine = 64;  // bytes that processors pass to each other at once

  // Chunks that one thread begins with, each time the same, so that it finds their data in its
  // cache. Who is done with his own goes on with those of others.
  struct alignas(kLine) Range {
    std::atomic<int> next = 0;
    int end = 0;
  };

  void work(int self);
  void take_chunks(int self);
  // Returns when loop_ is no longer `seen`.
  unsigned await(unsigned seen) const;
  void await_others() const;

  std::mutex owner_;  // held by the thread whose loop it is
  std::vector<std::thread> workers_;
  std::unique_ptr<Range[]> ranges_;
  int count_ = 1;  // of threads, and ranges
  Function function_ = nullptr;
  const void* body_ = nullptr;
  std::atomic<bool> stop_ = false;
  // Odd while a loop is open. Workers enter (count themselves in inside_), then look whether it is
  // still open; the owner closes it, then waits until nobody is inside. In this order, of those two
  // one sees the other.
  alignas(kLine) std::atomic<unsigned> loop_ = 0;
  alignas(kLine) std::atomic<int> inside_ = 0;
};

}  // namespace lilyan

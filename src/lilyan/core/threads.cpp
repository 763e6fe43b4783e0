#include "lilyan/core/threads.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "lilyan/core/thread_pool.hpp"

namespace lilyan {
namespace {

std::atomic<int> count_of_threads = 1;

ThreadPool& pool() {
  static ThreadPool pool;
  return pool;
}

}  // namespace

void set_threads(int count) {
  if (count <= 0) count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  pool().resize(count);
  count_of_threads = count;
}

int threads() { return count_of_threads; }

void detail::share_chunks(int chunks, void (*function)(const void* body, int chunk),
                          const void* body) {
  if (chunks > 1 && count_of_threads > 1) {
    pool().run(chunks, function, body);
  } else {
    for (int chunk = 0; chunk < chunks; ++chunk) function(body, chunk);
  }
}

}  // namespace lilyan

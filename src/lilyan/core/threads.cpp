#include "lilyan/core/threads.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

namespace lilyan {
namespace {

std::atomic<int> count_of_threads = 1;

}  // namespace

void set_threads(int count) {
  static std::unique_ptr<tbb::global_control> limit;
  if (count <= 0) count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  limit.reset();
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(count));
  count_of_threads = count;
}

int threads() { return count_of_threads; }

}  // namespace lilyan

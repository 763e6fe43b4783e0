// Loops shared among threads: each chunk once, whatever the threads are doing.
#include "lilyan/parallel/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <numeric>
#include <thread>
#include <vector>

namespace lilyan::test::threads_test {
namespace {

class ParallelFor : public ::testing::TestWithParam<int> {
 protected:
  ParallelFor() { set_threads(GetParam()); }
  ~ParallelFor() override { set_threads(1); }
};

// More threads than the machine has cores are among them.
INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, ::testing::Values(1, 2, 3, 8));

TEST_P(ParallelFor, TakesEachChunkOnce) {
  for (int repeat = 0; repeat < 300; ++repeat) {
    const int chunks = repeat % 40;
    std::vector<int> taken(static_cast<std::size_t>(chunks), 0);  // written to without locks
    parallel_for(chunks, [&](int chunk) { ++taken[static_cast<std::size_t>(chunk)]; });
    for (const int count : taken) ASSERT_EQ(count, 1) << chunks;
  }
}

TEST_P(ParallelFor, HasFinishedWhenItReturns) {
  std::vector<double> values(1000);
  for (int repeat = 1; repeat <= 200; ++repeat) {
    parallel_for(100, [&](int chunk) {
      for (int k = 10 * chunk; k < 10 * chunk + 10; ++k) {
        values[static_cast<std::size_t>(k)] += 1;
      }
    });
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), 0.0), 1000.0 * repeat);
  }
}

TEST_P(ParallelFor, WakesThreadsThatSleep) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> sum = 0;
    parallel_for(16, [&](int chunk) { sum += chunk; });
    ASSERT_EQ(sum, 120);
  }
}

TEST_P(ParallelFor, CanBeNested) {
  std::atomic<int> sum = 0;
  parallel_for(6, [&](int i) { parallel_for(7, [&](int k) { sum += 10 * i + k; }); });
  EXPECT_EQ(sum, 10 * 15 * 7 + 21 * 6);
}

TEST_P(ParallelFor, CanBeCalledFromSeveralThreads) {
  std::vector<std::thread> callers;
  std::atomic<int> sum = 0;
  for (int c = 0; c < 3; ++c) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 100; ++repeat) parallel_for(10, [&](int k) { sum += k; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 3 * 100 * 45);
}

TEST_P(ParallelFor, LeavesTheProcessorAloneAfterwards) {
  parallel_for(100, [](int) {});
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 0.05);
}

TEST_P(ParallelFor, RangesCoverEverythingOnce) {
  for (const int count : {0, 1, 2047, 2048, 2049, 100'000, 1'000'000}) {
    std::vector<char> seen(static_cast<std::size_t>(count), 0);
    parallel_ranges(count, [&](int first, int last) {
      for (int k = first; k < last; ++k) ++seen[static_cast<std::size_t>(k)];
    });
    for (const char s : seen) ASSERT_EQ(s, 1) << count;
    const double sum = parallel_sum(count, [](int first, int last) {
      double part = 0;
      for (int k = first; k < last; ++k) part += k;
      return part;
    });
    EXPECT_EQ(sum, 0.5 * count * (count - 1.0));
  }
}

TEST(ParallelSum, HasTheSameBitsForAnyNumberOfThreads) {
  const auto sum = [] {
    return parallel_sum(1'000'000, [](int first, int last) {
      double part = 0;
      for (int k = first; k < last; ++k) part += 1.0 / (k + 1);
      return part;
    });
  };
  const double one = sum();
  for (const int count : {2, 3, 8}) {
    set_threads(count);
    for (int repeat = 0; repeat < 5; ++repeat) EXPECT_EQ(sum(), one);
  }
  set_threads(1);
}

}  // namespace
}  // namespace lilyan::test::threads_test

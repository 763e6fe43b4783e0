// Threads in the place of processes, for tests of what several processes share.
#pragma once

#include <algorithm>
#include <barrier>
#include <map>
#include <thread>
#include <vector>

#include "lilyan/parallel/share.hpp"

namespace lilyan::test {

// What the threads have in common.
struct Team {
  explicit Team(int count) : said(static_cast<std::size_t>(count)), barrier(count) {}
  std::vector<std::vector<double>> said;
  std::barrier<> barrier;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(int rank, Team& team) : rank_(rank), team_(team) {}
  using Ranks::largest;
  using Ranks::sum;
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int count() const override { return static_cast<int>(team_.said.size()); }
  void sum(std::span<double> values) const override {
    combine(values, [](double a, double b) { return a + b; });
  }
  void largest(std::span<double> values) const override {
    combine(values, [](double a, double b) { return std::max(a, b); });
  }
  [[nodiscard]] std::vector<double> gather(std::span<const double> values) const override {
    team_.said[static_cast<std::size_t>(rank_)].assign(values.begin(), values.end());
    team_.barrier.arrive_and_wait();
    std::vector<double> all;
    for (const auto& said : team_.said) all.insert(all.end(), said.begin(), said.end());
    team_.barrier.arrive_and_wait();
    return all;
  }

 private:
  template <class Operation>
  void combine(std::span<double> values, const Operation& operation) const {
    const std::vector<double> all = gather(values);
    std::copy_n(all.begin(), values.size(), values.begin());
    for (std::size_t k = values.size(); k < all.size(); ++k) {
      double& value = values[k % values.size()];
      value = operation(value, all[k]);
    }
  }

  int rank_;
  Team& team_;
};

// Vertices of one coordinate each or of three, of which a process owns some.
class ThreadShare final : public Share {
 public:
  ThreadShare(const Ranks& ranks, std::vector<Range> owned, std::vector<std::int64_t> numbers)
      : Share(std::move(owned), std::move(numbers)), ranks_(ranks) {}
  using Share::refresh;
  [[nodiscard]] const Ranks& ranks() const override { return ranks_; }
  void refresh(double* values, int per_vertex) const override {
    std::vector<double> said;
    const auto count = static_cast<int>(numbers().size());
    for (int i = 0; i < count; ++i) {
      if (!owns(3 * i)) continue;
      said.push_back(static_cast<double>(number(i)));
      said.insert(said.end(), values + per_vertex * i, values + per_vertex * (i + 1));
    }
    const std::vector<double> all = ranks_.gather(said);
    std::map<std::int64_t, const double*> of;
    for (std::size_t k = 0; k < all.size(); k += 1 + static_cast<std::size_t>(per_vertex)) {
      of[static_cast<std::int64_t>(all[k])] = &all[k] + 1;
    }
    for (int i = 0; i < count; ++i) {
      std::copy_n(of.at(number(i)), per_vertex, values + per_vertex * i);
    }
  }

 private:
  const Ranks& ranks_;
};

// Calls the function in so many threads, each with its ThreadRanks.
template <class Function>
void on_ranks(int count, const Function& function) {
  Team team(count);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] { function(ThreadRanks(rank, team)); });
  }
}

}  // namespace lilyan::test

// A system that several processes share, each of which has a part of it.
//
// A part has vertices that the process owns, and copies of vertices of others: all that elements of
// its own vertices touch. So what a process sums up over its elements is complete at its own
// vertices; at the copies it is taken from their owners (Share::refresh). Sums over vertices run over
// those that are owned, and then over the processes (model/sums.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lilyan/base/types.hpp"

namespace lilyan {

// The processes that share a system. All of them call these functions, in the same order, and get the
// same bits.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int count() const = 0;
  // Of each number over all processes, in place.
  virtual void sum(std::span<double> values) const = 0;
  virtual void largest(std::span<double> values) const = 0;
  // The numbers of all processes, those of process 0 first.
  [[nodiscard]] virtual std::vector<double> gather(std::span<const double> values) const = 0;

  [[nodiscard]] double sum(double value) const {
    sum({&value, 1});
    return value;
  }
  [[nodiscard]] double largest(double value) const {
    largest({&value, 1});
    return value;
  }
  [[nodiscard]] bool any(bool value) const { return largest(value ? 1.0 : 0.0) > 0; }
};

class Share {
 public:
  struct Range {
    int first = 0;
    int last = 0;
  };

  // The degrees of freedom that this process owns, and the number of each vertex here.
  Share(std::vector<Range> owned, std::vector<std::int64_t> numbers)
      : owned_(std::move(owned)), numbers_(std::move(numbers)) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  virtual ~Share() = default;

  [[nodiscard]] std::span<const Range> owned() const { return owned_; }
  [[nodiscard]] bool owns(int dof) const {
    for (const Range& range : owned_) {
      if (dof >= range.first && dof < range.last) return true;
    }
    return false;
  }
  // The number of a vertex among all of them. It is the same for any number of processes.
  [[nodiscard]] std::int64_t number(int vertex) const {
    return numbers_[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] std::span<const std::int64_t> numbers() const { return numbers_; }
  [[nodiscard]] virtual const Ranks& ranks() const = 0;
  // Copies get the numbers of their owners. `numbers` has as many entries a vertex as asked for.
  virtual void refresh(double* numbers, int per_vertex) const = 0;
  void refresh(Vector& v) const { refresh(v.data(), 3); }

 private:
  std::vector<Range> owned_;
  std::vector<std::int64_t> numbers_;
};

}  // namespace lilyan

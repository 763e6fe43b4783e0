// Memory that code cannot do without.
#pragma once

#include <new>

namespace lilyan {

// While one of these exists, memory that is not enough ends the program (by std::terminate, which the command line
// turns into a message and an exit code) instead of throwing. For nlohmann's JSON, whose values are destroyed
// wrongly when an exception comes in the middle of an assignment.
class VitalMemory {
 public:
  VitalMemory() : before_(std::set_new_handler(give_up)) {}
  ~VitalMemory() { std::set_new_handler(before_); }
  VitalMemory(const VitalMemory&) = delete;
  VitalMemory& operator=(const VitalMemory&) = delete;

 private:
  // noexcept is what ends the program.
  static void give_up() noexcept { fail(); }
  [[noreturn]] static void fail() { throw std::bad_alloc(); }

  std::new_handler before_;
};

}  // namespace lilyan

// Memory that code cannot do without, and memory that libraries do not say they were short of.
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

// For libraries that take too little memory for something else: streams just end, and to toml++, which reads numbers
// with streams, a number is none. While one of these exists, it notices on this thread.
class NoticedMemory {
 public:
  NoticedMemory() : before_(std::set_new_handler(notice)) { missed = false; }
  ~NoticedMemory() { std::set_new_handler(before_); }
  NoticedMemory(const NoticedMemory&) = delete;
  NoticedMemory& operator=(const NoticedMemory&) = delete;

  // Throws std::bad_alloc if there was too little since this was made.
  void require() const {
    if (missed) throw std::bad_alloc();
  }

 private:
  [[noreturn]] static void notice() {
    missed = true;
    throw std::bad_alloc();
  }

  static inline thread_local bool missed = false;
  std::new_handler before_;
};

}  // namespace lilyan

// Memory that code cannot do without, and memory that libraries do not say they were short of.
#pragma once

#include <mutex>
#include <new>

namespace lilyan {

// What becomes of memory that is not enough, by thread. C++ knows one handler for all threads, so that guards of
// several must not take turns with it: it is there while any of them is, and asks the thread that it is called on.
class MemoryGuard {
 public:
  MemoryGuard() {
    const std::lock_guard lock(mutex);
    if (guards++ == 0) before = std::set_new_handler(handle);
  }
  ~MemoryGuard() {
    const std::lock_guard lock(mutex);
    if (--guards == 0) std::set_new_handler(before);
  }
  MemoryGuard(const MemoryGuard&) = delete;
  MemoryGuard& operator=(const MemoryGuard&) = delete;

 protected:
  static inline thread_local int vital = 0;  // guards of this thread that end the program
  static inline thread_local bool missed = false;

 private:
  static void handle() {
    if (vital > 0) give_up();
    missed = true;
    if (before) return before();
    throw std::bad_alloc();
  }
  // noexcept is what ends the program.
  static void give_up() noexcept { fail(); }
  [[noreturn]] static void fail() { throw std::bad_alloc(); }

  static inline std::mutex mutex;
  static inline int guards = 0;
  static inline std::new_handler before = nullptr;
};

// While one of these exists, memory that is not enough on its thread ends the program (by std::terminate, which the
// command line turns into a message and an exit code) instead of throwing. For nlohmann's JSON, whose values are
// destroyed wrongly when an exception comes in the middle of an assignment.
class VitalMemory : private MemoryGuard {
 public:
  VitalMemory() { ++vital; }
  ~VitalMemory() { --vital; }
  VitalMemory(const VitalMemory&) = delete;
  VitalMemory& operator=(const VitalMemory&) = delete;
};

// For libraries that take too little memory for something else: streams just end, and to toml++, which reads numbers
// with streams, a number is none. While one of these exists, it notices on this thread.
class NoticedMemory : private MemoryGuard {
 public:
  NoticedMemory() { missed = false; }

  // Throws std::bad_alloc if there was too little since this was made.
  void require() const {
    if (missed) throw std::bad_alloc();
  }
};

}  // namespace lilyan

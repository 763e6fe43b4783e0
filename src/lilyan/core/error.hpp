// Errors that cross the library's boundary.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace lilyan {

// Base of everything this library throws. The message is one a user can act on.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where in a user's file something is. line and column start at 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  // "scene.toml:12:5", "mesh.msh:7", "mesh.msh"
  [[nodiscard]] std::string str() const;
};

// A file or setting of the user's that cannot be used: "LOCATION: what is wrong, what to do".
class InputError : public Error {
 public:
  InputError(const SourceLocation& where, const std::string& what);
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  [[nodiscard]] const std::string& complaint() const { return what_; }

 private:
  SourceLocation where_;
  std::string what_;
};

}  // namespace lilyan

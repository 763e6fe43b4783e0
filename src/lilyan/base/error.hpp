// Errors that cross the library's boundary.
#pragma once

#include <stdexcept>
#include <string>

namespace lilyan {

// Base of everything this library throws. The message is one a user can act on.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A place in a user's file. line and column start at 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  // "scene.toml:12:5", "mesh.msh:7", "mesh.msh"
  [[nodiscard]] std::string str() const {
    std::string text = file;
    if (line > 0) text += ":" + std::to_string(line);
    if (line > 0 && column > 0) text += ":" + std::to_string(column);
    return text;
  }
};

// A file or setting of the user's that cannot be used: "LOCATION: what is wrong, what to do".
class InputError : public Error {
 public:
  InputError(const SourceLocation& where, const std::string& message)
      : Error(where.str() + ": " + message), where_(where), message_(message) {}
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  // The fault and the remedy, without the location.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  SourceLocation where_;
  std::string message_;
};

}  // namespace lilyan

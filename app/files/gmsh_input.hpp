// The bytes of a Gmsh file, ASCII or binary, as the records and numbers that both forms hold in
// the same order; and Gmsh's element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/files/scanner.hpp"

namespace lilyan {

inline constexpr std::int64_t kGmshTriangle = 2;
inline constexpr std::int64_t kGmshQuad = 3;
inline constexpr std::int64_t kGmshLinearTet = 4;

// True for tetrahedra with nodes besides their corners.
[[nodiscard]] bool is_gmsh_curved_tet(std::int64_t type);

// The number of nodes of an element, which tells where it ends in a binary file. 0 if the type is
// not known or has no fixed number of nodes.
[[nodiscard]] std::uint64_t gmsh_node_count(std::int64_t type);

class GmshInput {
 public:
  GmshInput(const std::string& file, std::string_view bytes) : text_(file, bytes) {}

  // The name of the next section, without '$'; empty at the end of the file.
  [[nodiscard]] std::string next_section();
  // Reads the body of $MeshFormat and its end.
  void read_format();
  // Past the body of a section and its end.
  void skip_section(const std::string& name);
  // Expects the end of a section whose body has been read.
  void end_section(const std::string& name);

  [[nodiscard]] bool has_format() const { return version_ != 0; }
  // 2 for 2.2 and what came before it, 4 for 4.1
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] bool binary() const { return binary_; }

  // A record is a line in ASCII, and bytes without a mark in binary. item is what an error calls
  // it ("node"), i counts from 0.
  void begin_record(std::string_view item, std::uint64_t i, std::uint64_t count);
  // Expects that nothing is left of the record.
  void end_record();
  // The number of items that follow, on a line of text that binary files have as well; checked as
  // check_count() does.
  [[nodiscard]] std::uint64_t count_line(const std::string& items, std::uint64_t text_bytes,
                                         std::uint64_t binary_bytes);

  // The next number of a record. Sizes are as wide as the writing machine's size_t.
  [[nodiscard]] std::int64_t read_int(std::string_view what);
  [[nodiscard]] std::uint64_t read_size(std::string_view what);
  [[nodiscard]] double read_double(std::string_view what);
  // Version 2 numbers nodes and elements with an int, which must not be negative.
  [[nodiscard]] std::uint64_t read_number(std::string_view what);

  // The width of ints, sizes and doubles in a binary file.
  static constexpr std::uint64_t kIntBytes = 4;
  static constexpr std::uint64_t kDoubleBytes = 8;
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // Past items in a binary file; fails if the file has fewer.
  void skip_items(std::uint64_t count, std::uint64_t bytes_each, std::string_view items);
  // Fails if so many items cannot follow: see TextScanner::check_count.
  void check_count(std::uint64_t count, std::uint64_t text_bytes, std::uint64_t binary_bytes,
                   std::string_view items) const;

  [[nodiscard]] const TextScanner& text() const { return text_; }
  // An error at the section's first line.
  [[noreturn]] void fail_section(const std::string& complaint) const {
    text_.fail_at(section_place_, complaint);
  }

 private:
  template <typename T>
  T read_binary(std::string_view what);
  void read_byte_order();

  TextScanner text_;
  std::uint64_t section_place_ = 0;
  int version_ = 0;
  bool binary_ = false;
  bool swapped_ = false;
  std::uint64_t size_bytes_ = 8;
};

}  // namespace lilyan

// Reading meshes from text (or bytes) that a test writes, and judging what is said about them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"
#include "lilyan/base/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test {

inline TetMesh mesh_of(const std::string& bytes, const std::string& extension) {
  const TempFolder folder;
  return read_mesh(folder.write("mesh" + extension, bytes));
}

// The error that reading gives, without the path: "12: complaint".
inline std::string mesh_error(const std::string& bytes, const std::string& extension) {
  const TempFolder folder;
  const std::string file = folder.write("mesh" + extension, bytes).string();
  try {
    static_cast<void>(read_mesh(file));
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().file, file);
    return std::string(error.what()).substr(file.size() + 1);
  }
  return "(no error)";
}

inline void expect_says(const std::string& error, const std::string& beginning,
                        const std::vector<std::string>& parts) {
  EXPECT_TRUE(error.starts_with(beginning)) << error << "\n  should begin with: " << beginning;
  for (const std::string& part : parts) {
    EXPECT_NE(error.find(part), std::string::npos) << error << "\n  should say: " << part;
  }
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the test's own text lacks: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Two tets that share a face: what the tests' good files describe.
inline void expect_two_tets(const TetMesh& mesh) {
  const std::vector<std::array<double, 3>> vertices = {
      {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const std::vector<std::array<int, 4>> tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  EXPECT_EQ(mesh.vertices, vertices);
  EXPECT_EQ(mesh.tets, tets);
}

}  // namespace lilyan::test

// Stand-ins for other programs, found on the PATH before the real ones or instead of them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/temp_folder.hpp"

namespace lilyan::test {

// Another PATH for as long as this lives.
class ChangedPath {
 public:
  explicit ChangedPath(const std::string& path) : before_(std::getenv("PATH")) {
    setenv("PATH", path.c_str(), 1);
  }
  ~ChangedPath() { setenv("PATH", before_.c_str(), 1); }
  ChangedPath(const ChangedPath&) = delete;
  ChangedPath& operator=(const ChangedPath&) = delete;

 private:
  std::string before_;
};

// A program in the folder that runs this text of the shell.
inline void make_program(const TempFolder& folder, const std::string& name,
                         const std::string& script) {
  const std::filesystem::path file = folder.write(name, "#!/bin/sh\n" + script);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace lilyan::test

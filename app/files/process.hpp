// Other programs, run without a shell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lilyan {

// Where a program of that name is on the PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_program(const std::string& name);

struct ProcessResult {
  int code = 0;        // exit code; 128 + the signal's number when a signal ended it
  std::string output;  // standard output and error together
};

// Runs a program with these arguments in a folder and waits for its end. Throws Error when it
// cannot be started.
[[nodiscard]] ProcessResult run_process(const std::filesystem::path& program,
                                        const std::vector<std::string>& arguments,
                                        const std::filesystem::path& folder);

// A word as one would type it in a shell, in quotes where it needs them.
[[nodiscard]] std::string quoted_for_shell(const std::string& word);

// A folder of its own under the system's temporary one, removed at the end.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lilyan

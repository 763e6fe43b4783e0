// The folder for the results of a run, so that no run is lost: a finished one may be replaced by the same scene
// with the same settings, one that was interrupted by nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lilyan {

// What a folder that exists holds.
struct EarlierResults {
  std::string identity;      // of what was run: equal texts are the same run
  bool unfinished = false;   // it was interrupted and can go on
  std::string how_to_go_on;  // then: the command for it
};

// Whether a run is writing into the folder: it has the folder's lock.
[[nodiscard]] bool is_locked(const std::filesystem::path& folder);

// Reads that of a run's folder; none if there is no run in it.
[[nodiscard]] std::optional<EarlierResults> earlier_run(const std::filesystem::path& folder);

struct FolderChoice {
  std::filesystem::path folder;
  std::string note;  // to tell the user; may be empty
};

struct FolderRequest {
  std::string given;       // by the user; empty: results/NAME
  std::string name;        // otherwise
  std::string identity;    // of what is going to be run
  bool overwrite = false;  // whatever is there
  std::optional<EarlierResults> (*read)(const std::filesystem::path& folder) = earlier_run;
};

// The given folder, or results/NAME, or the first of results/NAME-2, … that nothing would be lost in. Throws
// Error when something would be lost in the given one.
[[nodiscard]] FolderChoice choose_folder(const FolderRequest& request);

// "integrator.step" → "step"; "body.0.material.model" → "material".
[[nodiscard]] std::string short_key(const std::string& key);

// "-step=0.01-material=neo-hookean-from=bunny-avf_12": what the settings, the number of steps if there is one, and the
// frame to start from add to the name of a folder. What is in its name anyhow, the method, is left out.
[[nodiscard]] std::string name_of_changes(const std::vector<std::string>& settings,
                                          const std::optional<int>& steps,
                                          const std::string& start = {});

}  // namespace lilyan

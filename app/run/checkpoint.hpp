// Checkpoints: all that a run needs to go on after it was ended, by the user or by a power cut, as if it
// never had been.
//
// A checkpoint is written aside, synced and renamed, and the one before it is kept. The file is one line
// of text (what it is, and the build that wrote it), the size and a checksum of the rest, and the rest:
// the numbers of Archive, which only the same build of the program can be trusted with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lilyan/saving/archive.hpp"

namespace lilyan {

struct Scene;

// What a checkpoint begins with.
struct CheckpointHead {
  std::string scene_name;
  std::string resolved;  // the scene
  int step = 0;
  double t = 0;
  bool shared = false;  // whether it is one of several processes (lilyan-mpi)
  void archive(Archive& a) { a(scene_name, resolved, step, t, shared); }
};

// Throws Error when it cannot be written.
void write_checkpoint(const std::filesystem::path& folder, const std::string& content);

struct Checkpoint {
  CheckpointHead head;
  std::string content;  // behind the head
  std::filesystem::path file;
  std::string note;  // why it is not the newest; empty: it is
};
// The newest checkpoint of a folder that is whole. Throws InputError when there is none, with the reason
// for each that cannot be used.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& folder);
// The head and the content of a checkpoint file's bytes. Throws Error.
[[nodiscard]] Checkpoint parse_checkpoint(std::string_view bytes);
// The bytes of a file with this content.
[[nodiscard]] std::string checkpoint_bytes(std::string_view content);

[[nodiscard]] bool has_checkpoint(const std::filesystem::path& folder);
void remove_checkpoints(const std::filesystem::path& folder);
// Removes the files in which processes that share a run have saved its state (checkpoint-NNNNNN.state), but for some.
void remove_saved_states(const std::filesystem::path& folder,
                         const std::vector<std::string>& but = {});

// A number that two scenes share only if they start from the same state with the same masses: meshes are
// files of their own and may have changed.
[[nodiscard]] std::uint64_t start_digest(const Scene& scene);

}  // namespace lilyan

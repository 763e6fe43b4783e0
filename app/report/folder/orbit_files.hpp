// The files of a scene's orbits: orbits.csv, where they were, and orbit-events.csv, their events. Orbit 0
// is the run itself, the others are those of [[system.ensemble]] in their order.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/files/file.hpp"

namespace lilyan {

struct RunMoment;
struct Scene;
struct State;

class OrbitFiles {
 public:
  // The scene must outlive this. Throws Error when a file cannot be written, now or later.
  OrbitFiles(const std::filesystem::path& folder, const Scene& scene, Opening opening);

  void add(const RunMoment& moment);
  void finish();
  void archive(Archive& a);

  [[nodiscard]] static std::vector<std::string> names() {
    return {"orbits.csv", "orbit-events.csv"};
  }
  // Says what was left out, for a message; empty: nothing.
  [[nodiscard]] std::string note() const;

 private:
  void row(OutputFile& file, std::size_t& rows, std::string head, const State& state) const;

  const Scene& scene_;
  OutputFile orbits_;
  std::unique_ptr<OutputFile> events_;
  int every_;  // steps between rows of an orbit; 0: none
  std::size_t rows_ = 0;
  std::size_t event_rows_ = 0;
};

}  // namespace lilyan

// Files that the processes of a shared run write together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/distributed/mpi_distribution.hpp"
#include "app/files/file.hpp"
#include "app/files/vtu.hpp"
#include "app/run/energy_density.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan::distributed {

// frames/NNNNNN_P.vtu of each process, and frames/NNNNNN.pvtu and run.pvd of process 0.
class FramePieces {
 public:
  FramePieces(const std::filesystem::path& folder, const Scene& scene, const MpiDistribution& ranks,
              Opening opening);
  // All processes call it. Throws Error, in all of them, when a file cannot be written.
  void add(int step, const State& state);
  void archive(Archive& a);  // in process 0

 private:
  void write_list(int step) const;

  std::filesystem::path folder_;
  const Scene& scene_;
  const MpiDistribution& ranks_;
  std::vector<std::array<int, 4>> tets_;  // those that this process counts
  std::vector<int> body_;
  VertexEnergies energies_;
  std::unique_ptr<PvdWriter> pvd_;  // in process 0
};

// The surface of the whole scene, for process 0.
class SurfaceOfAll {
 public:
  // Gives the scene of process 0 its surface.
  SurfaceOfAll(Scene& scene, const MpiDistribution& ranks);
  // All processes call it; process 0 gets the state of the surface's vertices, the others one without any.
  [[nodiscard]] State gather(const State& state) const;

 private:
  const MpiDistribution& ranks_;
  std::vector<int> vertices_;  // of this process that are on it
  std::vector<std::size_t>
      from_;  // in process 0: where each vertex of the surface is among all that are sent
};

// The whole state in one file, vertices in the order of the bodies' meshes: any number of processes can read it.
// All processes call these, and all throw Error when one fails.
void write_state(const std::filesystem::path& file, const Scene& scene, const State& state,
                 const MpiDistribution& ranks);
void read_state(const std::filesystem::path& file, const Scene& scene, State& state,
                const MpiDistribution& ranks);

// The reason of the first process that has one.
[[nodiscard]] std::string reason_anywhere(const MpiDistribution& ranks, const std::string& own);

// Does something that may fail in one process. If it does, all processes throw Error with its reason.
template <class Part>
void together(const MpiDistribution& ranks, const Part& part) {
  const std::string reason = reason_anywhere(ranks, reason_of_failure(part));
  if (!reason.empty()) throw Error(reason);
}

}  // namespace lilyan::distributed

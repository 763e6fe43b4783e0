// Scenes that are simulated while they are watched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "app/view/command.hpp"
#include "app/view/messages.hpp"
#include "app/view/server.hpp"

namespace lilyan {

struct RunMoment;
struct RunSummary;
struct Scene;

namespace view {

class Pane;

// A pane that runs a scene. Throws Error when the scene cannot be run.
[[nodiscard]] std::unique_ptr<Pane> make_simulation(PaneId id, const PaneRequest& request,
                                                    const std::filesystem::path& file);

// A run of the program that can be watched while it goes on.
class Broadcast {
 public:
  // The scene must outlive this. Throws Error when the port cannot be had.
  Broadcast(const Scene& scene, const ServerOptions& options);
  ~Broadcast();
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  void add(const RunMoment& moment);
  // Shows the end of a run that failed.
  void finish(const RunSummary& summary);
  [[nodiscard]] unsigned short port() const;
  [[nodiscard]] std::size_t clients() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace view
}  // namespace lilyan

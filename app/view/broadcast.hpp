// A run of the program that can be watched while it goes on.
#pragma once

#include <string>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/view/picture.hpp"
#include "app/view/server.hpp"
#include "app/view/session.hpp"
#include "app/view/simulation.hpp"

namespace lilyan::view {

class Broadcast {
 public:
  // The scene must outlive this. Throws Error when the port cannot be had.
  Broadcast(const Scene& scene, const ServerOptions& options);

  void add(const RunMoment& moment);
  // Of a run that failed.
  void finish(const RunSummary& summary);
  [[nodiscard]] unsigned short port() const { return server_.port(); }
  [[nodiscard]] std::size_t clients() const { return session_.clients(); }

 private:
  const Scene& scene_;
  SeriesFeed series_;
  Picture picture_;
  Session session_;
  Server server_;
};

}  // namespace lilyan::view

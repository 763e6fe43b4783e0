#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "app/cli/commands.hpp"
#include "app/view/page.hpp"
#include "app/view/replay.hpp"
#include "app/view/server.hpp"
#include "app/view/session.hpp"
#include "app/view/simulation.hpp"
#include "lilyan/core/threads.hpp"

namespace lilyan::cli {
namespace fs = std::filesystem;

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "THIS-MACHINE";
}

bool has_screen() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

// Threads made from now on leave SIGINT and SIGTERM to whoever waits for them.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

}  // namespace

std::string view_address(unsigned short port) {
  std::string text = fmt::format("the page is at http://127.0.0.1:{}/\n", port);
  if (!has_screen()) {
    text += fmt::format(
        "  to see it from another machine, run this there and open the same address:\n"
        "  ssh -L {0}:127.0.0.1:{0} {1}\n",
        port, host_name());
  }
  return text;
}

int view(const ViewOptions& options) {
  std::vector<std::string> arguments = options.scenes;
  if (arguments.empty()) arguments = {"bunny"};
  std::vector<std::string> names = scene_names();
  std::vector<view::PaneRequest> panes;
  // Where what was asked for on the command line is; clients may ask for it by the same words.
  std::map<std::string, fs::path> given;
  for (const std::string& argument : arguments) {
    // A bare name is a scene's, even where a folder is called the same.
    const bool scene = std::ranges::find(names, argument) != names.end();
    const bool folder = !scene && fs::is_directory(argument);
    given[argument] = folder ? fs::path(argument) : find_scene(argument);
    panes.push_back({argument, options.settings, options.settings});
    if (std::ranges::find(names, argument) == names.end()) names.push_back(argument);
  }
  const auto make = [&](view::PaneId id,
                        const view::PaneRequest& request) -> std::unique_ptr<view::Pane> {
    const auto found = given.find(request.scene);
    const fs::path path = found != given.end() ? found->second : find_scene(request.scene);
    if (fs::is_directory(path)) return view::make_replay(id, request, path);
    return std::make_unique<view::Simulation>(id, request, path);
  };
  // What is wrong with these is said here, before anything is served.
  for (const view::PaneRequest& pane : panes) (void)make({}, pane);
  const sigset_t signals = block_signals();
  set_threads(0);
  view::Session session({.scenes = names, .make = make, .play_at_first_client = true});
  view::ServerOptions server_options{.insist = options.port.has_value(), .page = view::page()};
  if (options.port) server_options.port = static_cast<unsigned short>(*options.port);
  const view::Server server(session, server_options);
  session.open(panes);
  fmt::print("{}Ctrl-C ends it\n", view_address(server.port()));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  // Steps at hand end at their next iteration; who cannot wait interrupts once more.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  return kDone;
}

}  // namespace lilyan::cli

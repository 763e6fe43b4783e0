// lilyan view, and lilyan run --view: web pages served from this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

#include "app/cli/commands.hpp"
#include "app/cli/terminal.hpp"
#include "app/view/pane.hpp"
#include "app/view/replay.hpp"
#include "app/view/server.hpp"
#include "app/view/session.hpp"
#include "app/view/simulation.hpp"
#include "lilyan/parallel/threads.hpp"

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

// How to reach the page: its address, and from another machine where there is no screen.
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

view::ServerOptions server_options(std::optional<int> port) {
  view::ServerOptions options{.insist = port.has_value(), .page = view::page()};
  if (port) options.port = static_cast<unsigned short>(*port);
  return options;
}

constexpr std::chrono::seconds kGrace{5};

// The page stays for as long as somebody watches it. Who has not opened it yet, or loads it again, is
// given some seconds; in a terminal the page stays until Ctrl-C.
void await_viewers(const view::Broadcast& broadcast) {
  using Clock = std::chrono::steady_clock;
  if (interrupted()) return;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  fmt::print("{}\n", terminal ? "the page stays until Ctrl-C"
                              : "the page stays until it is closed, or until Ctrl-C");
  std::fflush(stdout);
  Clock::time_point watched = Clock::now();
  while (!interrupted() && (terminal || Clock::now() - watched < kGrace)) {
    if (broadcast.clients() > 0) watched = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

class PageOfRun final : public RunViewer {
 public:
  PageOfRun(const Scene& scene, std::optional<int> port) : broadcast_(scene, server_options(port)) {
    tell(view_address(broadcast_.port()));
  }
  void add(const RunMoment& moment) override { broadcast_.add(moment); }
  void finish(const RunSummary& summary) override {
    broadcast_.finish(summary);
    await_viewers(broadcast_);
  }

 private:
  view::Broadcast broadcast_;
};

}  // namespace

std::unique_ptr<RunViewer> serve_run(const Scene& scene, std::optional<int> port) {
  return std::make_unique<PageOfRun>(scene, port);
}

int view(const ViewOptions& options) {
  std::vector<std::string> arguments = options.scenes;
  if (arguments.empty()) arguments = {"bunny"};
  std::vector<std::string> names = scene_names();
  std::vector<view::PaneRequest> panes;
  // The files and folders that the command line names; clients may ask for them by the same words.
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
    return view::make_simulation(id, request, path);
  };
  // A mistake in one of them is reported here, before anything is served.
  for (const view::PaneRequest& pane : panes) (void)make({}, pane);
  const sigset_t signals = block_signals();
  set_threads(0);
  view::Session session({.scenes = names, .make = make, .play_at_first_client = true});
  const view::Server server(session, server_options(options.port));
  session.open(panes);
  fmt::print("{}Ctrl-C ends it\n", view_address(server.port()));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  // Steps that are under way end at their next iteration; a second interrupt ends the program at once.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  return kDone;
}

}  // namespace lilyan::cli

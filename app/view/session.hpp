// A live view without its network: up to four panes side by side, and the clients that watch them.
//
// Each pane is stepped by a thread of its own; one more thread sends the clients what is new, some
// sixty times a second. Panes keep to the same simulated time: a pane steps only while no other is
// behind it, and frames are shown as of the time that all have reached.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/view/command.hpp"
#include "app/view/messages.hpp"

namespace lilyan::view {

class Pane;
struct PaneMoment;

// Someone who watches. Its functions are called with the session locked: they must be quick and
// must not call back.
class Client {
 public:
  virtual ~Client() = default;
  // Texts must all arrive, in order. `begins`: later pictures may refer to this text.
  virtual void text(const Message& message, bool begins) = 0;
  // Rows and paths must all arrive, in order with the texts. The session keeps them anyway.
  virtual void history(const Message& message, bool binary) = 0;
  // Only the latest picture of a slot matters. Lower slots go first.
  virtual void picture(std::size_t slot, const Message& message) = 0;
};
// Slots of pictures: meshes of all panes, then their frames, then their clouds.
inline constexpr std::size_t kPictureSlots = 3 * kMostPanes;

// Makes the pane of a request. Throws Error with the reason when it cannot be shown.
using MakePane = std::function<std::unique_ptr<Pane>(PaneId, const PaneRequest&)>;

struct SessionOptions {
  std::vector<std::string> scenes;       // that clients are offered
  MakePane make;                         // null: panes are fed from outside
  bool play_at_first_client = false;     // rather than wait for someone to press the button
  std::size_t most_bytes = 512U << 20U;  // of recorded frames, all together
};

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Replaces all panes.
  void open(const std::vector<PaneRequest>& panes);
  // Carries out a client's command; answers go to the client. Never throws. Every command before
  // hello is answered with an error.
  void receive(Client& from, std::string_view text);
  // After leave() a client is not called again.
  void leave(Client& client);
  void leave_all();
  [[nodiscard]] std::size_t clients() const;

  // A pane that is stepped elsewhere: what it is, and its moments one after the other.
  void feed(const PaneInfo& info, PaneId id, const Message& mesh);
  void feed(PaneMoment moment);

 private:
  using Clock = std::chrono::steady_clock;
  struct PaneState;
  struct Handler;

  // The threads of a pane and of the updates.
  void run_pane(PaneState& pane);
  void send_updates();
  void try_changes();
  // All of these are called with the session locked.
  void run_command(Client& from, const Command& command);
  void greet(Client& client);
  void replace(const std::vector<PaneRequest>& panes);
  void begin(PaneState& pane, const PaneRequest& request);
  void load(PaneState& pane, std::unique_lock<std::mutex>& lock);
  void step(PaneState& pane, std::unique_lock<std::mutex>& lock);
  void carry_out_requests(PaneState& pane, std::unique_lock<std::mutex>& lock);
  void store(PaneState& pane, PaneMoment moment);
  void play(bool playing);
  void call_off_steps();
  void wake();
  [[nodiscard]] bool may_step(const PaneState& pane, Clock::time_point& when) const;
  [[nodiscard]] double common_time() const;  // that all running panes have reached
  [[nodiscard]] PaneState& pane_state(std::size_t pane);
  [[nodiscard]] bool only_watching() const { return !options_.make; }
  void refuse_if_watching() const;
  void send_to_all(const Message& message, bool begins = false);
  void send_history(PaneState& pane, std::unique_lock<std::mutex>& lock);
  void send_path(PaneState& pane);
  void choose_speed();
  void send_pictures(Client* only);
  void send_state();
  void keep_pace();
  void play_recording();

  SessionOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // for the panes' threads
  std::condition_variable news_;     // for the thread that sends updates
  bool stop_ = false;
  bool playing_ = false;
  bool greeted_ = false;
  struct ShownSpeed {
    double now = 1;
    double usual = 1;     // with which the runs take some 10 to 30 seconds
    bool chosen = false;  // by a client
  } speed_;
  // Simulated time goes on from `paced_t_` at `paced_`.
  Clock::time_point paced_;
  double paced_t_ = 0;
  std::optional<double> seek_;  // the time that is shown instead of the newest
  Clock::time_point sought_;    // when that was so
  bool state_due_ = false;
  std::uint32_t runs_ = 0;
  std::array<std::unique_ptr<PaneState>, kMostPanes> panes_;
  std::size_t pane_count_ = 0;  // in use
  std::vector<Client*> clients_;
  std::vector<std::thread> threads_;
};

}  // namespace lilyan::view

// A live view without its network: up to four panes side by side, and who watches them.
//
// Each pane is stepped by a thread of its own; one more thread tells the clients what is new, some
// sixty times a second. Panes keep to the same simulated time: only those step that no other is
// behind, and frames are shown as of the time that all have reached.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/view/command.hpp"
#include "app/view/pane.hpp"
#include "app/view/recording.hpp"

namespace lilyan::view {

// Someone who watches. Called with the session locked: to be quick, and not to call back.
class Client {
 public:
  virtual ~Client() = default;
  // Texts are to arrive all of them, in order. `begins`: what comes next may refer to it.
  virtual void text(const Message& message, bool begins) = 0;
  // Rows and paths, to arrive all of them, in order with the texts. The session keeps them anyway.
  virtual void kept(const Message& message, bool binary) = 0;
  // Of a slot only the latest matters. Lower slots go first.
  virtual void picture(std::size_t slot, const Message& message) = 0;
};
// Slots of pictures: meshes of all panes, then their frames, then their clouds.
inline constexpr std::size_t kSlots = 3 * kMostPanes;

// The pane of a request. Throws Error with the reason when it cannot be shown.
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
  // What a client says; answers go to it. Never throws.
  void receive(Client& from, std::string_view text);
  // Whatever clients say before hello is answered with an error; after leave() a client is not
  // called again.
  void leave(Client& client);
  void leave_all();
  [[nodiscard]] std::size_t clients() const;

  // A pane that is stepped elsewhere: what it is, and its moments one after the other.
  void feed(const PaneInfo& info, PaneId id, const Message& mesh);
  void feed(PaneMoment moment);

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot;
  struct Handler;

  void work(Slot& slot);
  void tell();
  // All of these with the session locked.
  void run_command(Client& from, const Command& command);
  void greet(Client& client);
  void replace(const std::vector<PaneRequest>& panes);
  void begin(Slot& slot, const PaneRequest& request);
  void load(Slot& slot, std::unique_lock<std::mutex>& lock);
  void step(Slot& slot, std::unique_lock<std::mutex>& lock);
  void obey(Slot& slot, std::unique_lock<std::mutex>& lock);
  void take(Slot& slot, PaneMoment moment);
  void play(bool playing);
  void call_off_steps();
  void wake();
  [[nodiscard]] bool may_step(const Slot& slot, Clock::time_point& when) const;
  [[nodiscard]] double common_time() const;  // that all running panes have reached
  [[nodiscard]] Slot& slot(std::size_t pane);
  [[nodiscard]] bool only_watching() const { return !options_.make; }
  void check_mine() const;
  void to_all(const Message& message, bool begins = false);
  void flush_rows(Slot& slot, std::unique_lock<std::mutex>& lock);
  void show(Client* only);
  void send_state(Client* only);
  void keep_pace();
  void play_recording();

  SessionOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // for workers
  std::condition_variable news_;     // for the thread that tells
  bool stop_ = false;
  bool playing_ = false;
  bool greeted_ = false;
  double speed_ = 1;
  // Simulated time goes on from `paced_t_` at `paced_`.
  Clock::time_point paced_;
  double paced_t_ = 0;
  std::optional<double> seek_;  // the time that is shown instead of the newest
  Clock::time_point sought_;    // when that was so
  bool state_due_ = false;
  std::uint32_t runs_ = 0;
  std::array<std::unique_ptr<Slot>, kMostPanes> slots_;
  std::size_t panes_ = 0;  // in use
  std::vector<Client*> clients_;
  std::vector<std::thread> threads_;
};

}  // namespace lilyan::view

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/view/pane_state.hpp"
#include "app/view/session.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::view {
namespace {

// The key of key=value, without spaces around it.
std::string key_of(const std::string& setting) {
  std::string key = setting.substr(0, setting.find('='));
  std::erase_if(key, [](unsigned char c) { return std::isspace(c) != 0; });
  return key;
}

// load_scene() reads no file that a setting of the page names. Settings that plainly name one are
// refused here already, before they replace what runs.
void refuse_files(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::string key = key_of(setting);
    const std::string last = key.substr(key.rfind('.') + 1);
    if (last == "mesh" || last == "positions" || last == "velocities") {
      throw Error(fmt::format("'{}' names files and cannot be set from the page", last));
    }
  }
}

}  // namespace

void Session::receive(Client& from, std::string_view text) {
  const std::lock_guard lock(mutex_);
  try {
    run_command(from, parse_command(text));
  } catch (const std::exception& error) {
    from.text(error_message(error.what()), false);
  }
}

void Session::leave(Client& client) {
  const std::lock_guard lock(mutex_);
  std::erase(clients_, &client);
  for (std::size_t i = 0; i < pane_count_; ++i) {
    PaneState& s = *panes_[i];
    if (s.cloud_asker == &client) s.cloud_asker = nullptr;
    if (s.changer == &client) s.changer = nullptr;
    if (s.puller != &client) continue;
    s.release_pull();
    wake();
  }
}

void Session::leave_all() {
  const std::lock_guard lock(mutex_);
  clients_.clear();
}

void Session::open(const std::vector<PaneRequest>& panes) {
  const std::lock_guard lock(mutex_);
  replace(panes);
}

void Session::replace(const std::vector<PaneRequest>& panes) {
  if (panes.empty() || panes.size() > kMostPanes) {
    throw Error(fmt::format("a view has 1 to {} panes", kMostPanes));
  }
  // A pace belongs to its scene.
  if (panes[0].scene != panes_[0]->request.scene) speed_.chosen = false;
  pane_count_ = panes.size();
  seek_.reset();
  for (std::size_t i = 0; i < kMostPanes; ++i) {
    panes_[i]->used = i < pane_count_;
    if (i < pane_count_) {
      begin(*panes_[i], panes[i]);
    } else {
      panes_[i]->stop_step();
      panes_[i]->clear();
    }
  }
  play(playing_);
}

void Session::begin(PaneState& s, const PaneRequest& request) {
  s.stop_step();
  s.clear();
  s.request = request;
  s.id.run = ++runs_;
  s.load_asked = true;
  wake();
}

void Session::play(bool playing) {
  playing_ = playing;
  // After a seek the recording is played first, unless time is to go as fast as possible.
  if (playing && (only_watching() || speed_.now == 0)) seek_.reset();
  sought_ = paced_ = Clock::now();
  const double t = common_time();
  paced_t_ = std::isfinite(t) ? t : 0;
  wake();
}

// Sends everything so far, so that a client that comes late sees the same as the others.
void Session::greet(Client& client) {
  client.text(setup_message(options_.scenes), true);
  for (std::size_t i = 0; i < pane_count_; ++i) {
    const PaneState& s = *panes_[i];
    if (!s.head) continue;
    client.text(s.head, true);
    if (s.mesh) client.picture(i, s.mesh);
    for (const Message& rows : s.sent) client.history(rows, false);
    // What has not been sent to the others comes with theirs.
    const std::size_t width = s.path_shape.width();
    std::size_t count = s.path_kept.size();
    while (count > 0 && !s.path.empty() && s.path_kept[count - width] >= s.path.front()) {
      count -= width;
    }
    if (count > 0) {
      client.history(path_message(s.id, 0, s.path_shape, std::span(s.path_kept).first(count)),
                     true);
    }
    if (s.sections_sent > 0) {
      client.history(section_message(s.id, 0, std::span(s.sections).first(s.sections_sent)), true);
    }
  }
  if (std::ranges::find(clients_, &client) == clients_.end()) clients_.push_back(&client);
  send_pictures(&client);
  if (options_.play_at_first_client && !greeted_) play(true);
  greeted_ = true;
}

void Session::call_off_steps() {
  for (const auto& s : panes_) s->steps_asked = 0;
}

void Session::refuse_if_watching() const {
  if (only_watching()) throw Error("this run is only watched: it goes on by itself");
}

struct Session::Handler {
  Session& session;
  Client& from;

  void operator()(const Hello&) const { session.greet(from); }
  void operator()(const Play&) const {
    session.call_off_steps();
    session.play(true);
  }
  void operator()(const Pause&) const {
    // The page stays where it is, even if the run goes on elsewhere.
    if (session.only_watching() && !session.seek_) session.seek_ = session.panes_[0]->t;
    session.call_off_steps();
    session.play(false);
  }
  void operator()(const Step&) const {
    session.refuse_if_watching();
    session.play(false);
    session.seek_.reset();
    for (std::size_t i = 0; i < session.pane_count_; ++i) {
      if (session.panes_[i]->running()) ++session.panes_[i]->steps_asked;
    }
  }
  void operator()(const Reset&) const {
    session.refuse_if_watching();
    session.seek_.reset();
    for (std::size_t i = 0; i < session.pane_count_; ++i) {
      session.begin(*session.panes_[i], session.panes_[i]->request);
    }
    session.play(session.playing_);
  }
  void operator()(const Speed& command) const {
    session.refuse_if_watching();
    session.speed_.now = command.value;
    session.speed_.chosen = true;
    session.play(session.playing_);
  }
  void operator()(const Open& command) const;
  void operator()(const Change& command) const;
  void operator()(const Seek& command) const;
  void operator()(const Pull& command) const;
  void operator()(const Release& command) const;
  void operator()(const PhaseCloudRequest& command) const;
};

void Session::Handler::operator()(const Open& command) const {
  session.refuse_if_watching();
  for (const PaneRequest& pane : command.panes) {
    if (std::ranges::find(session.options_.scenes, pane.scene) == session.options_.scenes.end()) {
      throw Error(fmt::format("there is no scene '{}' here", pane.scene));
    }
    refuse_files(pane.settings);
  }
  session.replace(command.panes);
}

void Session::Handler::operator()(const Change& command) const {
  session.refuse_if_watching();
  PaneState& s = session.pane_state(command.pane);
  refuse_files(command.settings);
  PaneRequest request = s.change_asked ? *s.change_asked : s.changing ? *s.changing : s.request;
  const auto remove = [&](const std::string& key) {
    return std::erase_if(request.settings,
                         [&](const std::string& old) { return key_of(old) == key; });
  };
  for (const std::string& key : command.remove) {
    if (remove(key_of(key)) == 0)
      throw Error(fmt::format("there is no setting '{}' to take away", key));
  }
  for (const std::string& setting : command.settings) {
    if (setting.find('=') == std::string::npos) throw Error("a setting is written key=value");
    remove(key_of(setting));  // the new value takes the place of the old one
    request.settings.push_back(setting);
  }
  if (s.head && !s.error && !s.load_asked) {
    s.change_asked = request;
    s.changer = &from;
    return;
  }
  session.seek_.reset();
  session.begin(s, request);
  session.play(session.playing_);
}

// Frames are counted by the pane that has most; the others show the same time.
void Session::Handler::operator()(const Seek& command) const {
  const PaneState* most = nullptr;
  for (std::size_t i = 0; i < session.pane_count_; ++i) {
    const PaneState& s = *session.panes_[i];
    if (!s.recording.empty() && (!most || s.frame > most->frame)) most = &s;
  }
  if (!most) throw Error("there are no frames yet");
  session.play(false);
  session.seek_ = most->recording.at_frame(command.frame).t;
}

void Session::Handler::operator()(const Pull& command) const {
  session.refuse_if_watching();
  PaneState& s = session.pane_state(command.pane);
  s.pull = command;
  s.puller = &from;
  s.pull_asked = true;
}

void Session::Handler::operator()(const Release& command) const {
  session.refuse_if_watching();
  session.pane_state(command.pane).release_pull();
}

void Session::Handler::operator()(const PhaseCloudRequest& command) const {
  session.refuse_if_watching();
  PaneState& s = session.pane_state(command.pane);
  s.cloud_asked = command;
  s.cloud_asker = &from;
}

void Session::run_command(Client& from, const Command& command) {
  const bool known = std::ranges::find(clients_, &from) != clients_.end();
  if (!known && !std::holds_alternative<Hello>(command)) {
    throw Error("the first message must be hello");
  }
  std::visit(Handler{*this, from}, command);
  send_pictures(nullptr);
  send_state();
  wake();
}

}  // namespace lilyan::view

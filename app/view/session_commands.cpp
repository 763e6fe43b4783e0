#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/view/encode.hpp"
#include "app/view/session.hpp"
#include "app/view/slot.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::view {
namespace {

// Of key=value, without spaces around it.
std::string key_of(const std::string& setting) {
  std::string key = setting.substr(0, setting.find('='));
  std::erase_if(key, [](unsigned char c) { return std::isspace(c) != 0; });
  return key;
}

// Those who read scenes see to it that no file is read for a setting of the page; what plainly
// names one is refused here, before it replaces what runs.
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
  for (std::size_t i = 0; i < panes_; ++i) {
    Slot& s = *slots_[i];
    if (s.cloud_asker == &client) s.cloud_asker = nullptr;
    if (s.puller != &client) continue;
    s.let_go();  // a hand that is gone does not pull
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
  panes_ = panes.size();
  seek_.reset();
  for (std::size_t i = 0; i < kMostPanes; ++i) {
    slots_[i]->used = i < panes_;
    if (i < panes_) {
      begin(*slots_[i], panes[i]);
    } else {
      slots_[i]->stop_step();
      slots_[i]->clear();
    }
  }
  play(playing_);
}

void Session::begin(Slot& s, const PaneRequest& request) {
  s.stop_step();
  s.clear();
  s.request = request;
  s.id.run = ++runs_;
  s.load_asked = true;
  wake();
}

void Session::play(bool playing) {
  playing_ = playing;
  // From where it was put back to the recording is played first; but not as fast as possible.
  if (playing && (only_watching() || speed_ == 0)) seek_.reset();
  sought_ = paced_ = Clock::now();
  const double t = common_time();
  paced_t_ = std::isfinite(t) ? t : 0;
  wake();
}

// Everything so far, so that whoever comes late sees the same as the others.
void Session::greet(Client& client) {
  client.text(setup_message(options_.scenes), true);
  for (std::size_t i = 0; i < panes_; ++i) {
    const Slot& s = *slots_[i];
    if (!s.head) continue;
    client.text(s.head, true);
    if (s.mesh) client.picture(i, s.mesh);
    for (const Slot::Told& told : s.told) {
      client.kept(told.rows, false);
      if (told.path) client.kept(told.path, true);
    }
  }
  if (std::ranges::find(clients_, &client) == clients_.end()) clients_.push_back(&client);
  show(&client);
  if (options_.play_at_first_client && !greeted_) play(true);
  greeted_ = true;
}

void Session::call_off_steps() {
  for (const auto& s : slots_) s->steps_asked = 0;
}

void Session::check_mine() const {
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
    // What is shown stays, even if the run goes on elsewhere.
    if (session.only_watching() && !session.seek_) session.seek_ = session.slots_[0]->t;
    session.call_off_steps();
    session.play(false);
  }
  void operator()(const Step&) const {
    session.check_mine();
    session.play(false);
    session.seek_.reset();
    for (std::size_t i = 0; i < session.panes_; ++i) {
      if (session.slots_[i]->running()) ++session.slots_[i]->steps_asked;
    }
  }
  void operator()(const Reset&) const {
    session.check_mine();
    session.seek_.reset();
    for (std::size_t i = 0; i < session.panes_; ++i) {
      session.begin(*session.slots_[i], session.slots_[i]->request);
    }
    session.play(session.playing_);
  }
  void operator()(const Speed& command) const {
    session.check_mine();
    session.speed_ = command.value;
    session.play(session.playing_);
  }
  void operator()(const Open& command) const;
  void operator()(const Change& command) const;
  void operator()(const Seek& command) const;
  void operator()(const Pull& command) const;
  void operator()(const Release& command) const;
  void operator()(const CloudRequest& command) const;
};

void Session::Handler::operator()(const Open& command) const {
  session.check_mine();
  for (const PaneRequest& pane : command.panes) {
    if (std::ranges::find(session.options_.scenes, pane.scene) == session.options_.scenes.end()) {
      throw Error(fmt::format("there is no scene '{}' here", pane.scene));
    }
    refuse_files(pane.settings);
  }
  session.replace(command.panes);
}

void Session::Handler::operator()(const Change& command) const {
  session.check_mine();
  Slot& s = session.slot(command.pane);
  refuse_files(command.settings);
  PaneRequest request = s.request;
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
  session.seek_.reset();
  session.begin(s, request);
  session.play(session.playing_);
}

// Frames are counted by the pane that has most; the others show the same time.
void Session::Handler::operator()(const Seek& command) const {
  const Slot* most = nullptr;
  for (std::size_t i = 0; i < session.panes_; ++i) {
    const Slot& s = *session.slots_[i];
    if (!s.recording.empty() && (!most || s.frame > most->frame)) most = &s;
  }
  if (!most) throw Error("there are no frames yet");
  session.play(false);
  session.seek_ = most->recording.at_frame(command.frame).t;
}

void Session::Handler::operator()(const Pull& command) const {
  session.check_mine();
  Slot& s = session.slot(command.pane);
  s.pull = command;
  s.puller = &from;
  s.pull_asked = true;
}

void Session::Handler::operator()(const Release& command) const {
  session.check_mine();
  session.slot(command.pane).let_go();
}

void Session::Handler::operator()(const CloudRequest& command) const {
  session.check_mine();
  Slot& s = session.slot(command.pane);
  s.cloud_asked = command;
  s.cloud_asker = &from;
}

void Session::run_command(Client& from, const Command& command) {
  const bool known = std::ranges::find(clients_, &from) != clients_.end();
  if (!known && !std::holds_alternative<Hello>(command)) {
    throw Error("the first message must be hello");
  }
  std::visit(Handler{*this, from}, command);
  show(nullptr);
  send_state(nullptr);
  wake();
}

}  // namespace lilyan::view

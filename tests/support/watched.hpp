// A session with scenes in a folder of their own, and a client.
#pragma once

#include "support/view.hpp"

namespace lilyan::test {

inline constexpr const char* kHello = R"({"type":"hello","protocol":1})";

class Watched : public testing::Test {
 protected:
  void open(const std::vector<view::PaneRequest>& panes) {
    session =
        std::make_unique<view::Session>(options_for(folder, {"bar", "pendulum", "pair", "broken"}));
    session->open(panes);
    say(kHello);
    for (std::size_t i = 0; i < panes.size(); ++i) {
      const json pane = client.await("pane", [&](const json& p) { return p["pane"] == i; });
      ASSERT_FALSE(pane.is_null());
      runs.push_back(pane["run"].get<unsigned>());
    }
  }
  void say(const std::string& text) { session->receive(client, text); }
  void play_to_the_end() {
    say(R"({"type":"speed","value":0})");
    say(R"({"type":"play"})");
    EXPECT_FALSE(client.await("state", all_finished).is_null());
  }

  TempFolder folder;
  std::filesystem::path bar = folder.write("bar.toml", kBar);
  std::filesystem::path pendulum = folder.write("pendulum.toml", kPendulum);
  std::filesystem::path pair = folder.write("pair.toml", kPair);
  std::filesystem::path broken = folder.write("broken.toml", "[integrator]\nstep = -1\n");
  std::vector<unsigned> runs;
  Collector client;
  std::unique_ptr<view::Session> session;
};

}  // namespace lilyan::test

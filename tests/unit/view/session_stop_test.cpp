// Nobody waits for a step that takes long.
#include <atomic>
#include <future>

#include "support/view.hpp"

namespace lilyan::test::session_stop_test {
namespace {

using namespace std::chrono_literals;

// How many steps of panes began, and how many ended because they were told to.
struct Counts {
  std::atomic<int> began = 0, stopped = 0;
};

// A pane whose steps do not end by themselves, or only long after any test.
class Endless final : public view::Pane {
 public:
  explicit Endless(Counts& counts) : counts_(counts) { info_.columns = {"step", "t"}; }
  [[nodiscard]] const view::PaneInfo& info() const override { return info_; }
  [[nodiscard]] view::Message mesh() const override { return nullptr; }
  [[nodiscard]] view::PaneMoment start() override {
    return {.picture = std::make_shared<const std::string>(32, '\0'), .row = {0, 0}};
  }
  [[nodiscard]] view::PaneMoment step() override {
    ++counts_.began;
    const auto stopped = stop_.get_future();
    if (stopped.wait_for(20s) == std::future_status::ready) ++counts_.stopped;
    return {.done = true, .failed = "stopped"};
  }
  void stop() override {
    if (!told_.exchange(true)) stop_.set_value();
  }
  void pull(const std::optional<view::Pull>&) override {}
  void cloud(const view::PhaseCloudRequest&) override {}

 private:
  Counts& counts_;
  view::PaneInfo info_;
  std::promise<void> stop_;
  std::atomic<bool> told_ = false;
};

class LongSteps : public testing::Test {
 protected:
  LongSteps() {
    session = std::make_unique<view::Session>(view::SessionOptions{
        .scenes = {"endless"}, .make = [this](view::PaneId, const view::PaneRequest&) {
          return std::make_unique<Endless>(counts);
        }});
    session->open({{"endless", {}}});
    say(R"({"type":"hello","protocol":1})");
    say(R"({"type":"play"})");
    await_steps(1);
  }
  void say(const std::string& text) { session->receive(client, text); }
  void await_steps(int n) {
    for (int i = 0; i < 1000 && counts.began < n; ++i) std::this_thread::sleep_for(10ms);
    ASSERT_EQ(counts.began, n);
  }

  Counts counts;
  Collector client;
  std::unique_ptr<view::Session> session;
};

TEST_F(LongSteps, ResetChangeAndOpenDoNotWait) {
  int n = 1;
  for (const char* command :
       {R"({"type":"reset"})", R"({"type":"change","pane":0,"settings":["a.b=1"]})",
        R"({"type":"open","panes":[{"scene":"endless"}]})"}) {
    client.forget();
    say(command);
    EXPECT_FALSE(client.await("pane").is_null()) << command;
    EXPECT_EQ(counts.stopped, n) << command;
    await_steps(++n);
  }
  // That a step was given up is nobody's failure.
  const json state = client.await("state");
  EXPECT_TRUE(state["panes"][0]["failed"].is_null()) << state;
}

TEST_F(LongSteps, TheEndDoesNotWait) {
  session.reset();
  EXPECT_EQ(counts.stopped, 1);
}

TEST_F(LongSteps, PanesThatAreGoneDoNotRunOn) {
  say(R"({"type":"open","panes":[{"scene":"endless"},{"scene":"endless"}]})");
  await_steps(3);
  say(R"({"type":"open","panes":[{"scene":"endless"}]})");
  await_steps(4);
  for (int i = 0; i < 1000 && counts.stopped < 3; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(counts.stopped, 3);
}

}  // namespace
}  // namespace lilyan::test::session_stop_test

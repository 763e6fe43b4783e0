#include "app/view/session.hpp"

#include <cmath>
#include <set>
#include <thread>

#include "support/watched.hpp"

namespace lilyan::test::session_test {
namespace {

TEST_F(Watched, TellsWhatThereIs) {
  open({{"bar", {}}});
  const json setup = client.await("setup");
  EXPECT_EQ(setup["protocol"], 1);
  EXPECT_EQ(setup["scenes"].size(), 4U);
  EXPECT_GT(setup["methods"].size(), 5U);
  const json pane = client.await("pane");
  EXPECT_EQ(pane["kind"], "body");
  EXPECT_EQ(pane["methodName"], "avf");
  EXPECT_EQ(pane["steps"], 12);
  EXPECT_EQ(pane["material"]["mu"], 30);
  EXPECT_TRUE(pane["error"].is_null());
  const auto frame = client.await_frame(0, 0);
  ASSERT_TRUE(frame);
  EXPECT_EQ(pane["vertices"], frame->vertices);
  EXPECT_EQ(frame->bytes.size(), 36 + 20 * std::size_t{frame->vertices} + 4);
  EXPECT_EQ(frame->obstacles(), 0U);
  EXPECT_GT(frame->energy(0), 0);
}

TEST_F(Watched, RowsAreThoseOfARunAndComplete) {
  open({{"bar", {}}});
  play_to_the_end();
  const PlainRun plain(bar);
  expect_same_rows(client.rows(0, runs[0], plain.rows.size()), plain.rows);
}

TEST_F(Watched, StepsOneByOneAndSeeksBack) {
  open({{"bar", {}}});
  for (unsigned i = 1; i <= 5; ++i) {
    say(R"({"type":"step"})");
    ASSERT_TRUE(client.await_frame(0, i)) << i;
  }
  const PlainRun plain(bar);
  client.forget();
  say(R"({"type":"seek","frame":3})");
  const auto frame = client.await_frame(0, 3);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->t, plain.states[3].t);
  // All vertices of so small a bar are on its surface.
  ASSERT_EQ(3 * static_cast<Eigen::Index>(frame->vertices), plain.states[3].x.size());
  for (std::size_t i = 0; i < 3 * frame->vertices; ++i) {
    EXPECT_EQ(frame->x(i), static_cast<float>(plain.states[3].x[static_cast<Eigen::Index>(i)]));
  }
  const json state =
      client.await("state", [](const json& s) { return s["panes"][0]["frame"] == 3; });
  ASSERT_FALSE(state.is_null());
  EXPECT_EQ(state["panes"][0]["frames"], 6);
  EXPECT_EQ(state["playing"], false);
  // The next step goes on from the newest.
  say(R"({"type":"step"})");
  EXPECT_TRUE(client.await_frame(0, 6));
}

TEST_F(Watched, ResetStartsAgainWithTheSameResult) {
  open({{"bar", {}}});
  play_to_the_end();
  say(R"({"type":"pause"})");
  client.forget();
  say(R"({"type":"reset"})");
  const json pane = client.await("pane");
  ASSERT_FALSE(pane.is_null());
  EXPECT_GT(pane["run"].get<unsigned>(), runs[0]);
  client.forget();
  play_to_the_end();
  const PlainRun plain(bar);
  ASSERT_TRUE(client.await_frame(0, 12));
  expect_same_rows(client.rows(0, pane["run"].get<unsigned>(), plain.rows.size()), plain.rows);
}

TEST_F(Watched, ChangeRestartsOnePane) {
  open({{"bar", {}}, {"bar", {}}});
  client.forget();
  say(R"({"type":"change","pane":1,"settings":["integrator.method=newmark","integrator.step=0.01"]})");
  const json pane = client.await("pane");
  ASSERT_FALSE(pane.is_null());
  EXPECT_EQ(pane["pane"], 1);
  EXPECT_EQ(pane["methodName"], "newmark");
  EXPECT_EQ(pane["step"], 0.01);
  EXPECT_EQ(pane["settings"].size(), 2U);
  client.forget();
  say(R"({"type":"change","pane":1,"settings":["integrator.step=0.005"]})");
  const json again = client.await("pane");
  EXPECT_EQ(again["settings"].size(), 2U);
  EXPECT_EQ(again["step"], 0.005);
}

TEST_F(Watched, PanesShowTheSameTime) {
  open({{"bar", {}}, {"bar", {"integrator.step=0.01", "integrator.steps=24"}}});
  play_to_the_end();
  ASSERT_TRUE(client.await_frame(1, 24));
  ASSERT_TRUE(client.await_frame(0, 12));
  double first = 0, second = 0;
  for (const std::string& picture : client.pictures()) {
    if (word(picture, 1) != 2) continue;
    const SeenFrame frame(picture);
    (frame.pane == 0 ? first : second) = frame.t;
    // The first pane is sent first, so that a step of its own is all that may lie between them.
    if (frame.pane == 0) continue;
    EXPECT_LE(second, first + 0.02 + 1e-9);
    EXPECT_GE(second, first - 1e-9);
  }
}

TEST_F(Watched, ScenesThatCannotBeRunSaySo) {
  open({{"broken", {}}, {"bar", {"integrator.method=nonsense"}}, {"bar", {}}});
  const json a = client.await("pane", [](const json& p) { return p["pane"] == 0; });
  EXPECT_NE(a["error"].get<std::string>().find("step"), std::string::npos);
  const json b = client.await("pane", [](const json& p) { return p["pane"] == 1; });
  EXPECT_NE(b["error"].get<std::string>().find("nonsense"), std::string::npos);
  // The third is not held up by them.
  say(R"({"type":"speed","value":0})");
  say(R"({"type":"play"})");
  EXPECT_TRUE(client.await_frame(2, 12));
}

TEST_F(Watched, ALateClientGetsEverything) {
  open({{"bar", {}}});
  play_to_the_end();
  const PlainRun plain(bar);
  ASSERT_TRUE(client.await_frame(0, 12));
  Collector late;
  session->receive(late, kHello);
  ASSERT_TRUE(late.await_frame(0, 12));
  expect_same_rows(late.rows(0, runs[0], plain.rows.size()), plain.rows);
  session->leave(late);
}

TEST_F(Watched, PullingDoesWorkThatIsBooked) {
  open({{"bar", {}}});
  say(R"({"type":"pull","pane":0,"vertex":2,"target":[3,2,1]})");
  for (unsigned i = 1; i <= 6; ++i) {
    say(R"({"type":"step"})");
    ASSERT_TRUE(client.await_frame(0, i)) << i;
  }
  say(R"({"type":"release","pane":0})");
  for (unsigned i = 7; i <= 12; ++i) {
    say(R"({"type":"step"})");
    ASSERT_TRUE(client.await_frame(0, i)) << i;
  }
  const json columns = client.await("pane")["columns"];
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin());
  };
  const std::vector<json> rows = client.rows(0, runs[0], 13);
  double pulled = 0, after = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double work = rows[i][column("ledger_work")];
    (i <= 6 ? pulled : after) += std::abs(work);
    double change = rows[i][column("energy_total")].get<double>() -
                    rows[i - 1][column("energy_total")].get<double>();
    for (const char* entry : {"ledger_solver", "ledger_quadrature", "ledger_work",
                              "ledger_dissipation", "ledger_method"}) {
      change -= rows[i][column(entry)].get<double>();
    }
    EXPECT_NEAR(change, 0, 1e-9);
    EXPECT_LE(rows[i][column("newton_iterations")].get<double>(), 25);
  }
  EXPECT_GT(pulled, 0.1);
  EXPECT_EQ(after, 0);
}

TEST_F(Watched, CloudsAreCarriedAlong) {
  open({{"pendulum", {}}});
  EXPECT_EQ(client.await("pane")["kind"], "system");
  EXPECT_EQ(client.await("pane")["coordinates"], json({"q"}));
  say(R"({"type":"cloud","pane":0,"center":[1,0],"radius":[0,0],"count":5})");
  const auto start = client.await_frame(0, 0, 3);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->vertices, 5U);
  for (unsigned i = 1; i <= 4; ++i) {
    say(R"({"type":"step"})");
    ASSERT_TRUE(client.await_frame(0, i)) << i;
  }
  // A cloud without extent moves like the system itself.
  const auto cloud = client.await_frame(0, 4, 3);
  const auto frame = client.await_frame(0, 4);
  ASSERT_TRUE(cloud && frame);
  const PlainRun plain(pendulum);
  EXPECT_EQ(frame->q(0), plain.states[4].x[0]);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(cloud->x(k), plain.states[4].x[0], 1e-6);
    EXPECT_NEAR(cloud->x(5 + k), plain.states[4].v[0], 1e-6);
  }
  client.forget();
  say(R"({"type":"cloud","pane":0,"count":0})");
  const auto gone = client.await_frame(0, 4, 3);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->vertices, 0U);
}

TEST_F(Watched, AHandThatIsGoneDoesNotPull) {
  open({{"bar", {}}});
  {
    Collector other;
    session->receive(other, R"({"type":"hello","protocol":1})");
    session->receive(other, R"({"type":"pull","pane":0,"vertex":2,"target":[3,2,1]})");
    say(R"({"type":"step"})");
    ASSERT_TRUE(client.await_frame(0, 1));
    session->leave(other);
  }
  for (unsigned i = 2; i <= 4; ++i) {
    say(R"({"type":"step"})");
    ASSERT_TRUE(client.await_frame(0, i)) << i;
  }
  const json columns = client.await("pane")["columns"];
  const auto work =
      static_cast<std::size_t>(std::ranges::find(columns, "ledger_work") - columns.begin());
  const std::vector<json> rows = client.rows(0, runs[0], 5);
  EXPECT_NE(rows[1][work].get<double>(), 0);
  EXPECT_EQ(rows[3][work].get<double>(), 0);
  EXPECT_EQ(rows[4][work].get<double>(), 0);
}

TEST_F(Watched, APauseCallsOffTheStepsThatWereAskedFor) {
  open({{"bar", {"integrator.steps=100000"}}});
  for (int i = 0; i < 3000; ++i) say(R"({"type":"step"})");
  say(R"({"type":"pause"})");
  const json state = client.await("state");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  client.forget();
  say(R"({"type":"pause"})");
  const int frames = client.await("state")["panes"][0]["frames"].get<int>();
  EXPECT_LT(frames, 3000);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  client.forget();
  say(R"({"type":"pause"})");
  EXPECT_EQ(client.await("state")["panes"][0]["frames"].get<int>(), frames);
}

// TOML knows several ways to write a key.
TEST_F(Watched, FilesCannotBeNamedFromThePage) {
  open({{"bar", {}}});
  for (const char* setting :
       {R"(body.00={\"\\u006desh\"=\"/etc/passwd\",mass=1,material={mu=1,lambda=1}})",
        R"(body.0={\"\\u006desh\"=\"/etc/passwd\",mass=1,material={mu=1,lambda=1}})",
        R"(body=[{\"po\\u0073itions\"=\"/etc/passwd\",mass=1,material={mu=1,lambda=1},)"
        R"(shape={kind=\"bar\",size=[1,1,1],cells=[1,1,1]}}])"}) {
    client.forget();
    say(R"({"type":"change","pane":0,"settings":[")" + std::string(setting) + R"("]})");
    const json refused = client.await("refused");
    ASSERT_FALSE(refused.is_null()) << setting;
    const std::string error = refused["message"];
    EXPECT_EQ(error.find("root:"), std::string::npos) << error;
    EXPECT_NE(error.find("files cannot be named here"), std::string::npos) << error;
    client.forget();
    say(R"({"type":"open","panes":[{"scene":"bar","settings":[]}]})");
    ASSERT_FALSE(client.await("pane").is_null());
  }
}

TEST_F(Watched, SpacesAroundKeysDoNotMatter) {
  open({{"bar", {}}});
  client.forget();
  say(R"({"type":"change","pane":0,"settings":["integrator.step = 0.01"]})");
  EXPECT_EQ(client.await("pane")["step"], 0.01);
  client.forget();
  say(R"({"type":"change","pane":0,"settings":["integrator.step=0.005"]})");
  EXPECT_EQ(client.await("pane")["settings"], json({"integrator.step=0.005"}));
}

TEST_F(Watched, PlayGoesOnFromWhereItWasPutBackTo) {
  open({{"bar", {}}});
  play_to_the_end();
  say(R"({"type":"speed","value":0.5})");
  say(R"({"type":"seek","frame":2})");
  client.forget();
  say(R"({"type":"play"})");
  ASSERT_TRUE(client.await_frame(0, 12));
  // Not at once: some of the frames between are shown.
  std::set<unsigned> shown;
  for (const std::string& picture : client.pictures()) {
    if (word(picture, 1) == 2) shown.insert(SeenFrame(picture).frame);
  }
  EXPECT_GE(shown.size(), 4U);
}

TEST_F(Watched, AnswersNonsenseWithAnError) {
  open({{"bar", {}}});
  for (const char* text :
       {"", "{", "[]", "42", "{}", R"({"type":7})", R"({"type":"dance"})",
        R"({"type":"speed","value":-1})", R"({"type":"speed","value":"x"})",
        R"({"type":"open","panes":[]})", R"({"type":"open","panes":[{"scene":"/etc/passwd"}]})",
        R"({"type":"change","pane":9,"settings":[]})",
        R"({"type":"change","pane":2,"settings":[]})",
        R"({"type":"change","pane":0,"settings":["nothing"]})", R"({"type":"seek","frame":-3})",
        R"({"type":"pull","pane":0,"vertex":1.5,"target":[0,0,0]})",
        R"({"type":"pull","pane":0,"vertex":1,"target":[0,0]})",
        R"({"type":"cloud","pane":0,"count":1e9})", R"({"type":"hello","protocol":99})"}) {
    client.forget();
    say(text);
    EXPECT_FALSE(client.await("error").is_null()) << text;
  }
  client.forget();
  say(R"({"type":"pull","pane":0,"vertex":1000000,"target":[0,0,0]})");
  EXPECT_FALSE(client.await("error").is_null());
  client.forget();
  say(std::string(50000, '['));
  EXPECT_FALSE(client.await("error").is_null());
  play_to_the_end();
}

TEST_F(Watched, TheFirstMessageIsHello) {
  open({{"bar", {}}});
  Collector stranger;
  session->receive(stranger, R"({"type":"play"})");
  EXPECT_FALSE(stranger.await("error").is_null());
}

}  // namespace
}  // namespace lilyan::test::session_test

// What is told beside frames and rows: where obstacles are, paths, damping; settings taken away.
#include "support/watched.hpp"

namespace lilyan::test::session_protocol_test {
namespace {

TEST_F(Watched, FramesSayWhereObstaclesAre) {
  folder.write("bar.toml", std::string(kBar) + kObstacles);
  open({{"bar", {}}});
  const json obstacles = client.await("pane")["obstacles"];
  ASSERT_EQ(obstacles.size(), 3U);
  EXPECT_EQ(obstacles[1]["kind"], "capsule");
  EXPECT_EQ(obstacles[0]["moves"], false);
  EXPECT_EQ(obstacles[1]["moves"], true);
  const auto start = client.await_frame(0, 0);
  ASSERT_TRUE(start);
  ASSERT_EQ(start->obstacles(), 2U);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(start->pose(i), i % 12 % 5 == 0 ? 1 : 0) << i;
  play_to_the_end();
  const auto end = client.await_frame(0, 12);
  ASSERT_TRUE(end);
  expect_obstacles_at_end(*end);
}

TEST_F(Watched, FramesSayWhereLinksAre) {
  const auto file = folder.write("bar.toml", std::string(kBar) + kTies);
  const PlainRun plain(file);
  open({{"bar", {}}});
  const json links = client.await("pane")["links"];
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0], json({{"kind", "spring"}, {"held", {false, false}}}));
  EXPECT_EQ(links[1], json({{"kind", "rod"}, {"held", {false, true}}}));
  EXPECT_EQ(links[2], json({{"kind", "anchor"}, {"held", {false, true}}}));
  const auto start = client.await_frame(0, 0);
  ASSERT_TRUE(start);
  expect_ties(*start, plain.states[0]);
  play_to_the_end();
  const auto end = client.await_frame(0, 12);
  ASSERT_TRUE(end);
  expect_ties(*end, plain.states[12]);
}

// A vertex that a body turns about is shown wherever it is, a line of them as an axis, and other fixed vertices are not.
TEST_F(Watched, FixedVerticesAreLinksWhereBodiesTurnAboutThem) {
  const auto links = [&](const std::string& vertices) {
    return load_scene(folder.write("held.toml",
                                   std::string(kBar) + "fix = [{ vertices = " + vertices + " }]\n"))
        .bodies()
        .links;
  };
  const std::vector<Link> point = links("[5]");
  ASSERT_EQ(point.size(), 1U);
  EXPECT_EQ(point[0].kind, Link::Kind::pivot);
  EXPECT_EQ(point[0].ends[0].vertex, 5);
  const std::vector<Link> axis = links("[0, 1]");
  ASSERT_EQ(axis.size(), 1U);
  EXPECT_EQ(axis[0].kind, Link::Kind::hinge);
  EXPECT_EQ(std::min(axis[0].ends[0].vertex, axis[0].ends[1].vertex), 0);
  EXPECT_EQ(std::max(axis[0].ends[0].vertex, axis[0].ends[1].vertex), 1);
  EXPECT_TRUE(links("[0, 1, 2]").empty());
}

// At its end a run says what was kept, as in the terminal.
TEST_F(Watched, VerdictsAreTold) {
  open({{"bar", {}}});
  const json before = client.await("state");
  EXPECT_TRUE(before["panes"][0]["kept"].empty());
  play_to_the_end();
  const json kept = client.await("state", [](const json& s) {
    return s["panes"][0]["finished"].get<bool>();
  })["panes"][0]["kept"];
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0]["verdict"], "conserved");
  EXPECT_TRUE(kept[0]["text"].get<std::string>().starts_with("energy conserved, |ΔE|/E₀ ≤ "));
  EXPECT_TRUE(kept[1]["text"].get<std::string>().starts_with("linear momentum"));
}

TEST_F(Watched, PathsAreThoseOfARunAndComplete) {
  open({{"pair", {}}});
  play_to_the_end();
  const PlainRun plain(pair);
  const SeenPath path = client.path(0, runs[0], plain.states.size());
  EXPECT_EQ(path.n, 2U);
  path.expect(plain.states);
  // Who comes late gets the same.
  Collector late;
  session->receive(late, kHello);
  late.path(0, runs[0], plain.states.size()).expect(plain.states);
  session->leave(late);
}

TEST_F(Watched, PathsHaveEveryStepHoweverFewTheRows) {
  open({{"pendulum", {"output.series_every=3"}}});
  play_to_the_end();
  const PlainRun plain(pendulum);
  client.path(0, runs[0], plain.states.size()).expect(plain.states);
  EXPECT_EQ(client.rows(0, runs[0], 8).size(), 8U);  // 0, 3, … 18, 20
}

TEST_F(Watched, PathsOfRunsThatFailEndWhereTheyDid) {
  open({{"pendulum",
         {"system.potential=sqrt(1 - t)", "output.series_every=4", "integrator.steps=40"}}});
  play_to_the_end();
  const json state = client.await("state", all_finished);
  EXPECT_FALSE(state["panes"][0]["failed"].is_null()) << state;
  const std::vector<json> rows = client.rows(0, runs[0], 4);  // 0, 4, 8 and the last before t = 1
  ASSERT_EQ(rows.size(), 4U);
  const double end = rows.back()[1];
  const auto steps = static_cast<std::size_t>(rows.back()[0]);
  EXPECT_EQ(client.path(0, runs[0], steps + 1).t.back(), end);
}

TEST_F(Watched, BodiesHaveNoPath) {
  open({{"bar", {}}});
  play_to_the_end();
  EXPECT_TRUE(client.path(0, runs[0], 0).t.empty());
}

// The pace is chosen so that a run takes some 10 to 30 seconds, but does not go through more than a period of its motion
// in a second. It stays as a client wants it.
TEST_F(Watched, SpeedSuitsTheRun) {
  folder.write("free.toml",
               "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 20\n"
               "[system]\nkind = \"lagrangian\"\ncoordinates = [\"q\"]\nkinetic = \"q'^2/2\"\n"
               "[system.velocity]\nq = 1\n");
  const auto usual = [&](const char* step, const char* steps, double speed,
                         const char* scene = "pendulum") {
    client.forget();
    open({{scene,
           {std::string("integrator.step=") + step, std::string("integrator.steps=") + steps}}});
    const json state =
        client.await("state", [&](const json& s) { return s["usualSpeed"] == speed; });
    EXPECT_FALSE(state.is_null()) << step << " × " << steps;
    return state.is_null() ? 0.0 : state["speed"].get<double>();
  };
  EXPECT_EQ(usual("0.1", "600000", 2000, "free"), 2000);
  EXPECT_EQ(usual("0.1", "600000", 5), 5);  // its period is 6.7
  EXPECT_EQ(usual("0.1", "200", 1), 1);
  EXPECT_EQ(usual("0.001", "200", 0.01), 0.01);
  // What a client chose stays with the scene.
  say(R"({"type":"speed","value":3})");
  client.forget();
  say(R"({"type":"open","panes":[{"scene":"pendulum","settings":["integrator.steps=600000"]}]})");
  const json state = client.await("state", [&](const json& s) { return s["usualSpeed"] == 5; });
  ASSERT_FALSE(state.is_null());
  EXPECT_EQ(state["speed"], 3);
}

// Points of sections, and the drawing with its trails.
TEST_F(Watched, SectionsAndDrawingsAreTold) {
  folder.write("turning.toml",
               "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 200\n"
               "[system]\nkind = \"lagrangian\"\ncoordinates = [\"x\", \"y\"]\n"
               "kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"(x^2 + y^2)/2\"\n"
               "[system.position]\nx = 1\n[system.velocity]\ny = 1\n"
               "[[system.event]]\nname = \"noon\"\nzero = \"x\"\n"
               "[[system.event]]\nname = \"east\"\nzero = \"y\"\ndirection = \"rising\"\n"
               "section = [\"x\", \"y'\"]\n");
  open({{"turning", {}}});
  play_to_the_end();
  const json pane = client.await("pane");
  ASSERT_EQ(pane["sections"].size(), 1U);
  EXPECT_EQ(pane["sections"][0]["name"], "east");
  EXPECT_EQ(pane["draw"]["trails"].size(), 1U);
  EXPECT_EQ(pane["draw"]["flat"], true);
  EXPECT_EQ(pane["compare"],
            json({"stoermer-verlet", "implicit-midpoint", "rk4", "explicit-euler"}));
  const SeenPath path = client.path(0, runs[0], 201);
  ASSERT_EQ(path.trails.size(), 3 * path.t.size());
  for (std::size_t i = 0; i < path.t.size(); ++i) {
    EXPECT_EQ(path.trails[3 * i], path.q[2 * i]);
    EXPECT_EQ(path.trails[3 * i + 1], path.q[2 * i + 1]);
    EXPECT_EQ(path.trails[3 * i + 2], 0);
  }
  const std::vector<double> points = client.sections(0, runs[0], 3);
  ASSERT_EQ(points.size(), 9U);  // t = 2π, 4π, 6π
  for (std::size_t i = 0; i < points.size(); i += 3) {
    EXPECT_EQ(points[i], 0);
    EXPECT_NEAR(points[i + 1], 1, 0.02);
    EXPECT_NEAR(points[i + 2], 1, 0.02);
  }
}

// What cannot be made leaves the run as it was, and says why.
TEST_F(Watched, AChangeThatIsRefusedLeavesTheRun) {
  open({{"pendulum", {}}});
  const json before = client.await("pane");
  client.forget();
  say(R"({"type":"change","pane":0,"settings":["integrator.step=-1"]})");
  const json refused = client.await("refused");
  ASSERT_FALSE(refused.is_null());
  EXPECT_EQ(refused["pane"], 0);
  EXPECT_EQ(refused["settings"], json({"integrator.step=-1"}));
  EXPECT_NE(refused["message"].get<std::string>().find("step"), std::string::npos);
  play_to_the_end();
  const PlainRun plain(pendulum);
  client.path(0, before["run"], plain.states.size()).expect(plain.states);
}

TEST_F(Watched, DampingIsTold) {
  open({{"bar", {}},
        {"bar", {"body.0.damping.stiffness=0.01", "body.0.damping.mass=0.5"}},
        {"bar", {"body.0.damping.model=strain", "body.0.damping.time=0.1"}},
        {"pendulum", {}}});
  const auto damping = [&](int i) {
    return client.await("pane", [&](const json& p) { return p["pane"] == i; })["damping"];
  };
  EXPECT_EQ(damping(0), json({{"mass", 0.0}, {"stiffness", 0.0}}));
  EXPECT_EQ(damping(1), json({{"mass", 0.5}, {"stiffness", 0.01}}));
  EXPECT_EQ(damping(2), json({{"mass", 0.0}, {"stiffness", 0.0}}));
  EXPECT_TRUE(damping(3).is_null());
}

TEST_F(Watched, SettingsCanBeTakenAway) {
  open({{"bar", {"integrator.step=0.01", "integrator.steps=5", "integrator.method=newmark"}}});
  const auto change = [&](const std::string& fields) {
    client.forget();
    say(R"({"type":"change","pane":0,)" + fields + "}");
  };
  change(R"("remove":["integrator.step","integrator.method"],"settings":["integrator.steps=7"])");
  const json pane = client.await("pane");
  ASSERT_FALSE(pane.is_null());
  EXPECT_EQ(pane["step"], 0.02);
  EXPECT_EQ(pane["methodName"], "avf");
  EXPECT_EQ(pane["settings"], json({"integrator.steps=7"}));
  // What is not there cannot be taken away, and then nothing is.
  for (const char* fields : {R"("remove":["integrator.steps","integrator.method"])",
                             R"("remove":["integrator"])", R"("remove":"integrator.steps")"}) {
    change(fields);
    EXPECT_FALSE(client.await("error").is_null()) << fields;
  }
  change(R"("remove":["integrator.steps"])");
  EXPECT_EQ(client.await("pane")["steps"], 12);
}

}  // namespace
}  // namespace lilyan::test::session_protocol_test

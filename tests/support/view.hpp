// Watching a live view in a test: what a client was told, and how to read it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/files/series.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/view/pane.hpp"
#include "app/view/session.hpp"
#include "app/view/simulation.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test {

using nlohmann::json;

inline constexpr const char* kBar =
    "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 12\n"
    "[[body]]\nmass = 1\nmaterial = { mu = 30, lambda = 20 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

// What holds the bar: a rod to a point in space, an attachment, a spring within it.
inline constexpr const char* kTies =
    "[[body.attach]]\nvertices = [9]\nstiffness = 20\n"
    "[[spring]]\nvertices = [1, 10]\nstiffness = 5\n"
    "[[constraint]]\nkind = \"distance\"\nvertex = 0\npoint = [-3, 1, 0]\n";
inline constexpr const char* kPendulum =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 20\n"
    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"q\"]\nkinetic = \"q'^2/2\"\n"
    "potential = \"1 - cos(q)\"\n[system.position]\nq = 1\n";

inline constexpr const char* kPair =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 20\n"
    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n"
    "kinetic = \"a'^2/2 + b'^2\"\npotential = \"a^2 + b^2/2 + (a - b)^2\"\n"
    "[system.position]\na = 1\nb = -0.5\n";

// Obstacles for the bar: one that rests, one that turns by 90 degrees about the y axis through
// (1, 0, 0) in the twelve steps, and one that moves along. None touches it.
inline constexpr const char* kObstacles =
    "[[obstacle]]\nkind = \"plane\"\npoint = [0, -9, 0]\nstiffness = 1\n"
    "[[obstacle]]\nkind = \"capsule\"\nfrom = [8, 0, 0]\nto = [9, 0, 0]\nradius = 0.1\n"
    "stiffness = 1\nmodel = \"repulsion-springs\"\n"
    "motion = { easing = \"linear\", center = [1, 0, 0], keys = [{ t = 0 }, { t = 0.24, angle = 90 "
    "}] }\n"
    "[[obstacle]]\nkind = \"sphere\"\ncenter = [0, 7, 0]\nradius = 1\nstiffness = 1\n"
    "motion = { easing = \"linear\", keys = [{ t = 0 }, { t = 0.24, shift = [3, 0, 6] }] }\n";

// One value of a binary message.
template <class T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof(T), bytes.size());
  if (offset + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}
inline std::uint32_t word(const std::string& bytes, std::size_t i) {
  return value_at<std::uint32_t>(bytes, 4 * i);
}

// A frame of bodies.
struct SeenFrame {
  std::uint32_t kind, pane, run, frame, vertices;
  double t;
  std::string bytes;
  explicit SeenFrame(const std::string& b)
      : kind(word(b, 1)),
        pane(word(b, 2)),
        run(word(b, 3)),
        frame(word(b, 4)),
        vertices(word(b, 5)),
        t(value_at<double>(b, 24)),
        bytes(b) {
    EXPECT_EQ(word(b, 0), 0x594C494CU);
  }
  [[nodiscard]] float x(std::size_t i) const { return value_at<float>(bytes, 32 + 4 * i); }
  [[nodiscard]] float energy(std::size_t i) const {
    return value_at<float>(bytes, 32 + 4 * (4 * std::size_t{vertices} + i));
  }
  [[nodiscard]] std::uint32_t obstacles() const {  // that move
    return value_at<std::uint32_t>(bytes, 32 + 20 * std::size_t{vertices});
  }
  [[nodiscard]] float pose(std::size_t i) const {
    return value_at<float>(bytes, 36 + 20 * std::size_t{vertices} + 4 * i);
  }
  [[nodiscard]] std::uint32_t links() const { return value_at<std::uint32_t>(bytes, links_at()); }
  [[nodiscard]] float link(std::size_t i) const {
    return value_at<float>(bytes, links_at() + 4 + 4 * i);
  }
  [[nodiscard]] std::size_t links_at() const {
    return 36 + 20 * std::size_t{vertices} + 48 * std::size_t{obstacles()};
  }
  [[nodiscard]] double q(std::size_t i) const { return value_at<double>(bytes, 32 + 8 * i); }
};

// The links of the bar: spring, rod and attachment, in this order.
inline void expect_ties(const SeenFrame& frame, const State& state) {
  ASSERT_EQ(frame.links(), 3U);
  const auto expect_at = [&](std::size_t end, int vertex) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(frame.link(3 * end + c),
                static_cast<float>(state.x[3 * vertex + static_cast<int>(c)]));
    }
  };
  expect_at(0, 1);
  expect_at(1, 10);
  expect_at(2, 0);
  EXPECT_EQ(frame.link(9), -3);
  EXPECT_EQ(frame.link(10), 1);
  expect_at(4, 9);
  EXPECT_EQ(frame.bytes.size(), frame.links_at() + 4 + 72);
}

// Where those obstacles are after twelve steps.
inline void expect_obstacles_at_end(const SeenFrame& frame) {
  ASSERT_EQ(frame.obstacles(), 2U);
  EXPECT_EQ(frame.bytes.size(), 36 + 20 * std::size_t{frame.vertices} + 96 + 4);
  EXPECT_EQ(frame.links(), 0U);
  const std::array<float, 24> expected = {0, 0, 1, 1, 0, 1, 0, 0, -1, 0, 0, 1,
                                          1, 0, 0, 3, 0, 1, 0, 0, 0,  0, 1, 6};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(frame.pose(i), expected[i], 1e-6) << i;
  }
}

// The path of a small system, put together from the messages about it.
struct SeenPath {
  std::size_t n = 0;
  std::vector<double> t, q, v, trails;
  void add(const std::string& bytes) {
    EXPECT_EQ(word(bytes, 0), 0x594C494CU);
    EXPECT_EQ(word(bytes, 1), 5U);
    EXPECT_EQ(word(bytes, 4), t.size());  // in order, and none is missing
    const std::size_t count = word(bytes, 5);
    n = word(bytes, 6);
    const std::size_t m = word(bytes, 7);
    EXPECT_EQ(bytes.size(), 32 + 8 * count * (1 + 2 * n + m));
    std::size_t at = 32;
    const auto take = [&](std::vector<double>& to, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i, at += 8) to.push_back(value_at<double>(bytes, at));
    };
    take(t, count);
    take(q, count * n);
    take(v, count * n);
    take(trails, count * m);
  }
  void expect(const std::vector<State>& states) const {
    ASSERT_EQ(t.size(), states.size());
    for (std::size_t i = 0; i < t.size(); ++i) {
      ASSERT_EQ(states[i].x.size(), static_cast<Eigen::Index>(n));
      EXPECT_EQ(t[i], states[i].t);
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_EQ(q[i * n + k], states[i].x[static_cast<Eigen::Index>(k)]) << i;
        EXPECT_EQ(v[i * n + k], states[i].v[static_cast<Eigen::Index>(k)]) << i;
      }
    }
  }
};

class Collector final : public view::Client {
 public:
  void text(const view::Message& message, bool) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(json::parse(*message));
    changed_.notify_all();
  }
  void history(const view::Message& message, bool binary) override {
    if (!binary) return text(message, false);
    const std::lock_guard lock(mutex_);
    data_.push_back(*message);
    changed_.notify_all();
  }
  void picture(std::size_t, const view::Message& message) override {
    const std::lock_guard lock(mutex_);
    pictures_.push_back(*message);
    changed_.notify_all();
  }

  // Waits until the predicate holds for (texts, pictures).
  template <class Predicate>
  [[nodiscard]] bool wait(Predicate predicate) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return predicate(texts_, pictures_); });
  }
  // The first text of a type at or after a place in the list, null when none comes.
  json await(const std::string& type, const std::function<bool(const json&)>& where = {}) {
    json found;
    (void)wait([&](const auto& texts, const auto&) {
      for (std::size_t i = seen_; i < texts.size(); ++i) {
        if (texts[i]["type"] == type && (!where || where(texts[i]))) {
          found = texts[i];
          return true;
        }
      }
      return false;
    });
    return found;
  }
  // From here on only what is new is looked at.
  void forget() {
    const std::lock_guard lock(mutex_);
    seen_ = texts_.size();
    pictures_.clear();
  }
  // The rows of a pane; how many there are to be is waited for: a picture may come before its row.
  [[nodiscard]] std::vector<json> rows(unsigned pane, unsigned run, std::size_t count) {
    std::vector<json> all;
    (void)wait([&](const auto& texts, const auto&) {
      all.clear();
      for (const json& text : texts) {
        if (text["type"] != "rows" || text["pane"] != pane || text["run"] != run) continue;
        for (const json& row : text["rows"]) all.push_back(row);
      }
      return all.size() >= count;
    });
    return all;
  }
  // The path of a pane, as one; how many entries it is to have is waited for.
  [[nodiscard]] SeenPath path(unsigned pane, unsigned run, std::size_t entries) {
    SeenPath all;
    (void)wait([&](const auto&, const auto&) {
      all = {};
      for (const std::string& d : data_) {
        if (word(d, 1) == 5 && word(d, 2) == pane && word(d, 3) == run) all.add(d);
      }
      return all.t.size() >= entries;
    });
    return all;
  }
  // Points of sections, three numbers each; how many there are to be is waited for.
  [[nodiscard]] std::vector<double> sections(unsigned pane, unsigned run, std::size_t points) {
    std::vector<double> all;
    (void)wait([&](const auto&, const auto&) {
      all.clear();
      for (const std::string& d : data_) {
        if (word(d, 1) != 6 || word(d, 2) != pane || word(d, 3) != run) continue;
        EXPECT_EQ(word(d, 4), all.size() / 3);
        for (std::size_t at = 32; at < d.size(); at += 8) all.push_back(value_at<double>(d, at));
      }
      return all.size() >= 3 * points;
    });
    return all;
  }
  [[nodiscard]] std::vector<std::string> pictures() {
    const std::lock_guard lock(mutex_);
    return pictures_;
  }
  // Waits for a frame of that number.
  std::unique_ptr<SeenFrame> await_frame(unsigned pane, unsigned frame, unsigned kind = 2) {
    std::unique_ptr<SeenFrame> found;
    (void)wait([&](const auto&, const auto& pictures) {
      for (const std::string& p : pictures) {
        if (word(p, 1) == kind && word(p, 2) == pane && word(p, 4) == frame) {
          found = std::make_unique<SeenFrame>(p);
          return true;
        }
      }
      return false;
    });
    return found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<json> texts_;
  std::vector<std::string> pictures_;
  std::vector<std::string> data_;
  std::size_t seen_ = 0;
};

// Panes of the scene files in a folder.
inline view::SessionOptions options_for(const TempFolder& folder, std::vector<std::string> scenes) {
  return {.scenes = std::move(scenes),
          .make = [path = folder.path()](view::PaneId id, const view::PaneRequest& request) {
            return view::make_simulation(id, request, path / (request.scene + ".toml"));
          }};
}

// The rows and states of a run without anyone watching.
struct PlainRun {
  std::vector<std::vector<double>> rows;
  std::vector<State> states;
  explicit PlainRun(const std::filesystem::path& file, std::vector<std::string> settings = {}) {
    const Scene scene = load_scene(file, {.settings = std::move(settings)});
    DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
    SeriesRow next;
    Watch watch(scene);
    (void)run_scene(scene, drift, [&](const RunMoment& moment) {
      if (moment.report) {
        next.add(*moment.report);
        watch.add(moment.state, moment.invariants.kinetic, moment.so_far.contact.now);
      } else {
        watch.start(moment.state, moment.invariants.kinetic, moment.so_far.contact.now);
      }
      rows.push_back(
          next.take(moment.step, moment.state.t, moment.invariants, watch.take_values()));
      states.push_back(moment.state);
      return true;
    });
  }
};

inline void expect_same_rows(const std::vector<json>& seen,
                             const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].get<std::vector<double>>(), expected[i]) << "row " << i;
  }
}

inline bool all_finished(const json& state) {
  for (const json& pane : state["panes"]) {
    if (!pane["finished"].get<bool>()) return false;
  }
  return !state["panes"].empty();
}

}  // namespace lilyan::test

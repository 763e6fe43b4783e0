// Watching a live view in a test: what a client was told, and how to read it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lilyan/diagnose/invariants.hpp"
#include "lilyan/io/series.hpp"
#include "lilyan/run/runner.hpp"
#include "lilyan/run/watch.hpp"
#include "lilyan/view/session.hpp"
#include "lilyan/view/simulation.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test {

using nlohmann::json;

inline constexpr const char* kBar =
    "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 12\n"
    "[[body]]\nmass = 1\nmaterial = { mu = 30, lambda = 20 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

inline constexpr const char* kPendulum =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 20\n"
    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"q\"]\nkinetic = \"q'^2/2\"\n"
    "potential = \"1 - cos(q)\"\n[system.position]\nq = 1\n";

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
  [[nodiscard]] double q(std::size_t i) const { return value_at<double>(bytes, 32 + 8 * i); }
};

class Collector final : public view::Client {
 public:
  void text(const view::Message& message, bool) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(json::parse(*message));
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
  [[nodiscard]] std::vector<json> rows(unsigned pane, unsigned run) {
    const std::lock_guard lock(mutex_);
    std::vector<json> all;
    for (const json& text : texts_) {
      if (text["type"] != "rows" || text["pane"] != pane || text["run"] != run) continue;
      for (const json& row : text["rows"]) all.push_back(row);
    }
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
  std::size_t seen_ = 0;
};

// Panes of the scene files in a folder.
inline view::SessionOptions options_for(const TempFolder& folder, std::vector<std::string> scenes) {
  return {.scenes = std::move(scenes),
          .make = [path = folder.path()](view::PaneId id, const view::PaneRequest& request) {
            return std::make_unique<view::Simulation>(id, request,
                                                      path / (request.scene + ".toml"));
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
        watch.add(moment.state);
      } else {
        watch.start(moment.state);
      }
      rows.push_back(next.take(moment.step, moment.state.t, moment.invariants, watch.values()));
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

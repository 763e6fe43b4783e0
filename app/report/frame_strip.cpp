#include "app/report/frame_strip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/html.hpp"
#include "app/report/unexploded.hpp"

namespace lilyan {
namespace {

constexpr int kMoments = 6;
constexpr PictureSize kLarge{480, 360};
constexpr PictureSize kSmall{400, 300};

Camera camera_of(Runs runs, const PictureSize& size) {
  std::vector<float> points;
  const float aspect = static_cast<float>(size.height) / static_cast<float>(size.width);
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  for (const RunRecord* run : runs) {
    if (run->frames.empty()) continue;
    up = run->scenery.up;
    add_unexploded(run->frames, points);
  }
  return framing(points, up, aspect);
}

// Evenly spaced from the start to the latest time that any run reached.
std::vector<double> moments(Runs runs) {
  double start = 0;
  double end = 0;
  bool any = false;
  for (const RunRecord* run : runs) {
    if (run->frames.empty()) continue;
    start = any ? std::min(start, run->frames.front().t) : run->frames.front().t;
    end = any ? std::max(end, run->frames.back().t) : run->frames.back().t;
    any = true;
  }
  if (!any) return {};
  if (start == end) return {start};
  std::vector<double> times;
  for (int i = 0; i < kMoments; ++i) times.push_back(start + (end - start) * i / (kMoments - 1));
  return times;
}

const KeptFrame& nearest(const std::vector<KeptFrame>& frames, double t) {
  return *std::ranges::min_element(frames, {},
                                   [t](const KeptFrame& frame) { return std::abs(frame.t - t); });
}

std::string picture(const RunRecord& run, const KeptFrame& frame, const Camera& camera,
                    const PictureSize& size) {
  const Image image = render(run.scenery, camera, {frame.t, frame.points}, size);
  const std::string when = fmt::format("t = {:.4g}{}", frame.t, run.unit);
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                     html::png_image(png_bytes(image), run.method + ", " + when), when);
}

std::string strip(const RunRecord& run, const std::vector<double>& times, const Camera& camera) {
  std::string out = "<div class=\"strip\">\n";
  const KeptFrame* before = nullptr;
  for (const double t : times) {
    const KeptFrame& frame = nearest(run.frames, t);
    if (&frame != before) out += picture(run, frame, camera, kLarge);
    before = &frame;
  }
  return out + "</div>\n";
}

std::string row(const RunRecord& run, const std::vector<double>& times, const Camera& camera) {
  std::string out = fmt::format("<h3>{}</h3>\n<div class=\"row\">\n", html::escaped(run.method));
  const double apart = times.size() > 1 ? times[1] - times[0] : 0;
  for (const double t : times) {
    if (run.frames.empty() || t > run.frames.back().t + 0.5 * apart) {
      out +=
          fmt::format("<div class=\"gap\">{}</div>\n",
                      run.started ? fmt::format("stopped at t = {:.4g}{}", run.summary.t, run.unit)
                                  : std::string("did not run"));
    } else {
      out += picture(run, nearest(run.frames, t), camera, kSmall);
    }
  }
  return out + "</div>\n";
}

}  // namespace

std::string frame_strips(Runs runs) {
  const std::vector<double> times = moments(runs);
  if (times.empty()) return {};
  const Camera camera = camera_of(runs, runs.size() > 1 ? kSmall : kLarge);
  if (runs.size() == 1) return strip(*runs[0], times, camera);
  std::string out;
  for (const RunRecord* run : runs) out += row(*run, times, camera);
  return out;
}

}  // namespace lilyan

#include "lilyan/physics/rigid_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "lilyan/base/error.hpp"

namespace lilyan {

RigidMotion::RigidMotion(std::vector<Keyframe> keys, const Vec3& axis, const Vec3& center,
                         Easing easing, bool repeat)
    : keys_(std::move(keys)),
      axis_(axis.stableNormalized()),
      center_(center),
      easing_(easing),
      repeat_(repeat) {
  if (!(axis.norm() > 0)) throw Error("the axis of a motion must not be zero");
  for (std::size_t i = 1; i < keys_.size(); ++i) {
    if (!(keys_[i].t > keys_[i - 1].t)) {
      throw Error("the keys of a motion must come in the order of their times");
    }
  }
  if (repeat && keys_.size() < 2) throw Error("a motion that repeats needs two keys or more");
}

Pose RigidMotion::at(double t) const {
  if (keys_.empty()) return {};
  if (repeat_) {
    const double period = keys_.back().t - keys_.front().t;
    const double turns = (t - keys_.front().t) / period;
    if (turns > 0) t = keys_.front().t + (turns - std::floor(turns)) * period;
  }
  const auto next =
      std::ranges::upper_bound(keys_, t, {}, [](const Keyframe& key) { return key.t; });
  Keyframe now;
  if (next == keys_.begin()) {
    now = keys_.front();
  } else if (next == keys_.end()) {
    now = keys_.back();
  } else {
    const Keyframe& a = *(next - 1);
    const Keyframe& b = *next;
    double s = (t - a.t) / (b.t - a.t);
    if (easing_ == Easing::smooth) s = s * s * (3 - 2 * s);
    now.shift = a.shift + s * (b.shift - a.shift);
    now.angle = a.angle + s * (b.angle - a.angle);
  }
  return {.rotation = Eigen::AngleAxisd(now.angle, axis_).toRotationMatrix(),
          .center = center_,
          .shift = now.shift};
}

ScriptedVertices::ScriptedVertices(std::vector<int> vertices, const Vector& x, RigidMotion motion)
    : vertices_(std::move(vertices)), motion_(std::move(motion)) {
  for (const int i : vertices_) from_.emplace_back(x.segment<3>(3 * i));
}

void ScriptedVertices::positions(double t, double* x) const {
  const Pose pose = motion_.at(t);
  for (std::size_t k = 0; k < vertices_.size(); ++k) {
    Eigen::Map<Vec3>(x + 3 * static_cast<std::ptrdiff_t>(vertices_[k])) = pose.apply(from_[k]);
  }
}

}  // namespace lilyan

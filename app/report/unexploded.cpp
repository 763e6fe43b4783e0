#include "app/report/unexploded.hpp"

#include <Eigen/Geometry>

namespace lilyan {
namespace {

constexpr float kExploded = 1.6F;  // times the first frame's size

Eigen::AlignedBox3f box_of(const std::vector<float>& points) {
  Eigen::AlignedBox3f box;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    const Eigen::Vector3f p(points[i], points[i + 1], points[i + 2]);
    if (p.allFinite()) box.extend(p);
  }
  return box;
}

}  // namespace

void add_unexploded(std::span<const KeptFrame> frames, std::vector<float>& points) {
  if (frames.empty()) return;
  const float first = box_of(frames.front().points).diagonal().norm();
  for (const KeptFrame& frame : frames) {
    const Eigen::AlignedBox3f box = box_of(frame.points);
    if (box.isEmpty() || box.diagonal().norm() > kExploded * first) continue;
    points.insert(points.end(), frame.points.begin(), frame.points.end());
  }
}

}  // namespace lilyan

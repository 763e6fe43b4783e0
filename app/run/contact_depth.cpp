#include "app/run/contact_depth.hpp"

#include <algorithm>
#include <limits>

#include "app/scene/distribution.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/core/state.hpp"

namespace lilyan {
namespace {

std::vector<double> sizes_of_bodies(const Scene& scene) {
  std::vector<int> body(static_cast<std::size_t>(scene.system->vertices()), -1);
  const auto assign = [&](const auto& elements, const std::vector<int>& bodies) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
      for (const int i : elements[e]) body[static_cast<std::size_t>(i)] = bodies[e];
    }
  };
  assign(scene.tets, scene.tet_body);
  assign(scene.triangles, scene.triangle_body);
  assign(scene.edges, scene.edge_body);
  std::vector<Box> boxes(scene.body_names.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] < 0) continue;
    boxes[static_cast<std::size_t>(body[i])].extend(
        Vec3(scene.initial.x.segment<3>(3 * static_cast<Eigen::Index>(i))));
  }
  for (Box& box : boxes) box = box_around(box, scene.ranks);
  std::vector<double> sizes(body.size(), 0.0);
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] < 0) continue;
    const Vec3 extent = boxes[static_cast<std::size_t>(body[i])].sizes();
    const bool flat = extent.minCoeff() < 1e-3 * extent.maxCoeff();
    sizes[i] = flat ? extent.maxCoeff() : extent.minCoeff();
  }
  return sizes;
}

template <class Vertices>
Box box_of(const Vertices& vertices, const Vector& x) {
  Box box;
  for (const int i : vertices) box.extend(Vec3(x.segment<3>(3 * i)));
  return box;
}

Box grown(const Box& box, double by) {
  return {box.min() - Vec3::Constant(by), box.max() + Vec3::Constant(by)};
}

}  // namespace

ContactDepth::ContactDepth(const Scene& scene) : scene_(scene) {
  if (scene.has_contact()) sizes_ = sizes_of_bodies(scene);
}

void ContactDepth::take(int vertex, double depth) {
  if (!(depth > 0) || scene_.system->fixed(vertex)) return;
  now_ = std::max(now_, depth);
  deepest_ = std::max(deepest_, depth);
  const double size = sizes_[static_cast<std::size_t>(vertex)];
  if (size > 0) deepest_share_ = std::max(deepest_share_, depth / size);
}

void ContactDepth::add(const State& state) {
  now_ = 0;
  for (std::size_t k = 0; k < scene_.touches.size(); ++k) {
    const Obstacle& obstacle = scene_.obstacles[k];
    const Pose pose = obstacle.motion.at(state.t);
    const auto& [vertices, thickness] = scene_.touches[k];
    for (const int i : vertices) {
      take(i, thickness - obstacle.distance(pose, state.x.segment<3>(3 * i)).value);
    }
  }
  for (const auto& [surfaces, thickness] : scene_.contacts) {
    for (const ContactSurface& one : surfaces) {
      for (const ContactSurface& other : surfaces) {
        if (&one != &other) add_bodies(one, other, thickness, state.x);
      }
    }
  }
  if (!scene_.ranks || !scene_.has_contact()) return;
  std::array<double, 3> worst = {now_, deepest_, deepest_share_};
  scene_.ranks->largest(worst);
  now_ = worst[0];
  deepest_ = worst[1];
  deepest_share_ = worst[2];
}

// Vertices of one body near triangles of the other.
void ContactDepth::add_bodies(const ContactSurface& one, const ContactSurface& other,
                              double thickness, const Vector& x) {
  const Box reach = grown(box_of(one.vertices, x), thickness);
  if (!reach.intersects(box_of(other.vertices, x))) return;
  near_.clear();
  boxes_.clear();
  double size = 0;
  for (const auto& triangle : other.triangles) {
    const Box box = box_of(triangle, x);
    if (!box.intersects(reach)) continue;
    near_.push_back(triangle);
    boxes_.push_back(box);
    size += box.diagonal().norm();
  }
  if (!(size > 0)) return;
  hash_.build(boxes_, std::max(size / static_cast<double>(boxes_.size()), 2 * thickness));
  for (const int vertex : one.vertices) {
    const Vec3 at = x.segment<3>(3 * vertex);
    hash_.find(grown(Box(at, at), thickness), found_);
    double distance = std::numeric_limits<double>::infinity();
    for (const int k : found_) {
      const auto& [a, b, c] = near_[static_cast<std::size_t>(k)];
      PointTriangle z;
      z << at, x.segment<3>(3 * a), x.segment<3>(3 * b), x.segment<3>(3 * c);
      distance = std::min(distance, point_triangle_distance(z));
    }
    take(vertex, thickness - distance);
  }
}

}  // namespace lilyan

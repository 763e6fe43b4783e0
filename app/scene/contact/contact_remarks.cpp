// What a scene's author may not expect of bodies that touch, though nothing is wrong with them.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "app/scene/contact/contact_tables.hpp"
#include "lilyan/contact/surface.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {
namespace {

// How a surface starts: the mean of its velocities, and its box.
struct Start {
  Vec3 velocity = Vec3::Zero();
  Eigen::AlignedBox3d box;

  Start(const ContactSurface& surface, const State& state) {
    for (const int i : surface.vertices) {
      velocity += state.v.segment<3>(3 * i) / static_cast<double>(surface.vertices.size());
      box.extend(Vec3(state.x.segment<3>(3 * i)));
    }
  }
};

}  // namespace

std::vector<std::string> remarks_on_speed(const std::vector<TouchingBodies>& contacts,
                                          const std::vector<PlacedBody>& bodies, const State& start,
                                          double step) {
  constexpr double kShare = 0.5;  // of a body that may be crossed within a step
  std::vector<std::string> remarks;
  for (const TouchingBodies& contact : contacts) {
    std::vector<Start> starts;
    for (const ContactSurface& surface : contact.surfaces) starts.emplace_back(surface, start);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double speed = (starts[i].velocity - starts[j].velocity).norm();
        const double size =
            std::min(starts[i].box.sizes().maxCoeff(), starts[j].box.sizes().maxCoeff());
        if (!(speed * step > kShare * size)) continue;
        const auto name = [&](std::size_t k) {
          return bodies[static_cast<std::size_t>(contact.surfaces[k].body)].name();
        };
        remarks.push_back(fmt::format(
            "{} and {} move by {:.2g} m against each other within a step, and the smaller one is "
            "{:.2g} m long: they may go through each other, and a step in which they meet may take "
            "very long; an integrator.step below {:.2g} moves them by half the thickness of their "
            "contact",
            name(j), name(i), speed * step, size, contact.thickness / (2 * speed)));
      }
    }
  }
  return remarks;
}

}  // namespace lilyan

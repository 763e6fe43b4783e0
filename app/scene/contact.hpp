// The [[obstacle]] and [[contact]] tables of a scene.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/scene/table_reader.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// What contact wants to know of a body.
struct ContactBody {
  std::string name;
  int first = 0;  // of its vertices
  int count = 0;
  ContactSurface surface;
};

// The obstacles of a scene file, without anything else of it: as a run's folder keeps it, it may be
// far from its meshes. Throws InputError.
[[nodiscard]] std::vector<Obstacle> obstacles_in(const std::filesystem::path& file);

// Both add what the tables say to the system. x are the initial positions.
std::vector<Obstacle> read_obstacles(std::vector<TableReader> readers,
                                     const std::vector<ContactBody>& bodies, System& system);
void read_contacts(std::vector<TableReader> readers, const std::vector<ContactBody>& bodies,
                   const Vector& x, System& system);

}  // namespace lilyan

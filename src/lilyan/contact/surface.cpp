#include "lilyan/contact/surface.hpp"

#include <set>
#include <string>

#include "lilyan/base/error.hpp"

namespace lilyan {

ContactSurfaces::ContactSurfaces(const std::vector<ContactSurface>& surfaces) {
  std::set<int> seen;
  for (const ContactSurface& surface : surfaces) {
    for (const int v : surface.vertices) {
      if (!seen.insert(v).second) {
        throw Error("vertex " + std::to_string(v) + " is on two of the surfaces of a contact");
      }
    }
    points.insert(points.end(), surface.vertices.begin(), surface.vertices.end());
    triangles.insert(triangles.end(), surface.triangles.begin(), surface.triangles.end());
    body_of_point.resize(points.size(), surface.body);
    body_of_triangle.resize(triangles.size(), surface.body);
  }
}

}  // namespace lilyan

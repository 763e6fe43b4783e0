// Gmsh meshes (.msh), versions 2.2 and 4.1, ASCII and binary.
//
// Layout: Gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)". This
// file goes from section to section; gmsh_input.cpp has the header and the difference between ASCII
// and binary, gmsh_v2.cpp and gmsh_v4.cpp the nodes and elements of each version.
#include "app/files/mesh_readers.hpp"

#include <cstdint>

#include "app/files/gmsh_elements.hpp"
#include "app/files/gmsh_input.hpp"
#include "app/files/gmsh_sections.hpp"
#include "app/files/mesh_builder.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

class GmshReader {
 public:
  GmshReader(const std::string& file, std::string_view bytes, MeshCells cells)
      : in_(file, bytes), mesh_(cells) {}

  TetMesh read_tets() {
    read_sections();
    if (mesh_.tet_count() == 0) fail(without_tets());
    return mesh_.finish(in_.text());
  }

  SurfaceMesh read_surface() {
    read_sections();
    return mesh_.finish_surface(in_.text());
  }

 private:
  void read_sections() {
    for (std::string name = in_.next_section(); !name.empty(); name = in_.next_section()) {
      if (!in_.has_format()) {
        read_first(name);
      } else if (read_body(name)) {
        in_.end_section(name);
      } else {
        in_.skip_section(name);
      }
    }
    if (!in_.has_format()) fail("the file has no $MeshFormat section");
    if (!has_nodes_) fail("the file has no $Nodes section");
    if (!has_elements_) fail("the file has no $Elements section");
  }

  [[noreturn]] void fail(const std::string& complaint) const {
    throw InputError({in_.text().file(), 0, 0}, complaint);
  }

  // Comments and the like may come before $MeshFormat; what depends on the version may not.
  void read_first(const std::string& name) {
    if (name == "MeshFormat") return in_.read_format();
    if (name == "NOD" || name == "ELM") {
      in_.fail_section("Gmsh format version 1 is not read: save the mesh as version 2.2 or 4.1");
    }
    if (name == "Nodes" || name == "Elements") {
      in_.fail_section("found $" + name + " before $MeshFormat, with which a Gmsh file begins");
    }
    in_.skip_section(name);
  }

  // False if the section is of no use here. Nodes and elements may be spread over several.
  bool read_body(const std::string& name) {
    const bool old = in_.version() == 2;
    if (name == "Nodes") {
      old ? read_gmsh2_nodes(in_, mesh_) : read_gmsh4_nodes(in_, mesh_);
      has_nodes_ = true;
    } else if (name == "ParametricNodes" && old) {
      read_gmsh2_parametric_nodes(in_, mesh_);
      has_nodes_ = true;
    } else if (name == "Elements") {
      old ? read_gmsh2_elements(in_, mesh_, skipped_) : read_gmsh4_elements(in_, mesh_, skipped_);
      has_elements_ = true;
    } else {
      return false;
    }
    return true;
  }

  // A mesh without tets is mostly one of a surface, or one of higher order: say which.
  std::string without_tets() const {
    std::uint64_t curved = 0;
    std::uint64_t others = 0;
    for (const auto& [type, count] : skipped_) {
      (is_gmsh_curved_tet(type) ? curved : others) += count;
    }
    if (curved > 0) {
      return "the mesh has " + std::to_string(curved) +
             " tetrahedra of order 2 or more (such as Gmsh type 11), and only linear tets (type "
             "4) are read: save it with element order 1";
    }
    return "the mesh has no tetrahedra (Gmsh type 4), but " + std::to_string(others) +
           " elements of other types: was it meshed in 3D, and were volumes saved?";
  }

  GmshInput in_;
  MeshBuilder mesh_;
  GmshSkipped skipped_;
  bool has_nodes_ = false;
  bool has_elements_ = false;
};

}  // namespace

bool gmsh_wanted(const MeshBuilder& mesh, std::int64_t type) {
  if (mesh.cells() == MeshCells::tets) return type == kGmshLinearTet;
  return type == kGmshTriangle || type == kGmshQuad;
}

TetMesh read_gmsh(const std::string& file, std::string_view bytes) {
  return GmshReader(file, bytes, MeshCells::tets).read_tets();
}

SurfaceMesh read_gmsh_surface(const std::string& file, std::string_view bytes) {
  return GmshReader(file, bytes, MeshCells::faces).read_surface();
}

}  // namespace lilyan

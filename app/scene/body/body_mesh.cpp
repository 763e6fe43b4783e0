// The mesh file of a body: what it leaves out, whether it hangs together, and 'merge'.
#include <fmt/format.h>

#include "app/files/merge.hpp"
#include "app/scene/body/body.hpp"

namespace lilyan {
namespace {

template <class Mesh>
void prepare(const TableReader& reader, const std::string& file, const char* elements, double share,
             Mesh& mesh, Body& body) {
  if (!mesh.left_out.empty()) {
    body.remarks.push_back(fmt::format("{} has {} beside its {}; {} leaves them out", file,
                                       mesh.left_out, elements, body.name));
  }
  if (share > 0) {
    std::size_t gone = 0;
    try {
      gone = merge_vertices(mesh, share);
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      reader.fail(reader.has("merge_within") ? "merge_within" : "merge", error.what());
    }
    body.remarks.push_back(
        gone == 0
            ? fmt::format("merge has nothing to join: no two vertices of {} are within {:.1g} of "
                          "its size",
                          body.name, share)
            : fmt::format(
                  "merge joined {} {} of {} with another one within {:.1g} of its size; its "
                  "vertices are numbered anew",
                  gone, gone == 1 ? "vertex" : "vertices", body.name, share));
  }
  if (const std::string tears = describe_tears(mesh); !tears.empty()) {
    body.remarks.push_back(body.name + " " + tears);
  }
}

}  // namespace

double read_merge_share(TableReader& reader) {
  reader.expect({"merge", "merge_within"});
  const bool merge = reader.flag("merge", false);
  if (!merge && reader.has("merge_within")) {
    reader.fail("merge_within",
                "'merge_within' needs merge = true: it says how near vertices are that become one");
  }
  if (!merge) return 0;
  const double share = reader.positive("merge_within", kMergeShare);
  if (share >= 1) {
    reader.fail("merge_within", "'merge_within' is a share of the mesh's size and must be below 1");
  }
  return share;
}

TetMesh read_body_tets(const TableReader& reader, const std::filesystem::path& file,
                       double merge_share, Body& body) {
  TetMeshOfFile mesh = read_mesh(file);
  prepare(reader, file.filename().string(), "tets", merge_share, mesh, body);
  return mesh;
}

SurfaceMesh read_body_surface(const TableReader& reader, const std::filesystem::path& file,
                              double merge_share, Body& body) {
  SurfaceMesh mesh = read_surface(file);
  prepare(reader, file.filename().string(), "faces", merge_share, mesh, body);
  return mesh;
}

}  // namespace lilyan

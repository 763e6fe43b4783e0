#include "app/distributed/pieces.hpp"

#include <fmt/format.h>
#include <petscsf.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "app/files/surface.hpp"

namespace lilyan::distributed {

namespace fs = std::filesystem;

std::string reason_anywhere(const MpiDistribution& ranks, const std::string& own) {
  const double mine = own.empty() ? 0 : ranks.count() - ranks.rank();
  const double first = ranks.largest(mine);
  if (first == 0) return {};
  // The lowest rank with a reason has the largest number; its text goes to all by way of a gather.
  std::vector<double> letters;
  if (mine == first) letters.assign(own.begin(), own.end());
  const std::vector<double> text = ranks.gather(letters);
  std::string reason;
  for (const double letter : text) reason += static_cast<char>(letter);
  return reason;
}

FramePieces::FramePieces(const fs::path& folder, const Scene& scene, const MpiDistribution& ranks,
                         Opening opening)
    : folder_(folder), scene_(scene), ranks_(ranks), energies_(*scene.system) {
  std::vector<int> seen(scene.shared->parts.size(), 0);
  for (std::size_t e = 0; e < scene.bodies().tets.size(); ++e) {
    const auto body = static_cast<std::size_t>(scene.bodies().tet_body[e]);
    if (seen[body]++ >= scene.shared->parts[body].counted) continue;
    tets_.push_back(scene.bodies().tets[e]);
    body_.push_back(scene.bodies().tet_body[e]);
  }
  together(ranks, [&] {
    if (ranks.rank() != 0) return;
    fs::create_directories(folder / "frames");
    pvd_ = std::make_unique<PvdWriter>(folder / "run.pvd", opening);
  });
}

void FramePieces::archive(Archive& a) {
  if (pvd_) a(*pvd_);
}

void FramePieces::add(int step, const State& state) {
  const auto points = [](const Vector& v) {
    return Points(v.data(), static_cast<std::size_t>(v.size()));
  };
  together(ranks_, [&] {
    std::vector<double> density;
    if (energies_.any()) {
      const std::span<const double> own = energies_.densities(state.x);
      density.assign(own.begin(), own.end());
      scene_.system->share()->refresh(density.data(), 1);
    }
    write_vtu(folder_ / "frames" / fmt::format("{:06}_{}.vtu", step, ranks_.rank()),
              {.x = points(state.x),
               .v = points(state.v),
               .rest = points(scene_.bodies().rest),
               .energy_density = density,
               .number = scene_.system->share()->numbers(),
               .geometry = {.tets = tets_, .tet_body = body_},
               .float64 = scene_.settings.output.float64});
  });
  // Listed when all of it is there.
  together(ranks_, [&] {
    if (ranks_.rank() != 0) return;
    write_list(step);
    pvd_->add(state.t, fs::path("frames") / fmt::format("{:06}.pvtu", step));
  });
}

void FramePieces::write_list(int step) const {
  const char* real = scene_.settings.output.float64 ? "Float64" : "Float32";
  const auto array = [](const char* type, const char* name, int components) {
    return fmt::format("<PDataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n", type,
                       name, components);
  };
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PUnstructuredGrid GhostLevel=\"0\">\n";
  xml += "<PPoints>\n" + array(real, "position", 3) + "</PPoints>\n";
  xml += "<PPointData Vectors=\"velocity\">\n" + array(real, "velocity", 3) +
         array("Float32", "displacement", 3);
  if (energies_.any()) xml += array("Float32", "strain_energy_density", 1);
  xml += array("Int64", "number", 1);
  xml += "</PPointData>\n<PCellData>\n" + array("Int32", "body", 1) + "</PCellData>\n";
  for (int rank = 0; rank < ranks_.count(); ++rank) {
    xml += fmt::format("<Piece Source=\"{:06}_{}.vtu\"/>\n", step, rank);
  }
  xml += "</PUnstructuredGrid>\n</VTKFile>\n";
  replace_file(folder_ / "frames" / fmt::format("{:06}.pvtu", step), xml);
}

SurfaceOfAll::SurfaceOfAll(Scene& scene, const MpiDistribution& ranks) : ranks_(ranks) {
  // A face with a vertex that this process owns has all its tets here, so it is known whether there is a second.
  const auto body_of = [&](int vertex) {
    return static_cast<std::size_t>(std::ranges::upper_bound(scene.shared->first, vertex) -
                                    scene.shared->first.begin()) -
           1;
  };
  const auto number = [&](int vertex) {
    const std::size_t b = body_of(vertex);
    return scene.shared->parts[b].number[static_cast<std::size_t>(vertex - scene.shared->first[b])];
  };
  const auto owns = [&](int vertex) { return scene.system->share()->owns(3 * vertex); };
  std::vector<double> faces;
  std::set<int> on_surface;
  for (const BoundaryFace& face : boundary_faces(scene.bodies().tets)) {
    for (const int v : face.corners) {
      if (owns(v)) on_surface.insert(v);
    }
    const int lowest = *std::ranges::min_element(face.corners, {}, number);
    if (!owns(lowest)) continue;
    faces.push_back(static_cast<double>(body_of(lowest)));
    for (const int v : face.corners) faces.push_back(static_cast<double>(number(v)));
  }
  vertices_.assign(on_surface.begin(), on_surface.end());
  std::vector<double> names;
  for (const int v : vertices_) {
    names.push_back(static_cast<double>(body_of(v)));
    names.push_back(static_cast<double>(number(v)));
  }
  const std::vector<double> all_faces = ranks.gather_at_first(faces);
  const std::vector<double> all_names = ranks.gather_at_first(names);
  if (ranks.rank() != 0) return;
  // In an order that does not depend on the number of processes.
  std::map<std::pair<double, double>, std::size_t> place;
  for (std::size_t k = 0; k < all_names.size(); k += 2)
    place[{all_names[k], all_names[k + 1]}] = k / 2;
  int next = 0;
  std::map<std::pair<double, double>, int> index;
  for (const auto& [name, at] : place) {
    from_.push_back(at);
    index[name] = next++;
  }
  std::vector<std::array<double, 4>> sorted;
  for (std::size_t k = 0; k < all_faces.size(); k += 4) {
    std::array<double, 4> face{};
    std::copy_n(all_faces.begin() + static_cast<std::ptrdiff_t>(k), 4, face.begin());
    // Begins with the lowest corner, and goes round the same way.
    std::rotate(face.begin() + 1, std::min_element(face.begin() + 1, face.end()), face.end());
    sorted.push_back(face);
  }
  std::ranges::sort(sorted);
  Sharing::Surface surface;
  for (const auto& [body, a, b, c] : sorted) {
    surface.triangles.push_back({index.at({body, a}), index.at({body, b}), index.at({body, c})});
    surface.body.push_back(static_cast<int>(body));
  }
  scene.shared->surface = std::move(surface);
}

State SurfaceOfAll::gather(const State& state) const {
  std::vector<double> numbers;
  numbers.reserve(6 * vertices_.size());
  for (const int v : vertices_) {
    numbers.insert(numbers.end(), state.x.data() + 3 * v, state.x.data() + 3 * v + 3);
    numbers.insert(numbers.end(), state.v.data() + 3 * v, state.v.data() + 3 * v + 3);
  }
  const std::vector<double> all = ranks_.gather_at_first(numbers);
  State shown;
  shown.t = state.t;
  shown.x.resize(3 * static_cast<Eigen::Index>(from_.size()));
  shown.v.resize(shown.x.size());
  for (std::size_t k = 0; k < from_.size(); ++k) {
    const auto at = 3 * static_cast<Eigen::Index>(k);
    shown.x.segment<3>(at) = Eigen::Map<const Vec3>(all.data() + 6 * from_[k]);
    shown.v.segment<3>(at) = Eigen::Map<const Vec3>(all.data() + 6 * from_[k] + 3);
  }
  return shown;
}

namespace {

// A file of the state. Each process writes, or reads, an equal share of it by itself: calls of MPI that all processes make
// together may wait forever where one of them fails. PETSc brings the vertices from their owners to there, and back.
class StateFile {
 public:
  StateFile(const fs::path& file, const Scene& scene, const MpiDistribution& ranks, bool writing)
      : scene_(scene), ranks_(ranks), path_(file) {
    std::vector<PetscInt> numbers;
    const Share& share = *scene.system->share();
    for (const auto& [first, last] : share.owned()) {
      for (int i = first / 3; i < last / 3; ++i) {
        numbers.push_back(static_cast<PetscInt>(share.number(i)));
      }
    }
    vertices_ = numbers.size();
    for (const BodyPart& part : scene.shared->parts) all_ += part.whole;
    PetscLayout layout = nullptr;
    PetscInt first = 0, last = 0;
    check(PetscLayoutCreateFromSizes(ranks.communicator(), PETSC_DECIDE,
                                     static_cast<PetscInt>(all_), 1, &layout));
    check(PetscLayoutGetRange(layout, &first, &last));
    check(PetscSFCreate(ranks.communicator(), &forest_));
    check(PetscSFSetGraphLayout(forest_, layout, static_cast<PetscInt>(vertices_), nullptr,
                                PETSC_COPY_VALUES, numbers.data()));
    check(PetscLayoutDestroy(&layout));
    first_ = first;
    share_.resize(3 * static_cast<std::size_t>(last - first));
    MPI_Type_contiguous(3, MPI_DOUBLE, &point_);
    MPI_Type_commit(&point_);
    const int mode = writing ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    failed_ = MPI_File_open(ranks.communicator(), file.c_str(), mode, MPI_INFO_NULL, &file_) !=
              MPI_SUCCESS;
    opened_ = !failed_;
    // An earlier file of this name may be longer.
    if (opened_ && writing) failed_ = MPI_File_set_size(file_, 0) != MPI_SUCCESS;
  }
  ~StateFile() {
    if (opened_) MPI_File_close(&file_);
    MPI_Type_free(&point_);
    PetscSFDestroy(&forest_);
  }
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  void require(const char* what) const {
    if (ranks_.any(failed_)) throw Error(fmt::format("{} cannot be {}", path_.string(), what));
  }
  void require_size(int vectors, const char* what) {
    MPI_Offset size = 0;
    failed_ = failed_ || MPI_File_get_size(file_, &size) != MPI_SUCCESS ||
              size != static_cast<MPI_Offset>(24 * all_ * vectors);
    require(what);
  }
  // The k-th vector of the file, numbers of the vertices that this process owns.
  void write(int k, const Vector& v) {
    own_.clear();
    for (const auto& [first, last] : scene_.system->share()->owned()) {
      own_.insert(own_.end(), v.data() + first, v.data() + last);
    }
    check(PetscSFReduceBegin(forest_, point_, own_.data(), share_.data(), MPI_REPLACE));
    check(PetscSFReduceEnd(forest_, point_, own_.data(), share_.data(), MPI_REPLACE));
    MPI_Status status;
    failed_ = MPI_File_write_at(file_, offset(k), share_.data(), count(), MPI_DOUBLE, &status) !=
                  MPI_SUCCESS ||
              !complete(status) || failed_;
  }
  void read(int k, Vector& v) {
    MPI_Status status;
    failed_ = MPI_File_read_at(file_, offset(k), share_.data(), count(), MPI_DOUBLE, &status) !=
                  MPI_SUCCESS ||
              !complete(status) || failed_;
    own_.resize(3 * vertices_);
    check(PetscSFBcastBegin(forest_, point_, share_.data(), own_.data(), MPI_REPLACE));
    check(PetscSFBcastEnd(forest_, point_, share_.data(), own_.data(), MPI_REPLACE));
    v.resize(scene_.initial.x.size());
    const double* next = own_.data();
    for (const auto& [first, last] : scene_.system->share()->owned()) {
      std::copy_n(next, last - first, v.data() + first);
      next += last - first;
    }
    scene_.system->share()->refresh(v);
  }
  void sync() { failed_ = MPI_File_sync(file_) != MPI_SUCCESS || failed_; }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(share_.size()); }
  [[nodiscard]] MPI_Offset offset(int k) const {
    return static_cast<MPI_Offset>(24 * (all_ * k + first_));
  }
  [[nodiscard]] bool complete(const MPI_Status& status) const {
    int done = 0;
    return MPI_Get_count(&status, MPI_DOUBLE, &done) == MPI_SUCCESS && done == count();
  }

  const Scene& scene_;
  const MpiDistribution& ranks_;
  fs::path path_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype point_ = MPI_DATATYPE_NULL;
  PetscSF forest_ = nullptr;
  std::size_t vertices_ = 0;
  long all_ = 0;
  long first_ = 0;  // of this process's share of the file
  bool opened_ = false;
  bool failed_ = false;
  std::vector<double> own_, share_;
};

}  // namespace

void write_state(const fs::path& file, const Scene& scene, const State& state,
                 const MpiDistribution& ranks) {
  StateFile out(file, scene, ranks, true);
  out.require("written");
  const bool history = state.h_previous != 0;
  out.write(0, state.x);
  out.write(1, state.v);
  out.write(2, history ? state.x_previous : state.x);
  out.write(3, history ? state.v_previous : state.v);
  out.sync();
  out.require_size(4, "written: is the disk full?");
}

void read_state(const fs::path& file, const Scene& scene, State& state,
                const MpiDistribution& ranks) {
  StateFile in(file, scene, ranks, false);
  in.require("read");
  in.require_size(4, "used: it is not the state of this scene, or it is cut short");
  in.read(0, state.x);
  in.read(1, state.v);
  in.read(2, state.x_previous);
  in.read(3, state.v_previous);
  in.require("read");
}

}  // namespace lilyan::distributed

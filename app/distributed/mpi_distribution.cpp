#include "app/distributed/mpi_distribution.hpp"

#include <fmt/format.h>
#include <petscmat.h>
#include <petscsf.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "lilyan/base/error.hpp"

namespace lilyan::distributed {

void check(int petsc_error) {
  if (petsc_error == 0) return;
  const char* text = nullptr;
  char* specific = nullptr;
  PetscErrorMessage(petsc_error, &text, &specific);
  throw Error(fmt::format("PETSc failed: {}{}{}", text ? text : "for no known reason",
                          specific && *specific ? ": " : "", specific ? specific : ""));
}

namespace {

// Copies that get the numbers of their owners.
class Forest {
 public:
  // Of each copy: where it is here, who owns it and where it is there.
  Forest(MPI_Comm communicator, int vertices, std::vector<int> copies, std::span<const int> owner,
         std::span<const int> place)
      : copies_(std::move(copies)) {
    std::vector<PetscSFNode> remote(copies_.size());
    for (std::size_t k = 0; k < copies_.size(); ++k) remote[k] = {owner[k], place[k]};
    check(PetscSFCreate(communicator, &forest_));
    check(PetscSFSetGraph(forest_, vertices, static_cast<PetscInt>(copies_.size()), nullptr,
                          PETSC_COPY_VALUES, remote.data(), PETSC_COPY_VALUES));
    check(PetscSFSetUp(forest_));
    MPI_Type_contiguous(3, MPI_DOUBLE, &point_);
    MPI_Type_commit(&point_);
  }
  ~Forest() {
    PetscSFDestroy(&forest_);
    MPI_Type_free(&point_);
  }
  Forest(const Forest&) = delete;
  Forest& operator=(const Forest&) = delete;

  void refresh(double* numbers, int per_vertex) {
    const auto n = static_cast<std::size_t>(per_vertex);
    received_.resize(n * copies_.size());
    MPI_Datatype type = per_vertex == 3 ? point_ : MPI_DOUBLE;
    check(PetscSFBcastBegin(forest_, type, numbers, received_.data(), MPI_REPLACE));
    check(PetscSFBcastEnd(forest_, type, numbers, received_.data(), MPI_REPLACE));
    for (std::size_t k = 0; k < copies_.size(); ++k) {
      std::copy_n(received_.data() + n * k, n, numbers + n * static_cast<std::size_t>(copies_[k]));
    }
  }

 private:
  std::vector<int> copies_;
  PetscSF forest_ = nullptr;
  MPI_Datatype point_ = MPI_DATATYPE_NULL;
  std::vector<double> received_;
};

class MpiShare final : public Share {
 public:
  MpiShare(const MpiDistribution& ranks, std::vector<Range> owned,
           std::vector<std::int64_t> numbers, std::unique_ptr<Forest> forest)
      : Share(std::move(owned), std::move(numbers)), ranks_(ranks), forest_(std::move(forest)) {}
  using Share::refresh;
  [[nodiscard]] const Ranks& ranks() const override { return ranks_; }
  void refresh(double* numbers, int per_vertex) const override {
    forest_->refresh(numbers, per_vertex);
  }

 private:
  const MpiDistribution& ranks_;
  std::unique_ptr<Forest> forest_;
};

// Which process gets each vertex of a mesh: PETSc's partitioner on the graph of its edges.
std::vector<int> partition(const TetMesh& mesh, int processes) {
  const std::size_t n = mesh.vertices.size();
  std::vector<std::pair<int, int>> edges;
  edges.reserve(12 * mesh.tets.size());
  for (const auto& tet : mesh.tets) {
    for (const int a : tet) {
      for (const int b : tet) {
        if (a != b) edges.emplace_back(a, b);
      }
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  PetscInt* start = nullptr;
  PetscInt* neighbour = nullptr;
  check(PetscMalloc1(n + 1, &start));
  check(PetscMalloc1(edges.size(), &neighbour));
  std::fill_n(start, n + 1, 0);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    ++start[edges[k].first + 1];
    neighbour[k] = edges[k].second;
  }
  std::partial_sum(start, start + n + 1, start);
  Mat graph = nullptr;
  MatPartitioning partitioning = nullptr;
  IS result = nullptr;
  const auto size = static_cast<PetscInt>(n);
  // The matrix frees both arrays.
  check(MatCreateMPIAdj(PETSC_COMM_SELF, size, size, start, neighbour, nullptr, &graph));
  check(MatPartitioningCreate(PETSC_COMM_SELF, &partitioning));
  check(MatPartitioningSetAdjacency(partitioning, graph));
  check(MatPartitioningSetNParts(partitioning, processes));
  check(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH));
  check(MatPartitioningSetFromOptions(partitioning));
  check(MatPartitioningApply(partitioning, &result));
  const PetscInt* indices = nullptr;
  check(ISGetIndices(result, &indices));
  std::vector<int> owner(indices, indices + n);
  check(ISRestoreIndices(result, &indices));
  check(ISDestroy(&result));
  check(MatPartitioningDestroy(&partitioning));
  check(MatDestroy(&graph));
  return owner;
}

constexpr int kTag = 17;

// In pieces, as MPI counts with an int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
void send(const std::string& bytes, int to, MPI_Comm communicator) {
  const std::uint64_t size = bytes.size();
  MPI_Send(&size, 1, MPI_UINT64_T, to, kTag, communicator);
  for (std::size_t at = 0; at < bytes.size(); at += kMostBytes) {
    const auto n = static_cast<int>(std::min(kMostBytes, bytes.size() - at));
    MPI_Send(bytes.data() + at, n, MPI_BYTE, to, kTag, communicator);
  }
}
std::string receive(int from, MPI_Comm communicator) {
  std::uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, from, kTag, communicator, MPI_STATUS_IGNORE);
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < bytes.size(); at += kMostBytes) {
    const auto n = static_cast<int>(std::min(kMostBytes, bytes.size() - at));
    MPI_Recv(bytes.data() + at, n, MPI_BYTE, from, kTag, communicator, MPI_STATUS_IGNORE);
  }
  return bytes;
}

}  // namespace

MpiDistribution::MpiDistribution(MPI_Comm communicator) : communicator_(communicator) {
  MPI_Comm_rank(communicator, &rank_);
  MPI_Comm_size(communicator, &count_);
}

void MpiDistribution::sum(std::span<double> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                communicator_);
}

void MpiDistribution::largest(std::span<double> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                communicator_);
}

namespace {

struct Counts {
  std::vector<int> count;
  std::vector<int> start;
  [[nodiscard]] std::size_t total() const {
    return count.empty() ? 0 : static_cast<std::size_t>(start.back() + count.back());
  }
};
Counts counts_of(std::size_t own, int processes, MPI_Comm communicator) {
  Counts counts;
  counts.count.resize(static_cast<std::size_t>(processes));
  counts.start.resize(static_cast<std::size_t>(processes));
  const int mine = static_cast<int>(own);
  MPI_Allgather(&mine, 1, MPI_INT, counts.count.data(), 1, MPI_INT, communicator);
  std::exclusive_scan(counts.count.begin(), counts.count.end(), counts.start.begin(), 0);
  return counts;
}

}  // namespace

std::vector<double> MpiDistribution::gather(std::span<const double> values) const {
  const Counts counts = counts_of(values.size(), count_, communicator_);
  std::vector<double> all(counts.total());
  MPI_Allgatherv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, all.data(),
                 counts.count.data(), counts.start.data(), MPI_DOUBLE, communicator_);
  return all;
}

std::vector<double> MpiDistribution::gather_at_first(std::span<const double> values) const {
  const Counts counts = counts_of(values.size(), count_, communicator_);
  std::vector<double> all(rank_ == 0 ? counts.total() : 0);
  MPI_Gatherv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, all.data(),
              counts.count.data(), counts.start.data(), MPI_DOUBLE, 0, communicator_);
  return all;
}

std::string MpiDistribution::from_first(std::string text) const {
  auto size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, communicator_);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_BYTE, 0, communicator_);
  return text;
}

PartOfMesh MpiDistribution::scatter(const TetMesh& whole) const {
  PartOfMesh own;
  if (rank_ != 0) {
    const std::string bytes = receive(0, communicator_);
    Archive a{std::string_view(bytes)};
    a(own);
    return own;
  }
  const std::vector<int> owner =
      count_ == 1 ? std::vector<int>(whole.vertices.size(), 0) : partition(whole, count_);
  const std::vector<int> place = places(owner, count_);
  std::string bytes;
  for (int process = 1; process < count_; ++process) {
    PartOfMesh part = part_of(whole, owner, place, process);
    Archive a(&bytes);
    a(part);
    send(bytes, process, communicator_);
  }
  return part_of(whole, owner, place, 0);
}

void MpiDistribution::refresh(const BodyPart& part, std::span<double> numbers) const {
  std::vector<int> copies(part.owner.size());
  std::iota(copies.begin(), copies.end(), part.owned);
  Forest forest(communicator_, static_cast<int>(part.number.size()), std::move(copies), part.owner,
                part.place);
  forest.refresh(numbers.data(), 1);
}

std::unique_ptr<Share> MpiDistribution::make_share(std::span<const BodyPart> parts,
                                                   std::span<const int> first) const {
  // Where the bodies begin in each process.
  std::vector<int> firsts(parts.size() * static_cast<std::size_t>(count_));
  const auto bodies = static_cast<int>(parts.size());
  MPI_Allgather(first.data(), bodies, MPI_INT, firsts.data(), bodies, MPI_INT, communicator_);
  std::vector<Share::Range> owned;
  std::vector<int> copies, owner, place;
  std::vector<std::int64_t> numbers;
  std::int64_t before = 0;
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const BodyPart& part = parts[b];
    for (const long number : part.number) numbers.push_back(before + number);
    before += part.whole;
    if (part.owned > 0) owned.push_back({3 * first[b], 3 * (first[b] + part.owned)});
    for (std::size_t k = 0; k < part.owner.size(); ++k) {
      copies.push_back(first[b] + part.owned + static_cast<int>(k));
      owner.push_back(part.owner[k]);
      const auto at = static_cast<std::size_t>(part.owner[k]) * parts.size() + b;
      place.push_back(firsts[at] + part.place[k]);
    }
  }
  const auto vertices = static_cast<int>(numbers.size());
  return std::make_unique<MpiShare>(
      *this, std::move(owned), std::move(numbers),
      std::make_unique<Forest>(communicator_, vertices, std::move(copies), owner, place));
}

}  // namespace lilyan::distributed

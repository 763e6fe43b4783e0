// Processes of MPI that share a scene, with PETSc's partitioner and star forests.
#pragma once

#include <mpi.h>
#include <petsclog.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/scene/body/distribution.hpp"

namespace lilyan::distributed {

// Throws Error with PETSc's own words when a call has failed.
void check(int petsc_error);

// Time that -log_view shows.
class Logged {
 public:
  explicit Logged(PetscLogEvent event) : event_(event) {
    PetscLogEventBegin(event, nullptr, nullptr, nullptr, nullptr);
  }
  ~Logged() { PetscLogEventEnd(event_, nullptr, nullptr, nullptr, nullptr); }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;

 private:
  PetscLogEvent event_;
};

class MpiDistribution final : public Distribution {
 public:
  explicit MpiDistribution(MPI_Comm communicator);

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int count() const override { return count_; }
  using Ranks::largest;
  using Ranks::sum;
  void sum(std::span<double> values) const override;
  void largest(std::span<double> values) const override;
  [[nodiscard]] std::vector<double> gather(std::span<const double> values) const override;

  [[nodiscard]] PartOfMesh scatter(const TetMesh& whole) const override;
  void refresh(const BodyPart& part, std::span<double> numbers) const override;
  [[nodiscard]] std::unique_ptr<Share> make_share(std::span<const BodyPart> parts,
                                                  std::span<const int> first) const override;

  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
  // The text that process 0 has.
  [[nodiscard]] std::string from_first(std::string text) const;
  // Numbers of all processes, one after the other, in process 0; nothing elsewhere.
  [[nodiscard]] std::vector<double> gather_at_first(std::span<const double> values) const;

 private:
  MPI_Comm communicator_;
  int rank_ = 0;
  int count_ = 1;
};

}  // namespace lilyan::distributed

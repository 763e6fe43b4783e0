// The command `run` of several processes.
#pragma once

#include "app/cli/commands.hpp"
#include "app/distributed/mpi_distribution.hpp"

namespace lilyan::distributed {

// Runs a scene that all processes share. `agreed` is set when all processes return, with the same exit code; an
// exception may have come to only one of them.
[[nodiscard]] int run(const cli::RunOptions& options, const MpiDistribution& ranks, bool& agreed);

}  // namespace lilyan::distributed

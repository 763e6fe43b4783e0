// lilyan-mpi: `run` by several processes, started by mpirun.
#include <fmt/format.h>
#include <petscsys.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/distributed/shared_run.hpp"

namespace lilyan::distributed {
namespace {

const MpiDistribution* all_ranks = nullptr;
bool agreed = false;

int run_shared(const cli::RunOptions& options) { return run(options, *all_ranks, agreed); }

// PETSc's options begin with one dash and have more than one letter: -ksp_rtol 1e-8. Lilyan's have two dashes, or
// one letter.
struct Arguments {
  std::vector<char*> own;
  std::vector<char*> petsc;
};
Arguments sort_arguments(int argc, char** argv) {
  Arguments arguments{{argv[0]}, {argv[0]}};
  bool values = false;  // of an option of PETSc
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const bool number = word.size() > 1 && word[0] == '-' && word[1] >= '0' && word[1] <= '9';
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && !number) {
      arguments.petsc.push_back(argv[k]);
      values = true;
    } else if (values && (word[0] != '-' || number)) {
      arguments.petsc.push_back(argv[k]);
      values = false;
    } else {
      arguments.own.push_back(argv[k]);
      values = false;
    }
  }
  return arguments;
}

// What processes other than the first print is kept, and shown only if they alone have failed.
class Output {
 public:
  explicit Output(bool first) : first_(first) {
    if (first) return;
    error_ = ::dup(STDERR_FILENO);
    kept_ = std::tmpfile();
    if (kept_) ::dup2(::fileno(kept_), STDERR_FILENO);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) std::fclose(stdout);
  }
  void show(int rank) {
    if (first_ || !kept_) return;
    std::fflush(stderr);
    std::rewind(kept_);
    std::string text;
    for (int c = std::fgetc(kept_); c != EOF; c = std::fgetc(kept_)) text += static_cast<char>(c);
    text = fmt::format("rank {}: {}", rank, text);
    (void)!::write(error_, text.data(), text.size());
  }

 private:
  bool first_;
  int error_ = -1;
  std::FILE* kept_ = nullptr;
};

// Options of PETSc that are other than its own defaults unless they are given.
class Defaults {
 public:
  explicit Defaults(int processes) {
    // Products of matrices whose sums do not depend on the order in which messages arrive. (One process has no messages,
    // and does not know this way.)
    if (processes > 1) set("-matptap_via", "allatonce");
    // Multigrid as that of this matrix, not of the one before: from its bounds for that one's eigenvalues it might not
    // be definite.
    for (const char* name :
         {"-pc_gamg_reuse_interpolation", "-pc_gamg_use_sa_esteig",
          "-clusters_pc_gamg_reuse_interpolation", "-clusters_pc_gamg_use_sa_esteig"}) {
      set(name, "false");
    }
    // A second smoothing on each level takes longer than the iterations that it saves. Stiff bodies need a good one.
    set("-clusters_mg_levels_ksp_max_it", "1");
    set("-clusters_mg_levels_pc_type", "sor");
  }
  // Nobody is to be told that they were of no use.
  void clear() {
    for (const char* name : set_) PetscOptionsClearValue(nullptr, name);
  }

 private:
  void set(const char* name, const char* value) {
    PetscBool given = PETSC_FALSE;
    if (PetscOptionsHasName(nullptr, nullptr, name, &given) != 0 || given == PETSC_TRUE) return;
    if (PetscOptionsSetValue(nullptr, name, value) == 0) set_.push_back(name);
  }

  std::vector<const char*> set_;
};

// Options that PETSc was given and nothing has asked for are misspelt, most likely.
void warn_of_unused_options() {
  PetscInt count = 0;
  char** names = nullptr;
  if (PetscOptionsLeftGet(nullptr, &count, &names, nullptr) != 0) return;
  for (PetscInt k = 0; k < count; ++k) {
    fmt::print(stderr, "warning: PETSc has no use for the option -{}\n", names[k]);
  }
  PetscOptionsLeftRestore(nullptr, &count, &names, nullptr);
}

int run_ranks(int argc, char** argv) {
  Arguments arguments = sort_arguments(argc, argv);
  auto petsc_count = static_cast<int>(arguments.petsc.size());
  arguments.petsc.push_back(nullptr);
  char** petsc = arguments.petsc.data();
  if (PetscInitialize(&petsc_count, &petsc, nullptr, nullptr) != 0) {
    std::fputs("error: MPI and PETSc could not be started\n", stderr);
    return cli::kInternalError;
  }
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  // The standard output of a process is a terminal of mpirun's, whatever becomes of it there.
  if (std::getenv("LILYAN_TERMINAL") == nullptr) ::setenv("NO_COLOR", "1", 0);
  const MpiDistribution ranks(PETSC_COMM_WORLD);
  Defaults defaults(ranks.count());
  all_ranks = &ranks;
  Output output(ranks.rank() == 0);
  const int code = cli::run_program(static_cast<int>(arguments.own.size()), arguments.own.data(),
                                    {.run = run_shared});
  if (code != cli::kDone && !agreed) {
    // The others may be waiting for this process. Where all have failed, the first one has said why.
    using namespace std::chrono_literals;
    if (ranks.rank() != 0) {
      std::this_thread::sleep_for(2s);
      output.show(ranks.rank());
    }
    std::fflush(nullptr);
    MPI_Abort(PETSC_COMM_WORLD, code);
  }
  defaults.clear();
  if (ranks.rank() == 0) warn_of_unused_options();
  PetscFinalize();
  return code;
}

}  // namespace
}  // namespace lilyan::distributed

int main(int argc, char** argv) { return lilyan::distributed::run_ranks(argc, argv); }

#include "app/distributed/shared_matrix.hpp"

#include <vector>

namespace lilyan::distributed {

SharedMatrix::SharedMatrix(const OwnedRows& rows, const MpiDistribution& ranks)
    : here_(rows.pattern(), rows.clusters().node,
            std::span(rows.clusters().start).first(std::size_t(rows.own_clusters()) + 1)) {
  check(PetscLogEventRegister("HaloWait", MAT_CLASSID, &exchange_));
  const PetscInt own = 3 * rows.rows();
  std::vector<PetscInt> copies;
  for (int place = rows.rows(); place < rows.places(); ++place) {
    copies.push_back(rows.number(place));
  }
  if (rows.all_rows() > 0) copies.push_back(0);  // products read one number more
  check(MatCreateShell(ranks.communicator(), own, own, PETSC_DETERMINE, PETSC_DETERMINE, this,
                       &matrix_));
  check(MatShellSetOperation(matrix_, MATOP_MULT, reinterpret_cast<void (*)()>(apply)));
  check(VecCreateGhostBlock(ranks.communicator(), 3, own, PETSC_DECIDE,
                            static_cast<PetscInt>(copies.size()), copies.data(), &x_));
}

SharedMatrix::~SharedMatrix() {
  VecDestroy(&x_);
  MatDestroy(&matrix_);
}

Vec SharedMatrix::make_vector() const {
  Vec result = nullptr;
  check(VecDuplicate(x_, &result));
  return result;
}

void SharedMatrix::assign(std::span<const double> values, BlockMatrix::Digits digits) {
  here_.assign(values, digits);
  // Tells PETSc that it is another matrix now.
  check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
}

void SharedMatrix::multiply(Vec x, Vec y) {
  Vec places = nullptr;
  check(VecGhostGetLocalForm(x, &places));
  if (!places) {
    check(VecCopy(x, x_));
    multiply(x_, y);
    return;
  }
  check(VecGhostUpdateBegin(x, INSERT_VALUES, SCATTER_FORWARD));
  const double* from = nullptr;
  double* to = nullptr;
  check(VecGetArrayRead(places, &from));
  check(VecGetArrayWrite(y, &to));
  here_.multiply_inside(from, to);
  {
    const Logged logged(exchange_);
    check(VecGhostUpdateEnd(x, INSERT_VALUES, SCATTER_FORWARD));
  }
  here_.multiply_border(from, to);
  check(VecRestoreArrayWrite(y, &to));
  check(VecRestoreArrayRead(places, &from));
  check(VecGhostRestoreLocalForm(x, &places));
}

PetscErrorCode SharedMatrix::apply(Mat matrix, Vec x, Vec y) {
  void* context = nullptr;
  PetscCall(MatShellGetContext(matrix, &context));
  static_cast<SharedMatrix*>(context)->multiply(x, y);
  return 0;
}

}  // namespace lilyan::distributed

#include <fmt/core.h>
#include <Eigen/Dense>
#include <chrono>
#include <cstdlib>
#include <lilyan/energy/tets.hpp>
#include <lilyan/integrate/integrator.hpp>
#include <lilyan/io/mesh.hpp>
#include <lilyan/material/neo_hookean.hpp>
#include <lilyan/material/stvk.hpp>
using namespace lilyan;
int main(int argc, char** argv) {
  std::string m = argc > 1 ? argv[1] : "avf";
  TetMesh mesh = read_mesh(argc > 3 ? argv[3] : "assets/bunny/bunny.msh");
  auto& tets = mesh.tets;
  int n = mesh.vertices.size();
  Vector x(3 * n);
  double sc = argc > 4 ? atof(argv[4]) : 1.0;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[3 * i + c] = sc * mesh.vertices[i][c];
  std::vector<double> mass(n, 0);
  double V = 0;
  for (auto& t : tets) {
    Eigen::Matrix3d D;
    for (int c = 0; c < 3; c++) D.col(c) = x.segment<3>(3 * t[c + 1]) - x.segment<3>(3 * t[0]);
    double v = std::abs(D.determinant()) / 6;
    V += v;
    for (int a : t) mass[a] += v / 4;
  }
  for (auto& m : mass) m *= 10 / V;
  System sys(mass);
  Parameters P;
  P.set("mu", 500.0);
  P.set("lambda", 10.0);
  sys.add(find_material(argc > 2 ? argv[2] : "stvk")->make({x, tets}, P));
  State st;
  st.x = x;
  st.v = Vector::Zero(x.size());
  double amp = argc > 5 ? atof(argv[5]) : 3;
  for (int i = 0; i < n; i++) {
    double y = x[3 * i + 1] / sc;
    double w = std::clamp((y - 6.0) / 3.6, 0.0, 1.0);
    w = w * w * (3 - 2 * w);
    st.x[3 * i + 1] += amp * sc * w;
    st.x[3 * i] += 0.3 * amp * sc * w;
  }
  SolverOptions o;
  if (getenv("SHIFT")) o.newton.definiteness = Definiteness::shift;
  if (getenv("NOREUSE")) o.newton.reuse_factor = false;
  auto I = make_integrator(sys, make_scheme(m), o);
  fmt::print("{} verts {} tets\n", n, tets.size());
  fmt::print("V {}\n", V);
  double E0 = 0;
  auto t0 = std::chrono::steady_clock::now();
  for (int k = 0; k < (argc > 6 ? atoi(argv[6]) : 60); k++) {
    auto r = advance(*I, st, 0.033, 0);
    if (k == 0) E0 = r.before.total;
    if (k % 5 == 4) fflush(stdout);
    if (k < 10 || k % 10 == 9)
      fmt::print(
          "{} {} it {} fac {} ev {} fix {} res {:.1e} E {:.8g} dE {:.2e} ledger {:.1e} {:.1e} "
          "{:.1e} close {:.1e} P {:.1e}\n",
          k, describe(r.status), r.iterations, r.factorisations, r.evaluations,
          r.definiteness_fixes, r.residual, r.after.total, (r.after.total - E0) / E0,
          r.ledger.solver / E0, r.ledger.quadrature / E0, r.ledger.method / E0,
          (r.after.total - r.before.total - r.ledger.total()) / E0, r.after.linear_momentum.norm());
    if (!succeeded(r.status)) break;
  }
  auto T = I->times();
  fmt::print("time {:.3f} asm {:.3f} fac {:.3f} solve {:.3f} eval {:.3f}\n",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count(),
             T.assembly, T.factorisation, T.solve, T.evaluation);
}

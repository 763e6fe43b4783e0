#!/usr/bin/env python3
"""Implicit steps of a scene written by export_step, solved with FEniCSx (dolfinx 0.5).

    fenicsx_bar.py FOLDER [CSV] [REPETITIONS] [STEPS]

More steps than one are steps of backward Euler, one after the other.

Newton's method without line search on M(d - h v) + h^2 beta grad E(x + theta d) = 0, St. Venant-
Kirchhoff on linear tets, the same lumped masses, to the same measure of error as Lilyan. Generated
code is compiled beforehand with -O3 -march=native and not timed.
"""
import logging
import sys
import time

import numpy as np
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc

MU, LAMBDA = 500.0, 10.0  # of the scenes
MAX_ITERATIONS = 50
SOLVERS = {
    "LU MUMPS": {"ksp_type": "preonly", "pc_type": "lu", "pc_factor_mat_solver_type": "mumps"},
    "Cholesky MUMPS": {"ksp_type": "preonly", "pc_type": "cholesky",
                       "pc_factor_mat_solver_type": "mumps"},
    "CG, Jacobi 1e-6": {"ksp_type": "cg", "pc_type": "jacobi", "ksp_rtol": "1e-6"},
    "CG, ILU 1e-6": {"ksp_type": "cg", "pc_type": "ilu", "ksp_rtol": "1e-6"},
    "CG, block Jacobi 1e-2": {"ksp_type": "cg", "pc_type": "pbjacobi", "ksp_rtol": "1e-2"},
}
BEST = "CG, block Jacobi 1e-2"  # the fastest on violent steps, with blocks of 3 (BAIJ)


class Step:
    """The step's residual and Jacobian, and what Lilyan made of it."""

    def __init__(self, folder, blocks):
        self.blocks = blocks
        read = lambda name: np.loadtxt(f"{folder}/{name}.txt")
        words = dict(line.split() for line in open(f"{folder}/step.txt"))
        self.name = words.pop("name")
        self.__dict__.update({key: float(value) for key, value in words.items()})
        rest, tets = read("rest"), read("tets").astype(np.int64)
        domain = ufl.Mesh(ufl.VectorElement("Lagrange", ufl.tetrahedron, 1))
        self.mesh = mesh.create_mesh(MPI.COMM_SELF, tets, rest, domain)
        self.space = fem.VectorFunctionSpace(self.mesh, ("Lagrange", 1))
        self.order = self.vertex_of_dof()
        take = lambda name: read(name)[self.order].ravel()
        self.mass, self.velocity, self.expected = take("mass"), take("v"), take("displacement")
        self.moved = take("x") - rest[self.order].ravel()  # of the start, from the rest shape
        self.make_forms()

    def vertex_of_dof(self):
        """dolfinx renumbers vertices and degrees of freedom: the file's vertex of each of these."""
        count = self.mesh.topology.index_map(3).size_local
        order = np.empty(self.mesh.geometry.x.shape[0], dtype=np.int64)
        for cell in range(count):
            nodes = self.mesh.geometry.dofmap.links(cell)
            order[self.space.dofmap.cell_dofs(cell)] = np.asarray(
                self.mesh.geometry.input_global_indices)[nodes]
        return order

    def make_forms(self):
        self.point = fem.Function(self.space)  # displacement at x + theta d
        du, w = ufl.TrialFunction(self.space), ufl.TestFunction(self.space)
        F = ufl.Identity(3) + ufl.grad(self.point)
        E = 0.5 * (F.T * F - ufl.Identity(3))
        S = 2 * MU * E + LAMBDA * ufl.tr(E) * ufl.Identity(3)
        dx = ufl.dx(metadata={"quadrature_degree": 0})
        force = self.h**2 * self.beta * ufl.inner(F * S, ufl.grad(w)) * dx
        tangent = self.theta * ufl.derivative(force, self.point, du)
        options = {"cffi_extra_compile_args": ["-O3", "-march=native"]}
        self.force = fem.form(force, jit_params=options)
        self.tangent = fem.form(tangent, jit_params=options)
        self.matrix = fem.petsc.create_matrix(self.tangent, "baij" if self.blocks else "aij")
        self.vector = fem.petsc.create_vector(self.force)
        self.diagonal = self.vector.duplicate()

    def go_to(self, d):
        self.point.x.array[:] = self.moved + self.theta * d

    def residual(self, d):
        self.go_to(d)
        with self.vector.localForm() as local:
            local.set(0)
        fem.petsc.assemble_vector(self.vector, self.force)
        self.vector.array[:] += self.mass * (d - self.h * self.velocity)
        return self.vector.array

    def jacobian(self, d):
        self.go_to(d)
        self.matrix.zeroEntries()
        fem.petsc.assemble_matrix(self.matrix, self.tangent)
        self.matrix.assemble()
        self.matrix.getDiagonal(self.diagonal)
        self.diagonal.array[:] += self.mass
        self.matrix.setDiagonal(self.diagonal)

    def defect(self, d, g):
        """Lilyan's: errors of energy and velocity, over what is allowed."""
        scale = max(self.energy_scale, 0.5 * (self.mass * d * d).sum() / self.h**2)
        velocity = self.velocity_weight / self.h * np.sqrt((g * g / self.mass).sum() / (2 * scale))
        energy = self.velocity_weight / self.h**2 * abs(d @ g) / scale
        return max(velocity, energy) / self.tolerance


def solve(step, ksp):
    """Newton's iterations; seconds of all and of assembly."""
    direction = step.vector.duplicate()
    start = time.process_time()
    assembly, linear, iterations, evaluations = 0.0, 0, 0, 0
    d = step.h * step.velocity
    while True:
        begin = time.process_time()
        g = step.residual(d)
        evaluations += 1
        left = step.defect(d, g)
        if not left > 1 or iterations == MAX_ITERATIONS:
            break
        step.jacobian(d)
        assembly += time.process_time() - begin
        ksp.setOperators(step.matrix)
        ksp.solve(step.vector, direction)
        linear += ksp.getIterationNumber()
        if ksp.getConvergedReason() < 0:
            break
        d = d - direction.array
        iterations += 1
    return dict(seconds=time.process_time() - start, assembly=assembly, linear=linear,
                iterations=iterations, evaluations=evaluations, left=left, d=d)


def walk(step, ksp, steps):
    """Some steps of backward Euler; the sums of what solve() says of each, and whether all were solved."""
    moved, velocity = step.moved.copy(), step.velocity.copy()
    sums = dict(seconds=0.0, assembly=0.0, linear=0, iterations=0, evaluations=0, left=0.0)
    for _ in range(steps):
        result = solve(step, ksp)
        for key in sums:
            sums[key] = max(sums[key], result[key]) if key == "left" else sums[key] + result[key]
        if not result["left"] <= 1:
            break
        step.moved = step.moved + result["d"]
        step.velocity = result["d"] / step.h
    step.moved, step.velocity = moved, velocity
    return dict(sums, d=result["d"])


def make_ksp(step, settings, number):
    ksp = PETSc.KSP().create(MPI.COMM_SELF)
    prefix = f"f{number}_"
    for key, value in settings.items():
        PETSc.Options()[prefix + key] = value
    ksp.setOptionsPrefix(prefix)
    step.matrix.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    ksp.setFromOptions()
    return ksp


def main():
    logging.disable(logging.INFO)  # of the compiler
    folder = sys.argv[1]
    csv = sys.argv[2] if len(sys.argv) > 2 else ""
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    # Each kind of matrix has a step of its own.
    kinds = {True: Step(folder, True)} if steps > 1 else {b: Step(folder, b) for b in (False, True)}
    step = kinds[True]
    names = [BEST] if steps > 1 else list(SOLVERS)
    solvers = {name: make_ksp(kinds[name == BEST], SOLVERS[name], k) for k, name in enumerate(names)}
    results = {name: [] for name in solvers}
    for r in range(repetitions + 1):  # the first one warms up
        for name, ksp in solvers.items():
            result = walk(kinds[name == BEST], ksp, steps)
            if r > 0:
                results[name].append(result)
    for name, runs in results.items():
        last = runs[-1]
        ms = 1e3 * np.median([r["seconds"] for r in runs]) / steps
        assembly = 1e3 * np.median([r["assembly"] for r in runs]) / steps
        ratio = ms / (1e3 * step.lilyan_seconds)
        differs = np.linalg.norm(last["d"] - step.expected) / np.linalg.norm(step.expected)
        status = "solved" if last["left"] <= 1 else "not solved"
        status += f"; {ms * steps / max(1, last['iterations']):.2f} ms per iteration"
        print(f"{step.name:<22} {'FEniCSx ' + name:<30} {last['iterations']:>6} "
              f"{last['linear']:>7} {last['evaluations']:>7} {ms:>10.2f} {assembly:>9.2f} "
              f"{ratio:>7.2f} {differs:>8.0e} {last['left']:>8.0e} {'-':>9}  {status}", flush=True)
        if csv:
            with open(csv, "a") as out:
                out.write(f'fenicsx,{step.name},"FEniCSx {name}",{last["iterations"]},'
                          f'{last["linear"]},{last["evaluations"]},{ms:.6g},{assembly:.6g},'
                          f'{ratio:.6g},{differs:.6g},{last["left"]:.6g},,"{status}"\n')


main()

"""Systems made in code, with functions of Python."""

import numpy as np
import pytest

import lilyan


def test_slow_functions_say_so():
    with pytest.warns(lilyan.SlowWarning, match="some hundred times slower"):
        lilyan.System([1.0], dimension=1).add_energy(lambda q: q[0] ** 2)
    with pytest.warns(lilyan.SlowWarning):
        lilyan.System(lagrangian=lambda t, q, v: v[0] ** 2, dofs=1)


def pendulum(function, quiet, method, **arguments):
    system = lilyan.System([1.0], dimension=1)
    system.add_energy(function)
    return lilyan.run(system.scene([1.0], method=method, step=0.02, steps=200, **arguments))


@pytest.mark.parametrize("method", ["stoermer-verlet", "avf", "gauss", "backward-euler"])
def test_energy_is_as_good_as_the_formula(quiet, method):
    """Whether it gives all derivatives, only the gradient, or none: to the last digits."""
    formula = lilyan.run(
        lilyan.lagrangian("q", kinetic="q'^2/2", potential="1 - cos(q)", position={"q": 1}, method=method, step=0.02, steps=200)
    )
    for function in (
        lambda q: (1 - np.cos(q[0]), np.sin(q), np.cos(q)),
        lambda q: (1 - np.cos(q[0]), np.sin(q)),
        lambda q: 1 - np.cos(q[0]),
    ):
        run = pendulum(function, quiet, method)
        np.testing.assert_allclose(run.x, formula.x, atol=1e-11)
        np.testing.assert_allclose(run.energy, formula.energy, atol=1e-11)


def test_energy_of_elements(quiet):
    """A chain of springs, against the same energy of the whole system."""
    n = 6
    rows = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)

    def springs(x):
        assert x.shape == (n - 1, 2, 3)
        d = x[:, 1] - x[:, 0]
        length = np.sqrt((d * d).sum(axis=1))
        gradient = 50 * ((length - 1) / length)[:, None] * d
        return 25 * (length - 1) ** 2, np.stack([-gradient, gradient], axis=1)

    def whole(x):
        d = x[1:] - x[:-1]
        return (25 * (np.sqrt((d * d).sum(axis=1)) - 1) ** 2).sum()

    start = np.zeros((n, 3))
    start[:, 0] = 1.1 * np.arange(n)
    velocity = np.zeros((n, 3))
    velocity[0, 1] = 1
    runs = []
    for function, elements in ((springs, rows), (whole, None)):
        system = lilyan.System(np.ones(n))
        system.add_energy(function, elements, translation=True, rotation=True)
        runs.append(lilyan.run(system.scene(start, velocity, method="avf", step=0.02, steps=40)))
    np.testing.assert_allclose(runs[0].x, runs[1].x, atol=1e-9)
    assert runs[0].energy_error.max() < 1e-11
    np.testing.assert_allclose(runs[0].momentum, runs[0].momentum[:1].repeat(41, axis=0), atol=1e-12)


def test_force(quiet):
    system = lilyan.System([2.0], dimension=1)
    system.add_force(lambda t, x, v: -0.5 * v)
    run = lilyan.run(system.scene([0.0], [1.0], method="implicit-midpoint", step=0.01, steps=100))
    assert run.v[-1, 0] == pytest.approx(np.exp(-0.25), rel=1e-5)
    assert run.ledger["work"].sum() == pytest.approx(run.energy[-1] - run.energy[0], abs=1e-13)


def test_lagrangian_function_is_as_good_as_the_formula(quiet):
    kinetic = "a'^2/2 + (a'^2 + b'^2 + 2*a'*b'*cos(a - b))/2"
    formula = lilyan.lagrangian(["a", "b"], kinetic=kinetic, potential="-2*cos(a) - cos(b)",
                                position={"a": 1, "b": 0.5}, step=0.02, steps=100)

    def function(t, q, v):
        mixed = v[0] ** 2 + v[1] ** 2 + 2 * v[0] * v[1] * np.cos(q[0] - q[1])
        return v[0] ** 2 / 2 + mixed / 2 + 2 * np.cos(q[0]) + np.cos(q[1])

    system = lilyan.System(lagrangian=function, dofs=2)
    run = lilyan.run(system.scene([1, 0.5], method="gauss", step=0.02, steps=100))
    np.testing.assert_allclose(run.x, lilyan.run(formula).x, atol=1e-10)


def test_functions_that_cannot_be_differentiated_are_refused(quiet):
    for function in (lambda q: abs(q[0] - 0.3) ** 3, lambda q: float(q[0]) ** 2):
        system = lilyan.System([1.0], dimension=1)
        system.add_energy(function)
        with pytest.raises(lilyan.Error, match="let it return its gradient"):
            system.scene([1.0])


def test_errors_in_functions_are_raised_as_they_are(quiet):
    calls = 0

    def function(q):
        nonlocal calls
        calls += 1
        if calls > 30:
            raise KeyError("my own")
        return 1 - np.cos(q[0]), np.sin(q), np.cos(q)

    system = lilyan.System([1.0], dimension=1)
    system.add_energy(function)
    sim = lilyan.Simulation(system.scene([1.0], method="avf"))
    with pytest.raises(KeyError, match="my own"):
        sim.step(1000)
    for wrong, words in (((1.0, [1.0, 2.0]), "2 numbers as gradients, but 1 are expected"), (("a", [1.0]), "not numbers")):
        system = lilyan.System([1.0], dimension=1)
        system.add_energy(lambda q, wrong=wrong: wrong)
        with pytest.raises(lilyan.Error, match=words):
            lilyan.run(system.scene([1.0], method="stoermer-verlet"))


def test_material_gravity_rods_and_fixed_vertices():
    bar = lilyan.scene({
        "integrator": {"method": "avf", "step": 0.02, "steps": 1},
        "body": [{"shape": {"kind": "bar", "size": [2, 0.5, 0.5], "cells": [4, 1, 1]}, "mass": 1,
                  "material": {"model": "stvk", "mu": 500, "lambda": 10.0}}],
    })
    system = lilyan.System(bar.masses)
    system.add_material("stvk", bar.x0, bar.tets, mu=500, **{"lambda": 10.0})
    system.add_gravity()
    system.fix(*np.flatnonzero(bar.x0[:, 0] < -0.99))
    run = lilyan.run(system.scene(bar.x0, method="avf", step=0.02, steps=20))
    assert run.energy_error.max() < 1e-12 and np.ptp(run.x[:, 0]) < 3 and run.x[-1, :, 1].min() < -0.3
    with pytest.raises(lilyan.Error, match="has been made into a scene"):
        system.scene(bar.x0)
    with pytest.raises(lilyan.ParameterError, match="did you mean 'stvk'"):
        lilyan.System(bar.masses).add_material("stvkk", bar.x0, bar.tets, mu=1)
    rod = lilyan.System([1.0, 1.0])
    rod.add_rod(0, 1, 1.0)
    run = lilyan.run(rod.scene([[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 0]], method="implicit-midpoint", steps=50))
    np.testing.assert_allclose(np.linalg.norm(run.x[:, 1] - run.x[:, 0], axis=1), 1, atol=1e-12)


def test_methods_that_cannot_step_it_are_refused(quiet):
    rod = lilyan.System([1.0, 1.0])
    rod.add_rod(0, 1, 1.0)
    with pytest.raises(lilyan.Error, match="cannot keep constraints"):
        rod.scene([[0, 0, 0], [1, 0, 0]], method="newmark")


TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
LAME = {"mu": 1.0, "lambda": 1.0}


def solid(model="stvk", rest=TET, tets=((0, 1, 2, 3),)):
    system = lilyan.System(np.ones(4))
    system.add_material(model, rest, tets, **LAME)
    return system


def test_starts_are_judged_as_those_of_scenes():
    for model in ("stvk", "neo-hookean"):
        with pytest.raises(lilyan.Error, match="'System' starts collapsed: all 1 of its tets have no volume"):
            solid(model).scene(0 * TET)
    with pytest.raises(lilyan.Error, match="starts inside out: .* the energy of 'neo-hookean' is infinite"):
        solid("neo-hookean").scene(TET * [-1, 1, 1])
    with pytest.warns(lilyan.RemarkWarning, match="starts mirrored"):
        solid().scene(TET * [-1, 1, 1])


def test_rest_shapes_are_judged_as_those_of_scenes():
    with pytest.raises(lilyan.Error, match="tet 0 .* is inverted in the rest shape"):
        solid(rest=TET * [1, 1, -1])
    with pytest.raises(lilyan.Error, match="tet 1 has the same vertices as tet 0"):
        solid(tets=[[0, 1, 2, 3], [1, 2, 0, 3]])
    with pytest.raises(lilyan.Error, match="zero rest volume"):
        solid(rest=TET * [1, 1, 0])
    with pytest.raises(lilyan.Error, match="rest has numbers that are not finite"):
        solid(rest=TET * np.nan)


def test_arguments_of_wrong_types_are_refused_in_a_sentence():
    system = lilyan.System(np.ones(4))
    for call, words in (
        (lambda: system.add_gravity([1, 2]), "three numbers, not"),
        (lambda: system.add_gravity(3), "three numbers, not 3"),
        (lambda: system.add_force(3), "a function is needed, not 3"),
        (lambda: system.add_energy("x"), "a function is needed, not 'x'"),
        (lambda: system.add_material("stvk", TET, [[0, 1, 2, 3]], mu=None, **{"lambda": 1.0}), "mu must be a number"),
        (lambda: system.scene(TET, method=3), "method must be a text, not 3"),
        (lambda: lilyan.view("pendulum", port=2**40), "port must be a whole number from 0 to 65535"),
    ):
        with pytest.raises(lilyan.Error, match=words) as error:
            call()
        assert "incompatible" not in str(error.value)

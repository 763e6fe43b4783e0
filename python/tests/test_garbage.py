"""Cycles of references that go through the compiled part are collected."""

import gc
import weakref

import numpy as np
import pytest

import lilyan


class Holder:
    """Something that a function of a system refers to."""


def energy(holder):
    return lambda x: 0.5 * (x * x).sum() + 0 * (holder is None)


def energy_system(holder):
    system = lilyan.System([1.0, 2.0], dimension=1)
    system.add_energy(energy(holder))
    return system


def force_system(holder):
    system = lilyan.System([1.0, 2.0], dimension=1)
    system.add_energy(lambda x: (0.5 * (x * x).sum(), x, np.eye(2)))
    system.add_force(lambda t, x, v: -0.1 * v if holder is not None else v)
    return system


def lagrangian_system(holder):
    return lilyan.System(lagrangian=lambda t, q, v: (v * v - q * q).sum() / 2 + 0 * (holder is None), dofs=2)


@pytest.mark.parametrize("make", [energy_system, force_system, lagrangian_system])
@pytest.mark.parametrize("stage", ["system", "scene", "simulation", "stepped", "run"])
def test_cycles_are_collected(make, stage, quiet):
    holder = Holder()
    gone = weakref.ref(holder)
    holder.system = make(holder)
    if stage != "system":
        holder.scene = holder.system.scene([1.0, 2.0], method="gauss", step=0.01)
    if stage in ("simulation", "stepped"):
        holder.simulation = lilyan.Simulation(holder.scene)
    if stage == "stepped":
        holder.simulation.step(3, lambda s: holder is not None)
    if stage == "run":
        holder.run = lilyan.run(holder.scene, steps=3)
    gc.collect()
    assert gone() is not None
    del holder
    gc.collect()
    assert gone() is None


def test_what_is_in_use_is_not_collected(quiet):
    sim = lilyan.Simulation(energy_system(Holder()).scene([1.0, 2.0], method="gauss", step=0.01))
    other = lilyan.Simulation(sim.scene)
    gc.collect()
    assert sim.step(3, lambda s: gc.collect() and None) == 3
    del sim
    gc.collect()
    assert other.step(3) == 3


def test_making_and_dropping_systems_while_collecting(quiet):
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(20):
            holder = Holder()
            holder.system = energy_system(holder)
            holder.sim = lilyan.Simulation(holder.system.scene([1.0, 2.0], method="stoermer-verlet"))
            holder.sim.step(2)
            with pytest.raises(lilyan.Error):
                lilyan.System([-1.0], dimension=7)
    finally:
        gc.set_threshold(*before)

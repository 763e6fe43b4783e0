"""Indices and numbers of steps: nothing is rounded, and nothing wraps around."""

import numpy as np
import pytest

import lilyan

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 2, 2.0]])
WRONG = [2**32 + 3, 2**64 + 3, 3.9, -1, float("nan"), float("inf"), True, "3", None, 5]


def body(cells, points=POINTS):
    kind = {"springs": {"stretch": 5}} if len(cells[0]) == 3 else {"material": {"mu": 100, "lambda": 50}}
    return {"integrator": {"method": "avf", "step": 0.02}, "body": [{"mesh": (points, cells), "mass": 1, **kind}]}


@pytest.mark.parametrize("wrong", WRONG)
def test_cells_name_vertices_that_there_are(wrong):
    for cells in ([[0, 1, 2, wrong]], [[0, 1, wrong]]):
        with pytest.raises(lilyan.Error, match="a vertex of a cell must be a whole number from 0 to 4, not") as error:
            lilyan.run(body(np.array(cells, dtype=object)), steps=1)
        assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("kind", ["u1", "i2", "i8", "u8", "f4", "f8", "O"])
def test_whole_numbers_of_every_type_are_indices(kind):
    assert lilyan.run(body(np.array([[0, 1, 2, 3]], dtype=kind)), steps=1).x.shape == (2, 4, 3)


def test_arrays_of_wrong_numbers():
    with pytest.raises(lilyan.Error, match="not 4294967299"):
        lilyan.scene(body(np.array([[0, 1, 2, 2**32 + 3]])))
    with pytest.raises(lilyan.Error, match="not 3.9"):
        lilyan.scene(body(np.array([[0, 1, 2, 3.9]])))
    with pytest.raises(lilyan.Error, match="not nan"):
        lilyan.scene(body(np.array([[0, 1, 2, np.nan]])))
    with pytest.raises(lilyan.Error, match="not True"):
        lilyan.scene(body(np.array([[True, True, True, True]])))
    with pytest.raises(lilyan.Error, match="rows of equal length"):
        lilyan.scene(body([[0, 1, 2, 3], [0, 1, 2]]))
    with pytest.raises(lilyan.Error, match=r"not an array of shape \(1, 2\)"):
        lilyan.scene(body([[0, 1]]))
    with pytest.raises(lilyan.Error, match="row 1 is not"):
        lilyan.scene(body([[0, 1, 2, 3]], POINTS + [[0, 0, 0], [0, np.nan, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]))


@pytest.mark.parametrize("wrong", WRONG)
def test_systems_take_no_other_indices(wrong, quiet):
    system = lilyan.System(np.ones(5))
    limits = "must be a whole number from 0 to 4, not"
    with pytest.raises(lilyan.Error, match=f"a vertex of a tet {limits}"):
        system.add_material("stvk", POINTS, np.array([[0, 1, 2, wrong]], dtype=object), mu=1.0, **{"lambda": 1.0})
    with pytest.raises(lilyan.Error, match=f"a vertex of an element {limits}"):
        system.add_energy(lambda x: (x * x).sum(axis=(1, 2)), np.array([[0, wrong]], dtype=object))
    with pytest.raises(lilyan.Error, match=f"vertex b {limits}"):
        system.add_rod(0, wrong, 1.0)
    with pytest.raises(lilyan.Error, match=f"a vertex to fix {limits}"):
        system.fix(0, wrong)


def test_numpy_integers_and_whole_floats_are_indices(quiet):
    system = lilyan.System(np.ones(5))
    system.add_rod(np.int64(0), 1.0, 1.0)
    system.fix(*np.arange(2))


@pytest.mark.parametrize("wrong", [2**40, 1.5, -1, float("nan"), True, "7", [1]])
def test_numbers_of_steps_are_refused_in_a_sentence(wrong):
    sim = lilyan.Simulation("pendulum")
    wanted = "must be a whole number from [01] to (2147483647|4096), not"
    for call in (
        lambda: sim.step(wrong),
        lambda: sim.step(1, None, wrong),
        lambda: sim.record(wrong),
        lambda: sim.record(1, every=wrong),
        lambda: sim.record(1, frames=wrong),
        lambda: lilyan.run("pendulum", steps=wrong),
        lambda: lilyan.run(lilyan.scene("pendulum"), steps=wrong),
        lambda: lilyan.scene("pendulum", steps=wrong),
        lambda: lilyan.set_threads(wrong),
        lambda: lilyan.System([1.0], dimension=1).scene([0.0], steps=wrong),
    ):
        with pytest.raises(lilyan.Error, match=wanted) as error:
            call()
        assert "incompatible" not in str(error.value)
    assert sim.steps == 0
    assert sim.step(np.int64(2)) == 2 and sim.step(3.0) == 3


def test_frames_to_start_from_are_whole():
    run = lilyan.run("pendulum", steps=5)
    for wrong in (1.5, True, "1"):
        with pytest.raises(lilyan.Error, match="the number of a frame must be a whole number"):
            lilyan.scene("pendulum", start=(run, wrong))
        with pytest.raises(lilyan.Error, match="the number of a frame must be a whole number"):
            lilyan.scene("pendulum", start=("results/x", wrong))


def test_steps_and_lengths_are_numbers():
    system = lilyan.System(np.ones(5))
    for wrong in ("long", None, float("nan"), True):
        with pytest.raises(lilyan.Error, match="length must be a finite number"):
            system.add_rod(0, 1, wrong)
        with pytest.raises(lilyan.Error, match="step must be a finite number"):
            system.scene(POINTS, step=wrong)
        if wrong is not None:
            with pytest.raises(lilyan.Error, match="duration must be a finite number"):
                lilyan.scene("pendulum", duration=wrong)


def test_a_refused_state_is_not_taken():
    sim = lilyan.Simulation("double-pendulum")
    before = sim.x.copy()
    for wrong in ([np.nan, 1.0], [1.0], "text", None):
        with pytest.raises(lilyan.Error):
            sim.x = wrong
    assert np.array_equal(sim.x, before)

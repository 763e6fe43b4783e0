"""What other threads may do while steps are made."""

import threading

import numpy as np
import pytest

import lilyan


@pytest.fixture
def stepping():
    """A simulation that another thread steps until the test is done."""
    sim = lilyan.Simulation("spinning-bar")
    x, v = sim.x.copy(), sim.v.copy()
    begun = threading.Event()
    failed = []

    def work():
        try:
            sim.step(2_000_000_000, lambda s: begun.set())
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    yield sim, x, v
    sim.stop()
    thread.join()
    assert not failed
    sim.x, sim.v = x, v  # afterwards it can be set
    assert sim.step(2) == 2


def test_the_state_cannot_be_changed_by_another_thread(stepping):
    sim, x, v = stepping
    for _ in range(50):
        with pytest.raises(lilyan.Error, match="cannot set x while this simulation is being stepped by another thread"):
            sim.x = x
        with pytest.raises(lilyan.Error, match="cannot set v while"):
            sim.v = v
        with pytest.raises(lilyan.Error, match="cannot edit the state while"):
            with sim.editing():
                pass
        with pytest.raises(lilyan.Error, match="stepped already"):
            sim.step()
        with pytest.raises(lilyan.Error, match="stepped already"):
            sim.record(1)
    with pytest.raises(AttributeError):
        sim.t = 0.0
    with pytest.raises(ValueError):
        sim.x[0] = 0
    with pytest.raises(lilyan.Error, match="this scene is being stepped"):
        sim.scene.start_from(0.0, x, v, 0.0, x[:0], v[:0])
    assert sim.t > 0 and sim.steps > 0 and np.isfinite(sim.energy)


def test_the_callback_may_change_the_state():
    sim = lilyan.Simulation("pendulum")

    def kick(s):
        s.x = [0.5]
        with s.editing() as (_, v):
            v += 1

    assert sim.step(3, kick) == 3
    assert sim.x[0] == 0.5 and sim.v[0] > 2


def test_another_thread_cannot_change_the_state_during_a_callback():
    sim = lilyan.Simulation("pendulum")
    said = []

    def change():
        try:
            sim.x = [0.5]
        except lilyan.Error as error:
            said.append(str(error))

    def callback(_):
        thread = threading.Thread(target=change)
        thread.start()
        thread.join()

    sim.step(2, callback)
    assert len(said) == 2 and "by another thread" in said[0]


def test_functions_within_a_step_cannot_change_the_state(quiet):
    system = lilyan.System([1.0], dimension=1)
    sims = []

    def energy(q):
        if sims and sims[0].steps == 0:
            sims[0].x = [0.3]
        return 1 - np.cos(q[0])

    system.add_energy(energy)
    sims.append(lilyan.Simulation(system.scene([1.0], method="stoermer-verlet")))
    with pytest.raises(lilyan.Error, match="cannot set x while this simulation is being stepped: wait"):
        sims[0].step(5)


def test_no_step_is_made_of_a_state_that_is_being_edited():
    sim = lilyan.Simulation("pendulum")
    with sim.editing():
        with pytest.raises(lilyan.Error, match="is being edited"):
            sim.step()
    assert sim.step() == 1
    left_open = []
    with pytest.raises(lilyan.Error, match="left the block of editing"):
        sim.step(2, lambda s: left_open.append(s.editing()) or left_open[-1].__enter__() and None)
    left_open[0].__exit__(None, None, None)
    assert sim.step() == 1

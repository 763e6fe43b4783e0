"""Runs, their arrays, and stepping."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import lilyan


def test_pendulum_as_arrays():
    run = lilyan.run("pendulum", steps=100)
    assert run.t.shape == run.energy.shape == (101,)
    assert run.x.shape == run.v.shape == (101, 1)
    np.testing.assert_allclose(run.t, 0.01 * np.arange(101), rtol=1e-14)
    np.testing.assert_allclose(run.energy, run.kinetic + run.potential, rtol=1e-14)
    # The exact energy of these states.
    np.testing.assert_allclose(run.energy, run.v[:, 0] ** 2 / 2 + 1 - np.cos(run.x[:, 0]), rtol=1e-12)
    assert run.end == "finished" and run.steps == 100


def test_ledger_adds_up_to_the_change_of_energy():
    run = lilyan.run("pendulum-damped", steps=200)
    change = sum(run.ledger.values())
    np.testing.assert_allclose(np.diff(run.energy), change[1:], atol=1e-14)
    assert run.ledger["work"].sum() + run.ledger["dissipation"].sum() < -1e-3
    # Rows that stand for several steps have the sums of these.
    fewer = lilyan.run("pendulum-damped", steps=200, every=7)
    assert len(fewer.t) == 30 and fewer.t[-1] == run.t[-1]
    np.testing.assert_allclose(np.diff(fewer.energy), sum(fewer.ledger.values())[1:], atol=1e-13)


def test_body_keeps_its_energy_and_frames():
    run = lilyan.run("spinning-bar", steps=6, frames=2, method="energy-momentum")
    assert run.x.shape == (4, len(run.scene.masses), 3)
    assert run.energy_error.max() < 1e-12
    np.testing.assert_allclose(run.angular_momentum[-1], run.angular_momentum[0], rtol=1e-12, atol=1e-12)
    assert any("energy conserved" in verdict for verdict in run.verdicts)
    assert run.scene.surface.shape[1] == 3 and run.scene.tets.shape[1] == 4


def test_the_same_bits_as_the_program_gives_step_by_step_or_at_once():
    at_once = lilyan.run("double-pendulum", steps=50)
    sim = lilyan.Simulation("double-pendulum")
    for k in range(50):
        assert sim.step() == 1
        assert np.array_equal(sim.x, at_once.x[k + 1])
        assert np.array_equal(sim.v, at_once.v[k + 1])


def test_a_simulation_goes_on_where_the_scene_would_end():
    for scene in ({"steps": 20}, {"duration": 0.2}):
        source = {"integrator": {"method": "avf", "step": 0.01, **scene},
                  "system": {"kind": "lagrangian", "coordinates": ["q"], "kinetic": "q'^2/2", "potential": "q^2/2"}}
        planned = lilyan.scene(source)
        assert planned.steps == 20 and planned.duration == pytest.approx(0.2)
        sim = lilyan.Simulation(planned)
        assert sim.step(50) == 50 and not sim.done
        assert sim.t == pytest.approx(0.5)


def test_variable_steps_end_where_the_scene_ends():
    run = lilyan.run("kepler-eccentric", set={"integrator.duration": 2.0}, frames=0)
    assert run.t[-1] == pytest.approx(2.0, abs=1e-12)
    assert len(np.unique(run.h[1:])) > 10
    assert len(run.frame_t) == 0


def test_views_are_of_the_state_itself():
    sim = lilyan.Simulation("falling-blob")
    x, address = sim.x, sim.x.ctypes.data
    before = x.copy()
    sim.step(5)
    assert sim.x.ctypes.data == address, "no copy is made"
    assert np.shares_memory(x, sim.x)
    assert not np.array_equal(x, before), "a view that was taken before sees the step"
    with pytest.raises(ValueError):
        x[0] = 1
    del sim
    assert np.isfinite(x).all(), "a view keeps the simulation alive"


@pytest.mark.parametrize("method", [m.name for m in lilyan.methods()])
def test_no_method_moves_the_state_in_memory(method):
    sim = lilyan.Simulation("pendulum", method=method)
    x, v = sim.x, sim.v
    for _ in range(7):
        sim.step()
        assert x.ctypes.data == sim.x.ctypes.data and v.ctypes.data == sim.v.ctypes.data


@pytest.mark.parametrize("method", ["stoermer-verlet", "bdf2", "avf"])
def test_setting_the_state_starts_anew(method):
    first = lilyan.Simulation("pendulum", method=method)
    first.step(3)
    x, v = first.x.copy(), first.v.copy()
    second = lilyan.Simulation("pendulum", method=method)
    second.step(5)
    second.x, second.v = x, v
    with first.editing() as (edited, velocities):
        assert edited.flags.writeable
        edited[:] = x
    assert not edited.flags.writeable
    first.step(4)
    second.step(4)
    assert np.array_equal(first.x, second.x) and np.array_equal(first.v, second.v)
    assert second.energy == pytest.approx(second.v[0] ** 2 / 2 + 1 - np.cos(second.x[0]))


def test_state_of_another_size_is_refused():
    sim = lilyan.Simulation("pendulum")
    with pytest.raises(lilyan.Error, match="x has 2 numbers, but 1 are expected"):
        sim.x = [1, 2]
    with pytest.raises(lilyan.Error, match="not finite"):
        sim.v = [np.nan]


def test_callbacks_see_every_step_and_can_end_them():
    sim = lilyan.Simulation("pendulum")
    seen = []
    assert sim.step(10, lambda s: seen.append(s.t), every=2) == 10
    np.testing.assert_allclose(seen, [0.02, 0.04, 0.06, 0.08, 0.1])
    assert sim.step(100, lambda s: s.steps < 15) == 5
    with pytest.raises(ZeroDivisionError):
        sim.step(3, lambda s: 1 / 0)
    assert sim.steps == 16, "the step before the callback counts"
    assert sim.step(2) == 2


def test_other_threads_run_while_steps_are_made():
    sim = lilyan.Simulation("double-pendulum")
    count = 0
    done = threading.Event()

    def work():
        sim.step(40_000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 20


def test_stop_from_another_thread():
    sim = lilyan.Simulation("double-pendulum")
    timer = threading.Timer(0.3, sim.stop)
    timer.start()
    assert 0 < sim.step(2_000_000_000) < 2_000_000_000
    assert sim.step(5) == 5, "it goes on"


@pytest.mark.parametrize("scene", ["double-pendulum", "bunny-12k"])
def test_ctrl_c_stops_a_run_and_keeps_what_was_done(scene):
    script = textwrap.dedent(f"""
        import lilyan, signal
        sim = lilyan.Simulation({scene!r})
        print("ready", flush=True)
        try:
            sim.record(2_000_000_000, every=1000, frames=1000)
        except KeyboardInterrupt as interrupt:
            print("interrupted", len(interrupt.run.t), interrupt.run.steps == sim.steps, flush=True)
            print(sim.step(1))
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    words = out.split()
    assert words[0] == "interrupted" and int(words[1]) >= 1 and words[2:] == ["True", "1"]


def test_failed_runs_say_why_and_keep_what_was_done():
    explode = {"integrator.method": "explicit-euler", "integrator.step": 0.5}
    with pytest.raises(lilyan.RunError, match=r"step \d+ \(t = .*") as failure:
        lilyan.run("spinning-bar", steps=500, set=explode)
    assert failure.value.run.end == "failed" and len(failure.value.run.t) > 1
    run = lilyan.run("spinning-bar", steps=500, set=explode, check=False)
    assert run.end == "failed" and "failed" in str(run)


def test_pandas():
    pytest.importorskip("pandas")
    frame = lilyan.run("pendulum", steps=10).to_pandas()
    assert frame.index.name == "t" and "total" in frame and len(frame) == 11


def test_a_missing_package_is_named(monkeypatch):
    run = lilyan.run("pendulum", steps=2)
    comparison = lilyan.compare("pendulum", ["avf"], steps=2)
    for name in ("pandas", "matplotlib"):
        for module in [m for m in sys.modules if m.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)

    class Without:
        def find_spec(self, name, path=None, target=None):
            if name in ("pandas", "matplotlib"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(sys, "meta_path", [Without(), *sys.meta_path])
    for call, package in ((run.to_pandas, "pandas"), (comparison.to_pandas, "pandas"), (run.plot, "matplotlib")):
        with pytest.raises(lilyan.MissingPackage, match=f"needs {package}.*pip install {package}") as error:
            call()
        assert isinstance(error.value, ImportError) and isinstance(error.value, lilyan.Error)

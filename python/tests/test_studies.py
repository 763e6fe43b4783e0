"""Runs that start from frames of earlier ones, comparisons that end together, and sweeps."""

import numpy as np
import pytest

import lilyan

BAR = {
    "title": "A bar",
    "integrator": {"method": "avf", "step": 0.02, "steps": 12},
    "body": [
        {
            "shape": {"kind": "bar", "size": [2, 0.5, 0.5], "cells": [4, 1, 1]},
            "mass": 1,
            "material": {"model": "stvk", "mu": 500, "lambda": 10.0},
            "angular_velocity": [0, 0, 2],
            "deform": [{"kind": "stretch", "factors": [1.2, 1, 1]}],
        }
    ],
}


def test_start_from_a_run_in_memory():
    whole = lilyan.run(BAR)
    rest = lilyan.run(BAR, start=(whole, 5), steps=7)
    assert rest.frame_t[0] == whole.frame_t[5] and rest.scene.t0 == whole.frame_t[5]
    assert np.array_equal(rest.x, whole.x[5:]) and np.array_equal(rest.v, whole.v[5:])
    assert np.array_equal(lilyan.run(BAR, start=whole, steps=0).x[0], whole.x[-1])
    assert np.array_equal(lilyan.run(BAR, start=(whole, -3), steps=2).x[-1], whole.x[-1])
    other = lilyan.run(BAR, start=(whole, 5), method="newmark", step=0.01, steps=3)
    assert other.method.startswith("newmark") and np.array_equal(other.x[0], whole.x[5])
    sim = lilyan.Simulation(BAR, start=(whole, 5))
    sim.step(7)
    assert np.array_equal(sim.x, whole.x[-1])


@pytest.mark.parametrize("method", ["bdf2", "stoermer-verlet", "gauss"])
def test_methods_that_look_back_go_on(method):
    whole = lilyan.run(BAR, method=method, step=0.001)
    rest = lilyan.run(BAR, method=method, step=0.001, start=(whole, 5), steps=7)
    assert np.array_equal(rest.x, whole.x[5:])


def test_start_of_a_lagrangian():
    def oscillator(**arguments):
        return lilyan.lagrangian("q", kinetic="q'^2/2", potential="q^4 + q*sin(t)", position={"q": 1}, method="rk4", **arguments)

    whole = lilyan.run(oscillator(steps=100))
    rest = lilyan.run(oscillator(steps=60, start=(whole, 40)))
    np.testing.assert_allclose(rest.x, whole.x[40:], atol=1e-13)


def test_start_from_a_folder(tmp_path):
    rows = ["step,t,theta,v_theta", "0,0,1,0", "5,0.05,0.9,-0.1", "10,0.1,0.7,-0.2"]
    (tmp_path / "trajectory.csv").write_text("\n".join(rows) + "\n")
    for start, theta in ((f"{tmp_path}:1", 0.9), (tmp_path, 0.7), ((tmp_path, 0), 1.0)):
        assert lilyan.run("pendulum", start=start, steps=1).x[0, 0] == theta
    assert lilyan.scene("pendulum", start=tmp_path).t0 == 0.1
    with pytest.raises(lilyan.InputError, match="the run has 3, counted from 0 to 2"):
        lilyan.run("pendulum", start=(tmp_path, 3))
    with pytest.raises(lilyan.InputError, match="there is no folder"):
        lilyan.run("pendulum", start=tmp_path / "nothing")
    scene = {**BAR, "start": {"run": str(tmp_path)}}
    with pytest.raises(lilyan.InputError, match="this is the run of a small system"):
        lilyan.run(scene)


def test_starts_that_do_not_fit():
    whole = lilyan.run("pendulum", steps=5)
    with pytest.raises(lilyan.Error, match="the frame has 1 numbers as positions, but the scene has 2"):
        lilyan.run("double-pendulum", start=whole)
    with pytest.raises(lilyan.Error, match="there is no frame 6: the run has 6, counted from 0 to 5"):
        lilyan.run("pendulum", start=(whole, 6))
    with pytest.raises(lilyan.Error, match="has kept no frames"):
        lilyan.run("pendulum", start=lilyan.run("pendulum", steps=5, frames=0))
    with pytest.raises(TypeError, match="a start is a run"):
        lilyan.run("pendulum", start=3.0)
    with pytest.raises(TypeError, match="made already"):
        lilyan.run(lilyan.scene("pendulum"), start=whole)


def test_durations_are_kept():
    run = lilyan.run("pendulum", step=0.03, duration=0.1)
    np.testing.assert_allclose(run.t, [0, 0.03, 0.06, 0.08, 0.1], rtol=1e-14)
    assert run.t[-1] == 0.1
    with pytest.raises(lilyan.Error, match="either steps or a duration"):
        lilyan.run("pendulum", steps=3, duration=0.1)


def test_comparisons_end_at_the_same_time():
    runs = lilyan.compare("pendulum", ["avf", "avf:step=0.033", "rk4:step=0.5"], steps=100)
    assert list(runs) == ["avf", "avf:step=0.033", "rk4:step=0.5"]
    assert [float(run.t[-1]) for run in runs.values()] == [1.0, 1.0, 1.0]
    assert [run.steps for run in runs.values()] == [100, 31, 2]


def test_sweep():
    table = lilyan.sweep(
        "spherical-pendulum",
        {"integrator.step": np.array([0.02, 0.033]), "integrator.method": ["hp:alpha=0.5", "implicit-midpoint"]},
        duration=2,
    )
    assert len(table) == 4 and table.parameters == ["integrator.step", "integrator.method"]
    for row in table:
        assert row["t_end"] == 2 and row["status"] == "finished" and row["reason"] == ""
        assert row["energy_error"] < 1e-2 and row["processor_seconds"] > 0
        assert any(name.startswith("invariant_") and name.endswith("_error") for name in row)
    assert [row["steps"] for row in table] == [100, 100, 61, 61]
    alone = lilyan.run("spherical-pendulum", method="implicit-midpoint", step=0.033, duration=2)
    assert table[3]["energy_error"] == alone.energy_error.max()
    assert np.array_equal(table.runs[3].energy, alone.energy)
    assert "hp:alpha=0.5" in str(table)


def test_sweep_says_what_the_runs_end_with():
    table = lilyan.sweep("pendulum", {"integrator.step": [0.1, 0.05]}, duration=1)
    for row, run in zip(table, table.runs):
        assert row["energy_end"] == run.energy[-1]
        assert {"theta_end", "v_theta_end"} <= set(row)


def test_sweep_as_pandas_and_as_a_picture():
    pandas = pytest.importorskip("pandas")
    table = lilyan.sweep("pendulum", {"integrator.method": ["rk4", "avf"], "integrator.step": [0.1, 0.05, 0.02]}, duration=1)
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 6
    assert list(frame.columns[:5]) == ["integrator.method", "integrator.step", "method", "step", "t_end"]
    errors = frame[frame["integrator.method"] == "rk4"]["exact_error"].to_numpy()
    assert np.all(np.diff(errors) < 0)
    pytest.importorskip("matplotlib").use("agg")
    assert len(table.plot().axes[0].lines) == 2


def test_sweep_of_lists_and_from_a_start():
    whole = lilyan.run(BAR)
    table = lilyan.sweep(BAR, {"body.0.velocity": [[0, 0, 0], [1, 0, 0]]}, steps=3)
    assert [row["momentum_verdict"] for row in table] == ["conserved", "conserved"]
    table = lilyan.sweep(BAR, {"integrator.method": ["avf", "newmark"]}, steps=3, start=(whole, 5))
    assert all(row["t_end"] == pytest.approx(8 * 0.02, abs=1e-15) for row in table)


def test_combinations_that_fail_are_rows():
    table = lilyan.sweep("pendulum", {"integrator.method": ["avf", "hp:alpha=7"]}, steps=5)
    assert table[0]["status"] == "finished" and table[1]["status"] == "could not run"
    assert "alpha must be in [0, 1]" in table[1]["reason"] and table.runs[1] is None
    explode = lilyan.sweep(BAR, {"integrator.method": ["avf", "explicit-euler"]}, set={"integrator.step": 0.5}, steps=300)
    assert explode[1]["status"] == "failed" and "step" in explode[1]["reason"]


def test_sweeps_that_make_no_sense():
    with pytest.raises(lilyan.InputError, match="unknown key 'integrator.stepp'"):
        lilyan.sweep("pendulum", {"integrator.stepp": [0.1, 0.2]})
    with pytest.raises(lilyan.Error, match="nothing is swept"):
        lilyan.sweep("pendulum", {})
    with pytest.raises(lilyan.Error, match="has no values"):
        lilyan.sweep("pendulum", {"integrator.step": []})
    with pytest.raises(TypeError, match="needs a list of values"):
        lilyan.sweep("pendulum", {"integrator.method": "avf"})
    with pytest.raises(lilyan.Error, match="these are 101 combinations"):
        lilyan.sweep("pendulum", {"integrator.step": np.linspace(0.01, 0.1, 101)})
    with pytest.raises(TypeError, match="once for each combination"):
        lilyan.sweep(lilyan.scene("pendulum"), {"integrator.step": [0.1, 0.2]})

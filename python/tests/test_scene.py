"""Scenes from files, dicts, formulas and code."""

import warnings

import numpy as np
import pytest

import lilyan

BAR = {
    "title": "A bar",
    "integrator": {"method": "avf", "step": 0.02, "steps": 5},
    "body": [
        {
            "shape": {"kind": "bar", "size": [2, 0.5, 0.5], "cells": [4, 1, 1]},
            "mass": 1,
            "material": {"model": "stvk", "mu": 500, "lambda": 10.0},
            "angular_velocity": [0, 0, 2],
        }
    ],
}


def test_dict_and_file_give_the_same_bits(tmp_path):
    file = tmp_path / "bar.toml"
    file.write_text(
        "[integrator]\nmethod = 'avf'\nstep = 0.02\nsteps = 5\n[[body]]\n"
        "shape = { kind = 'bar', size = [2, 0.5, 0.5], cells = [4, 1, 1] }\nmass = 1\n"
        "material = { model = 'stvk', mu = 500, lambda = 10.0 }\nangular_velocity = [0, 0, 2]\n"
    )
    a, b = lilyan.run(BAR), lilyan.run(file)
    assert np.array_equal(a.x, b.x) and a.scene.title == "A bar"
    assert a.scene.resolved.startswith("title") and "cells" in a.scene.resolved


def test_numpy_values_in_a_dict():
    scene = {**BAR, "integrator": {"method": "avf", "step": np.float64(0.02), "steps": np.int64(3)}}
    scene["body"] = [{**BAR["body"][0], "angular_velocity": np.array([0, 0, 2.0])}]
    assert np.array_equal(lilyan.run(scene).x, lilyan.run(BAR, steps=3).x)


def test_changes_of_a_scene():
    scene = lilyan.scene("pendulum", method="avf", step=0.05, steps=7, set={"system.parameters.angle": 170})
    assert (scene.method, scene.step, scene.steps) == ("avf", 0.05, 7)
    assert scene.x0[0] == pytest.approx(np.radians(170))


def test_errors_have_the_words_of_the_program(tmp_path):
    with pytest.raises(lilyan.InputError, match=r"^scene: unknown key 'integrator.stepp'; did you mean 'steps'\?$"):
        lilyan.scene({"integrator": {"method": "avf", "stepp": 0.1}})
    file = tmp_path / "my.toml"
    file.write_text("[integrator]\nmethod = 'avf'\nstpe = 0.1\n")
    with pytest.raises(lilyan.InputError, match="unknown key 'integrator.stpe'") as error:
        lilyan.scene(file)
    assert error.value.file == str(file) and (error.value.line, error.value.column) == (3, 1)
    assert isinstance(error.value, ValueError) and isinstance(error.value, lilyan.Error)
    with pytest.raises(lilyan.InputError, match="did you mean 'bunny'"):
        lilyan.run("buny")
    with pytest.raises(lilyan.ParameterError, match="alpha"):
        lilyan.verify("hp", alpha=7)
    with pytest.raises(TypeError, match="'body.0.shape' is of the type object"):
        lilyan.scene({**BAR, "body": [{"shape": object()}]})


def test_own_mesh_from_arrays():
    source = lilyan.scene(BAR)
    body = {key: value for key, value in BAR["body"][0].items() if key != "shape"}
    vertices, tets = source.x0.copy(), source.tets
    for mesh in ((vertices, tets), {"vertices": vertices.tolist(), "cells": tets.tolist()}):
        run = lilyan.run({**BAR, "body": [{**body, "mesh": mesh}]})
        np.testing.assert_allclose(run.x, lilyan.run(BAR).x, atol=1e-9)
    with pytest.raises(lilyan.Error, match="from 0 to [0-9]+, not 1000"):
        lilyan.scene({**BAR, "body": [{**body, "mesh": (vertices, tets + 1000)}]})
    with pytest.raises(lilyan.Error, match="rows of three numbers"):
        lilyan.scene({**BAR, "body": [{**body, "mesh": (vertices[:, :2], tets)}]})


def test_own_cloth_from_arrays():
    vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    cloth = {"mesh": (vertices, [[0, 1, 2], [0, 2, 3]]), "mass": 1, "material": {"model": "membrane-stvk", "mu": 5, "lambda": 5}}
    run = lilyan.run({"integrator": {"method": "avf", "step": 0.01, "steps": 3}, "body": [cloth]})
    assert run.x.shape == (4, 4, 3) and run.scene.surface.shape == (2, 3)


def test_lagrangian_as_formula():
    scene = lilyan.lagrangian(
        ["a", "b"],
        kinetic="m/2*(a'^2 + b'^2)",
        potential="k/2*(a^2 + b^2)",
        parameters={"m": 2, "k": 8},
        position={"a": 1},
        velocity={"b": 0.5},
        step=0.01,
        steps=100,
    )
    run = lilyan.run(scene)
    np.testing.assert_allclose(run.x[:, 0], np.cos(2 * run.frame_t), atol=1e-8)
    np.testing.assert_allclose(run.x[:, 1], 0.25 * np.sin(2 * run.frame_t), atol=1e-8)
    with pytest.raises(lilyan.InputError, match="unknown name 'thta'|'thta'"):
        lilyan.lagrangian("theta", kinetic="theta'^2/2", potential="cos(thta)")


def test_a_scene_that_is_made_takes_no_settings():
    with pytest.raises(TypeError):
        lilyan.run(lilyan.scene("pendulum"), method="avf")
    assert lilyan.run(lilyan.scene("pendulum"), steps=3).steps == 3



def test_remarks_of_the_program_are_warnings():
    rubber = {**BAR, "body": [{**BAR["body"][0], "material": {"young": 1000, "poisson": 0.49}}]}
    for make in (lilyan.scene, lilyan.run, lilyan.Simulation):
        with pytest.warns(lilyan.RemarkWarning, match=r"body1 is nearly incompressible \(Poisson's ratio 0.49\)") as found:
            make(rubber)
        assert [w.filename for w in found] == [__file__], "it points at the line that made the scene"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lilyan.scene(rubber, set={"body.0.material.poisson": 0.4})


def test_materials_of_systems_are_remarked_on_as_well():
    system = lilyan.System(np.ones(4))
    rest = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    system.add_material("stvk", rest, [[0, 1, 2, 3]], young=1000.0, poisson=0.49)
    with pytest.warns(lilyan.RemarkWarning, match="nearly incompressible"):
        system.scene(rest)

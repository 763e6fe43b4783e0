"""Lists, comparisons, verification, plots, pages, and the types and documentation of all of it."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
import shutil
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

import lilyan


def test_methods_and_materials_with_their_claims():
    methods = {m.name: m for m in lilyan.methods()}
    assert methods["avf"].energy == "exact" and methods["gauss"].symplectic and methods["rk4"].order == 4
    assert "alpha" in [p.name for p in methods["hp"].parameters]
    assert any(m.name == "stvk" and "tr(G)" in m.formula for m in lilyan.materials())
    assert "bunny" in lilyan.scenes()
    assert re.fullmatch(r"\d+\.\d+\.\d+", lilyan.__version__)


def test_verify():
    result = lilyan.verify("stoermer-verlet")
    assert result and result.passed and "every claim holds" in str(result)
    assert {c.property for c in result.checks} and all(c.passed for c in result.checks)


def test_compare():
    found = lilyan.compare("pendulum", ["avf", "explicit-euler", "hp:alpha=0.25"], steps=300)
    assert list(found) == ["avf", "explicit-euler", "hp:alpha=0.25"]
    assert found["avf"].energy_error.max() < 1e-12 < found["explicit-euler"].energy_error.max()
    assert "explicit-euler" in str(found)
    assert set(lilyan.compare("pendulum", steps=3)) == set(lilyan.scene("pendulum").compared_methods)
    with pytest.raises(lilyan.Error, match="no parameter"):
        lilyan.compare("pendulum", ["hp:alpha"], steps=3)
    with pytest.raises(lilyan.InputError, match="did you mean 'avf'"):
        lilyan.compare("pendulum", ["avg"], steps=3)


@pytest.mark.parametrize("scene", ["pendulum", "double-pendulum", "kepler", "falling-blob"])
def test_plots_in_one_call(scene, tmp_path):
    figure = lilyan.run(scene, steps=20).plot()
    assert len(figure.axes) == 3
    figure.savefig(tmp_path / "run.png")
    figure = lilyan.compare(scene, ["avf", "backward-euler"] if scene != "kepler" else ["rk4", "avf"], steps=20).plot()
    assert len(figure.axes) == 2


@pytest.mark.parametrize("scene", ["pendulum", "double-pendulum", "falling-blob", "rod", "hanging-cloth"])
def test_animations(scene, tmp_path):
    animation = lilyan.run(scene, steps=5).animate()
    assert "srcdoc" in animation._repr_html_()
    animation.save(tmp_path / "film.html")
    text = (tmp_path / "film.html").read_text()
    assert text.startswith("<!doctype html>") and "@DATA@" not in text and "http" not in text


def test_surfaces_for_other_programs(tmp_path):
    run = lilyan.run("falling-blob", steps=2)
    files = run.save_surfaces(tmp_path / "frames")
    assert len(files) == 3 and all(pathlib.Path(file).stat().st_size > 1000 for file in files)
    text = pathlib.Path(run.save_surfaces(tmp_path / "obj", "obj")[-1]).read_text()
    points = np.array([line.split()[1:4] for line in text.splitlines() if line.startswith("v ")], dtype=float)
    np.testing.assert_allclose(points, run.x[-1][np.unique(run.scene.surface)], rtol=1e-6)
    with pytest.raises(lilyan.Error, match="no surface"):
        lilyan.run("pendulum", steps=2).save_surfaces(tmp_path)


def test_animation_of_nothing():
    with pytest.raises(lilyan.Error, match="frames=1"):
        lilyan.run("pendulum", steps=5, frames=0).animate()
    with pytest.raises(lilyan.Error, match="has no picture"):
        lilyan.run(lilyan.lagrangian("s", kinetic="s'^2/2", potential="s^4"), steps=3).animate()


def test_live_view():
    view = lilyan.view("pendulum", {"integrator": {"method": "avf", "step": 0.01, "steps": 5},
                                    "system": {"kind": "lagrangian", "coordinates": ["s"], "kinetic": "s'^2/2"}})
    with urllib.request.urlopen(view.url) as page:
        assert b"Lilyan's live view" in page.read()[:200]
    assert view.url in view._repr_html_() and "iframe" in view._repr_html_()
    view.close()
    with pytest.raises(OSError):
        urllib.request.urlopen(view.url, timeout=5)
    assert "closed" in repr(view)
    with pytest.raises(lilyan.InputError):
        lilyan.view("pendlum")


def test_examples_in_the_documentation():
    for name in ("lilyan", "lilyan._run", "lilyan._scene", "lilyan._system"):
        result = doctest.testmod(importlib.import_module(name), extraglobs={"lilyan": lilyan})
        assert result.failed == 0
        assert result.attempted > 0, name


def test_everything_public_is_documented():
    for name in lilyan.__all__:
        thing = getattr(lilyan, name)
        if name not in ("Scene",):
            assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and thing.__module__ != "lilyan._core":
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_types():
    package = pathlib.Path(lilyan.__file__).parent
    source = pathlib.Path(package / "__init__.py").resolve().parent
    done = subprocess.run(
        [shutil.which("mypy"), "--strict", "--no-incremental", "--config-file", str(source.parents[1] / "pyproject.toml"), str(source)],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("stubtest") is None, reason="mypy's stubtest is not installed")
def test_stubs_are_as_the_module():
    package = pathlib.Path(lilyan.__file__).parent
    # Classes have a metaclass of pybind11's, and functions no signatures. What is checked is that everything is there,
    # and nothing else.
    allowed = pathlib.Path("allowed.txt")
    allowed.write_text("lilyan\\._core\\.[A-Z][A-Za-z]+\nlilyan\\._core\\..*__init__\n")
    done = subprocess.run(
        [shutil.which("stubtest"), "lilyan._core", "--allowlist", str(allowed), "--ignore-unused-allowlist"],
        capture_output=True, text=True, env={"PYTHONPATH": str(package.parent), "MYPYPATH": str(package.parent), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stdout + done.stderr

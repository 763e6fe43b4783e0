"""The notebooks in examples/ run from their first cell to their last."""

import json
import os
import pathlib

import pytest

import lilyan

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["animator", "researcher", "student"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, monkeypatch):
    package = pathlib.Path(lilyan.__file__).parent.parent
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs"), "notebooks are kept without their outputs"
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()

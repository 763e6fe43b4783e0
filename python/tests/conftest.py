import warnings

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Tests find the shipped scenes wherever they run."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def quiet():
    """Without the remark that functions of Python are slow."""
    import lilyan

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lilyan.SlowWarning)
        yield

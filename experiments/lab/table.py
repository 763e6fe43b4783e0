"""Tables as CSV files: what the figures and verdicts are made from."""

import csv
from pathlib import Path

import numpy as np


def write_table(file: Path, columns: dict) -> None:
    """Shorter columns are filled up: of numbers with nan, of words with nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    values = {name: list(np.atleast_1d(column)) for name, column in columns.items()}
    rows = max((len(column) for column in values.values()), default=0)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(values)
        for i in range(rows):
            writer.writerow(_cell(column[i] if i < len(column) else None, column) for column in values.values())


def read_table(file: Path) -> dict[str, np.ndarray]:
    """Columns of numbers, or of words where one entry is none."""
    with file.open(newline="", encoding="utf-8") as stream:
        reader = csv.reader(stream)
        names = next(reader)
        try:
            numbers = np.loadtxt(stream, delimiter=",", ndmin=2)
            if numbers.size:
                return dict(zip(names, numbers.T))
        except ValueError:
            pass
    with file.open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.reader(stream)][1:]
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(names)}


def _column(cells: list[str]) -> np.ndarray:
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        return np.array(cells)


def _cell(value, column) -> str:
    if value is None:
        return "" if column and isinstance(column[0], str) else "nan"
    return value if isinstance(value, str) else f"{value:.17g}"


def envelope(t: np.ndarray, values: np.ndarray, bins: int = 1000) -> dict[str, np.ndarray]:
    """A long series in few rows: the smallest and the largest value in each of equal spans of time."""
    if len(t) <= 2 * bins:
        return {"t": t, "low": values, "high": values}
    start = np.linspace(0, len(t), bins, endpoint=False).astype(int)
    return {"t": np.add.reduceat(t, start) / np.diff(np.append(start, len(t))),
            "low": np.minimum.reduceat(values, start), "high": np.maximum.reduceat(values, start)}


class Data:
    """The tables and pictures that an experiment kept."""

    def __init__(self, folder: Path, quick: bool):
        self.folder = folder
        self.quick = quick
        self._tables: dict[str, dict] = {}

    def __getitem__(self, name: str) -> dict[str, np.ndarray]:
        if name not in self._tables:
            self._tables[name] = read_table(self.folder / "data" / f"{name}.csv")
        return self._tables[name]

    def image(self, name: str) -> np.ndarray:
        import matplotlib.pyplot as plt

        return plt.imread(self.folder / "images" / f"{name}.png")

    def shape(self, name: str) -> np.ndarray:
        """Positions of vertices, as `Lab.shape` kept them."""
        table = self[f"shape-{name}"]
        return np.column_stack([table[axis] for axis in "xyz"])

    def row(self, table: str, key: str, value) -> dict:
        """The row of a table whose column `key` has this value."""
        columns = self[table]
        i = int(np.flatnonzero(columns[key] == value)[0])
        return {name: column[i] for name, column in columns.items()}

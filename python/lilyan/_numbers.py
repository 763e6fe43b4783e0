"""Whole numbers and indices that users give: nothing is rounded, and nothing wraps around."""

from __future__ import annotations

import math
import operator
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _core

#: The largest number that the compiled part counts with.
MOST = 2**31 - 1


def whole(value: Any, name: str, least: int = 0, most: int = MOST) -> int:
    """The value as an integer from ``least`` to ``most``. A float may be given if it is whole."""
    wanted = f"{name} must be a whole number from {least} to {most}"
    if isinstance(value, (bool, np.bool_)):
        raise _core.ParameterError(f"{wanted}, not {value}")
    if isinstance(value, (float, np.floating)) and math.isfinite(value) and value == math.floor(value):
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise _core.ParameterError(f"{wanted}, not {value!r}") from None
    if not least <= number <= most:
        raise _core.ParameterError(f"{wanted}, not {number}")
    return number


def real(value: Any, name: str) -> float:
    """The value as a finite float."""
    try:
        number = float("nan") if isinstance(value, (str, bytes, bool, np.bool_)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not math.isfinite(number):
        raise _core.ParameterError(f"{name} must be a finite number, not {value!r}")
    return number


def indices(values: npt.ArrayLike, what: str, count: Optional[int] = None) -> npt.NDArray[np.intc]:
    """Indices below ``count``, counted from 0, as the array that the compiled part takes.

    ``what`` names one of them in errors: "a vertex of a tet".
    """
    try:
        given = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise _core.ParameterError(f"{what} is given by an array of whole numbers, with rows of equal length") from None
    below = MOST if count is None else count
    limits = f"{what} must be a whole number from 0 to {below - 1}"
    if given.size == 0:
        return np.zeros(given.shape, dtype=np.intc)
    if given.dtype.kind == "b":
        raise _core.ParameterError(f"{limits}, not {bool(given.flat[0])}")
    if given.dtype.kind == "O":
        for value in given.flat:
            whole(value, what, 0, below - 1)
    elif given.dtype.kind not in "iuf":
        raise _core.ParameterError(f"{limits}, not {given.flat[0]!r}")
    else:
        with np.errstate(invalid="ignore"):
            right = (given >= 0) & (given < below)
            if given.dtype.kind == "f":
                right &= given == np.floor(given)
        if not right.all():
            raise _core.ParameterError(f"{limits}, not {given[~right].flat[0]}")
    return np.ascontiguousarray(given.astype(np.intc))


def points(values: npt.ArrayLike, what: str) -> npt.NDArray[np.float64]:
    """Places in space: rows of three numbers, which are finite."""
    try:
        given = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise _core.ParameterError(f"{what} must be rows of three numbers: {error}") from None
    if given.ndim != 2 or given.shape[1] != 3:
        raise _core.ParameterError(f"{what} must be rows of three numbers, not an array of shape {given.shape}")
    if not np.isfinite(given).all():
        raise _core.ParameterError(f"{what} must be finite; row {int(np.nonzero(~np.isfinite(given))[0][0])} is not")
    return np.ascontiguousarray(given)

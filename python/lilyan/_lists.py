"""Methods, materials and scenes that there are, and what methods claim against what is measured."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Optional, Union

from . import _core
from ._numbers import whole


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a method or of a material."""

    name: str
    meaning: str
    default: Optional[Union[float, str]]


@dataclasses.dataclass(frozen=True)
class Method:
    """A method with its default parameters, and what it claims. ``verify(method.name)`` measures the claims."""

    name: str
    aliases: list[str]
    summary: str
    citation: str
    use: str
    parameters: list[Parameter]
    solve: str
    order: int
    symplectic: bool
    symmetric: bool
    energy: str
    linear_momentum: bool
    angular_momentum: bool


@dataclasses.dataclass(frozen=True)
class Material:
    """A material of soft bodies. ``inverts``: its energy is finite for inverted elements."""

    name: str
    summary: str
    citation: str
    formula: str
    use: str
    inverts: bool
    degree: int
    parameters: list[Parameter]


def _parameters(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "parameters": [Parameter(*p) for p in entry["parameters"]]}


def version() -> str:
    """The version of the library."""
    return _core.version()


def methods() -> list[Method]:
    """All methods with their claims."""
    return [Method(**_parameters(entry)) for entry in _core.methods()]


def materials() -> list[Material]:
    """All materials."""
    return [Material(**_parameters(entry)) for entry in _core.materials()]


def scenes() -> list[str]:
    """Names of the scenes that ``run`` finds without a path."""
    return _core.scene_names()


def load_plugin(file: "Union[str, os.PathLike[str]]") -> None:
    """Adds the methods and materials of a shared object, as the program's ``--plugin`` does."""
    _core.load_plugin(os.fspath(file))


def set_threads(count: int) -> None:
    """How many threads share the work on a large body; 0 for one per core. Results do not depend on it."""
    _core.set_threads(whole(count, "the number of threads", 0, 4096))


@dataclasses.dataclass(frozen=True)
class Check:
    """One claim of a method against its measurement."""

    property: str
    claimed: str
    measured: str
    passed: bool


@dataclasses.dataclass(frozen=True)
class Verification:
    """All claims of a method. It is true when every one holds."""

    method: str
    checks: list[Check]

    @property
    def passed(self) -> bool:
        """Whether every claim holds."""
        return all(check.passed for check in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        lines = [f"{self.method}: {'every claim holds' if self.passed else 'NOT AS CLAIMED'}"]
        for c in self.checks:
            lines.append(f"  {'ok  ' if c.passed else 'FAIL'} {c.property:<31} claimed {c.claimed:<11} measured {c.measured}")
        return "\n".join(lines)


def verify(method: str, **parameters: Union[float, str]) -> Verification:
    """Measures everything that a method claims: order, symplecticity, energy, momenta, reversibility."""
    return Verification(method, [Check(*check) for check in _core.verify(method, parameters)])

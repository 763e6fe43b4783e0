"""Scenes as text: what a dict means in TOML."""

from __future__ import annotations

import json
import math
import pathlib
from typing import Any, Mapping

import numpy as np


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the keys of a scene are texts, not {key!r}")
    plain = key and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if plain else json.dumps(key)


def literal(value: Any, at: str = "") -> str:
    """The value as TOML, on one line. ``at`` names it in errors."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return repr(number) if math.isfinite(number) else str(number)
    if isinstance(value, (str, pathlib.PurePath)):
        # JSON escapes what TOML wants escaped, and both know the same escapes; DEL is the exception.
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        inside = (f"{_key(k)} = {literal(v, f'{at}.{k}' if at else str(k))}" for k, v in value.items())
        return "{ " + ", ".join(inside) + " }"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(v, f"{at}.{i}") for i, v in enumerate(value)) + "]"
    raise TypeError(f"'{at}' is of the type {type(value).__name__}, which a scene has no place for")


def document(scene: Mapping[str, Any]) -> str:
    """A whole scene as TOML, one line for each of its keys."""
    return "".join(f"{_key(key)} = {literal(value, str(key))}\n" for key, value in scene.items())


def settings(given: Mapping[str, Any]) -> list[str]:
    """``{"integrator.step": 0.01}`` as the settings of the program's ``--set``."""
    return [f"{key}={literal(value, key)}" for key, value in given.items()]

"""Packages that only some functions need."""

from __future__ import annotations

import importlib
from typing import Any

from . import _core


class MissingPackage(_core.Error, ImportError):
    """A function that needs a package that is not installed; the message says how to install it."""


def needed(package: str, by: str, module: str = "") -> Any:
    """The module of a package, or a package that is named like its module."""
    try:
        return importlib.import_module(module or package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingPackage(
            f"{by} needs {package}, which is not installed: python3 -m pip install {package}, or on Debian and Ubuntu "
            f"apt install python3-{package}"
        ) from None

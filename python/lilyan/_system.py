"""Systems put together in Python, with energies, forces and Lagrangians as Python functions."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._numbers import indices, real, whole
from ._scene import pass_on_remarks

Array = npt.NDArray[np.float64]
Energy = Callable[[Any], Any]


class SlowWarning(UserWarning):
    """Steps call a Python function: they take tens of times as long as with a formula or a built-in energy."""


def _warn_slow(what: str) -> None:
    warnings.warn(
        f"{what} is a Python function, which every step calls several times: some hundred times slower than a formula "
        "(lilyan.lagrangian) or an energy of Lilyan's own",
        SlowWarning,
        stacklevel=4,
    )


def _require_callable(function: Any) -> None:
    if not callable(function):
        raise _core.ParameterError(f"a function is needed, not {function!r}")


_SMALL = 1e-30  # of a complex step, whose result has no rounding error of a difference
_DIFFERENCE = 6e-6  # of a central difference, relative


def _complex_gradient(function: Callable[[Any], Any], x: Array) -> Array:
    """The derivatives of a function (of many points at once: one value for each row) by complex steps."""
    flat = x.reshape(len(x), -1)
    gradient = np.empty_like(flat)
    for k in range(flat.shape[1]):
        moved = flat.astype(complex)
        moved[:, k] += 1j * _SMALL
        gradient[:, k] = np.imag(np.asarray(function(moved.reshape(x.shape)))) / _SMALL
    return gradient.reshape(x.shape)


def _difference(gradient: Callable[[Array], Array], x: Array) -> Array:
    """The derivatives of a gradient by central differences: for Newton's method, which corrects their errors."""
    flat = x.reshape(len(x), -1)
    n = flat.shape[1]
    hessian = np.empty((len(x), n, n))
    for k in range(n):
        size = _DIFFERENCE * (1 + np.abs(flat[:, k]))
        ahead, behind = flat.copy(), flat.copy()
        ahead[:, k] += size
        behind[:, k] -= size
        change = gradient(ahead.reshape(x.shape)) - gradient(behind.reshape(x.shape))
        hessian[:, k] = change.reshape(len(x), n) / (ahead[:, k] - behind[:, k])[:, None]
    return hessian


def _require_analytic(values: Callable[[Any], Any], x: Array, what: str) -> None:
    """Complex steps need functions of complex numbers: says so now rather than give wrong derivatives."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.ComplexWarning)
            exact = _complex_gradient(values, x).reshape(len(x), -1)
    except (TypeError, ValueError, np.ComplexWarning) as error:
        raise _core.Error(
            f"{what} gives no derivatives and cannot be differentiated, because it does not take complex numbers "
            f"({error}); let it return its gradient as well"
        ) from error
    rough = np.empty_like(exact)
    flat = x.reshape(len(x), -1)
    for k in range(flat.shape[1]):
        size = _DIFFERENCE * (1 + np.abs(flat[:, k]))
        ahead, behind = flat.copy(), flat.copy()
        ahead[:, k] += size
        behind[:, k] -= size
        up, down = values(ahead.reshape(x.shape)), values(behind.reshape(x.shape))
        rough[:, k] = (np.asarray(up) - np.asarray(down)) / (2 * size)
    if not np.allclose(exact, rough, rtol=1e-4, atol=1e-4 * (1 + np.abs(rough).max(initial=0))):
        raise _core.Error(
            f"{what} gives no derivatives and cannot be differentiated, because it is not an analytic function of "
            "complex numbers (abs, max and norm are none); let it return its gradient as well"
        )


class _Elements:
    """An energy of elements, as the library asks for it: values, and derivatives up to an order."""

    def __init__(self, function: Energy, whole: bool) -> None:
        self.function = function
        self.whole = whole  # one element, of which the function does not know that it is one of several
        self.given = 0  # derivatives that the function returns

    def _call(self, x: Any) -> list[Any]:
        result = self.function(x[0] if self.whole else x)
        parts = list(result) if isinstance(result, tuple) else [result]
        return [np.asarray(part)[None] for part in parts] if self.whole else [np.asarray(part) for part in parts]

    def _values(self, x: Any) -> Any:
        return self._call(x)[0]

    def _gradient(self, x: Array) -> Array:
        if self.given >= 1:
            return np.asarray(self._call(x)[1], dtype=float).reshape(x.shape)
        return _complex_gradient(self._values, x)

    def look(self, x: Array) -> None:
        """Finds out at some points what the function returns."""
        self.given = len(self._call(x)) - 1
        if self.given == 0:
            _require_analytic(self._values, x, "this energy")

    def __call__(self, x: Array, order: int) -> tuple[Any, ...]:
        parts = self._call(x)
        if order >= 1 and len(parts) < 2:
            parts.append(_complex_gradient(self._values, x))
        if order >= 2 and len(parts) < 3:
            parts.append(_difference(self._gradient, x))
        return tuple(parts)


class _Lagrangian:
    """A Lagrangian, as the library asks for it: L, and its derivatives by q, v and t up to an order."""

    def __init__(self, function: Callable[[Any, Any, Any], Any], dofs: int) -> None:
        self.function = function
        self.n = dofs

    def _value(self, z: Any) -> Any:
        n = self.n
        return np.asarray([self.function(row[2 * n], row[:n], row[n : 2 * n]) for row in z])

    def _gradient(self, z: Array) -> Array:
        return _complex_gradient(self._value, z)

    def look(self, q: Array, v: Array) -> None:
        _require_analytic(self._value, np.concatenate([q, v, [0.1]])[None], "this Lagrangian")

    def __call__(self, t: float, q: Array, v: Array, order: int) -> tuple[Any, ...]:
        n = self.n
        z = np.concatenate([q, v, [t]])[None]
        value = float(self.function(t, q, v))
        if order == 0:
            return (value,)
        g = self._gradient(z)[0]
        if order == 1:
            return value, g[:n], g[n : 2 * n], g[2 * n]
        h = _difference(self._gradient, z)[0]
        h = (h + h.T) / 2
        return value, g[:n], g[n : 2 * n], g[2 * n], h[:n, :n], h[:n, n : 2 * n], h[n : 2 * n, n : 2 * n]


class System:
    """Masses, and what acts on them.

    >>> system = lilyan.System(masses=[1.0, 1.0])
    >>> system.add_gravity((0, -9.81, 0))
    >>> scene = system.scene(x=[[0, 0, 0], [1, 0, 0]], method="avf", step=0.01)

    ``masses`` are those of points in space, or of single coordinates when ``dimension`` is 1. With ``lagrangian``, a
    function ``L(t, q, v)`` of ``dofs`` coordinates takes the place of masses and energies. It is differentiated by
    complex steps, to the last digit, so it must take complex numbers, as NumPy's functions do.
    ``depends_on_time`` tells whether its energy is conserved.
    """

    def __init__(
        self,
        masses: Optional[Sequence[float]] = None,
        *,
        dimension: int = 3,
        lagrangian: Optional[Callable[[Any, Any, Any], Any]] = None,
        dofs: int = 0,
        depends_on_time: bool = False,
    ) -> None:
        self._lagrangian: Optional[_Lagrangian] = None
        self._looks: list[tuple[_Elements, npt.NDArray[np.intc]]] = []
        if (masses is None) == (lagrangian is None):
            raise _core.Error("a system is made of masses or of a Lagrangian: give one of them")
        if lagrangian is not None:
            dofs = whole(dofs, "dofs")
            if dofs < 1:
                raise _core.Error("tell how many coordinates the Lagrangian has: dofs=…")
            _require_callable(lagrangian)
            _warn_slow("this Lagrangian")
            self._lagrangian = _Lagrangian(lagrangian, dofs)
            self._core = _core.SystemBuilder(self._lagrangian.__call__, dofs, depends_on_time, [False] * dofs)
        else:
            self._core = _core.SystemBuilder(
                [float(m) for m in np.ravel(masses)],  # type: ignore[arg-type]
                whole(dimension, "dimension", 1),
            )

    def add_energy(
        self,
        function: Energy,
        elements: Optional[npt.ArrayLike] = None,
        *,
        translation: bool = False,
        rotation: bool = False,
    ) -> None:
        """Adds a potential energy that is a Python function.

        ``function(x)`` gets the positions of all vertices and returns the energy, or a tuple of the energy and its
        gradient, or of these and the Hessian. With ``elements``, an array with a row of (ascending) vertices for each
        element, it gets the positions of all elements at once, as an array (elements, vertices, dimension), and
        returns arrays with an entry for each element. Derivatives that it does not return are taken from it: the
        gradient by complex steps, to the last digit.

        ``translation`` and ``rotation`` tell that the energy does not change when everything is moved or turned, so
        that momenta are conserved.
        """
        _require_callable(function)
        _warn_slow("this energy")
        whole = elements is None
        count = self._core.vertices
        rows = np.arange(count, dtype=np.intc)[None] if elements is None else indices(elements, "a vertex of an element", count)
        wrapped = _Elements(function, whole)
        self._core.add_energy(wrapped.__call__, rows, translation, rotation)
        self._looks.append((wrapped, rows))

    def add_force(self, function: Callable[[float, Array, Array], Any]) -> None:
        """Adds an external force ``function(t, x, v)``, which returns an array like ``x``. Its work is counted."""
        _require_callable(function)
        _warn_slow("this force")
        self._core.add_force(function)

    def add_gravity(self, acceleration: Sequence[float] = (0.0, -9.81, 0.0)) -> None:
        """Adds uniform gravity."""
        try:
            components = [real(a, "an acceleration") for a in acceleration]
        except TypeError:
            components = []
        if len(components) != 3:
            raise _core.ParameterError(f"an acceleration must be three numbers, not {acceleration!r}")
        self._core.add_gravity(components)

    def add_material(self, model: str, rest: npt.ArrayLike, tets: npt.ArrayLike, **parameters: Any) -> None:
        """Adds the elastic energy of tetrahedra of a material, with ``rest`` as the shape without strain."""
        corners = indices(tets, "a vertex of a tet", self._core.vertices)
        self._core.add_material(model, np.asarray(rest, dtype=float), corners, parameters)

    def add_rod(self, a: int, b: int, length: float) -> None:
        """Keeps the distance of two vertices."""
        last = self._core.vertices - 1
        self._core.add_rod(whole(a, "vertex a", 0, last), whole(b, "vertex b", 0, last), real(length, "length"))

    def fix(self, *vertices: int) -> None:
        """Keeps vertices where they are."""
        for vertex in vertices:
            self._core.fix(whole(vertex, "a vertex to fix", 0, self._core.vertices - 1))

    def scene(
        self,
        x: npt.ArrayLike,
        v: Optional[npt.ArrayLike] = None,
        *,
        method: str = "avf",
        step: float = 0.01,
        steps: int = 1000,
        title: str = "System",
        **parameters: Any,
    ) -> _core.Scene:
        """The scene that starts from positions ``x`` and velocities ``v`` (zero if left out).

        ``parameters`` are those of the method. A system can be made into a scene once.
        """
        positions = np.asarray(x, dtype=float)
        velocities = np.zeros_like(positions) if v is None else np.asarray(v, dtype=float)
        for wrapped, rows in self._looks:
            points = positions.reshape(self._core.vertices, self._core.dimension)[rows]
            wrapped.look(points)
        if self._lagrangian is not None:
            self._lagrangian.look(positions.ravel(), velocities.ravel())
        steps = whole(steps, "steps")
        for name, text in (("method", method), ("title", title)):
            if not isinstance(text, str):
                raise _core.ParameterError(f"{name} must be a text, not {text!r}")
        made = self._core.scene(positions, velocities, method, parameters, real(step, "step"), steps, title)
        pass_on_remarks(made)
        return made

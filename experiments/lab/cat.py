"""A cat's head, as a region of phase space: its outline carried along by the pendulum's flow."""

from pathlib import Path

import numpy as np

from .run import Job

PENDULUMS = Path(__file__).with_name("pendulums.toml")
POINTS = 480  # of the outline
EYES = 2


def outline(centre, size: float, points: int = POINTS) -> np.ndarray:
    """Points of a closed curve, equally spaced, corners among them nearly; the eyes follow at the end."""
    def arc(a, b):
        angle = np.radians(np.linspace(a, b, 400))
        return np.column_stack([np.cos(angle), 0.84 * np.sin(angle)])

    def bend(a, tip, by):
        """From a to the tip of an ear, bent by so much."""
        a, tip = np.array(a), np.array(tip)
        s = np.linspace(0, 1, 200)[:, None]
        across = np.array([a[1] - tip[1], tip[0] - a[0]])
        return a + s * (tip - a) + by * 4 * s * (1 - s) * across

    outer, inner, tip = arc(28, 28)[0], arc(65, 65)[0], np.array([0.93, 1.30])
    right = [bend(outer, tip, 0.06), bend(tip, inner, 0.06)]
    mirror = np.array([-1, 1])
    left = [(part * mirror)[::-1] for part in right[::-1]]
    curve = np.vstack([*right, arc(65, 115), *left, arc(152, 388)])
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    at = np.linspace(0, length[-1], points, endpoint=False)
    even = np.column_stack([np.interp(at, length, curve[:, k]) for k in (0, 1)])
    eyes = np.array([[-0.38, 0.12], [0.38, 0.12]])
    return np.asarray(centre) + size * np.vstack([even, eyes])


def carried(name: str, region: np.ndarray, settings: dict, steps: int) -> Job:
    """The run of all points of a region at once."""
    def listed(values):
        return "[" + ",".join(f"{v:.17g}" for v in values) + "]"

    start = {"system.parameters.n": len(region), "system.position.q": listed(region[:, 0]),
             "system.velocity.q": listed(region[:, 1])}
    return Job(name, str(PENDULUMS), start | settings, steps=steps)


def snapshots(run, every: int = 1) -> list[np.ndarray]:
    """The region after every so many steps, the first one at the start."""
    path = run.trajectory
    n = sum(key.startswith("q[") for key in path)
    q = np.column_stack([path[f"q[{i}]"] for i in range(1, n + 1)])
    p = np.column_stack([path[f"v_q[{i}]"] for i in range(1, n + 1)])
    return [np.column_stack([q[k], p[k]]) for k in range(0, len(q), every)]


def area(region: np.ndarray, eyes: int = EYES) -> float:
    """Of the outline, by the shoelace formula, and freed of the error that straight edges make (of second
    order in their length) with the help of every other point."""
    def shoelace(points):
        q, p = points.T
        return 0.5 * np.abs(np.dot(q, np.roll(p, -1)) - np.dot(p, np.roll(q, -1)))

    curve = region[:len(region) - eyes]
    return (4 * shoelace(curve) - shoelace(curve[::2])) / 3


def draw_region(axes, region: np.ndarray, colour: str, eyes: int = EYES, **style) -> None:
    curve = region[:len(region) - eyes]
    closed = np.vstack([curve, curve[:1]])
    axes.fill(*closed.T, color=colour, alpha=0.25, linewidth=0, zorder=3)
    axes.plot(*closed.T, **({"color": colour, "linewidth": 1.2, "zorder": 4} | style))
    axes.plot(*region[len(region) - eyes:].T, "o", color=colour, markersize=2.2, zorder=4)

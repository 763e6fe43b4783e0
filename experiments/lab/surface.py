"""Surfaces drawn from their vertices: with a light of one's choice, and points marked on them."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb


def grid_faces(rows: int, columns: int) -> np.ndarray:
    """The cells of a grid of vertices, row by row."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    return np.column_stack([corner, corner + 1, corner + columns + 1, corner + columns])


def boundary(tets: np.ndarray) -> np.ndarray:
    """The triangles that belong to one tet only; they look outwards."""
    sides = np.concatenate([tets[:, corners] for corners in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))])
    _, first, count = np.unique(np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True)
    return sides[first[count == 1]]


def camera(towards) -> np.ndarray:
    """Rows: to the right, upwards and towards the camera."""
    depth = np.asarray(towards, float) / np.linalg.norm(towards)
    right = np.cross((0.0, 1.0, 0.0), depth)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(depth, right), depth])


def paint(axes, x: np.ndarray, faces: np.ndarray, colour, towards, light, lit: str = "faces", exposure: float = 1.0) -> np.ndarray:
    """The far faces first. `lit`: "faces" for bodies, whose outside is lit; "both" for sheets. `exposure`: above 1 for a
    light that grazes, of which little is caught. What projects points into the picture is returned."""
    view = camera(towards)
    corners = x[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    if lit == "both":  # the side that is seen
        normal *= np.where(normal @ view[2] < 0, -1, 1)[:, None]
    strength = np.clip(exposure * normal @ (np.asarray(light, float) / np.linalg.norm(light)), 0, 1)
    order = np.argsort(corners.mean(axis=1) @ view[2])
    shade = (0.4 + 0.6 * strength[order])[:, None] * np.array(to_rgb(colour))
    flat = corners[order] @ view[:2].T
    axes.add_collection(PolyCollection(flat, facecolors=shade, edgecolors=shade, linewidths=0.2))
    axes.set_aspect("equal")
    axes.set(xticks=[], yticks=[])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return view[:2]


def frame(axes, shapes: list[np.ndarray], towards, margin: float = 0.03) -> None:
    """The limits within which all these points are seen, filled by them."""
    flat = np.vstack(shapes) @ camera(towards)[:2].T
    low, high = flat.min(axis=0), flat.max(axis=0)
    space = margin * (high - low).max()
    axes.set(xlim=(low[0] - space, high[0] + space), ylim=(low[1] - space, high[1] + space))

"""The smallest distance between surfaces in the frames of runs, for docs/contact.md.

    /usr/bin/python3 tools/contact_gaps.py LILYAN RUN...

Every point against every triangle and every edge against every edge, of different bodies and of one cloth or rod with
itself, and all points against obstacles that are planes, spheres, boxes with bodies inside, or capsules. It shares no
code with the program. Needs numpy (Debian package python3-numpy).
"""
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import numpy as np


def read(path):
    points, triangles, lines, of = [], [], [], []
    body = -1
    for line in path.read_text().splitlines():
        head, *rest = line.split()
        if head == "o":
            body += 1
        elif head == "v":
            points.append([float(w) for w in rest[:3]])
            of.append(body)
        elif head == "f":
            triangles.append([int(w.split("/")[0]) - 1 for w in rest])
        elif head == "l":
            chain = [int(w) - 1 for w in rest]
            lines += list(zip(chain, chain[1:]))
    return np.array(points), np.array(triangles, int).reshape(-1, 3), np.array(lines, int).reshape(-1, 2), np.array(of)


def segment_distance(p, q, r, s):
    """Of segments p q and r s, many at once."""
    u, v, w = q - p, s - r, p - r
    a, b, c, d, e = ((x * y).sum(-1) for x, y in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    a, c = np.maximum(a, 1e-300), np.maximum(c, 1e-300)
    det = a * c - b * b
    t = np.where(det > 1e-12 * a * c, np.clip((b * e - c * d) / np.where(det == 0, 1, det), 0, 1), 0)
    best = np.inf
    # The inner point, and each end of one with the nearest point of the other.
    for t in (t, np.zeros_like(t), np.ones_like(t)):
        k = np.clip((b * t + e) / c, 0, 1)
        best = np.minimum(best, np.linalg.norm(w + t[..., None] * u - k[..., None] * v, axis=-1))
    for k in (np.zeros_like(t), np.ones_like(t)):
        t = np.clip((b * k - d) / a, 0, 1)
        best = np.minimum(best, np.linalg.norm(w + t[..., None] * u - k[..., None] * v, axis=-1))
    return best


def face_distance(p, a, b, c):
    """Of points to triangles that they are above; infinite elsewhere (edges and points have those)."""
    n = np.cross(b - a, c - a)
    inside = np.ones(len(p), bool)
    for q, r in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(r - q, p - q) * n).sum(-1) >= 0
    h = np.abs(((p - a) * n).sum(-1)) / np.linalg.norm(n, axis=-1)
    return np.where(inside, h, np.inf)


def near(low1, high1, low2, high2, reach):
    """Pairs of boxes nearer than reach."""
    order = np.argsort(low2[:, 0])
    low2, high2 = low2[order], high2[order]
    widest = (high2[:, 0] - low2[:, 0]).max()
    first = np.searchsorted(low2[:, 0], low1[:, 0] - reach - widest)
    last = np.searchsorted(low2[:, 0], high1[:, 0] + reach)
    i = np.repeat(np.arange(len(low1)), last - first)
    j = np.concatenate([np.arange(f, e) for f, e in zip(first, last)]) if len(i) else i
    keep = ((low1[i] - reach <= high2[j]) & (low2[j] - reach <= high1[i])).all(-1)
    return i[keep], order[j[keep]]


def between(x, start, triangles, lines, of, reach, thickness):
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]], lines]), axis=1)
    edges = np.unique(edges, axis=0)
    thin = np.zeros(of.max() + 1, bool)
    boundary = len(edges) - 1.5 * len(triangles)  # a closed surface has none
    thin[:] = boundary > 0
    best = np.inf
    ends = x[edges]
    low, high = ends.min(1), ends.max(1)
    i, j = near(low, high, low, high, reach)
    shared = (edges[i][:, :, None] == edges[j][:, None, :]).any((1, 2))
    bodies = of[edges[:, 0]]
    keep = (i < j) & ~shared & ((bodies[i] != bodies[j]) | thin[bodies[i]])
    i, j = i[keep], j[keep]
    if thickness:  # neighbours of a thick rod or cloth are within each other's thickness
        first = start[edges]
        apart = segment_distance(first[i, 0], first[i, 1], first[j, 0], first[j, 1]) > 1.5 * thickness
        keep = apart | (bodies[i] != bodies[j])
        i, j = i[keep], j[keep]
    if len(i):
        best = segment_distance(ends[i, 0], ends[i, 1], ends[j, 0], ends[j, 1]).min()
    if len(triangles):
        used = np.unique(triangles)
        corners = x[triangles]
        i, j = near(x[used], x[used], corners.min(1), corners.max(1), reach)
        v = used[i]
        keep = ~(triangles[j] == v[:, None]).any(1) & ((of[v] != of[triangles[j, 0]]) | thin[of[v]])
        v, j = v[keep], j[keep]
        if len(v):
            best = min(best, face_distance(x[v], *corners[j].transpose(1, 0, 2)).min())
    return best


def to_obstacle(o, x, edges):
    if "motion" in o:
        return np.inf
    if o["kind"] == "plane":
        n = np.array(o.get("normal", [0, 1, 0]), float)
        return ((x - np.array(o.get("point", [0, 0, 0]))) @ n).min() / np.linalg.norm(n)
    if o["kind"] == "box":
        assert o.get("inside"), "only boxes with bodies inside"
        return (np.array(o["size"]) / 2 - np.abs(x - np.array(o["center"]))).min()
    a, b = (np.array(o["center"]),) * 2 if o["kind"] == "sphere" else (np.array(o["from"]), np.array(o["to"]))
    p, q = x[edges[:, 0]], x[edges[:, 1]]
    return segment_distance(p, q, np.broadcast_to(a, p.shape), np.broadcast_to(b, p.shape)).min() - o["radius"]


def smallest_gap(lilyan, run):
    scene = tomllib.loads((run / "scene.resolved.toml").read_text())
    best = {"bodies": np.inf, "obstacles": np.inf}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([lilyan, "export", run, "--format", "obj", "--no-obstacles", "-o", folder + "/"], check=True,
                       capture_output=True)
        start = None
        for file in sorted(pathlib.Path(folder).glob("*.obj")):
            x, triangles, lines, of = read(file)
            start = x if start is None else start
            edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]], lines])
            thickness = next((c.get("thickness", 0) for c in scene.get("contact", [])), 0)
            size = np.linalg.norm(np.ptp(x, axis=0))
            bodies = between(x, start, triangles, lines, of, 0.01 * size + thickness, thickness) - thickness
            obstacles = min((to_obstacle(o, x, edges) for o in scene.get("obstacle", [])), default=np.inf) - thickness / 2
            best = {"bodies": min(best["bodies"], bodies), "obstacles": min(best["obstacles"], obstacles)}
    return best


if __name__ == "__main__":
    for name in sys.argv[2:]:
        gaps = smallest_gap(sys.argv[1], pathlib.Path(name))
        print(name, *(f"{key} {gap:.3g}" for key, gap in gaps.items()))

"""Flips inside a tet mesh until it has exactly TETS tets; the vertices and the surface stay.

    flips.py TETGEN_BASE TETS

A flip replaces two tets that share a face by three around a new edge, or the other way round.
In every turn the one whose worst new tet is best is made. Reads BASE.node and BASE.ele, writes
BASE.ele.
"""
import sys
from itertools import combinations

base, goal = sys.argv[1], int(sys.argv[2])


def rows(name):
    with open(name) as f:
        lines = [line.split() for line in f if line.strip() and not line.startswith("#")]
    return lines[1:1 + int(lines[0][0])]


x = {int(r[0]): tuple(float(w) for w in r[1:4]) for r in rows(base + ".node")}


def volume6(t):
    a, b, c, d = (x[v] for v in t)
    u, v, w = ([q[k] - a[k] for k in range(3)] for q in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1])
            + u[1] * (v[2] * w[0] - v[0] * w[2])
            + u[2] * (v[0] * w[1] - v[1] * w[0]))


def quality(t):
    """Cube of the mean ratio (regular: 1), negative when turned over."""
    v = volume6(t)
    s = sum((x[a][k] - x[b][k]) ** 2 for a, b in combinations(t, 2) for k in range(3))
    return (1 if v > 0 else -1) * 432 * v * v / (s * s * s)


def oriented(t):
    return t if volume6(t) > 0 else (t[0], t[1], t[3], t[2])


tets = [oriented(tuple(int(w) for w in r[1:5])) for r in rows(base + ".ele")]


def two_to_three():
    sides = {}
    for t in tets:
        for k in range(4):
            sides.setdefault(tuple(sorted(t[:k] + t[k + 1:])), []).append(t)
    for face, pair in sorted(sides.items()):
        if len(pair) == 2:
            s, t = pair
            (apex,), (other,) = set(s) - set(face), set(t) - set(face)
            # The corner that leaves the face gives its place in s to the other apex, which
            # keeps the orientation; all three are positive only if the new edge goes through
            # the face.
            yield pair, [tuple(other if v == gone else v for v in s) for gone in face]


def three_to_two():
    around = {}
    for t in tets:
        for edge in combinations(sorted(t), 2):
            around.setdefault(edge, []).append(t)
    for edge, ring in sorted(around.items()):
        corners = {v for t in ring for v in t} - set(edge)
        # Three tets on three corners close up: on the surface there would be four.
        if len(ring) == 3 and len(corners) == 3:
            t = ring[0]
            (missing,) = corners - set(t)
            yield ring, [tuple(missing if v == gone else v for v in t) for gone in edge]


while len(tets) != goal:
    ways = two_to_three() if len(tets) < goal else three_to_two()
    best, old, new = max((min(quality(t) for t in n), o, n) for o, n in ways)
    assert best > 0, "no flip is left at %d tets" % len(tets)
    tets = [t for t in tets if t not in old] + new
    print("flips.py: %d tets, worst new mean ratio^3 %.3f" % (len(tets), best), file=sys.stderr)

with open(base + ".ele", "w") as f:
    f.write("%d 4 0\n" % len(tets))
    for i, t in enumerate(tets):
        f.write("%d %d %d %d %d\n" % (i + 1, *t))

"""A ring (a torus) of tets in Gmsh 2.2 on stdout, about the axis y.

    ring.py RADIUS TUBE AROUND SIDES

RADIUS is that of the circle in the middle of the tube, TUBE that of the tube, whose section is a polygon of SIDES corners
about a vertex in its middle. AROUND sections make SIDES prisms each to the next one, and a prism is three tets. Which
diagonal a prism's side gets depends on the vertices' numbers alone, so that neighbours agree.
"""
import sys
from math import cos, pi, sin

radius, tube = float(sys.argv[1]), float(sys.argv[2])
around, sides = int(sys.argv[3]), int(sys.argv[4])

points = []
for i in range(around):
    a = 2 * pi * i / around
    section = [(0.0, 0.0)] + [(tube * cos(2 * pi * k / sides), tube * sin(2 * pi * k / sides)) for k in range(sides)]
    points += [((radius + r) * cos(a), y, (radius + r) * sin(a)) for r, y in section]


def volume(tet):
    a, b, c, d = (points[v] for v in tet)
    u, v, w = ([q[k] - a[k] for k in range(3)] for q in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2])
            + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6


def prism(low, high):
    """The tets of a prism over two triangles: from each vertex on the way up, by number, to the next."""
    order = sorted(range(3), key=lambda k: low[k])
    for n in range(3):
        yield [*(high[k] for k in order[:n + 1]), *(low[k] for k in order[n:])]


tets = []
for i in range(around):
    here, there = i * (sides + 1), (i + 1) % around * (sides + 1)
    for k in range(sides):
        corners = 0, 1 + k, 1 + (k + 1) % sides
        for tet in prism([here + c for c in corners], [there + c for c in corners]):
            tets.append(tet if volume(tet) > 0 else [tet[1], tet[0], *tet[2:]])

print("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d" % len(points))
for n, p in enumerate(points):
    print(n + 1, *("%.6g" % (round(q, 9) + 0.0) for q in p))
print("$EndNodes\n$Elements\n%d" % len(tets))
for n, tet in enumerate(tets):
    print(n + 1, "4 2 0 1", *(v + 1 for v in tet))
print("$EndElements")

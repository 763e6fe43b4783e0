"""A body of bodies.py as a closed surface of well-shaped triangles, OFF on stdout.

    implicit.py BODY SMALLEST LARGEST ROUNDS VERTICES

The body is the set where a smooth function is negative: the distance to each chain of round
cones and each plate, joined by a polynomial smooth minimum. Marching tetrahedra give a first surface, which
is a manifold whatever the function, and the steps of make_bunny/remesh.py make its triangles
even; vertices are put onto the zero set of the function itself. Edge lengths are a share of the
local radius, within SMALLEST..LARGEST; in the end as many of the longest edges are split as are wanting to
VERTICES. Only + - * / and sqrt, so the result is the same on
every machine.
"""
import os
import sys
from itertools import permutations
from math import floor, sqrt

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "make_bunny"))
sys.dont_write_bytecode = True
from bodies import BODIES  # noqa: E402
import remesh  # noqa: E402
from remesh import Surface, closest_on_triangle, cross, dot, mix, sub, unit  # noqa: E402

remesh.CREASE = -2.0  # the bodies are smooth: a sharp fold is a thin limb, not a crease


class Body:
    def __init__(self, name, smallest, largest):
        chains, plates, self.fillet, self.share = BODIES[name]
        self.limits = smallest, largest
        self.parts = [list(zip(chain, chain[1:])) for chain in chains]
        self.parts += [[plate] for plate in plates]

    @staticmethod
    def cone(p, a, b):
        """Distance of p from a round cone (to first order in its slope), its radius there, and
        the direction away from its axis."""
        u, w = sub(b, a), sub(p, a)
        t = min(max(dot(u, w) / dot(u, u), 0.0), 1.0)
        r = a[3] + t * (b[3] - a[3])
        d = (w[0] - t * u[0], w[1] - t * u[1], w[2] - t * u[2])
        return sqrt(dot(d, d)) - r, r, d

    @staticmethod
    def plate(p, a, b, c):
        """The same for a triangle with rounded edges; twice its radius stands for its size."""
        d = sub(p, closest_on_triangle(p, a, b, c))
        return sqrt(dot(d, d)) - a[3], 2 * a[3], d

    def value(self, p):
        """The function, the local radius and the gradient, the last again to first order."""
        near = sorted(min((self.cone if len(q) == 2 else self.plate)(p, *q) for q in part)
                      for part in self.parts)
        value, radius, away = near[0]
        gradient = unit(away)
        for other, _, away in near[1:]:
            s = (self.fillet - abs(other - value)) / self.fillet
            if s <= 0:
                continue
            share = s / 2 if other > value else 1 - s / 2
            value = min(value, other) - s * s * self.fillet / 4
            gradient = mix(gradient, unit(away), share)
        return value, radius, gradient

    def project(self, p, _normal):
        """Newton's method along the gradient: (point of the surface, wanted edge length)."""
        for _ in range(3):
            f, radius, g = self.value(p)
            s = f / max(dot(g, g), 0.2)
            p = (p[0] - s * g[0], p[1] - s * g[1], p[2] - s * g[2])
        return p, min(max(self.share * radius, self.limits[0]), self.limits[1])

    def march(self, size):
        """Marching tetrahedra on cubes of this size: (points, triangles)."""
        ends = [q for part in self.parts for piece in part for q in piece]
        lo = [floor(min(q[k] - q[3] for q in ends) / size) - 2 for k in range(3)]
        hi = [floor(max(q[k] + q[3] for q in ends) / size) + 3 for k in range(3)]
        f = {(x, y, z): self.value((x * size, y * size, z * size))[0]
             for x in range(lo[0], hi[0] + 1) for y in range(lo[1], hi[1] + 1)
             for z in range(lo[2], hi[2] + 1)}
        points, middle, number, cells = [], [], {}, []

        def crossing(a, b):
            key = (min(a, b), max(a, b))
            if key not in number:
                s, t = f[key[0]], f[key[1]]
                w = min(max(s / (s - t), 0.1), 0.9)  # no tiny triangles
                number[key] = len(points)
                middle.append(tuple(a[k] + b[k] for k in range(3)))
                points.append(tuple(size * (key[0][k] + w * (key[1][k] - key[0][k]))
                                    for k in range(3)))
            return number[key]

        def add(triangle, inside):
            a, b, c = (middle[v] for v in triangle)  # whole numbers: the sign is exact
            out = dot(cross(sub(b, a), sub(c, a)), sub(a, tuple(2 * g for g in inside)))
            cells.append(triangle if out > 0 else (triangle[0], triangle[2], triangle[1]))

        for corner in f:
            if any(corner[k] == hi[k] for k in range(3)):
                continue
            for order in permutations(range(3)):
                tet = [corner]
                for k in order:
                    tet.append(tuple(tet[-1][i] + (i == k) for i in range(3)))
                inner = [v for v in tet if f[v] < 0]
                outer = [v for v in tet if f[v] >= 0]
                if len(inner) in (1, 3):
                    tip, rest = (inner, outer) if len(inner) == 1 else (outer, inner)
                    add(tuple(crossing(tip[0], v) for v in rest), inner[0])
                elif len(inner) == 2:
                    (a, b), (c, d) = inner, outer
                    quad = [crossing(a, c), crossing(a, d), crossing(b, d), crossing(b, c)]
                    add((quad[0], quad[1], quad[2]), a)
                    add((quad[0], quad[2], quad[3]), a)
        return points, cells


def main():
    name, rounds = sys.argv[1], int(sys.argv[4])
    body = Body(name, float(sys.argv[2]), float(sys.argv[3]))
    points, cells = body.march(body.limits[0])
    s = Surface(points, cells, [body.project(p, None)[1] for p in points])
    for _ in range(rounds):
        s.split_long(4 / 3)
        s.collapse_short(4 / 5, 4 / 3)
        s.flip()
        for _ in range(2):
            s.smooth(body.project, 0.8)
    wanting = int(sys.argv[5]) - len(s.p)
    assert wanting >= 0, "%d vertices are there already" % len(s.p)
    if wanting:
        lengths = sorted((s.length(a, b) for a, b in s.edges()), reverse=True)
        s.split_long(lengths[wanting])
        for _ in range(3):
            s.flip()
            s.smooth(body.project, 0.8)

    number = {v: i for i, v in enumerate(sorted(s.p))}
    faces = []
    for c in s.f.values():
        k = c.index(min(c))
        faces.append(tuple(number[v] for v in c[k:] + c[:k]))
    print("OFF\n%d %d 0" % (len(s.p), len(faces)))
    for v in sorted(s.p):
        print("%.9g %.9g %.9g" % s.p[v])
    for c in sorted(faces):
        print("3 %d %d %d" % c)


if __name__ == "__main__":
    main()

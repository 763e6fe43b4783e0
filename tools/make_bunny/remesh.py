"""Isotropic remeshing of a closed triangle surface.

    remesh.py IN.off OUT.poly SMALLEST LARGEST PER_THICKNESS ROUNDS

Split long edges, collapse short ones, flip towards valence six, smooth
tangentially, project back onto the input surface; ROUNDS times. The wanted
edge length is PER_THICKNESS times the local thickness of the solid, within
SMALLEST..LARGEST, growing by at most GRADING per unit length: the ears are thin
and get short edges. Plain Python floats only (no BLAS), so the result is the
same on every machine.
"""
import sys
from math import floor, sqrt


GRADING = 0.25
CREASE = 0.5  # cosine of the fold from which an edge is kept as a crease (ear rims, toes)


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0])


def mix(a, b, s):
    return (a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2]))


def unit(a):
    n = sqrt(dot(a, a))
    return (a[0] / n, a[1] / n, a[2] / n) if n > 0 else (0.0, 0.0, 0.0)


def dist(a, b):
    d = sub(a, b)
    return sqrt(dot(d, d))


def closest_on_triangle(p, a, b, c):
    """Closest point to p on the triangle abc (region tests on the barycentrics)."""
    ab, ac, ap = sub(b, a), sub(c, a), sub(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0 and d2 <= 0:
        return a
    bp = sub(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0 and d4 <= d3:
        return b
    vc = d1 * d4 - d3 * d2
    if vc <= 0 and d1 >= 0 and d3 <= 0:
        return mix(a, b, d1 / (d1 - d3))
    cp = sub(p, c)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0 and d5 <= d6:
        return c
    vb = d5 * d2 - d1 * d6
    if vb <= 0 and d2 >= 0 and d6 <= 0:
        return mix(a, c, d2 / (d2 - d6))
    va = d3 * d6 - d5 * d4
    if va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        return mix(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)))
    s = 1.0 / (va + vb + vc)
    v, w = vb * s, vc * s
    return (a[0] + ab[0] * v + ac[0] * w,
            a[1] + ab[1] * v + ac[1] * w,
            a[2] + ab[2] * v + ac[2] * w)


class Projector:
    """Closest point on the input surface, looked up in a uniform grid."""

    def __init__(self, points, cells, wanted, size):
        self.size = size
        self.tri = []
        self.grid = {}
        for i, (a, b, c) in enumerate(cells):
            t = (points[a], points[b], points[c])
            n = unit(cross(sub(t[1], t[0]), sub(t[2], t[0])))
            self.tri.append(t + (n, (wanted[a] + wanted[b] + wanted[c]) / 3))
            lo = [floor(min(p[k] for p in t) / size) for k in range(3)]
            hi = [floor(max(p[k] for p in t) / size) for k in range(3)]
            for x in range(lo[0], hi[0] + 1):
                for y in range(lo[1], hi[1] + 1):
                    for z in range(lo[2], hi[2] + 1):
                        self.grid.setdefault((x, y, z), []).append(i)

    def __call__(self, p, normal):
        """(point, wanted edge length there). Only triangles facing the vertex
        normal count: both sides of an ear are near."""
        cx, cy, cz = (floor(p[k] / self.size) for k in range(3))
        best, where, wanted = 1e300, None, None
        for x in (cx - 1, cx, cx + 1):
            for y in (cy - 1, cy, cy + 1):
                for z in (cz - 1, cz, cz + 1):
                    for i in self.grid.get((x, y, z), ()):
                        a, b, c, n, h = self.tri[i]
                        if dot(n, normal) < 0.2:
                            continue
                        q = closest_on_triangle(p, a, b, c)
                        d = sub(p, q)
                        d = dot(d, d)
                        if d < best:
                            best, where, wanted = d, q, h
        return where, wanted


def thickness(points, cells):
    """Per vertex, the distance to the far side along the inward normal."""
    normal = [[0.0, 0.0, 0.0] for _ in points]
    tri = []
    for c in cells:
        a, b, d = (points[v] for v in c)
        e1, e2 = sub(b, a), sub(d, a)
        n = cross(e1, e2)
        tri.append((a, e1, e2))
        for v in c:
            for k in range(3):
                normal[v][k] += n[k]
    out = []
    for v, o in enumerate(points):
        n = unit(normal[v])
        ray = (-n[0], -n[1], -n[2])
        best = 1e300
        for (a, e1, e2), c in zip(tri, cells):
            if v in c:
                continue
            q = cross(ray, e2)
            det = dot(e1, q)
            if det >= 0:  # only leave through faces seen from inside
                continue
            s = sub(o, a)
            u = dot(s, q) / det
            if u < 0 or u > 1:
                continue
            r = cross(s, e1)
            w = dot(ray, r) / det
            if w < 0 or u + w > 1:
                continue
            t = dot(e2, r) / det
            if 0 < t < best:
                best = t
        out.append(best)
    return out


def size_field(points, cells, smallest, largest, per_thickness):
    h = [min(max(per_thickness * t, smallest), largest) for t in thickness(points, cells)]
    edges = sorted({(a, b) for c in cells for a in c for b in c if a != b})
    edges = [(a, b, GRADING * dist(points[a], points[b])) for a, b in edges]
    changed = True
    while changed:
        changed = False
        for a, b, g in edges:
            if h[b] > h[a] + g:
                h[b] = h[a] + g
                changed = True
    return h


class Surface:
    def __init__(self, points, cells, wanted):
        self.h = dict(enumerate(wanted))
        self.p = {i: tuple(x) for i, x in enumerate(points)}
        self.f = {}
        self.star = {i: set() for i in self.p}
        self.next_v, self.next_f = len(points), 0
        for c in cells:
            self.add(tuple(c))

    def add(self, c):
        self.f[self.next_f] = c
        for v in c:
            self.star[v].add(self.next_f)
        self.next_f += 1

    def drop(self, i):
        for v in self.f[i]:
            self.star[v].discard(i)
        del self.f[i]

    def normal(self, c):
        a, b, d = (self.p[v] for v in c)
        return cross(sub(b, a), sub(d, a))

    def edges(self):
        return sorted({(min(a, b), max(a, b)) for c in self.f.values()
                       for a, b in ((c[0], c[1]), (c[1], c[2]), (c[2], c[0]))})

    def neighbours(self, v):
        return sorted({w for i in self.star[v] for w in self.f[i]} - {v})

    def sides(self, a, b):
        """(face with directed edge ab, face with ba) and the two opposite vertices."""
        fa = fb = None
        for i in sorted(self.star[a] & self.star[b]):
            c = self.f[i]
            k = c.index(a)
            if c[(k + 1) % 3] == b:
                fa = i
            else:
                fb = i
        oa = next(v for v in self.f[fa] if v not in (a, b))
        ob = next(v for v in self.f[fb] if v not in (a, b))
        return fa, fb, oa, ob

    def creases(self):
        """Per vertex, its neighbours along edges folded more than the crease angle."""
        out = {v: [] for v in self.p}
        unit_normal = {i: unit(self.normal(c)) for i, c in self.f.items()}
        for a, b in self.edges():
            i, j = self.star[a] & self.star[b]
            if dot(unit_normal[i], unit_normal[j]) < CREASE:
                out[a].append(b)
                out[b].append(a)
        return out

    def length(self, a, b):
        """Length of the edge ab over its wanted length."""
        return 2 * dist(self.p[a], self.p[b]) / (self.h[a] + self.h[b])

    def split_long(self, limit):
        for a, b in self.edges():
            if self.length(a, b) <= limit:
                continue
            fa, fb, oa, ob = self.sides(a, b)
            m = self.next_v
            self.next_v += 1
            self.p[m] = mix(self.p[a], self.p[b], 0.5)
            self.h[m] = (self.h[a] + self.h[b]) / 2
            self.star[m] = set()
            self.drop(fa)
            self.drop(fb)
            for c in ((a, m, oa), (m, b, oa), (b, m, ob), (m, a, ob)):
                self.add(c)

    def collapse_short(self, low, high):
        crease = self.creases()
        for a, b in self.edges():
            if a not in self.p or b not in self.p or not self.star[a] & self.star[b]:
                continue
            if self.length(a, b) >= low:
                continue
            na, nb = set(self.neighbours(a)), set(self.neighbours(b))
            if len(na & nb) != 2 or any(len(self.star[v]) <= 4 for v in na & nb):
                continue
            if crease[a] and crease[b] and b not in crease[a]:
                continue
            where = 0.5
            if len(crease[a]) != len(crease[b]):
                where = 0.0 if len(crease[a]) > len(crease[b]) else 1.0
            m = mix(self.p[a], self.p[b], where)
            hm = (self.h[a] + self.h[b]) / 2
            if any(2 * dist(m, self.p[v]) / (hm + self.h[v]) > high
                   for v in sorted((na | nb) - {a, b})):
                continue
            ok = True
            for i in sorted(self.star[a] ^ self.star[b]):
                c = self.f[i]
                old = unit(self.normal(c))
                q = [m if v in (a, b) else self.p[v] for v in c]
                new = unit(cross(sub(q[1], q[0]), sub(q[2], q[0])))
                if dot(old, new) < 0.7:
                    ok = False
                    break
            if not ok:
                continue
            for i in sorted(self.star[a] & self.star[b]):
                self.drop(i)
            for i in sorted(self.star[b]):
                c = self.f[i]
                self.drop(i)
                self.add(tuple(a if v == b else v for v in c))
            kept = sorted((set(crease[a]) | set(crease[b])) - {a, b})
            for v in crease[b]:
                crease[v] = sorted((set(crease[v]) - {b}) | ({a} - {v}))
            crease[a] = kept
            self.p[a], self.h[a] = m, hm
            del self.p[b], self.h[b], self.star[b]

    def flip(self):
        for a, b in self.edges():
            if not self.star[a] & self.star[b]:
                continue
            if b not in self.neighbours(a):
                continue
            fa, fb, c, d = self.sides(a, b)
            if d in self.neighbours(c):
                continue
            val = [len(self.star[v]) - 6 for v in (a, b, c, d)]
            if min(val[0], val[1]) <= -2:
                continue
            gain = (sum(x * x for x in val)
                    - sum((x + s) * (x + s) for x, s in zip(val, (-1, -1, 1, 1))))
            if gain <= 0:
                continue
            n0, n1 = unit(self.normal(self.f[fa])), unit(self.normal(self.f[fb]))
            m0, m1 = unit(self.normal((c, a, d))), unit(self.normal((d, b, c)))
            if dot(n0, n1) < 0.7 or min(dot(m0, n0), dot(m0, n1), dot(m1, n0), dot(m1, n1)) < 0.7:
                continue
            self.drop(fa)
            self.drop(fb)
            self.add((c, a, d))
            self.add((d, b, c))

    def smooth(self, project, rate):
        crease = self.creases()
        for v in sorted(self.p):
            p = self.p[v]
            n = [0.0, 0.0, 0.0]
            s, w = [0.0, 0.0, 0.0], 0.0
            for i in sorted(self.star[v]):
                c = self.f[i]
                fn = self.normal(c)
                h = self.h[c[0]] + self.h[c[1]] + self.h[c[2]]
                area = sqrt(dot(fn, fn)) / (h * h)
                for k in range(3):
                    n[k] += fn[k]
                    s[k] += area * (self.p[c[0]][k] + self.p[c[1]][k] + self.p[c[2]][k]) / 3
                w += area
            n = unit(n)
            goal = (s[0] / w, s[1] / w, s[2] / w)
            if crease[v]:
                if len(crease[v]) != 2:
                    continue
                a, b = (self.p[w] for w in crease[v])
                along = unit(sub(b, a))  # slide along the crease only: do not cut its bends
                step = dot(sub(mix(a, b, 0.5), p), along)
                goal = tuple(p[k] + step * along[k] for k in range(3))
            g = mix(p, goal, rate)
            off = dot(sub(g, p), n)
            q, h = project(tuple(g[k] - off * n[k] for k in range(3)), n)
            if q is None:
                continue
            around = sorted(self.star[v])
            before = [unit(self.normal(self.f[i])) for i in around]
            self.p[v] = q
            if any(dot(m, unit(self.normal(self.f[i]))) < 0.7 for m, i in zip(before, around)):
                self.p[v] = p  # would turn a triangle over
            else:
                self.h[v] = h


def main():
    src, out, rounds = sys.argv[1], sys.argv[2], int(sys.argv[6])
    smallest, largest, per_thickness = (float(a) for a in sys.argv[3:6])
    with open(src) as f:
        words = f.read().split()
    assert words[0] == "OFF"
    nv, nf = int(words[1]), int(words[2])
    x = [float(w) for w in words[4:4 + 3 * nv]]
    points = [tuple(x[3 * i:3 * i + 3]) for i in range(nv)]
    t = [int(w) for w in words[4 + 3 * nv:4 + 3 * nv + 4 * nf]]
    cells = [tuple(t[4 * i + 1:4 * i + 4]) for i in range(nf)]

    wanted = size_field(points, cells, smallest, largest, per_thickness)
    project = Projector(points, cells, wanted, 0.5)
    s = Surface(points, cells, wanted)
    for _ in range(rounds):
        s.split_long(4 / 3)
        s.collapse_short(4 / 5, 4 / 3)
        s.flip()
        for _ in range(3):
            s.smooth(project, 0.8)

    number = {v: i + 1 for i, v in enumerate(sorted(s.p))}
    faces = []
    for i in sorted(s.f):
        c = tuple(number[v] for v in s.f[i])
        k = c.index(min(c))
        faces.append(c[k:] + c[:k])
    faces.sort()
    with open(out, "w") as f:
        f.write("%d 3 0 0\n" % len(s.p))
        for v in sorted(s.p):
            f.write("%d %.9g %.9g %.9g\n" % ((number[v],) + s.p[v]))
        f.write("%d 0\n" % len(faces))
        for c in faces:
            f.write("1\n3 %d %d %d\n" % c)
        f.write("0\n0\n")


if __name__ == "__main__":
    main()

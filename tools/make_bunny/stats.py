"""stats.py MESH.msh...: size and quality of tet meshes (Gmsh 2.2 as to_msh.py writes it)."""
import struct
import sys
from math import atan2, degrees, sqrt


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0])


def norm(a):
    return sqrt(dot(a, a))


def measure(p):
    """Volume, dihedral angles in degrees, 3 inradius / circumradius, longest edge /
    shortest height, edge lengths."""
    a, b, c, d = p
    volume = dot(sub(b, a), cross(sub(c, a), sub(d, a))) / 6
    area = [norm(cross(sub(y, x), sub(z, x))) / 2
            for x, y, z in ((b, c, d), (a, c, d), (a, b, d), (a, b, c))]
    pairs = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2), (2, 3, 0, 1))
    dihedral, edge = [], []
    for i, j, k, l in pairs:
        u = sub(p[j], p[i])
        m, n = cross(u, sub(p[k], p[i])), cross(u, sub(p[l], p[i]))
        dihedral.append(degrees(atan2(norm(cross(m, n)), dot(m, n))))
        edge.append(norm(u))
    x, y, z = edge[0] * edge[5], edge[1] * edge[4], edge[2] * edge[3]
    circum = sqrt(max((x + y + z) * (x + y - z) * (x - y + z) * (y + z - x), 0)) / (24 * volume)
    quality = 3 * (3 * volume / sum(area)) / circum
    return volume, dihedral, quality, max(edge) * max(area) / (3 * volume), edge


def read(name):
    with open(name, "rb") as f:
        data = f.read()
    if data.startswith(b"$MeshFormat\n2.2 1 8\n"):
        start = data.index(b"$Nodes\n") + len(b"$Nodes\n")
        n, start = int(data[start:data.index(b"\n", start)]), data.index(b"\n", start) + 1
        x = [r[1:] for r in struct.iter_unpack("<i3d", data[start:start + 28 * n])]
        start = data.index(b"$Elements\n", start + 28 * n) + len(b"$Elements\n")
        m, start = int(data[start:data.index(b"\n", start)]), data.index(b"\n", start) + 13
        rows = struct.iter_unpack("<7i", data[start:start + 28 * m])
        return x, [[v - 1 for v in r[3:]] for r in rows]
    lines = data.decode().split("\n")
    i = lines.index("$Nodes")
    n = int(lines[i + 1])
    x = [tuple(float(w) for w in line.split()[1:]) for line in lines[i + 2:i + 2 + n]]
    i = lines.index("$Elements")
    m = int(lines[i + 1])
    return x, [[int(w) - 1 for w in line.split()[-4:]] for line in lines[i + 2:i + 2 + m]]


def at(values, share):
    return values[min(int(share * len(values)), len(values) - 1)]


for name in sys.argv[1:]:
    x, tets = read(name)
    n, m = len(x), len(tets)
    count = {}
    for t in tets:
        for k in range(4):
            face = tuple(sorted(t[:k] + t[k + 1:]))
            count[face] = count.get(face, 0) + 1
    skin = [f for f, c in count.items() if c == 1]
    all_ = [measure([x[v] for v in t]) for t in tets]
    volume = sorted(r[0] for r in all_)
    low = sorted(min(r[1]) for r in all_)
    quality = sorted(r[2] for r in all_)
    aspect = sorted(r[3] for r in all_)
    edge = sorted(e for r in all_ for e in r[4])
    print(name.split("/")[-1])
    print("  vertices %d (on the surface %d), tets %d, surface triangles %d"
          % (n, len({v for f in skin for v in f}), m, len(skin)))
    print("  box %s to %s" % tuple(
        tuple(float("%.6g" % g(p[k] for p in x)) for k in range(3)) for g in (min, max)))
    print("  total volume %.4f" % sum(volume))
    print("  tet volume min %.3g median %.3g max %.3g" % (volume[0], at(volume, .5), volume[-1]))
    print("  edge length min %.3g max %.3g" % (edge[0], edge[-1]))
    print("  dihedral min %.2f max %.2f; tets with one below 1: %d, 5: %d, 10: %d, 20: %d"
          % (low[0], max(max(r[1]) for r in all_),
             *(sum(v < limit for v in low) for limit in (1, 5, 10, 20))))
    print("  3 inradius/circumradius min %.4f 1%% %.3f 10%% %.3f median %.3f"
          % (quality[0], at(quality, .01), at(quality, .1), at(quality, .5)))
    print("  longest edge/shortest height median %.2f 90%% %.1f 99%% %.1f max %.1f"
          % (at(aspect, .5), at(aspect, .9), at(aspect, .99), aspect[-1]))

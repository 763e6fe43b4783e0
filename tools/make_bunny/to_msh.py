"""tetgen's output to Gmsh 2.2, checked.

    to_msh.py IN.poly TETGEN_BASE OUT.msh [binary]

ASCII unless "binary" is asked for, which makes the large meshes smaller.

The checks run on the coordinates as written: positive volume of every tet, one
face-connected piece, every node used, and the boundary exactly the triangles of
IN.poly, whose vertices come first and unmoved.
"""
import struct
import sys

poly, base, out = sys.argv[1:4]
binary = sys.argv[4:] == ["binary"]


def rows(name):
    with open(name) as f:
        lines = [line.split() for line in f if line.strip() and not line.startswith("#")]
    return lines[1:1 + int(lines[0][0])]


with open(poly) as f:
    lines = f.read().split("\n")
n_surface = int(lines[0].split()[0])
surface_points = [line.split()[1:] for line in lines[1:1 + n_surface]]
n_faces = int(lines[1 + n_surface].split()[0])
faces = [tuple(int(w) for w in line.split()[1:])
         for line in lines[3 + n_surface:3 + n_surface + 2 * n_faces:2]]

nodes = rows(base + ".node")
assert [int(r[0]) for r in nodes] == list(range(1, len(nodes) + 1))
text = [["%.9g" % float(w) for w in r[1:4]] for r in nodes]
x = [tuple(float(w) for w in t) for t in text]
for i, p in enumerate(surface_points):
    assert x[i] == tuple(float(w) for w in p), "surface vertex %d moved" % (i + 1)


def volume6(t):
    a, b, c, d = (x[v - 1] for v in t)
    u, v, w = ([q[k] - a[k] for k in range(3)] for q in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1])
            + u[1] * (v[2] * w[0] - v[0] * w[2])
            + u[2] * (v[0] * w[1] - v[1] * w[0]))


tets = []
for r in rows(base + ".ele"):
    t = tuple(int(w) for w in r[1:5])
    if volume6(t) < 0:
        t = (t[0], t[1], t[3], t[2])
    assert volume6(t) > 0, "flat tet %s" % (t,)
    tets.append(t)
assert len({v for t in tets for v in t}) == len(nodes), "unused node"

outward = {}  # face, smallest vertex first -> its tet
for i, (a, b, c, d) in enumerate(tets):
    for f in ((b, c, d), (a, d, c), (a, b, d), (a, c, b)):
        k = f.index(min(f))
        f = f[k:] + f[:k]
        assert f not in outward, "overlapping tets"
        outward[f] = i
boundary = {f for f in outward if (f[0], f[2], f[1]) not in outward}
wanted = set()
for f in faces:
    k = f.index(min(f))
    wanted.add(f[k:] + f[:k])
assert boundary == wanted, "the boundary is not the surface"

seen, todo = {0}, [0]
near = {}
for f, i in outward.items():
    j = outward.get((f[0], f[2], f[1]))
    if j is not None:
        near.setdefault(i, []).append(j)
while todo:
    for j in near[todo.pop()]:
        if j not in seen:
            seen.add(j)
            todo.append(j)
assert len(seen) == len(tets), "more than one piece"

if binary:
    with open(out, "wb") as f:
        f.write(b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n")
        f.write(b"$Nodes\n%d\n" % len(nodes))
        for i, p in enumerate(x):
            f.write(struct.pack("<i3d", i + 1, *p))
        f.write(b"\n$EndNodes\n$Elements\n%d\n" % len(tets))
        f.write(struct.pack("<3i", 4, len(tets), 2))
        for i, t in enumerate(tets):
            f.write(struct.pack("<7i", i + 1, 1, 1, *t))
        f.write(b"\n$EndElements\n")
    sys.exit()

with open(out, "w") as f:
    f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(nodes))
    for i, t in enumerate(text):
        f.write("%d %s %s %s\n" % (i + 1, *t))
    f.write("$EndNodes\n$Elements\n%d\n" % len(tets))
    for i, t in enumerate(tets):
        f.write("%d 4 2 1 1 %d %d %d %d\n" % (i + 1, *t))
    f.write("$EndElements\n")

"""The surface of a box of cells, every square in two triangles, as tetgen's .poly on stdout.

    box_surface.py CELLS_X CELLS_Y CELLS_Z SIZE_OF_A_CELL

Centred at the origin. The diagonals alternate like those of cubes cut into five tets.
"""
import sys

cells = [int(w) for w in sys.argv[1:4]]
size = float(sys.argv[4])
points, number, faces = [], {}, []
for i in range(cells[0] + 1):
    for j in range(cells[1] + 1):
        for k in range(cells[2] + 1):
            if any(c in (0, cells[a]) for a, c in enumerate((i, j, k))):
                number[i, j, k] = len(points) + 1
                points.append([size * (c - cells[a] / 2) for a, c in enumerate((i, j, k))])

for axis in range(3):
    u, v = (axis + 1) % 3, (axis + 2) % 3
    for side in (0, cells[axis]):
        for i in range(cells[u]):
            for j in range(cells[v]):
                ring = []
                for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    corner = [0, 0, 0]
                    corner[axis], corner[u], corner[v] = side, i + a, j + b
                    ring.append(tuple(corner))
                if side == 0:
                    ring = [ring[0], ring[3], ring[2], ring[1]]
                if sum(ring[0]) % 2:
                    ring = ring[1:] + ring[:1]
                a, b, c, d = (number[corner] for corner in ring)
                faces += [(a, b, c), (a, c, d)]

print("%d 3 0 0" % len(points))
for i, p in enumerate(points):
    print("%d %.9g %.9g %.9g" % (i + 1, *p))
print("%d 0" % len(faces))
for f in faces:
    print("1\n3 %d %d %d" % f)
print("0\n0")

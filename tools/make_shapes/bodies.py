"""The bodies that implicit.py meshes: chains of round cones and plates, joined smoothly.

A chain is a list of points (x, y, z, radius); a plate is a triangle of such points.
BODIES gives for each body its chains, its plates, the width of the fillets between them and the
edge length as a share of the local radius. All are our own
designs; y is up, the feet stand near y = 0.
"""


def curve(points, pieces):
    """The chain through the points made smooth: Catmull-Rom, PIECES segments between two."""
    ends = [tuple(2 * a - b for a, b in zip(points[0], points[1])), *points,
            tuple(2 * a - b for a, b in zip(points[-1], points[-2]))]
    out = []
    for p, q, r, s in zip(ends, ends[1:], ends[2:], ends[3:]):
        for i in range(pieces):
            t = i / pieces
            out.append(tuple(
                b + t * ((c - a) / 2 + t * ((a - 2.5 * b + 2 * c - d / 2)
                                            + t * (1.5 * (b - c) + (d - a) / 2)))
                for a, b, c, d in zip(p, q, r, s)))
    return out + [points[-1]]


def mirrored(chain):
    return [(x, y, -z, r) for x, y, z, r in chain]


SPINE = [(-4.9, 2.2, 1.5, 0.22), (-5.5, 1.5, 1.0, 0.25), (-5.5, 0.8, 0.1, 0.30),
         (-4.7, 0.6, -0.8, 0.34), (-3.5, 0.9, -1.2, 0.42), (-2.3, 1.6, -0.8, 0.56),
         (-1.2, 2.3, -0.1, 0.72), (0.0, 2.7, 0.3, 0.78), (1.1, 2.6, 0.2, 0.80),
         (2.0, 2.7, 0.0, 0.74), (2.7, 3.4, -0.2, 0.56), (2.8, 4.3, -0.1, 0.46),
         (3.3, 5.0, 0.0, 0.47), (4.0, 5.2, 0.0, 0.50), (4.8, 5.0, 0.0, 0.36),
         (5.4, 4.9, 0.0, 0.30)]
HIND_LEG = [(-1.1, 2.1, 0.4, 0.50), (-0.6, 1.3, 0.9, 0.38), (-1.2, 0.6, 1.0, 0.26),
            (-0.9, 0.25, 1.0, 0.26), (-0.35, 0.25, 1.0, 0.23)]
FORE_LEG = [(1.9, 2.4, 0.4, 0.42), (1.6, 1.4, 0.9, 0.30), (2.0, 0.65, 1.0, 0.25),
            (2.1, 0.25, 1.0, 0.25), (2.65, 0.25, 1.0, 0.22)]
HORN = [(3.8, 5.4, 0.2, 0.27), (3.0, 6.15, 0.55, 0.22)]
WING = [[(0.9, 3.0, 0.3, 0.2), (0.5, 4.6, 1.5, 0.2), (-0.4, 3.2, 0.6, 0.2)],
        [(0.5, 4.6, 1.5, 0.2), (-1.4, 4.7, 2.3, 0.2), (-0.4, 3.2, 0.6, 0.2)]]
JAW = [(3.8, 4.9, 0.0, 0.30), (4.5, 4.2, 0.0, 0.25), (5.05, 3.95, 0.0, 0.22)]

BODIES = {
    "dragon": ([curve(SPINE, 4), HIND_LEG, mirrored(HIND_LEG), FORE_LEG, mirrored(FORE_LEG),
                HORN, mirrored(HORN), JAW],
               [tuple(q) for w in WING for q in (w, mirrored(w))], 0.15, 0.95),
    "blob": ([[(-0.75, 0.72, 0.0, 0.72), (0.75, 0.72, 0.0, 0.72)],
              [(0.0, 0.9, 0.0, 0.95), (0.0, 1.7, 0.0, 0.72), (0.1, 2.1, 0.05, 0.62)],
              [(-0.7, 1.3, 0.1, 0.45), (-1.6, 1.6, 0.3, 0.30)],
              [(0.7, 1.2, 0.1, 0.45), (1.65, 1.45, 0.3, 0.30)]], [], 0.35, 1.0),
}

"""OFF on stdin to tetgen's .poly on stdout, after checking that the surface is one
closed, consistently oriented manifold with every vertex used."""
import sys

words = sys.stdin.read().split()
assert words[0] == "OFF"
nv, nf = int(words[1]), int(words[2])
points = [words[4 + 3 * i:7 + 3 * i] for i in range(nv)]
t = [int(w) for w in words[4 + 3 * nv:]]
cells = [tuple(t[4 * i + 1:4 * i + 4]) for i in range(nf)]

assert len({tuple(map(float, p)) for p in points}) == nv, "duplicate vertices"
directed = [(c[k], c[(k + 1) % 3]) for c in cells for k in range(3)]
assert len(set(directed)) == len(directed), "an edge is used twice in one direction"
have = set(directed)
assert all((b, a) in have for a, b in have), "the surface has a hole"
link = {v: {} for v in range(nv)}
for c in cells:
    for k in range(3):
        link[c[k]][c[(k + 1) % 3]] = c[(k + 2) % 3]
for v, after in link.items():
    assert after, "unused vertex %d" % v
    start = w = min(after)
    steps = 0
    while True:
        w = after[w]
        steps += 1
        if w == start:
            break
    assert steps == len(after), "vertex %d touches two sheets" % v
assert nv - len(have) // 2 + nf == 2, "not one sphere"

out = ["%d 3 0 0" % nv]
out += ["%d %s %s %s" % (i + 1, *p) for i, p in enumerate(points)]
out.append("%d 0" % nf)
out += ["1\n3 %d %d %d" % (a + 1, b + 1, c + 1) for a, b, c in cells]
out += ["0", "0"]
sys.stdout.write("\n".join(out) + "\n")

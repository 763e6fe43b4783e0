// Shading of sharp edges: a vertex on an edge where faces meet at more than 60° gets a normal for each side.

const SHARP = Math.cos(Math.PI / 3);

/** Corners of the triangles among vertices of which some are there several times; the first ones are those of the
 * mesh, `source` tells of each which it is. */
export function splitCreases(rest: Float32Array, triangles: Uint32Array): { index: Uint32Array; source: Uint32Array } {
  const nv = rest.length / 3, nt = triangles.length / 3;
  const normals = new Float32Array(3 * nt);
  for (let t = 0; t < nt; ++t) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * t + k]);
    const u = [0, 1, 2].map((k) => rest[b + k] - rest[a + k]), v = [0, 1, 2].map((k) => rest[c + k] - rest[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], size = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; ++k) normals[3 * t + k] = n[k] / size;
  }
  const dot = (s: number, t: number) => normals[3 * s] * normals[3 * t] + normals[3 * s + 1] * normals[3 * t + 1] + normals[3 * s + 2] * normals[3 * t + 2];
  const corners: number[][] = Array.from({ length: nv }, () => []);
  triangles.forEach((vertex, corner) => corners[vertex].push(corner));
  const index = triangles.slice(), source = Array.from({ length: nv }, (_, i) => i);
  for (let vertex = 0; vertex < nv; ++vertex) {
    // Corners joined by an edge that is not sharp belong together.
    let left = corners[vertex], first = true;
    while (left.length) {
      const group = [left[0]];
      left = left.slice(1);
      for (let g = 0; g < group.length; ++g) {
        const s = Math.floor(group[g] / 3);
        left = left.filter((corner) => {
          const t = Math.floor(corner / 3);
          let shared = 0;
          for (let i = 0; i < 3; ++i) for (let j = 0; j < 3; ++j) if (triangles[3 * s + i] === triangles[3 * t + j]) ++shared;
          if (shared < 2 || dot(s, t) < SHARP) return true;
          group.push(corner);
          return false;
        });
      }
      if (!first) {
        const copy = source.push(vertex) - 1;
        for (const corner of group) index[corner] = copy;
      }
      first = false;
    }
  }
  return { index, source: Uint32Array.from(source) };
}

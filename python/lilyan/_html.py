"""The motion of a run as an animation in a page of HTML, without anything from elsewhere."""

from __future__ import annotations

import base64
import html
import json
import os
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core

if TYPE_CHECKING:
    from ._run import Run

_MOST_NUMBERS = 3_000_000  # of all frames: some 12 MB in the page
_MOST_FRAMES = 600


class Animation:
    """An animation, which a notebook shows. ``save`` writes it as a page."""

    def __init__(self, body: str, title: str, height: int) -> None:
        self._body = body
        self._title = title
        self._height = height

    @property
    def page(self) -> str:
        """The animation as a whole page of HTML."""
        return (
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<title>{html.escape(self._title)}</title></head><body>{self._body}</body></html>"
        )

    def save(self, file: "Union[str, os.PathLike[str]]") -> None:
        """Writes the page to a file."""
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(self.page)

    def _repr_html_(self) -> str:
        # In a frame of its own, so that its script and style touch nothing else in the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" width="100%" height="{self._height + 90}" '
            f'style="border:0" title="{html.escape(self._title)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<lilyan animation of {self._title}; save() writes it>"


def _packed(numbers: "npt.NDArray[Any]", kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=kind).tobytes()).decode()


def _chosen_frames(run: "Run", numbers_each: int) -> "npt.NDArray[np.intp]":
    most = max(2, min(_MOST_FRAMES, _MOST_NUMBERS // max(1, numbers_each)))
    count = len(run.frame_t)
    chosen: "npt.NDArray[np.intp]" = np.linspace(0, count - 1, min(count, most)).round().astype(np.intp)
    return np.unique(chosen)


def _body_data(run: "Run") -> dict[str, Any]:
    triangles, edges = run.scene.surface, run.scene.edges
    used = np.unique(np.concatenate([triangles.ravel(), edges.ravel()]))
    if len(used) == 0:
        used = np.arange(run.x.shape[1])
    place = np.zeros(run.x.shape[1], dtype=int)
    place[used] = np.arange(len(used))
    chosen = _chosen_frames(run, 3 * len(used))
    return {
        "t": run.frame_t[chosen].tolist(),
        "points": _packed(run.x[chosen][:, used], "<f4"),
        "count": len(used),
        "triangles": _packed(place[triangles], "<i4"),
        "lines": _packed(place[edges], "<i4"),
        "dots": [] if len(triangles) or len(edges) else [1.0] * len(used),
        "trails": 0,
        "flat": False,
    }


def _system_data(run: "Run") -> dict[str, Any]:
    n = run.scene.x0.size
    chosen = _chosen_frames(run, 3 * n)
    drawn = run.scene.drawn(run.frame_t[chosen], run.x[chosen], run.v[chosen])
    if drawn is None:
        raise _core.Error(
            "this system has no picture: its scene needs a [system.draw] that says where its parts are (see docs/scenes.md)"
        )
    dots = len(drawn["radii"])
    lines = drawn["rods"] + drawn["springs"]
    return {
        "t": run.frame_t[chosen].tolist(),
        "points": _packed(drawn["places"], "<f4"),
        "count": drawn["places"].shape[1],
        "triangles": _packed(np.empty((0, 3)), "<i4"),
        "lines": _packed(dots + np.arange(2 * lines).reshape(-1, 2), "<i4"),
        "dots": drawn["radii"],
        "trails": drawn["trails"],
        "flat": True,
    }


def animate_run(run: "Run", *, seconds: Optional[float], width: int, height: int) -> Animation:
    """See Run.animate."""
    if len(run.frame_t) < 2:
        raise _core.Error("this run has kept no states to show: run it with frames=1")
    data = _system_data(run) if run.scene.coordinates and run.scene.dimension == 1 else _body_data(run)
    data["seconds"] = float(seconds if seconds is not None else run.frame_t[-1] - run.frame_t[0])
    title = f"{run.scene.title} with {run.method}"
    data["title"] = title
    body = _PAGE.replace("@WIDTH@", str(int(width))).replace("@HEIGHT@", str(int(height)))
    # Within a script "</" would end it.
    return Animation(body.replace("@DATA@", json.dumps(data).replace("</", "<\\/")), title, height)


_PAGE = """
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; font: 14px system-ui, sans-serif; }
  .film { max-width: @WIDTH@px; margin: 0 auto; }
  canvas { width: 100%; height: @HEIGHT@px; display: block; touch-action: none; cursor: grab; }
  .bar { display: flex; gap: .6em; align-items: center; padding: .4em; }
  .bar input { flex: 1; min-width: 0; }
  .bar button { min-width: 4.5em; padding: .3em; font: inherit; }
  output { min-width: 6em; text-align: right; font-variant-numeric: tabular-nums; }
</style>
<div class="film">
  <canvas role="img"></canvas>
  <div class="bar"><button type="button">Pause</button>
    <input type="range" min="0" value="0" aria-label="Time"><output></output></div>
</div>
<script>
(() => {
  const data = @DATA@;
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  const points = new Float32Array(bytes(data.points));
  const triangles = new Int32Array(bytes(data.triangles));
  const lines = new Int32Array(bytes(data.lines));
  const frames = data.t.length, size = 3 * data.count;
  const canvas = document.querySelector('canvas'), context = canvas.getContext('2d');
  const button = document.querySelector('button'), slider = document.querySelector('input');
  const shown = document.querySelector('output');
  canvas.setAttribute('aria-label', data.title);
  slider.max = frames - 1;
  const low = [1e30, 1e30, 1e30], high = [-1e30, -1e30, -1e30];
  for (let i = 0; i < points.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], points[i]);
    high[i % 3] = Math.max(high[i % 3], points[i]);
  }
  const middle = low.map((l, k) => (l + high[k]) / 2);
  const radius = Math.max(1e-9, Math.hypot(...low.map((l, k) => (high[k] - l) / 2)));
  let turn = data.flat ? 0 : 0.6, tilt = data.flat ? 0 : 0.35, frame = 0, playing = true;
  const project = (k, at, scale) => {
    const x = points[at + 3 * k] - middle[0], y = points[at + 3 * k + 1] - middle[1];
    const z = points[at + 3 * k + 2] - middle[2];
    const a = x * Math.cos(turn) - z * Math.sin(turn), b = x * Math.sin(turn) + z * Math.cos(turn);
    const up = y * Math.cos(tilt) - b * Math.sin(tilt), depth = y * Math.sin(tilt) + b * Math.cos(tilt);
    return [canvas.width / 2 + scale * a, canvas.height / 2 - scale * up, scale * depth];
  };
  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    const scale = 0.45 * Math.min(canvas.width, canvas.height) / radius * (data.flat ? 1 : 1.15);
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const ink = dark ? '#dddddd' : '#222222', at = size * frame;
    context.clearRect(0, 0, canvas.width, canvas.height);
    const places = Array.from({length: data.count}, (_, k) => project(k, at, scale));
    const faces = [];
    for (let i = 0; i < triangles.length; i += 3) {
      const [a, b, c] = [0, 1, 2].map(k => places[triangles[i + k]]);
      const e = [0, 1, 2].map(k => b[k] - a[k]), f = [0, 1, 2].map(k => c[k] - a[k]);
      const normal = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
      const light = Math.abs(normal[2]) / (Math.hypot(...normal) || 1);
      faces.push([a[2] + b[2] + c[2], a, b, c, 0.35 + 0.6 * light]);
    }
    faces.sort((f, g) => f[0] - g[0]);
    for (const [, a, b, c, light] of faces) {
      context.beginPath();
      context.moveTo(a[0], a[1]); context.lineTo(b[0], b[1]); context.lineTo(c[0], c[1]); context.closePath();
      context.fillStyle = context.strokeStyle = `hsl(204 45% ${Math.round(78 * light)}%)`;
      context.fill(); context.stroke();
    }
    const first = data.count - data.trails;
    context.lineWidth = ratio; context.strokeStyle = '#c8553d';
    for (let k = first; k < data.count; ++k) {
      context.beginPath();
      for (let f = Math.max(0, frame - 200); f <= frame; ++f) {
        const p = project(k, size * f, scale);
        context.lineTo(p[0], p[1]);
      }
      context.stroke();
    }
    context.lineWidth = 2 * ratio; context.strokeStyle = ink;
    for (let i = 0; i < lines.length; i += 2) {
      const a = places[lines[i]], b = places[lines[i + 1]];
      context.beginPath(); context.moveTo(a[0], a[1]); context.lineTo(b[0], b[1]); context.stroke();
    }
    context.fillStyle = '#2b7bb9';
    data.dots.forEach((r, k) => {
      context.beginPath(); context.arc(places[k][0], places[k][1], 6 * ratio * r, 0, 7); context.fill();
    });
    slider.value = frame;
    shown.textContent = 't = ' + data.t[frame].toFixed(2);
  };
  const show = running => { playing = running; button.textContent = running ? 'Pause' : 'Play'; };
  button.onclick = () => { show(!playing); start = undefined; };
  slider.oninput = () => { frame = +slider.value; show(false); draw(); };
  canvas.onpointermove = event => {
    if (!event.buttons || data.flat) return;
    turn += 0.01 * event.movementX;
    tilt = Math.max(-1.5, Math.min(1.5, tilt + 0.01 * event.movementY));
    draw();
  };
  window.onresize = draw;
  let start;
  const first = data.t[0], length = data.t[frames - 1] - first;
  const tick = now => {
    if (playing) {
      if (start === undefined) start = now - 1000 * data.seconds * (data.t[frame] - first) / length;
      const passed = ((now - start) / 1000 / data.seconds) % 1;
      const t = first + passed * length;
      let next = passed * length < data.t[frame] - first ? 0 : frame;
      while (next + 1 < frames && data.t[next + 1] <= t) ++next;
      frame = next;
      draw();
    }
    requestAnimationFrame(tick);
  };
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) show(false);
  draw();
  requestAnimationFrame(tick);
})();
</script>
"""

// The drawing of a small system in a report, in motion.

import { curveColour } from "./colour";
import { short } from "./format";
import { drawParts, type Parts } from "./motion";
import { cssValue } from "./plot";

/** As app/report/picture/html.cpp writes it: places are in thousandths of the picture, two numbers each. */
export interface MotionData extends Parts {
  title: string;
  colour: number;
  unit: number;
  width: number;
  height: number;
  end: number;
  /** Frames to be shown in a second. */
  rate: number;
  t: number[];
  at: (number | null)[];
}

const TRAIL = 160, MARGIN = 28;

export class MotionPlayer {
  readonly element = document.createElement("figure");
  private readonly canvas = document.createElement("canvas");
  private readonly button = document.createElement("button");
  private readonly slider = document.createElement("input");
  private readonly time = document.createElement("output");
  private frame = 0;
  private playing = false;
  private due = 0;

  constructor(private readonly data: MotionData) {
    this.element.className = "motion";
    const caption = document.createElement("figcaption"), row = document.createElement("div");
    const { t, end, rate } = data, last = t[t.length - 1], each = (rate * (last - t[0])) / Math.max(1, t.length - 1);
    const part = last < end ? `the beginning, up to ${short(last)} of ${short(end)}` : "the whole run";
    caption.textContent = `${data.title ? `${data.title}: ` : ""}${part}; one second shows a time of ${short(each, 2)}`;
    row.className = "player";
    this.button.type = "button";
    this.button.addEventListener("click", () => this.play(!this.playing));
    Object.assign(this.slider, { type: "range", min: "0", max: String(t.length - 1), value: "0" });
    this.slider.setAttribute("aria-label", "Time");
    this.slider.addEventListener("input", () => {
      this.play(false);
      this.show(Number(this.slider.value));
    });
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Motion of the system${data.title ? ` with ${data.title}` : ""}`);
    row.append(this.button, this.slider, this.time);
    this.element.append(caption, this.canvas, row);
    this.play(!window.matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  private play(on: boolean): void {
    this.playing = on;
    this.button.textContent = on ? "Pause" : "Play";
    if (on) requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    if (!this.playing) return;
    if (now >= this.due) {
      this.due = Math.max(this.due + 1000 / this.data.rate, now - 1000 / this.data.rate);
      // Nobody looks at what is not in sight.
      const { top, bottom } = this.canvas.getBoundingClientRect();
      if (bottom > 0 && top < window.innerHeight) this.show((this.frame + 1) % this.data.t.length);
    }
    requestAnimationFrame((later) => this.tick(later));
  }

  private show(frame: number): void {
    this.frame = frame;
    this.slider.value = String(frame);
    this.time.textContent = `t = ${short(this.data.t[frame])}`;
    this.draw();
  }

  update(width: number): void {
    const { data, canvas } = this, ratio = Math.max(2, window.devicePixelRatio);
    const high = Math.max(0.3, Math.min(0.8, (data.height / Math.max(1, data.width)) || 0.8)) * width;
    canvas.style.height = `${Math.round(high)}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(high * ratio);
    this.show(this.frame);
  }

  private draw(): void {
    const { data, canvas, frame } = this, g = canvas.getContext("2d")!, ratio = Math.max(2, window.devicePixelRatio);
    const width = canvas.width / ratio, height = canvas.height / ratio, n = data.at.length / data.t.length;
    const scale = Math.min((width - 2 * MARGIN) / Math.max(1, data.width), (height - 2 * MARGIN) / Math.max(1, data.height));
    const at = (k: number, i: number): [number, number] => [
      width / 2 + scale * ((data.at[k * n + 2 * i] ?? NaN) - data.width / 2),
      height / 2 - scale * ((data.at[k * n + 2 * i + 1] ?? NaN) - data.height / 2),
    ];
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = cssValue("--paper");
    g.fillRect(0, 0, width, height);
    g.lineJoin = g.lineCap = "round";
    const own = (k: number) => curveColour(data.trails > 1 ? k : data.colour), first = data.radii.length + 2 * (data.rods + data.springs);
    g.lineWidth = 1.5;
    for (let k = Math.max(1, frame - TRAIL + 1); k <= frame; ++k) {
      g.globalAlpha = 0.15 + 0.6 * (1 - (frame - k) / TRAIL);
      for (let trail = 0; trail < data.trails; ++trail) {
        g.strokeStyle = own(trail);
        g.beginPath();
        g.moveTo(...at(k - 1, first + trail));
        g.lineTo(...at(k, first + trail));
        g.stroke();
      }
    }
    g.globalAlpha = 1;
    drawParts(g, data, (i) => at(frame, i), own, curveColour(data.colour), scale * data.unit, { top: 9, bottom: 9 });
  }
}

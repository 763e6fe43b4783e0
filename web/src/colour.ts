// Okabe and Ito's colours, told apart by nearly everyone.
const LIGHT = ["#0072B2", "#D55E00", "#009E73", "#B8578C"];
const DARK = ["#56B4E9", "#F0803C", "#2BBF95", "#DD8FBC"];
const BODIES = ["#56B4E9", "#E69F00", "#35B58F", "#CC79A7", "#F0E442", "#D55E00", "#0072B2", "#999999"];

const scheme = window.matchMedia("(prefers-color-scheme: dark)");
let paper = false;
/** Dark ink on white paper, whatever the scheme of the screen. */
export function usePaper(on: boolean): void {
  paper = on;
  document.documentElement.classList.toggle("paper", on);
}
export const isDark = (): boolean => scheme.matches && !paper;
export const onSchemeChange = (f: () => void): void => scheme.addEventListener("change", f);

/** The palette of methods: each has its colour wherever it is shown, on light and on dark. */
export const METHOD_COLOURS: Record<string, [light: string, dark: string]> = {
  "avf": ["#0072B2", "#56B4E9"],
  "energy-momentum": ["#8A6D00", "#D9B600"],
  "implicit-midpoint": ["#D55E00", "#F0803C"],
  "newmark": ["#009E73", "#2BBF95"],
  "backward-euler": ["#B8578C", "#DD8FBC"],
  "stoermer-verlet": ["#B98300", "#E6B422"],
  "rk4": ["#6A51A3", "#A78BFA"],
  "explicit-euler": ["#6B7280", "#9CA3AF"],
  "gauss": ["#8C564B", "#D2A08F"],
};
const FREE = LIGHT.map((light, i) => [light, DARK[i]] as [string, string]);
let panes: [string, string][] = [];

/** Gives each pane the colour of its method; one whose colour is taken, or that has none, gets one that is free. */
export function colourPanes(methods: { pane: number; method: string }[]): void {
  panes = [];
  const taken = new Set<string>(), later: number[] = [];
  for (const { pane, method } of methods) {
    const own = METHOD_COLOURS[method];
    if (!own || taken.has(own[0])) later.push(pane);
    else {
      taken.add(own[0]);
      panes[pane] = own;
    }
  }
  for (const pane of later) {
    const own = [...FREE, ...Object.values(METHOD_COLOURS)].find((c) => !taken.has(c[0])) ?? FREE[pane % 4];
    taken.add(own[0]);
    panes[pane] = own;
  }
}

export const paneColour = (pane: number): string => (panes[pane] ?? FREE[pane % 4])[isDark() ? 1 : 0];
export const bodyColour = (body: number): string => BODIES[body % BODIES.length];

/** Colours of the curves that belong to one pane: parts of energy, ledger, coordinates. In reports those after the
 * eighth are of methods, by the numbers that app/report/picture/method_colours.cpp gives them. */
export function curveColour(i: number): string {
  const light = ["#0072B2", "#D55E00", "#009E73", "#B8578C", "#B98300", "#3A9BD6", "#6B7280", "#1F2937", "#8A6D00", "#6A51A3", "#8C564B"];
  const dark = ["#56B4E9", "#F0803C", "#2BBF95", "#DD8FBC", "#E6B422", "#8CCBF0", "#9CA3AF", "#E5E7EB", "#D9B600", "#A78BFA", "#D2A08F"];
  return (isDark() ? dark : light)[i < light.length ? i : i % 8];
}

// Viridis at nine equally spaced places.
const VIRIDIS = ["#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C", "#28AE80", "#5EC962", "#ADDC30", "#FDE725"];
export const rampCss = `linear-gradient(to right, ${VIRIDIS.join(", ")})`;

const toLinear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

export function hexToLinear(hex: string): [number, number, number] {
  const n = parseInt(hex.slice(1), 16);
  return [toLinear(((n >> 16) & 255) / 255), toLinear(((n >> 8) & 255) / 255), toLinear((n & 255) / 255)];
}

/** 256 colours in linear space, three numbers each. */
export const RAMP = (() => {
  const ramp = new Float32Array(256 * 3);
  const stops = VIRIDIS.map((hex) => {
    const n = parseInt(hex.slice(1), 16);
    return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
  });
  for (let i = 0; i < 256; ++i) {
    const place = (i / 255) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(place));
    for (let c = 0; c < 3; ++c) {
      const value = stops[k][c] + (place - k) * (stops[k + 1][c] - stops[k][c]);
      ramp[3 * i + c] = toLinear(value / 255);
    }
  }
  return ramp;
})();

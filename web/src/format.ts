/** A number as short as it can be read. */
export function short(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const s = size >= 1e5 || size < 1e-3
    ? x.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, "e").replace("e+", "e")
    : String(Number(x.toPrecision(digits)));
  return s.replaceAll("-", "−");
}

/** 1, 2 or 5 times a power of ten: the increment of an axis with about so many parts. */
export const niceStep = (span: number, parts: number): number => {
  const raw = span / Math.max(1, parts), power = 10 ** Math.floor(Math.log10(raw)), r = raw / power;
  return (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10) * power;
};

/** The places of labels. uPlot has no increments below 1e−16: the axis then gets one of its own. */
export function places(low: number, high: number, increment: number): number[] {
  const step = increment > 0 && increment <= (high - low) / 2 ? increment : niceStep(high - low, 4);
  const found: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) found.push(k === 0 ? 0 : k * step);
  return found;
}

/** The places of labels on a logarithmic axis, as logarithms: powers of ten, about so many, and multiples of those where
 * there are fewer than three of them. */
export function decades(low: number, high: number, most: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / Math.max(1, most)));
  let found: number[] = [];
  for (const factors of [[1], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    found = [];
    for (let k = Math.floor(low / step) * step; k <= high; k += step)
      for (const f of factors) {
        const at = k + Math.log10(f);
        if (at >= low - 1e-9 && at <= high + 1e-9) found.push(at);
      }
    if (found.length >= 3 && (found.length > 4 || 3 * found.length > most)) break;
  }
  return found;
}

/** Labels of an axis: as many digits as neighbouring labels need to differ. */
export function ticks(values: number[], increment: number): string[] {
  let largest = 0;
  for (const v of values) largest = Math.max(largest, Math.abs(v));
  const exponential = largest >= 1e5 || (largest > 0 && largest < 1e-3);
  let place = Math.floor(Math.log10(increment) + 1e-9);
  const lead = increment / 10 ** place;
  if (Math.abs(lead - Math.round(lead)) > 1e-6) --place; // steps of 2.5
  return values.map((v) => {
    if (Math.abs(v) < increment * 1e-6) return "0";
    if (exponential) {
      const digits = Math.min(6, Math.max(0, Math.floor(Math.log10(Math.abs(v)) + 1e-9) - place));
      return v.toExponential(digits).replace(/(\.\d*?)0+e/, "$1e").replace(".e", "e").replace("e+", "e").replaceAll("-", "−");
    }
    return v.toFixed(Math.min(10, Math.max(0, -place))).replace("-", "−");
  });
}

/** Labels of a narrow range far from zero leave out what they have in common: this is to be written beside the axis, as
 * "+ 1.5". Otherwise it is empty. */
export function apart(values: number[], increment: number): { labels: string[]; plus: string } {
  if (values.length > 1 && !(increment > 0 && values[1] - values[0] > 0.9 * increment)) increment = values[1] - values[0]; // of places()
  const largest = Math.max(...values.map(Math.abs)), place = Math.floor(Math.log10(increment) + 1e-9);
  const most = largest >= 1e5 || largest < 1e-3 ? 4 : 6; // digits of a label
  if (!(largest >= 10 ** (place + most))) return { labels: ticks(values, increment), plus: "" };
  const unit = 10 ** (place + 3), digits = Math.floor(Math.log10(largest)) - place - 2;
  // A round number within the range, or else the next one towards zero.
  const inner = values.map((v) => Math.round(v / unit)).find((n, i) => Math.abs(values[i] - n * unit) < 0.5 * increment);
  const rounded = inner ?? Math.trunc((values[0] > 0 ? values[0] : values[values.length - 1]) / unit);
  const common = Number((rounded * unit).toPrecision(Math.min(16, digits + 1)));
  const labels = ticks(values.map((v) => Math.round((v - common) / increment) * increment), increment);
  return { labels, plus: `${common < 0 ? "−" : "+"} ${short(Math.abs(common), Math.min(16, digits + 2))}` };
}

const GREEK: Record<string, string> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eta: "η", theta: "θ", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν",
  xi: "ξ", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", chi: "χ", psi: "ψ", omega: "ω",
};

/** theta as θ, theta1 as θ1. */
export const greek = (name: string): string => name.replace(/^([a-z]+)(?=\d|_|′|$)/, (word) => GREEK[word] ?? word);

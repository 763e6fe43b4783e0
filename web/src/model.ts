import type { CloudData, FrameData, MeshData, PaneInfo, PaneState } from "./protocol";
import { Path } from "./path";
import { Series } from "./series";

/** One run as far as it has arrived. */
export class PaneModel {
  readonly series: Series;
  readonly path: Path;
  mesh: MeshData | null = null;
  frame: FrameData | null = null;
  /** Where the points of the cloud of initial conditions are now. */
  cloudPoints: CloudData | null = null;
  state: PaneState | null = null;
  /** Points of each section, x and y in turn. */
  readonly sections: number[][];
  /** Which orbit each of these points belongs to. */
  readonly sectionOrbits: number[][];
  /** Tells it from the other panes; and what of this its heading does not say by itself. */
  label = "";
  extra = "";
  /** Its cloud has been begun, taken over or removed by this page. */
  cloudKnown = false;
  rowsReceived = 0;
  framesReceived = 0;

  constructor(readonly info: PaneInfo) {
    this.series = new Series(info.columns);
    this.sections = info.sections.map(() => []);
    this.sectionOrbits = info.sections.map(() => []);
    this.path = new Path(info.coordinates.length, 3 * (info.draw?.trails.length ?? 0));
  }

  /** Whether the program knows where the strain energy is; undefined while there has been none. */
  strainKnown: boolean | undefined = undefined;

  private lookedAt: FrameData | null = null;

  /** Looks at a frame for it: the energy is zero everywhere where it is not known. */
  lookForStrain(): void {
    if (this.strainKnown || !this.frame || !this.mesh) return;
    if (this.lookedAt !== this.frame) {
      this.lookedAt = this.frame;
      const e = this.energies();
      for (let i = 0; i < e.length; ++i)
        if (e[i] !== 0) {
          this.strainKnown = true;
          return;
        }
    }
    if (this.strainKnown === false) return;
    const { series, frame } = this, row = series.rowAt(frame.t);
    if (series.at("t", row) === frame.t && Math.abs(series.at("energy_elastic", row)) > 1e-9 * series.energyScale()) this.strainKnown = false;
  }

  get index(): number {
    return this.info.pane;
  }

  positions(): Float32Array {
    if (!this.frame) return new Float32Array(0);
    if (this.info.kind === "system") return Float32Array.from(this.q());
    return new Float32Array(this.frame.data, 32, 3 * this.frame.nv);
  }
  speeds(): Float32Array {
    const { data, nv } = this.frame!;
    return new Float32Array(data, 32 + 12 * nv, nv);
  }
  energies(): Float32Array {
    const { data, nv } = this.frame!;
    return new Float32Array(data, 32 + 16 * nv, nv);
  }
  q(): Float64Array {
    return new Float64Array(this.frame!.data, 32, this.frame!.nv);
  }
  v(): Float64Array {
    return new Float64Array(this.frame!.data, 32 + 8 * this.frame!.nv, this.frame!.nv);
  }
}

/** The settings with later ones in place of earlier ones of the same key. */
export function mergeSettings(settings: string[], added: string[] = []): string[] {
  const merged = new Map<string, string>();
  for (const s of [...settings, ...added]) merged.set(s.split("=")[0].trim(), s);
  return [...merged.values()];
}

export function settingOf(settings: string[], key: string): string | undefined {
  return [...settings].reverse().find((s) => s.split("=")[0].trim() === key)?.split("=").slice(1).join("=").trim();
}

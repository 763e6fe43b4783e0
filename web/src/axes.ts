// The axes of a phase portrait.

import { greek } from "./format";

export interface Axis { name: string; /** Which of the coordinates, then the velocities: several for "x of all". */ of: number[] }

/** Axes one can choose: those of all bodies at once where there are several, coordinates, velocities. */
export function axesOf(coordinates: string[]): Axis[] {
  const single = [...coordinates, ...coordinates.map((name) => `${name}′`)].map((name, i) => ({ name: greek(name), of: [i] }));
  const groups = new Map<string, number[]>();
  coordinates.forEach((name, i) => {
    const letter = /^([xyz])_?\[?\d+\]?$/.exec(name)?.[1];
    if (letter) groups.set(letter, [...(groups.get(letter) ?? []), i]);
  });
  const size = groups.get("x")?.length ?? 0;
  const bodies = size > 1 && groups.size > 1 && [...groups.values()].every((g) => g.length === size);
  return [...(bodies ? [...groups].map(([letter, of]) => ({ name: letter, of })) : []), ...single];
}

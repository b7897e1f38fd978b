/** Shapes in the unit square (y downwards), as predicates on points, and their rendering. */
export type Shape = (x: number, y: number) => boolean;
export type Colour = readonly [red: number, green: number, blue: number];

export const disc =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) <= radius;

export const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    x >= left && x <= right && y >= top && y <= bottom;

export const either =
  (...shapes: readonly Shape[]): Shape =>
  (x, y) =>
    shapes.some((shape) => shape(x, y));

export const without =
  (shape: Shape, hole: Shape): Shape =>
  (x, y) =>
    shape(x, y) && !hole(x, y);

/** A box with a half disc on top. */
export const arch = (left: number, top: number, right: number, bottom: number): Shape => {
  const radius = (right - left) / 2;
  return either(disc(left + radius, top + radius, radius), box(left, top + radius, right, bottom));
};

/** 3 x 5 cells for each sign; each number is a row whose three bits are the cells. */
const SIGNS: Readonly<Record<string, readonly number[]>> = {
  "1": [2, 6, 2, 2, 7],
  "2": [7, 1, 7, 4, 7],
  "3": [7, 1, 7, 1, 7],
  "4": [5, 5, 7, 1, 1],
  "5": [7, 4, 7, 1, 7],
  "6": [7, 4, 7, 5, 7],
  "7": [7, 1, 1, 2, 2],
  "8": [7, 5, 7, 5, 7],
  "9": [7, 5, 7, 1, 7],
  "+": [0, 2, 7, 2, 0],
  "!": [2, 2, 2, 0, 2],
};

/** One sign, its middle at a point, `height` tall. */
export function sign(name: string, cx: number, cy: number, height: number): Shape {
  const rows = SIGNS[name] ?? [];
  const cell = height / 5;
  return (x, y) => {
    const column = Math.floor((x - cx) / cell + 1.5);
    const row = Math.floor((y - cy) / cell + 2.5);
    return column >= 0 && column < 3 && (((rows[row] ?? 0) >> (2 - column)) & 1) === 1;
  };
}

export interface Layer {
  shape: Shape;
  colour: Colour;
}

/** Samples along a pixel's side. */
const SAMPLES = 4;

/** Paints layers over each other on a transparent background. RGBA, `size` x `size` pixels, anti-aliased. */
export function paint(layers: readonly Layer[], size: number): Uint8Array {
  const picture = new Uint8Array(size * size * 4);
  for (let pixel = 0; pixel < size * size; pixel++) {
    let [red, green, blue, covered] = [0, 0, 0, 0];
    for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
      const x = ((pixel % size) + ((sample % SAMPLES) + 0.5) / SAMPLES) / size;
      const y = (Math.floor(pixel / size) + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size;
      const colour = topColour(layers, x, y);
      if (colour === undefined) continue;
      red += colour[0];
      green += colour[1];
      blue += colour[2];
      covered++;
    }
    if (covered === 0) continue;
    const alpha = (covered * 255) / (SAMPLES * SAMPLES);
    picture.set([red / covered, green / covered, blue / covered, alpha].map(Math.round), pixel * 4);
  }
  return picture;
}

function topColour(layers: readonly Layer[], x: number, y: number): Colour | undefined {
  for (let index = layers.length - 1; index >= 0; index--) {
    const layer = layers[index];
    if (layer?.shape(x, y)) return layer.colour;
  }
  return undefined;
}

import { crc32, deflateSync } from "node:zlib";

/** Shapes in the unit square (y downwards), as predicates on points, and their rendering. */
type Shape = (x: number, y: number) => boolean;
type Colour = readonly [red: number, green: number, blue: number];

const disc =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) <= radius;

const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    x >= left && x <= right && y >= top && y <= bottom;

const either =
  (...shapes: readonly Shape[]): Shape =>
  (x, y) =>
    shapes.some((shape) => shape(x, y));

const without =
  (shape: Shape, hole: Shape): Shape =>
  (x, y) =>
    shape(x, y) && !hole(x, y);

/** A box with a half disc on top. */
const arch = (left: number, top: number, right: number, bottom: number): Shape => {
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
function sign(name: string, cx: number, cy: number, height: number): Shape {
  const rows = SIGNS[name] ?? [];
  const cell = height / 5;
  return (x, y) => {
    const column = Math.floor((x - cx) / cell + 1.5);
    const row = Math.floor((y - cy) / cell + 2.5);
    return column >= 0 && column < 3 && (((rows[row] ?? 0) >> (2 - column)) & 1) === 1;
  };
}

interface Layer {
  shape: Shape;
  colour: Colour;
}

/** Samples along a pixel's side. */
const SAMPLES = 4;

/** Paints layers over each other on a transparent background. RGBA, `size` x `size` pixels, anti-aliased. */
function paint(layers: readonly Layer[], size: number): Uint8Array {
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

// The gate's mark: an arch with a keyhole. Its meaning is in its shape; colour only helps.

export type MarkState = "idle" | "waiting" | "paused" | "problem";

const AMBER: Colour = [245, 166, 35];
const RED: Colour = [214, 48, 49];
const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];

const WALL = without(arch(0.1, 0.04, 0.9, 0.94), arch(0.22, 0.16, 0.78, 0.94));
const KEYHOLE = either(disc(0.5, 0.5, 0.11), box(0.45, 0.5, 0.55, 0.76));
const BARS = either(box(0.35, 0.42, 0.45, 0.82), box(0.55, 0.42, 0.65, 0.82));
const BADGE = { x: 0.7, y: 0.7, radius: 0.3, gap: 0.06 };

/**
 * The tray icon as a PNG of `size` x `size` pixels.
 * @param ink of the panel's text; `template`: black on nothing, coloured by macOS itself
 * @param waiting number of waiting requests, for the badge
 */
export function trayMark(state: MarkState, waiting: number, ink: "dark" | "light" | "template", size: number): Buffer {
  const colour = ink === "light" ? WHITE : BLACK;
  const badge = state === "waiting" ? String(waiting > 9 ? "+" : waiting) : state === "problem" ? "!" : undefined;
  const inside = state === "paused" ? BARS : KEYHOLE;
  // The badge covers most of the keyhole, which is left out then.
  const layers =
    badge === undefined ? [{ shape: either(WALL, inside), colour }] : badged(WALL, colour, badge, ink === "template");
  return encodePng(paint(layers, size), size, size);
}

function badged(mark: Shape, colour: Colour, text: string, isTemplate: boolean): Layer[] {
  const { x, y, radius, gap } = BADGE;
  const rest = { shape: without(mark, disc(x, y, radius + gap)), colour };
  const face = disc(x, y, radius);
  const word = sign(text, x, y, radius * 1.25);
  if (isTemplate) return [rest, { shape: without(face, word), colour }];
  const isProblem = text === "!";
  return [rest, { shape: face, colour: isProblem ? RED : AMBER }, { shape: word, colour: isProblem ? WHITE : BLACK }];
}

/** The app's own icon: the mark on a slate tile. */
export function appIcon(size: number): Buffer {
  const tile = roundedTile(0.06, 0.2);
  const small =
    (shape: Shape): Shape =>
    (x, y) =>
      shape((x - 0.5) / 0.58 + 0.5, (y - 0.49) / 0.58 + 0.5);
  const layers = [
    { shape: tile, colour: [38, 50, 68] as const },
    { shape: small(either(WALL, KEYHOLE)), colour: WHITE },
    { shape: small(box(0, 0.94, 1, 1.04)), colour: AMBER },
  ];
  return encodePng(paint(layers, size), size, size);
}

function roundedTile(margin: number, radius: number): Shape {
  const [low, high] = [margin, 1 - margin];
  const corners = [low + radius, high - radius].flatMap((x) =>
    [low + radius, high - radius].map((y) => disc(x, y, radius)),
  );
  return either(box(low + radius, low, high - radius, high), box(low, low + radius, high, high - radius), ...corners);
}

/** A PNG (8 bits, RGBA, not interlaced) of `width` x `height` pixels. */
export function encodePng(rgba: Uint8Array, width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y++) {
    // Each row starts with its filter: 0, none.
    rows.set(rgba.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

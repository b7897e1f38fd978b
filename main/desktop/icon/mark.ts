import { encodePng } from "./png.ts";
import { arch, box, type Colour, disc, either, type Layer, paint, type Shape, sign, without } from "./shapes.ts";

/** The gate's mark: an arch with a keyhole. Its meaning is in its shape; colour only helps. */

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

function badged(mark: Shape, colour: Colour, text: string, is_template: boolean): Layer[] {
  const { x, y, radius, gap } = BADGE;
  const rest = { shape: without(mark, disc(x, y, radius + gap)), colour };
  const face = disc(x, y, radius);
  const word = sign(text, x, y, radius * 1.25);
  if (is_template) return [rest, { shape: without(face, word), colour }];
  const is_problem = text === "!";
  return [rest, { shape: face, colour: is_problem ? RED : AMBER }, { shape: word, colour: is_problem ? WHITE : BLACK }];
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

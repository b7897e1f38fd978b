import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodePng } from "../main/desktop/icon/mark.ts";

/** A screen in memory with a notification server on it (Xvfb, dunst, a session bus of their own). */

const WIDTH = 520;
const HEIGHT = 400;

const DUNSTRC = `[global]
  width = 460
  height = (0, 300)
  origin = top-left
  offset = 20x20
  font = DejaVu Sans 11
  frame_width = 1
  frame_color = "#8d9097"
  padding = 14
  horizontal_padding = 16
  corner_radius = 0
  markup = full
  format = "<b>%s</b>\\n%b"
  show_indicators = no
[urgency_low]
  background = "#ffffff"
  foreground = "#1b1c1e"
[urgency_normal]
  background = "#ffffff"
  foreground = "#1b1c1e"
[urgency_critical]
  background = "#ffffff"
  foreground = "#1b1c1e"
  frame_color = "#b3261e"
`;

export interface Screen {
  /** The address of its session bus. */
  bus: string;
  /** The part of the screen that isn't empty. Waits until there is one. */
  draw(file: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error where Xvfb, dunst or dbus-daemon are missing, or don't start */
export async function openScreen(): Promise<Screen> {
  const folder = mkdtempSync(join(tmpdir(), "screen-"));
  mkdirSync(join(folder, ".config/dunst"), { recursive: true });
  writeFileSync(join(folder, ".config/dunst/dunstrc"), DUNSTRC);
  const base = { PATH: process.env.PATH ?? "", HOME: folder };
  const started: ChildProcess[] = [];
  const start = async (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> => {
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    started.push(child);
    const [first] = (await Promise.race([once(child.stdout, "data"), once(child, "error")])) as [unknown];
    if (first instanceof Error) throw first;
    return String(first).trim();
  };
  const size = `${WIDTH}x${HEIGHT}x24`;
  const display = await start(
    "Xvfb",
    ["-displayfd", "1", "-screen", "0", size, "-fbdir", folder, "-nolisten", "tcp"],
    base,
  );
  const bus = await start("dbus-daemon", ["--session", "--nofork", "--print-address"], base);
  const env = { ...base, DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: bus };
  started.push(spawn("dunst", [], { env, stdio: "ignore" }));
  return {
    bus,
    async draw(file) {
      for (const end = Date.now() + 10_000; ; ) {
        const picture = cropped(readScreen(join(folder, "Xvfb_screen0")));
        if (picture !== undefined) {
          writeFileSync(file, picture);
          return;
        }
        if (Date.now() > end) throw new Error("no notification came");
        await new Promise((done) => setTimeout(done, 100));
      }
    },
    async close() {
      for (const child of started.reverse()) {
        const exited = child.exitCode === null ? once(child, "exit") : undefined;
        child.kill();
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Picture {
  width: number;
  height: number;
  rgba: Uint8Array;
}

/** Xvfb's file: a header of 32-bit numbers (X11/XWDFile.h), its colours, then the rows. */
function readScreen(file: string): Picture {
  const bytes = readFileSync(file);
  const field = (index: number) => bytes.readUInt32BE(index * 4);
  const [width, height, rowBytes, colours] = [field(4), field(5), field(12), field(19)];
  const start = field(0) + colours * 12;
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = start + y * rowBytes + x * 4;
      const to = (y * width + x) * 4;
      rgba.set([bytes[from + 2] ?? 0, bytes[from + 1] ?? 0, bytes[from] ?? 0, 255], to);
    }
  }
  return { width, height, rgba };
}

/** The PNG of what isn't black; undefined where all is. */
function cropped({ width, height, rgba }: Picture): Buffer | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      if ((rgba[at] ?? 0) + (rgba[at + 1] ?? 0) + (rgba[at + 2] ?? 0) === 0) continue;
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
  }
  if (right < left) return undefined;
  const [w, h] = [right - left + 1, bottom - top + 1];
  const part = new Uint8Array(w * h * 4);
  for (let y = 0; y < h; y++) {
    const from = ((top + y) * width + left) * 4;
    part.set(rgba.subarray(from, from + w * 4), y * w * 4);
  }
  return encodePng(part, w, h);
}

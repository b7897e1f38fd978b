import { spawn } from "node:child_process";
import { once } from "node:events";
import xterm from "@xterm/headless";
import type { Browser } from "playwright-core";

/** A command in a pseudo terminal, drawn as a picture. */

const COLUMNS = 92;
const ROWS = 26;
/** The first sixteen colours, on a dark ground. */
const PALETTE = [
  "#1d1e21",
  "#ff8f86",
  "#7fd19b",
  "#e8b75a",
  "#8ab4f8",
  "#d0a5f0",
  "#7fd1d1",
  "#ececea",
  "#a6aab2",
  "#ff8f86",
  "#7fd19b",
  "#e8b75a",
  "#8ab4f8",
  "#d0a5f0",
  "#7fd1d1",
  "#ffffff",
];

type Terminal = InstanceType<typeof xterm.Terminal>;

/** Runs `words` until the screen shows `text`, draws that, and ends it by typing `keys`. @throws Error after ten seconds without it */
export async function drawTerminal(
  browser: Browser,
  {
    words,
    env,
    text,
    keys,
    file,
  }: { words: readonly string[]; env: NodeJS.ProcessEnv; text: string; keys: string; file: string },
): Promise<void> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qfec", `stty cols ${COLUMNS} rows ${ROWS}; exec ${quoted}`, "/dev/null"], {
    env: { ...env, TERM: "xterm-256color" },
  });
  const closed = once(child, "close");
  child.stdout.on("data", (bytes: Buffer) => terminal.write(bytes));
  try {
    await shows(terminal, text);
    const page = await browser.newPage({ deviceScaleFactor: 2 });
    await page.setContent(html(terminal));
    await page.locator("pre").screenshot({ path: file });
    await page.close();
    child.stdin.write(keys);
    await Promise.race([closed, new Promise((done) => setTimeout(done, 3000))]);
  } finally {
    child.kill("SIGKILL");
    await closed;
  }
}

async function shows(terminal: Terminal, text: string): Promise<void> {
  for (const end = Date.now() + 10_000; ; ) {
    const { active } = terminal.buffer;
    const rows = Array.from({ length: ROWS }, (_, row) =>
      active.getLine(active.viewportY + row)?.translateToString(true),
    );
    if (rows.join("\n").includes(text)) return;
    if (Date.now() > end) throw new Error(`the terminal doesn't show ${JSON.stringify(text)}:\n${rows.join("\n")}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

function html(terminal: Terminal): string {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    let text = "";
    for (let column = 0; column < COLUMNS; column++) {
      const cell = line?.getCell(column);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const own = (isPalette: boolean, number: number) => (isPalette ? PALETTE[number] : undefined);
      const [front, back] = [
        own(cell.isFgPalette(), cell.getFgColor()) ?? "#ececea",
        own(cell.isBgPalette(), cell.getBgColor()) ?? "#1d1e21",
      ];
      const [color, background] = cell.isInverse() ? [back, front] : [front, back];
      const style = `color:${color};background:${background};${cell.isBold() ? "font-weight:700;" : ""}${cell.isDim() ? "opacity:.65;" : ""}${cell.isUnderline() ? "text-decoration:underline;" : ""}`;
      const shown = (cell.getChars() || " ").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      text += `<span style="${style}">${shown}</span>`;
    }
    return text;
  });
  while (rows.length > 0 && /^(<span[^>]*> <\/span>)*$/.test(rows.at(-1) ?? "")) rows.pop();
  const look =
    "display:inline-block;margin:0;padding:14px 18px;background:#1d1e21;font:14px/1.35 'DejaVu Sans Mono',monospace";
  return `<!doctype html><meta charset="utf-8"><body style="margin:0"><pre style="${look}">${rows.join("\n")}</pre>`;
}

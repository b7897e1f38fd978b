import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import xterm from "@xterm/headless";
import { onTestFailed, onTestFinished } from "vitest";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { tempFolder } from "./temp-folder.ts";

/** `watch` in a real terminal's place, and what is on its screen. */

const ROOT = new URL("../../", import.meta.url);
export const LAUNCHER = new URL("bin/metnos-gate.js", ROOT).pathname;

interface PtyOptions {
  /** For the shell, before the command. */
  before?: string;
  /** Left out, this Node. */
  program?: string;
  cwd?: string;
  /** True where it asks its terminal something, and waits for the answer. */
  asks?: boolean;
}

/** A command in a real pseudo terminal, its screen as a person would see it. */
export class Pty {
  readonly #terminal;
  readonly #child: ChildProcess;
  /** Where the command writes which terminal it has. */
  readonly #nameFile = join(tempFolder(), "tty");
  readonly #drawn = new EventEmitter();
  /** The last whole frame, of a frame that comes in several chunks nothing is seen before its end. */
  #shown: { screen: string; red: string[] } = { screen: "", red: [] };
  #isDrawing = false;
  /** How often its bell rang. */
  bells = 0;
  title = "";
  typedBytes = 0;
  readonly closed: Promise<unknown>;

  constructor(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    columns: number,
    rows: number,
    { before = "", program = process.execPath, cwd, asks = false }: PtyOptions = {},
  ) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const words = [program, ...args].map((word) => `'${word}'`).join(" ");
    this.#child = spawn(
      "script",
      ["-qfec", `tty > '${this.#nameFile}'; stty cols ${columns} rows ${rows}; ${before}exec ${words}`, "/dev/null"],
      {
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env, TERM: "xterm-256color" },
        stdio: "pipe",
        cwd,
      },
    );
    if (asks) this.#terminal.onData((answer) => this.#child.stdin?.write(answer));
    this.#followFrames();
    this.#terminal.onBell(() => {
      this.bells++;
      this.#drawn.emit("drawn");
    });
    this.#terminal.onTitleChange((title) => {
      this.title = title;
      this.#drawn.emit("drawn");
    });
    this.#child.stdout?.on("data", (bytes: Buffer) => this.#terminal.write(bytes, () => this.#look()));
    // The terminal draws what it got a little later.
    this.closed = once(this.#child, "close").then(
      () => new Promise<void>((drawn) => this.#terminal.write("", () => drawn(this.#look()))),
    );
    onTestFailed(() => console.error(this.screen));
    onTestFinished(async () => {
      this.#child.kill("SIGKILL");
      await this.closed;
    });
  }

  /** As a user's terminal does: its window first, then the command gets to know. */
  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#look();
    const name = readFileSync(this.#nameFile, "utf8").trim();
    execFileSync("stty", ["-F", name, "cols", String(columns), "rows", String(rows)]);
  }

  get screen(): string {
    return this.#shown.screen;
  }

  /** Whether the terminal was left in the mode that marks pasted text. */
  get takesPastes(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  /** The texts on the screen that are red, in each row that has some. */
  get red(): string[] {
    return this.#shown.red;
  }

  /** A program says where a frame begins and ends (mode 2026): in between the screen is none of its. */
  #followFrames(): void {
    const on = (final: "h" | "l", isDrawing: boolean) =>
      this.#terminal.parser.registerCsiHandler({ prefix: "?", final }, ([mode]) => {
        if (mode !== 2026) return false;
        this.#isDrawing = isDrawing;
        if (!isDrawing) this.#look();
        return false;
      });
    on("h", true);
    on("l", false);
  }

  #look(): void {
    if (this.#isDrawing) return;
    this.#shown = { screen: this.#screenNow(), red: this.#redNow() };
    this.#drawn.emit("drawn");
  }

  #screenNow(): string {
    const { active } = this.#terminal.buffer;
    const row = (index: number) => active.getLine(active.viewportY + index)?.translateToString(true) ?? "";
    return Array.from({ length: this.#terminal.rows }, (_, index) => row(index)).join("\n");
  }

  #redNow(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, index) => {
      const line = active.getLine(active.viewportY + index);
      const cells = Array.from({ length: this.#terminal.cols }, (_, column) => line?.getCell(column));
      return cells.map((cell) => (cell?.isFgPalette() && cell.getFgColor() === 1 ? cell.getChars() : "")).join("");
    }).filter((text) => text !== "");
  }

  /** Resolves once the screen shows the text, or no longer does. */
  async shows(text: string, isThere = true): Promise<void> {
    while (this.screen.includes(text) !== isThere) await once(this.#drawn, "drawn");
  }

  /** Resolves once the screen is as it is to be. */
  async settles(isRight: () => boolean): Promise<void> {
    while (!isRight()) await once(this.#drawn, "drawn");
  }

  /** Resolves once the terminal's title is this one. */
  async isTitled(title: string): Promise<void> {
    while (this.title !== title) await once(this.#drawn, "drawn");
  }

  /** What the pattern finds on the screen, once it is there. */
  async finds(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.screen)?.[0];
      if (found !== undefined) return found;
      await once(this.#drawn, "drawn");
    }
  }

  type(keys: string): void {
    this.typedBytes += Buffer.byteLength(keys);
    this.#child.stdin?.write(keys);
  }
}

/** The other side of `watch`: an operator's contract in memory, its clock and its events driven by the test. */
const PROGRAM = `
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { GateError } from "${new URL("ipc/contract/gate-error.ts", ROOT)}";
import { watch } from "${new URL("cli/watch/watch.ts", ROOT)}";

const control = createConnection(process.argv[2] ?? "");
const tell = (message: unknown) => control.write(JSON.stringify(message) + "\\n");
const cards = new Map<string, any>();
const listeners = new Set<(event: any) => void>();
let now = 0;
let late: unknown;
let settings: unknown[] = [{ key: "language", value: "en" }];
let pairings: any[] = [];
let reviews: any = { running: [], refused: [] };
let refusal: [string, string, string] | undefined;
const emit = (type: string, data: unknown) => listeners.forEach((listener) => listener({ type, data }));
const close = (card: any) => {
  cards.delete(card.token);
  emit("approval.closed", card);
  return card;
};
const api: any = {
  async call(method: string, params: any) {
    if (presence === "away") throw new GateError("not_answering", "the gate isn't answering", "");
    if (method === "approvals.list") return [...cards.values()];
    if (method === "settings.list") return settings;
    if (method === "agents.list") return { agents: [], requests: pairings, unreadable: [] };
    if (method === "agents.pair" || method === "agents.reject") {
      tell({ call: params });
      pairings = pairings.filter(({ name }) => name !== params.name);
      emit("agents.changed", {});
      return {};
    }
    if (method === "status") return { pause: { reason: null }, alarms: [], home: "/home/ada" };
    if (method === "reviews.list") return reviews;
    if (method === "reviews.override" || method === "reviews.dismiss") {
      tell({ call: { [method]: params.id } });
      const found = reviews.refused.find(({ id }) => id === params.id);
      const allowed = { ...found, can_override: false, overridden_at: new Date(now).toISOString() };
      const refused = reviews.refused.flatMap((one) => (one !== found ? [one] : method === "reviews.dismiss" ? [] : [allowed]));
      reviews = { ...reviews, refused };
      emit("reviews.changed", {});
      return method === "reviews.dismiss" ? { dismissed: true } : allowed;
    }
    if (method === "approvals.hold") {
      const card = cards.get(params.token);
      const expires_at = new Date(Date.parse(card.expires_at) + 60_000).toISOString();
      emit("approval.held", { token: params.token, expires_at });
      return { expires_at };
    }
    tell({ call: params });
    if (refusal !== undefined) throw new GateError(...refusal);
    return close({ ...cards.get(params.token), status: params.decision, territory_concession: params.scope ?? "none" });
  },
  subscribe(listener: (event: any) => void) {
    listeners.add(listener);
    return () => {
      if (late !== undefined) listener({ type: "approval.waiting", data: late });
      listeners.delete(listener);
    };
  },
};
let presence: "there" | "away" = "there";
let report = (_: "there" | "away") => {};
const onPresence = (listener: (presence: "there" | "away") => void) => {
  report = listener;
  return () => {};
};
const commands: Record<string, (value: any) => void> = {
  start: () => void watch(api, { now: () => now, steady: () => now, onPresence, has_bell: process.argv[3] !== "--no-bell" }).then(() => tell({ ended: "quit" }), (error) => tell({ ended: error.code, said: error.message + " / " + error.hint })).then(() => control.end()),
  add: (card) => { cards.set(card.token, card); emit("approval.waiting", card); },
  ask_to_pair: (request) => { pairings.push(request); emit("pairing.requested", request); },
  close,
  clock: (value) => { now = value; },
  reviews: (value) => { reviews = value; emit("reviews.changed", {}); },
  pause: (reason) => emit(reason === null ? "safety.resumed" : "safety.paused", { reason }),
  settings: (list) => { settings = list; emit("settings.changed", list); },
  alarms: (list) => emit("alarms.changed", list),
  add_on_quit: (card) => { late = card; },
  refuse: (value) => { refusal = value ?? undefined; },
  presence: (value) => { presence = value; report(value); },
  taken: async (bytes) => { while (process.stdin.bytesRead < bytes) await new Promise((resolve) => setTimeout(resolve, 2)); },
};
for await (const line of createInterface({ input: control })) {
  const [name, value] = JSON.parse(line);
  await commands[name]?.(value);
  tell({ done: name });
}
`;

export class Watched {
  readonly answers: unknown[] = [];
  readonly pty: Pty;
  readonly #emitter = new EventEmitter();
  readonly #socket: Socket;
  ended: unknown;
  /** The message and the hint that it ended with. */
  said: unknown;

  private constructor(pty: Pty, socket: Socket) {
    this.pty = pty;
    this.#socket = socket;
    createInterface({ input: socket }).on("line", (line) => {
      const message = JSON.parse(line);
      if ("call" in message) this.answers.push(message.call);
      if ("ended" in message) this.ended = message.ended;
      if ("said" in message) this.said = message.said;
      this.#emitter.emit("line", message);
    });
  }

  static async start(
    waiting: readonly ApprovalView[] = [],
    columns = 100,
    rows = 40,
    { options = [], before = "" }: { options?: readonly string[]; before?: string } = {},
  ): Promise<Watched> {
    const folder = tempFolder();
    writeFileSync(join(folder, "watching.ts"), PROGRAM);
    const path = join(folder, "control.sock");
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    const connected = once(server, "connection");
    const { NO_COLOR: _, ...own } = process.env; // Node would complain of both on the screen
    const env = { ...own, CI: "true", FORCE_COLOR: "1" }; // where CI is set, ink draws nothing unless `interactive` is
    const pty = new Pty([join(folder, "watching.ts"), path, ...options], env, columns, rows, { before });
    const [socket] = (await connected) as [Socket];
    const watched = new Watched(pty, socket);
    await watched.do("clock", Date.parse("2026-11-21T00:00:19Z"));
    for (const card of waiting) await watched.do("add", card);
    await watched.do("start");
    return watched;
  }

  /** Milliseconds after 2026-11-21T00:00:19Z, when every test starts. */
  clock(ms: number): Promise<void> {
    return this.do("clock", Date.parse("2026-11-21T00:00:19Z") + ms);
  }

  /** Types it, and waits until the program has read it, whether that shows or not. */
  async typed(keys: string): Promise<void> {
    this.pty.type(keys);
    await this.do("taken", this.pty.typedBytes);
  }

  /** Does it in the program, and waits until it is done. */
  async do(command: string, value: unknown = null): Promise<void> {
    // Several lines may arrive at once: none of them may be missed.
    const done = new Promise<void>((resolve) => {
      const listen = (message: { done?: unknown }) => {
        if (message.done !== command) return;
        this.#emitter.off("line", listen);
        resolve();
      };
      this.#emitter.on("line", listen);
    });
    this.#socket.write(`${JSON.stringify([command, value])}\n`);
    await done;
  }

  /** How the promise of `watch` ended. */
  async end(): Promise<unknown> {
    while (this.ended === undefined) await once(this.#emitter, "line");
    return this.ended;
  }
}

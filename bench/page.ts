import { type Browser, chromium, type Page } from "playwright-core";
import { type Figure, figure, median, quantile } from "./figure.ts";
import { ASKED_KINDS, askedMessage, emptyGate, fullGate, type PageGate } from "./page-gates.ts";
import { greeted } from "./round-trip.ts";

/**
 * The page in a real browser over the real web server: the window and each of its views, with 500 waiting cards,
 * 100,000 grants and 1,000,000 audit lines, against a new gate in the same run; and from an agent's call to its card.
 */

const OPENINGS = 7;
const MAX_MS = 300;
const CARDS = 80;
const WARM_UP = 8;
const MAX_CARD_MS = 200;
/** Until a run ends with what it waited for. */
const MAX_WAIT_MS = 10_000;

/** The element that shows that a view can be used: its content, or the note where there is none. */
const VIEWS: readonly { view: string; at: string; shows: string }[] = [
  { view: "approvals", at: "approvals", shows: "[data-deny], .first-steps" },
  { view: "history", at: "approvals/history", shows: "table.history tbody tr, .empty" },
  { view: "policy", at: "policy", shows: ".matrix .cell" },
  { view: "grants", at: "grants", shows: ".grant-row [role=cell].target, .empty" },
  { view: "agents", at: "agents", shows: ".agent-table tbody tr" },
  { view: "activity", at: "activity", shows: ".decision, .empty" },
  { view: "safety", at: "safety", shows: ".state h2" },
  { view: "settings", at: "settings", shows: ".setting" },
];
const [FIRST] = VIEWS;
/** The columns that grants are sorted by. */
const COLUMNS = ["last_used_at", "expires_at", "capability", "target"] as const;

type Times = Map<string, number[]>;

export async function page(): Promise<Figure[]> {
  const { NO_BROWSER, startBrowser } = await import("../test/support/browser.ts");
  if (NO_BROWSER !== null) {
    console.error(`page: ${NO_BROWSER}, nothing was measured`);
    return [];
  }
  const server = await startBrowser();
  const browser = await chromium.connect(server.address);
  const gates: PageGate[] = [];
  try {
    const full = await fullGate();
    gates.push(full);
    const empty = await emptyGate();
    gates.push(empty);
    const times: Record<"full" | "empty", Times> = { full: new Map(), empty: new Map() };
    // In turn, so that a slower moment of the machine slows both. The first of each warms up what is compiled.
    for (let opening = 0; opening <= OPENINGS; opening++) {
      for (const [name, gate] of [["full", full] as const, ["empty", empty] as const]) {
        const measured = await open(browser, gate, name === "full");
        if (opening === 0) continue;
        for (const [what, ms] of measured) times[name].set(what, [...(times[name].get(what) ?? []), ms]);
      }
    }
    const ms = (value: number) => `${value.toFixed(0)} ms`;
    const paths = [...times.full].flatMap(([what, all]) => {
      const [ours, bare] = [median(all), median(times.empty.get(what) ?? [])];
      const isInBoth = times.empty.has(what);
      const slowest = `slowest of ${all.length} ${ms(Math.max(...all))}`;
      const against = figure(`${what}, against empty`, ours / bare, "x empty", null, `${ms(ours)} against ${ms(bare)}`);
      return [figure(`${what}, full`, ours, "ms", MAX_MS, slowest), ...(isInBoth ? [against] : [])];
    });
    return [...paths, ...(await toCard(browser, empty))];
  } finally {
    for (const gate of gates) await gate.end();
    await browser.close();
    await server.close();
  }
}

/** One browser profile without anything stored: opens the window by a fresh link, opens it again, then visits each view once. */
async function open(browser: Browser, { operator }: PageGate, isFull: boolean): Promise<[string, number][]> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 680 } });
  const opened = await context.newPage();
  await opened.addInitScript(WATCHER);
  const measured: [string, number][] = [["window opens by its link", await openByLink(opened, operator)]];
  const { origin } = new URL(opened.url());
  await opened.goto("about:blank");
  await opened.goto(origin, { waitUntil: "commit" });
  measured.push(["window opens", await opened.evaluate<number>("first")]);
  for (const { view, at, shows } of VIEWS.slice(1)) {
    measured.push([view, await opened.evaluate<number>(`visited(${JSON.stringify(at)}, ${JSON.stringify(shows)})`)]);
    if (view === "grants" && isFull) measured.push(...(await sortings(opened)));
  }
  const { at, shows, view } = FIRST as (typeof VIEWS)[number];
  measured.push([
    `${view} again`,
    await opened.evaluate<number>(`visited(${JSON.stringify(at)}, ${JSON.stringify(shows)})`),
  ]);
  await context.close();
  return measured;
}

/** Milliseconds from following a fresh link, which leads on to the window, until its first view is drawn. */
async function openByLink(opened: Page, operator: PageGate["operator"]): Promise<number> {
  const { url } = await operator.call("web.link", {});
  const started = Date.now();
  await opened.goto(url);
  await opened.waitForURL(({ search }) => search === "");
  return (await opened.evaluate<number>("first.then((ms) => performance.timeOrigin + ms)")) - started;
}

async function sortings(opened: Page): Promise<[string, number][]> {
  const measured: [string, number][] = [];
  for (const column of COLUMNS) {
    measured.push([`grants by ${column}`, await opened.evaluate<number>(`sorted(${JSON.stringify(column)})`)]);
  }
  return measured;
}

/** From sending an agent's call to its card on an open page, with its difference or its coloured words, both by this machine's clock. */
async function toCard(browser: Browser, { home, operator }: PageGate): Promise<Figure[]> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 680 } });
  const opened = await context.newPage();
  await opened.addInitScript(WATCHER);
  await openByLink(opened, operator);
  const client = await greeted(home.paths.agent_socket, home.token);
  const times: { kind: string; took: number }[] = [];
  for (let round = 0; round < CARDS + WARM_UP; round++) {
    const appeared = opened.evaluate<number>(`shown("[data-deny]").then(() => Date.now())`);
    // The page starts to watch before the agent asks.
    await opened.evaluate("0");
    const started = Date.now();
    const { data } = await client.ask(askedMessage(round, home.home));
    const took = (await appeared) - started;
    const removed = opened.evaluate(`removed("[data-deny]")`);
    const { token } = data.pending as { token: string };
    await client.ask({ type: "tool.cancel", data: { id: `x${round}`, token, reason: "measured" } });
    await removed;
    if (round >= WARM_UP) times.push({ kind: ASKED_KINDS[round % ASKED_KINDS.length] ?? "", took });
  }
  client.close();
  await context.close();
  const all = times.map(({ took }) => took);
  const kinds = ASKED_KINDS.map((name) => {
    const own = times.filter(({ kind }) => kind === name).map(({ took }) => took);
    return `${name} ${median(own).toFixed(0)} ms`;
  });
  return [
    figure("call to card, drawn: median", median(all), "ms", MAX_CARD_MS, kinds.join(", ")),
    figure("call to card, drawn: p95", quantile(all, 0.95), "ms", MAX_CARD_MS, `of ${all.length}`),
  ];
}

/** Runs in the page: milliseconds until an element is there and drawn, since navigation began or since the view was opened. */
const WATCHER = `
  const until = (holds, what) => new Promise((resolve, reject) => {
    if (holds()) return resolve();
    const late = setTimeout(() => reject(new Error("it was never there: " + what)), ${MAX_WAIT_MS});
    const observer = new MutationObserver(() => {
      if (!holds()) return;
      clearTimeout(late);
      observer.disconnect();
      resolve();
    });
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
  });
  // A task after the next frame: what is there has been laid out and drawn.
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  globalThis.shown = async (selector) => {
    await until(() => document.querySelector(selector) !== null, selector);
    await drawn();
    return performance.now();
  };
  globalThis.first = shown(${JSON.stringify(FIRST?.shows)});
  globalThis.removed = (selector) => until(() => document.querySelector(selector) === null, "without " + selector);
  globalThis.visited = async (view, selector) => {
    const heading = document.querySelector("main .place");
    const started = performance.now();
    location.hash = "#/" + view;
    const is_within = view.includes("/");
    await until(() => (is_within || !heading?.isConnected) && document.querySelector(selector) !== null, view + " " + selector);
    await drawn();
    return performance.now() - started;
  };
  globalThis.sorted = async (column) => {
    const head = document.querySelector("[role=columnheader]." + column);
    const before = document.querySelector(".grant-row [role=cell].target")?.textContent;
    const started = performance.now();
    head.querySelector("button").click();
    await until(() => head.ariaSort !== "none" && document.querySelector(".grant-row [role=cell].target")?.textContent !== before, "sorted by " + column);
    await drawn();
    return performance.now() - started;
  };
`;

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runGate, startServe } from "../../support/gate-process.ts";
import { BOT_NAME, BOT_TOKEN, telegramServer } from "../../support/telegram-server.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

/** Runs in the gate's process before it: adds the address of each module to the file that LOADED names. */
const RECORD_LOADED = `
  import { appendFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      appendFileSync(process.env.LOADED, url + "\\n");
      return next(url, context);
    },
  });`;

/** Starts the built gate in this home. `loaded` gives the files that it has loaded so far. */
async function startRecorded(home: TemporaryHome, env: NodeJS.ProcessEnv = {}) {
  const LOADED = join(home.home, "loaded");
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(RECORD_LOADED)}`;
  const gate = await startServe(home, ["--no-notifications"], { LOADED, NODE_OPTIONS, ...env });
  const loaded = () =>
    [...new Set(readFileSync(LOADED, "utf8").trimEnd().split("\n"))]
      .filter((url) => url.startsWith("file:"))
      .map((url) => fileURLToPath(url));
  return { gate, loaded };
}

const holdsGrammy = (file: string) => /\bGrammyError\b/.test(readFileSync(file, "utf8"));
const isBuilt = (file: string) => /\/dist\/cli\/serve\.js$/.test(file);
/** Packages that the bundle doesn't hold, but for the one with a library of the system's kind. */
const isPackage = (file: string) => /\/node_modules\/(?!better-sqlite3\/)/.test(file);

it("a gate without [telegram] loads nothing of Telegram's channel", async () => {
  const home = temporaryHome();
  const { gate, loaded } = await startRecorded(home);
  expect((await runGate(home, ["telegram", "status"])).lines).toEqual([
    { bot: null, linked: null, link_expires_at: null, claim: null },
  ]);
  expect(await gate.end("SIGTERM")).toBe(0);
  expect(loaded().some(isBuilt)).toBe(true);
  expect(loaded().filter(holdsGrammy)).toEqual([]);
});

it("with [telegram] the built command loads it when it starts, with all that it needs, and reaches the bot", async () => {
  const server = await telegramServer();
  const home = temporaryHome(`[telegram]\ntoken_env = "BOT_TOKEN"\napi_url = "${server.url}"\n`);
  const { gate, loaded } = await startRecorded(home, { BOT_TOKEN });
  await server.until(() => server.count("getUpdates") > 0);
  expect((await runGate(home, ["telegram", "status"])).lines).toMatchObject([{ bot: BOT_NAME, linked: null }]);
  expect(await gate.end("SIGTERM")).toBe(0);
  expect(loaded().some(isBuilt)).toBe(true);
  expect(loaded().filter(holdsGrammy)).toHaveLength(1);
  expect(loaded().filter(isPackage)).toEqual([]);
  expect(gate.stdout + gate.stderr).not.toContain(BOT_TOKEN.slice(10));
});

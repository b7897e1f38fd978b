import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { OperatorEvent } from "../../../ipc/contract/operator-api.ts";
import { hasLostTerminal } from "../../../main/core/open-gate.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Codex runs its turns in a daemon. Here that is a shell; what its terminal shows is another one, by the name of codex. */

const WAITS = "read x; exit";
const HINT = "Codex continues without its terminal";

function started(program: string, words: readonly string[], home: string): ChildProcess {
  const child = spawn(program, words, { env: { HOME: home, PATH: "/usr/bin:/bin" } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const hasTerminals = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
if (!hasTerminals) console.log("Codex's terminal is not tested: there is no script, or no /proc");

it.skipIf(!hasTerminals)("a card of Codex's says so once no terminal of its home is left to its daemon", async () => {
  const home = tempFolder();
  const codex = join(home, "codex");
  copyFileSync(realpathSync("/bin/sh"), codex);
  const { pid: daemon = 0 } = started("/bin/sh", ["-c", WAITS, "sh", "app-server", "--managed-daemon"], home);
  const terminal = started("script", ["-qfec", `exec '${codex}' -c '${WAITS}'`, "/dev/null"], home);
  await expect.poll(() => hasLostTerminal(daemon)).toBe(false);
  const gate = await startGate();
  const agent = await gate.agent("codex");
  const shown: boolean[] = [];
  const note = ({ type, data }: OperatorEvent) => {
    if (type === "approval.waiting") shown.push(data.card.lines.includes(HINT));
  };
  onTestFinished(gate.operator.subscribe(note, ["approval.waiting"]));
  const context = { session: "s", client_pid: daemon };
  await agent.ask({ intent: "", executor: "Bash", args: { command: "touch a" }, context });
  const [token = ""] = await gate.waiting();
  const { hints, card } = await gate.request(token);
  expect([hints, card.lines.join()]).toEqual([[], expect.not.stringContaining(HINT)]);
  terminal.kill("SIGKILL");
  await expect.poll(async () => (await gate.request(token)).hints).toEqual([HINT]);
  expect(shown).toEqual([false, true]);
});

it("no other process is taken for such a daemon, nor one that has ended", async () => {
  const { pid = 0 } = started("/bin/sh", ["-c", WAITS, "sh", "app-server"], tempFolder());
  expect(await Promise.all([hasLostTerminal(pid), hasLostTerminal(process.pid), hasLostTerminal(2 ** 30)])).toEqual([
    false,
    false,
    false,
  ]);
});

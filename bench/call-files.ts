import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import { Coverage, type Entered } from "./call-files/coverage.ts";
import { type Figure, figure } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { greeted } from "./round-trip.ts";

/** How many files and functions of the gate's process one asked and answered command enters: what its reader has to know. */

const ROOT = new URL("../", import.meta.url).href;
const LAUNCHER = fileURLToPath(new URL("call-files/source-gate.ts", import.meta.url));
/** What a gate does by itself is over, or repeats itself, within that. */
const IDLE_MS = 2500;
/** What follows an answer (records, what is published) is over by then. */
const AFTER_MS = 500;

interface AskedCall {
  asked: Entered;
  answered: Entered;
}

/** `git push` by a paired agent in a gate from its sources; what ran without any call isn't counted. */
export async function askedCall(): Promise<AskedCall> {
  const home = benchHome([]);
  let coverage: Promise<Coverage> | undefined;
  const gate = await startGate(home, ["--no-notifications"], {
    launcher: LAUNCHER,
    nodeFlags: ["--inspect=127.0.0.1:0"],
    spawned: (child) => {
      coverage = Coverage.of(child, ROOT);
      coverage.catch(() => undefined);
    },
  });
  try {
    const looks = await coverage;
    if (looks === undefined) throw new Error("no gate was started");
    const client = await greeted(home.paths.agent_socket, home.token);
    const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
    const call = (id: string) => ({
      type: "tool.call",
      data: { id, intent: "", executor: "shell_exec", args: { command: "git push" }, context: { cwd: home.home } },
    });
    const answer = async (data: Record<string, unknown>) => {
      const { token } = data.pending as { token: string };
      const final = new Promise<void>((resolve) => client.listen(() => resolve()));
      await operator.call("approvals.resolve", { token, decision: "approved" });
      await final;
      await wait(AFTER_MS);
    };
    // What is loaded late is loaded by then.
    await answer((await client.ask(call("first"))).data);
    await looks.entered();
    await wait(IDLE_MS);
    const idle = await looks.entered();
    const without = (entered: Entered) => new Set([...entered].filter((each) => !idle.has(each)));
    const { data } = await client.ask(call("second"));
    await wait(AFTER_MS);
    const asked = without(await looks.entered());
    await answer(data);
    const answered = without(await looks.entered());
    looks.close();
    return { asked, answered };
  } finally {
    await gate.kill();
    home.remove();
  }
}

export const filesOf = (entered: Entered): Set<string> =>
  new Set([...entered].map((each) => each.slice(0, each.lastIndexOf(":"))));

export async function callFiles(): Promise<Figure[]> {
  const { asked, answered } = await askedCall();
  const both = new Set([...asked, ...answered]);
  const row = (name: string, entered: Entered, limit: number | null) =>
    figure(name, filesOf(entered).size, "files", limit, `${entered.size} functions`);
  return [
    row("a command that is asked about", asked, null),
    row("its answer", answered, null),
    row("both together", both, 140),
  ];
}

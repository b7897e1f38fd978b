import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gatePaths } from "../ipc/base/paths.ts";
import { GateClient, type ProposedCall } from "../ipc/client.ts";
import { serveGate } from "../main/serve.ts";
import { startPretendJudges } from "./pretend-judges.ts";

/** A waiting request shall still wait after lunch, in seconds. */
const CONFIG = "[approvals]\nttl_seconds = 86400\n";
/** An answered request of the demo agent is asked anew after this, in milliseconds. */
const AGAIN_MS = 5000;

export interface DemoGate {
  /** A link to the gate's own page, for one use. */
  link: URL;
  /** A folder that is removed with the gate. */
  folder: string;
  close(): Promise<void>;
}

/**
 * A gate with the page and with judges, in a home that is removed when it closes, and one paired agent with some requests that wait.
 * @throws GateError as `serveGate` does
 */
export async function startDemoGate(): Promise<DemoGate> {
  const folder = mkdtempSync(join(tmpdir(), "metnos-dev-"));
  const judges = await startPretendJudges();
  const remove = async () => {
    await judges.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const env = { HOME: folder, PATH: process.env.PATH ?? "" };
    const paths = gatePaths(env);
    mkdirSync(dirname(paths.configFile), { recursive: true });
    writeFileSync(paths.configFile, CONFIG + judges.toml);
    const gate = await serveGate({ env, web: true, notifications: false });
    const { token_file } = await gate.operator.call("agents.pair", { name: "demo-agent", level: "Supervised" });
    const token = readFileSync(token_file, "utf8").trim();
    const agent = new GateClient({ name: "demo-agent", token, socket: paths.agent_socket });
    await agent.connect();
    const ending = new AbortController();
    const asking = demoCalls(folder).map((call) => askAgain(agent, call, ending.signal));
    const { url } = await gate.operator.call("web.link", {});
    return {
      link: new URL(url),
      folder,
      async close() {
        ending.abort();
        agent.close();
        await Promise.allSettled(asking);
        await gate.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Some that wait for an answer, one that is judged for a while first, one that is allowed at once, one that a judge refuses and one that is never allowed. */
function demoCalls(folder: string): ProposedCall[] {
  const project = join(folder, "project");
  mkdirSync(project);
  const context = { cwd: project };
  return [
    {
      executor: "fs_write",
      args: { path: join(project, "notes.md"), content: "# Notes\n" },
      intent: "take notes",
      context,
    },
    { executor: "shell_exec", args: { command: "npm install left-pad" }, intent: "install a package", context },
    { executor: "http_get", args: { url: "https://example.com/feed.xml" }, intent: "read the news", context },
    { executor: "time_now", args: {}, intent: "know the time", context },
    {
      executor: "shell_exec",
      args: { command: "git push --force origin main" },
      intent: "publish the branch",
      context,
    },
    { executor: "shell_exec", args: { command: "rm -rf /" }, intent: "clean up", context },
  ];
}

/** Asks; where it was answered by the user, asks again a little later, so that the page doesn't run empty. Ends with `signal`. */
async function askAgain(agent: GateClient, call: ProposedCall, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { status } = await agent.call(call, { signal });
    if (status === undefined) return;
    await delay(AGAIN_MS, undefined, { signal });
  }
}

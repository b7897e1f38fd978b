import { createInterface } from "node:readline";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import { BoxService } from "../../../main/box/service/box-service.ts";
import { configSchema } from "../../../main/config/config.ts";

/**
 * A gate's box in a process of its own, so that it can run as another user and be killed: a line of JSON in, one out.
 * Its first argument is the state folder, its second the `[box]` settings.
 */

const [stateDir = "", settings = "{}"] = process.argv.slice(2);
// Whether another user can read all of this.
if (stateDir === "--look") process.exit(0);
const paused: string[] = [];
const failures: string[] = [];
const service = new BoxService({
  paths: { state_dir: stateDir },
  home: process.env.HOME ?? "/",
  env: process.env,
  config: configSchema.parse({ box: JSON.parse(settings) }).box,
  clock: systemClock,
  alarms: { raise: () => undefined },
  audit: { append: () => undefined },
  agent_pauses: {
    begin(agentId) {
      paused.push(agentId);
      return { agent_id: agentId, since: "", until: null };
    },
  },
  stateOf: () => ({ level: "Supervised", stopped: null }),
  agents: () => [],
  gateFolders: [],
  failed: (what, error) => failures.push(`${what}: ${String(error)}`),
});
await service.ready;

interface Asked {
  method: "prepare" | "after" | "status";
  project: string;
  cwd: string;
  line: string;
  agent: string;
  call: string;
}

function answer({ method, project, cwd, line, agent, call }: Asked): unknown {
  if (method === "status") return service.status();
  if (method === "after") {
    const { confined } = service.ran(agent, call);
    return { confined, wasBypassed: paused.splice(0).length > 0, failures: failures.splice(0) };
  }
  return service.prepare({
    declaration: { project, cwd, reads: [], writes: [], network: false },
    line,
    agent_id: agent,
    agent_name: agent,
    session: "s",
    call_hash: "0".repeat(64),
    call_id: call,
  });
}

for await (const text of createInterface({ input: process.stdin })) {
  let said: unknown;
  try {
    said = answer(JSON.parse(text) as Asked);
  } catch (error) {
    said = { error: error instanceof GateError ? error.code : String(error) };
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
service.close();

import { join } from "node:path";
import { systemClock } from "../../main/base/clocks/system-clock.ts";
import { BoxService } from "../../main/box/service/box-service.ts";
import { configSchema } from "../../main/config/config.ts";

/**
 * `node other-gate.ts FOLDER LINE [DECLARATION]`: the box of a gate, until it is killed. Prints the words that start LINE in FOLDER/project,
 * with what its declaration has beside that.
 */

const [folder = "", line = "", more = "{}"] = process.argv.slice(2);
const home = join(folder, "home");
const box = new BoxService({
  paths: { state_dir: join(folder, "state") },
  home,
  env: { HOME: home, PATH: process.env.PATH },
  config: configSchema.parse({}).box,
  clock: systemClock,
  alarms: { raise: () => undefined },
  audit: { append: () => undefined },
  agent_pauses: { begin: (agentId) => ({ agent_id: agentId, since: "", until: null }) },
  stateOf: () => ({ level: "Supervised", stopped: null }),
  agents: () => [],
  gateFolders: [],
  failed: (what, error) => console.error(what, error),
});
await box.ready;
const project = join(folder, "project");
const { argv } = box.prepare({
  declaration: { project, cwd: project, reads: [], writes: [], network: false, ...JSON.parse(more) },
  line,
  agent_id: "agent-1",
  agent_name: "tester",
  session: "s",
  call_hash: "",
  call_id: undefined,
});
console.log(JSON.stringify(argv));
setInterval(() => undefined, 60_000);

import { mkdirSync } from "node:fs";
import { makerAt, ownMaker } from "../../../main/box/maker.ts";
import { configSchema } from "../../../main/config/config.ts";
import { openJudgeAgents } from "../../../main/judges/agents/judge-agents.ts";

/** A process of its own that holds a judge agent, to be killed: its folder and the judge's program are its arguments. */

const [folder = "", program = ""] = process.argv.slice(2);
const config = configSchema.parse({ judge_agents: { agent: { kind: "command", command: [program] } } });
for (const name of ["home", "state", "project"]) mkdirSync(`${folder}/${name}`, { recursive: true });
const agents = openJudgeAgents(config, {
  models: new Map(),
  box: config.box,
  home: `${folder}/home`,
  env: { PATH: process.env.PATH },
  state_dir: `${folder}/state`,
  gateFolders: [],
  failed: () => process.exit(3),
  // As of one that has run before: what is killed is the judge's box alone.
  probe: () =>
    Promise.resolve({
      problem: null,
      detail: "",
      fix: null,
      maker: ownMaker(`${folder}/state/box`) ?? makerAt("/usr/bin/bwrap", "bubblewrap"),
    }),
});
setInterval(() => undefined, 1000);
console.log("begins");
await agents
  .get("agent")
  ?.judge({}, { cwd: `${folder}/project`, agent_name: "w" }, new AbortController().signal)
  .catch(() => undefined);
console.log("ended");
process.exit();

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Env, homeFolder } from "../../ipc/paths.ts";
import { hookProgram, launcherFile } from "../hook/launcher.ts";
import { launcherText } from "../hook/launcher-text.ts";

/** The gate's hook inside an agent's box: at the path that the client's settings name, with what the box has of the gate. */

/** Where the box has the gate's things (main/box/network/relay.ts, main/box/agent-runs/agent-way.ts). */
const FOLDER = "/run/metnos-gate";

export interface BoxFile {
  source: string;
  at: string;
}

/** Writes the launcher for boxes, the same for each run. @throws GateError `hook_unusable`; the system's error */
export function boxHook(env: Env): BoxFile[] {
  const program = hookProgram(env);
  const at = launcherFile(env);
  const source = join(dirname(at), "boxed-launcher");
  const text = launcherText({
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: homeFolder(env), METNOS_GATE_SOCKET: `${FOLDER}/gate.sock` },
    program: { nodes: [`${FOLDER}/node`], scripts: [`${FOLDER}/hook/hook.cjs`] },
    token_file: `${FOLDER}/token`,
  });
  mkdirSync(dirname(source), { recursive: true, mode: 0o700 });
  const made = `${source}.new`;
  rmSync(made, { force: true });
  writeFileSync(made, text, { mode: 0o700, flag: "wx" });
  renameSync(made, source);
  return [
    { source, at },
    { source: program, at: `${FOLDER}/hook` },
  ];
}

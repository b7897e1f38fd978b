import type { Env } from "../../ipc/base/paths.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import type { AgentView } from "../../ipc/contract/operator-api.ts";
import { programOnPath } from "../../main/agents/agents-on-path.ts";
import type { Column } from "../table.ts";
import { allAdapters } from "./adapters.ts";

/** What is here of the clients that the gate can be put in front of: `connect` without a name. */

export interface InstalledAgent {
  agent: string;
  title: string;
  /** The program's file; null where it isn't on PATH. */
  program: string | null;
  /** Null where it isn't paired. */
  level: Level | null;
  /** The gate is asked before each of its tools in this folder. */
  is_connected: boolean;
  /** Why not, in one sentence; null where it is, and where it isn't installed. */
  problem: string | null;
}

export interface InstalledOptions {
  cwd: string;
  env: Env;
  answer_seconds: number;
  agents: readonly AgentView[];
}

/** Asks each client that is installed and paired, as `doctor` does. */
export async function installedAgents({ agents, ...context }: InstalledOptions): Promise<InstalledAgent[]> {
  const adapters = await allAdapters();
  return await Promise.all(
    adapters.map(async ({ name, title, program, checks }) => {
      const file = programOnPath(program, context.env.PATH) ?? null;
      const level = agents.find((agent) => agent.name === name && agent.revoked_at === null)?.level ?? null;
      const row = { agent: name, title, program: file, level };
      if (file === null) return { ...row, is_connected: false, problem: null };
      if (level === null) return { ...row, is_connected: false, problem: "not paired" };
      const failed = (await checks({ ...context, client: file })).find(({ ok }) => !ok);
      return { ...row, is_connected: failed === undefined, problem: failed?.detail ?? null };
    }),
  );
}

export function installedColumns(): Column<InstalledAgent>[] {
  return [
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "PROGRAM", text: ({ program }) => visible(program ?? "not installed"), shrinks_to: 16 },
    { title: "LEVEL", text: ({ level }) => level ?? "" },
    { title: "CONNECTED", text: ({ is_connected }) => (is_connected ? "yes" : "no") },
    { title: "WHY", text: ({ problem }) => problem ?? "", shrinks_to: 24 },
  ];
}

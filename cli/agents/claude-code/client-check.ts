import { realpathSync } from "node:fs";
import { ownCommand } from "../../../ipc/own-command.ts";
import { type Env, gatePaths } from "../../../ipc/paths.ts";
import { isUnchanged, type TestedClient, testedClients } from "../../../ipc/tested-clients.ts";
import { programOnPath } from "../../../main/operator/agents-on-path.ts";
import type { Check } from "../../check.ts";
import { testClient } from "./client-test/client-test.ts";

/** Whether the user's Claude Code is one whose calls can be confined: from the record, or by testing it. */

export interface ClientState {
  client: TestedClient | undefined;
  detail: string;
}

const AGENT = "claude-code";

export interface ClientCheck {
  /** The client's program; undefined: what PATH has under the name `claude`. */
  client: string | undefined;
  /** Tests a client that is on record, too. */
  anew: boolean;
  env?: Env;
}

/** Never rejects. */
export async function checkClient({ client, anew, env = process.env }: ClientCheck): Promise<ClientState> {
  const program = client ?? programOnPath("claude", env.PATH);
  if (program === undefined) return { client: undefined, detail: "untested: there is no claude on PATH" };
  const known = anew ? undefined : recorded(program, env);
  const result = known === undefined ? await testClient(program, env) : { tested: known };
  if ("untested" in result) return { client: undefined, detail: `untested: ${result.untested} (${program})` };
  return { client: result.tested, detail: describe(result.tested) };
}

/** The test's result for this very file, if there was one. */
function recorded(program: string, env: Env): TestedClient | undefined {
  try {
    const file = realpathSync(program);
    return testedClients(gatePaths(env).state_dir, AGENT).find((client) => client.file === file && isUnchanged(client));
  } catch {
    return undefined; // it is not there: testing it will say so
  }
}

function describe({ version, file, passed, problem }: TestedClient): string {
  const name = `claude ${version}`.trim();
  return passed
    ? `${name} runs what it is given for a call, so its commands can be confined (${file})`
    : `the commands of ${name} can't be confined: ${problem} (${file})`;
}

/** `doctor`'s check: which client was tested, and those on record that are not what they were then. Tests what PATH has where it isn't on record. */
export async function clientCheck(client: string | undefined): Promise<Check> {
  const { client: tested, detail } = await checkClient({ client, anew: false });
  const changed = testedClients(gatePaths(process.env).state_dir, AGENT).filter((known) => !isUnchanged(known));
  const since = changed.map(({ version, file }) => `; changed or gone since its test: claude ${version} (${file})`);
  const ok = tested?.passed !== false;
  const fix = ok ? {} : { fix: `update Claude Code, then: ${ownCommand("connect claude-code")}` };
  return { check: "claude-code client", ok, detail: `${detail}${since.join("")}`, ...fix };
}

import { existsSync } from "node:fs";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { type Env, gatePaths } from "../../ipc/base/paths.ts";
import { isUnchanged, type TestedClient, testedClient, testedClients } from "../../ipc/base/tested-clients.ts";
import { programOnPath } from "../../main/agents/agents-on-path.ts";
import type { Check } from "../check.ts";
import { launcherFile } from "../hook/launcher.ts";
import type { Adapter, CheckContext } from "./adapter.ts";
import { testClient } from "./client-test/client-test.ts";

/** Whether the user's client is one whose calls can be confined: from the record, or by testing it. */

export interface ClientState {
  client: TestedClient | undefined;
  detail: string;
}

type About = Pick<Adapter, "name" | "title" | "program">;

export interface ClientCheck {
  adapter: About;
  /** The client's program; undefined: what PATH has under its name. */
  client: string | undefined;
  /** Tests a client that is on record, too. */
  anew: boolean;
  env?: Env;
}

/** Never rejects. */
export async function checkClient({ adapter, client, anew, env = process.env }: ClientCheck): Promise<ClientState> {
  const program = client ?? programOnPath(adapter.program, env.PATH);
  if (program === undefined) return { client: undefined, detail: `untested: there is no ${adapter.program} on PATH` };
  const known = anew ? undefined : testedClient(gatePaths(env).state_dir, adapter.name, program);
  const result = known === undefined ? await testClient(adapter.name, program, env) : { tested: known };
  if ("untested" in result) return { client: undefined, detail: `untested: ${result.untested} (${program})` };
  return { client: result.tested, detail: describe(adapter, result.tested) };
}

function describe({ program }: About, { version, file, passed, problem }: TestedClient): string {
  const name = `${program} ${version}`.trim();
  return passed
    ? `${name} runs what it is given for a call, so its commands can be confined (${file})`
    : `the commands of ${name} can't be confined: ${problem} (${file})`;
}

/** What `connect` says of it, having tested it. */
export async function clientNote(adapter: About, client: string | undefined): Promise<string> {
  const { detail } = await checkClient({ adapter, client, anew: true });
  return `confined commands: ${detail}`;
}

/** The checks of a hook, and that of the client: before it is connected there is nothing to test it with. */
export async function withClientCheck(
  adapter: About,
  { env, client }: CheckContext,
  checks: readonly Check[],
  isConnected = existsSync(launcherFile(env)),
): Promise<Check[]> {
  return isConnected ? [...checks, await clientCheck(adapter, client)] : [...checks];
}

/** Which client was tested, and those on record that are not what they were then. Tests what PATH has where it isn't on record. */
async function clientCheck(adapter: About, client: string | undefined): Promise<Check> {
  const { name, title, program } = adapter;
  const { client: tested, detail } = await checkClient({ adapter, client, anew: false });
  const changed = testedClients(gatePaths(process.env).state_dir, name).filter((known) => !isUnchanged(known));
  const since = changed.map(
    ({ version, file }) => `; changed or gone since its test: ${`${program} ${version}`.trim()} (${file})`,
  );
  const ok = tested?.passed !== false;
  const fix = ok ? {} : { fix: `update ${title}, then: ${ownCommand(`connect ${name}`)}` };
  return { check: `${name} client`, ok, detail: `${detail}${since.join("")}`, ...fix };
}

import { existsSync, realpathSync, statSync } from "node:fs";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { agentTokenFile, type Env, gatePaths } from "../../ipc/base/paths.ts";
import { recordTestedClient, type TestedClient, testedClient, testedClients } from "../../ipc/base/tested-clients.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import { programOnPath } from "../../main/agents/agents-on-path.ts";
import type { Adapter, AdapterName } from "../agents/adapter.ts";
import { allAdapters } from "../agents/adapters.ts";
import type { Check } from "../check.ts";
import { momentText } from "../times.ts";
import { programVersion } from "./program-version.ts";
import { TestPlace } from "./test-place.ts";

/** When each client last passed the self-test, and whether it is still that client. */

interface Options {
  env: Env;
  /** Claude Code's program; left out, the one on PATH. */
  client?: string | undefined;
}

interface Result {
  env: Env;
  name: AdapterName;
  /** What was started. */
  program: string;
  version: string;
  /** What it did wrong, in one sentence; null where it passed. */
  problem: string | null;
}

/** The name of a client's check. */
export const selfTestName = (name: AdapterName): string => `self-test ${name}`;

/** `client` is Claude Code's program. */
export function optionsFor<T extends Options>({ name }: Adapter, options: T): T {
  return name === "claude-code" ? options : { ...options, client: undefined };
}

/** Keeps the result for that very file. @throws the system's error if it can't be read or written */
export function recordSelfTest({ env, name, program, version, problem }: Result): void {
  const { state_dir } = gatePaths(env);
  const testedAt = new Date().toISOString();
  const result = { version, tested_at: testedAt, passed: problem === null, problem };
  recordTestedClient(state_dir, name, { ...identityOf(program, name, state_dir), ...result }, "asking");
}

/** The file that such a client runs as, where that is known; otherwise what was started. */
function identityOf(program: string, name: AdapterName, stateDir: string) {
  const known = testedClient(stateDir, name, program);
  if (known !== undefined) {
    const { file, size, mtime_ms, started } = known;
    return { file, size, mtime_ms, ...(started === undefined ? {} : { started }) };
  }
  const file = realpathSync(program);
  const { size, mtimeMs } = statSync(file);
  return { file, size, mtime_ms: mtimeMs };
}

/** `doctor`'s checks: when the clients that are installed and connected last passed it, and which of them have changed since. */
export async function recordedSelfTests(options: Options): Promise<Check[]> {
  const checks = (await allAdapters()).map((adapter) => recordedSelfTest(adapter, optionsFor(adapter, options)));
  return (await Promise.all(checks)).filter((check) => check !== undefined);
}

async function recordedSelfTest(adapter: Adapter, { env, client }: Options): Promise<Check | undefined> {
  const { name } = adapter;
  const program = client ?? programOnPath(adapter.program, env.PATH);
  const paths = gatePaths(env);
  if (program === undefined || !existsSync(program) || !existsSync(agentTokenFile(paths, name))) return undefined;
  const check = selfTestName(name);
  const fix = ownCommand("doctor --self-test");
  const found = testedClient(paths.state_dir, name, program, "asking");
  if (found?.passed === true)
    return { check, ok: true, detail: `passed ${moment(found)} (${titleOf(adapter, found.version)}, ${program})` };
  if (found !== undefined) {
    const detail = `failed ${moment(found)} (${titleOf(adapter, found.version)}, ${program}): ${found.problem}`;
    return { check, ok: false, detail, fix: `don't let it work before this is all right: ${fix}` };
  }
  const last = testedClients(paths.state_dir, name, "asking").find(({ passed }) => passed);
  const now = titleOf(adapter, await versionOf(program, env));
  const since =
    last === undefined
      ? "has not been tested here"
      : `is another program than the one that passed ${moment(last)} (${titleOf(adapter, last.version)})`;
  return { check, ok: true, detail: `${now} ${since}: ${program}`, fix };
}

const moment = ({ tested_at }: TestedClient): string => momentText(tested_at, Date.now());

const titleOf = ({ program }: Adapter, version: string): string => visible(`${program} ${version}`.trim());

/** In a home of its own. */
async function versionOf(program: string, env: Env): Promise<string> {
  const place = TestPlace.create(env);
  try {
    return await programVersion(program, place);
  } finally {
    place.remove();
  }
}

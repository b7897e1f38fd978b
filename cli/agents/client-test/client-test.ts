import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import { agentPaths, type Env } from "../../../ipc/base/paths.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { recordTestedClient, type TestedClient } from "../../../ipc/base/tested-clients.ts";
import { launcherFile } from "../../hook/launcher.ts";
import { pluginText } from "../../hook/opencode-plugin.ts";
import { runBounded } from "../../self-test/bounded-process.ts";
import { TestPlace } from "../../self-test/test-place.ts";
import { type PretendedModel, TESTED_CLIENTS } from "../../self-test/tested-clients.ts";
import type { AdapterName } from "../adapter.ts";
import { PLUGIN_NAME } from "../opencode/places.ts";
import { FAILS_WITH, LEFT, lineOf, TestFolder } from "./test-folder.ts";

/**
 * Whether a client runs what a hook gives it in a call's place, and nothing else: started in a folder of its own, with a pretended model on
 * loopback. None of the user's settings, keys or projects is in reach of it.
 */

export type ClientTestResult = { tested: TestedClient } | { untested: string };

/** Time that the client has for its two calls, in milliseconds: some take long to start where the machine is busy. */
const TIMEOUT_MS = 60_000;

interface Test {
  agent: AdapterName;
  confinable: ConfinableClient;
  place: TestPlace;
  folder: TestFolder;
  model: PretendedModel;
}

/** Tests the client and records the result. Never rejects. @param program the client's @param timeoutMs how long it may take, in milliseconds */
export async function testClient(
  agent: AdapterName,
  program: string,
  env: Env = process.env,
  timeoutMs = TIMEOUT_MS,
): Promise<ClientTestResult> {
  if (process.platform !== "linux") return { untested: "calls are confined on Linux only" };
  const confinable = CONFINABLE_CLIENTS[agent];
  if (confinable === undefined) return { untested: "its calls are never confined" };
  let place: TestPlace | undefined;
  try {
    place = TestPlace.create(env);
    const client = TESTED_CLIENTS[agent];
    const refused = await client.refusal?.(place);
    if (refused !== undefined) return { untested: refused };
    const folder = TestFolder.create(join(place.folder, "test"), join(place.project, "sub"));
    const model = await client.model(LEFT.map(lineOf));
    try {
      const test: Test = { agent, confinable, place, folder, model };
      return outcome(test, program, env, await run(test, program, launcherFile(env), timeoutMs));
    } finally {
      model.close();
    }
  } catch (error) {
    return { untested: error instanceof Error ? error.message : "the test failed" };
  } finally {
    place?.remove();
  }
}

/** Runs the client to its end. @returns why it didn't get there, or null */
async function run(
  { agent, confinable, place, folder, model }: Test,
  program: string,
  launcher: string,
  timeoutMs: number,
): Promise<string | null> {
  const client = TESTED_CLIENTS[agent];
  await client.prepare?.(place, program);
  const words = ["hook", agent, "client-test", folder.path];
  confinable.settle(place, { launcher, words, test_folder: folder.path });
  const { args, env } = client.start(model.url, place);
  const { problem } = await runBounded({
    argv: [program, ...(confinable.args ?? []), ...args],
    cwd: place.project,
    env: { ...place.env, ...env },
    timeoutMs,
  });
  return problem;
}

function outcome(test: Test, program: string, env: Env, ended: string | null): ClientTestResult {
  const found = programIn(test.folder.noted("before", 0));
  if (found === undefined)
    return { untested: ended ?? "it called no hook before a tool, or it isn't known which program did" };
  const problem = ended ?? problemIn(test);
  const version = test.model.version();
  const started = realpathSync(program);
  const about = started === found.file ? {} : { started };
  const testedAt = new Date().toISOString();
  const tested = { ...found, ...about, version, tested_at: testedAt, passed: problem === null, problem };
  recordTestedClient(agentPaths(env).state_dir, test.agent, tested);
  return { tested };
}

function programIn(noted: Json | undefined): Pick<TestedClient, "file" | "size" | "mtime_ms"> | undefined {
  const { file, size, mtime_ms } = noted ?? {};
  if (typeof file !== "string" || typeof size !== "number" || typeof mtime_ms !== "number") return undefined;
  return { file, size, mtime_ms };
}

/** What the client did wrong, or null. */
function problemIn({ confinable, place, folder, model }: Test): string | null {
  const { keepsFolder, tellsFailure, after } = confinable;
  const sub = join(place.project, "sub");
  for (const left of LEFT)
    for (const at of [place.project, sub, place.home])
      if (existsSync(join(at, left))) return "it ran a call itself instead of what it was given for it";
  const expected = ["0", place.project, "1", keepsFolder ? sub : place.project];
  if (folder.ran.length !== expected.length) return "it didn't run what it was given for a call";
  if (folder.ran.some((line, at) => line !== expected[at]))
    return keepsFolder
      ? "a call wasn't run in the folder that the one before had ended in"
      : "a call wasn't run in its project's folder";
  const failed = model.failed?.() ?? model.results().map((text) => text.includes(`code ${FAILS_WITH}`));
  if (tellsFailure && failed[1] !== true) return "it took a command that failed for one that didn't";
  for (const [call, event] of after.entries()) {
    const noted = folder.noted("after", call);
    if (noted?.hook_event_name !== event || !isObject(noted.tool_input))
      return `it called no hook after a call (${event})`;
    if (noted.tool_input.command === lineOf(String(LEFT[call]))) return "it doesn't say what it ran";
  }
  return null;
}

// How each client is made to call the test's hook, and what it then has to do.

interface TestHook {
  launcher: string;
  words: readonly string[];
  test_folder: string;
}

interface ConfinableClient {
  /** Writes the settings that have it call the hook before and after each tool. */
  settle(place: TestPlace, hook: TestHook): void;
  /** What it is started with besides. */
  args?: readonly string[];
  /** Each call runs in the folder that the one before has ended in. */
  keepsFolder: boolean;
  /** Its model learns that a command failed. */
  tellsFailure: boolean;
  /** The events after the call that succeeds, and after the one that fails. */
  after: readonly [string, string];
}

const line = ({ launcher, words }: TestHook): string => [launcher, ...words].map(shellQuoted).join(" ");

const CONFINABLE_CLIENTS: Readonly<Partial<Record<AdapterName, ConfinableClient>>> = {
  "claude-code": {
    settle(place, { launcher, words }) {
      const group = [{ matcher: "*", hooks: [{ type: "command", command: launcher, args: words, timeout: 15 }] }];
      const hooks = { PreToolUse: group, PostToolUse: group, PostToolUseFailure: group };
      place.write(".claude/settings.json", { hooks });
    },
    keepsFolder: true,
    tellsFailure: true,
    after: ["PostToolUse", "PostToolUseFailure"],
  },
  codex: {
    settle(place, hook) {
      const group = [{ matcher: "*", hooks: [{ type: "command", command: line(hook), timeout: 15 }] }];
      place.write(".codex/hooks.json", { hooks: { PreToolUse: group, PostToolUse: group } });
    },
    // It calls no other hook than one that its user trusts: this home has no user.
    args: ["--dangerously-bypass-hook-trust"],
    keepsFolder: false,
    tellsFailure: true,
    after: ["PostToolUse", "PostToolUse"],
  },
  gemini: {
    settle(place, hook) {
      const hooks = [{ type: "command", command: line(hook), timeout: 15_000 }];
      const group = [{ matcher: "*", hooks }];
      place.write("project/.gemini/settings.json", { hooks: { BeforeTool: group, AfterTool: group } });
    },
    keepsFolder: false,
    tellsFailure: true,
    after: ["AfterTool", "AfterTool"],
  },
  opencode: {
    settle: (place, { test_folder }) =>
      place.write(`.config/opencode/plugin/${PLUGIN_NAME}`, pluginText(place.env, 1, test_folder)),
    keepsFolder: false,
    // Its user alone sees the exit code.
    tellsFailure: false,
    after: ["tool.execute.after", "tool.execute.after"],
  },
};

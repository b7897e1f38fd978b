import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isConfinedCommand } from "../../../../ipc/confined-command.ts";
import { agentPaths, type Env } from "../../../../ipc/paths.ts";
import { recordTestedClient, type TestedClient } from "../../../../ipc/tested-clients.ts";
import { launcherFile } from "../../../hook/launcher.ts";
import type { Json } from "../../../json-object.ts";
import { isObject } from "../../../json-object.ts";
import { MessagesApi } from "../../pretended-model/messages-api.ts";
import { settingsSources } from "../effective-settings.ts";
import { CALLS, TestFolder } from "./test-folder.ts";

/**
 * Whether a Claude Code runs what a hook gives it in a call's place, and nothing else: started in a folder of its own, with a pretended model on
 * loopback. None of the user's settings, keys or projects is in reach of it.
 */

export type ClientTestResult = { tested: TestedClient } | { untested: string };

/** Time that the client has for its two calls, in milliseconds. */
const TIMEOUT_MS = 20_000;
const AGENT = "claude-code";

/** Tests the client and records the result. Never rejects. @param client its program @param timeout_ms how long it may take, in milliseconds */
export async function testClient(
  client: string,
  env: Env = process.env,
  timeout_ms = TIMEOUT_MS,
): Promise<ClientTestResult> {
  if (process.platform !== "linux") return { untested: "calls are confined on Linux only" };
  const folder = TestFolder.create();
  try {
    if (isRedirected(folder.project, env))
      return {
        untested:
          "an administrator's settings say where Claude Code connects to, so it would not be alone with the test",
      };
    const api = await MessagesApi.start(
      CALLS.map(({ left }) => ({ name: "Bash", input: { command: `touch ${left}`, description: "a test" } })),
    );
    try {
      settle(folder, launcherFile(env));
      const problem = await run(client, folder, clientEnv(folder, api.url, env), timeout_ms);
      return outcome(folder, api, env, problem);
    } finally {
      api.close();
    }
  } catch (error) {
    return { untested: error instanceof Error ? error.message : "the test failed" };
  } finally {
    folder.remove();
  }
}

/** Managed settings hold for a client in the test, too: their variables and programs could give it another place to connect to, and a key. */
export function isRedirected(cwd: string, env: Env): boolean {
  return settingsSources({ cwd, env }).some(
    ({ kind, settings }) =>
      kind === "managed" && Object.keys(settings ?? {}).some((key) => /^env$|helper|refresh|export|login/i.test(key)),
  );
}

function settle(folder: TestFolder, launcher: string): void {
  const command = {
    type: "command",
    command: launcher,
    args: ["hook", AGENT, "client-test", folder.path],
    timeout: 15,
  };
  const group = [{ matcher: "*", hooks: [command] }];
  const hooks = { PreToolUse: group, PostToolUse: group, PostToolUseFailure: group };
  writeFileSync(join(folder.config, "settings.json"), JSON.stringify({ hooks }));
}

/** Runs the client to its end. @returns why it didn't get there, or undefined */
function run(
  client: string,
  folder: TestFolder,
  env: NodeJS.ProcessEnv,
  timeout_ms: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(client, ["-p", "go"], {
      cwd: folder.project,
      detached: true,
      stdio: ["ignore", "ignore", "ignore"],
      env,
    });
    const end = (problem?: string) => {
      clearTimeout(timer);
      killGroup(child.pid);
      resolve(problem);
    };
    const timer = setTimeout(() => end(`it didn't end within ${timeout_ms / 1000} s`), timeout_ms);
    child.once("error", (error) => end(`it can't be started: ${error.message}`));
    child.once("exit", (code) => end(code === 0 ? undefined : `it ended with ${code ?? "a signal"}`));
  });
}

/** No variable of the user's but these: their keys and proxies stay with them. */
function clientEnv(folder: TestFolder, url: string, { PATH, LANG, SHELL, TERM }: Env): NodeJS.ProcessEnv {
  return {
    PATH,
    LANG,
    SHELL,
    TERM,
    HOME: folder.home,
    CLAUDE_CONFIG_DIR: folder.config,
    CLAUDE_CODE_TMPDIR: folder.path,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-test",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    NO_PROXY: "*",
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function outcome(folder: TestFolder, api: MessagesApi, env: Env, ended: string | undefined): ClientTestResult {
  const program = programIn(folder.noted("before", CALLS[0].id));
  if (program === undefined)
    return { untested: ended ?? "it called no hook before a tool, or it isn't known which program did" };
  const problem = ended ?? problemIn(folder, api);
  const version = /^claude-cli\/([\w.-]{1,32})/.exec(api.user_agent)?.[1] ?? "";
  const tested_at = new Date().toISOString();
  const tested = { ...program, version, tested_at, passed: problem === null, problem };
  recordTestedClient(agentPaths(env).state_dir, AGENT, tested);
  return { tested };
}

function programIn(noted: Json | undefined): Pick<TestedClient, "file" | "size" | "mtime_ms"> | undefined {
  const { file, size, mtime_ms } = noted ?? {};
  if (typeof file !== "string" || typeof size !== "number" || typeof mtime_ms !== "number") return undefined;
  return { file, size, mtime_ms };
}

/** What the client did wrong, or null. */
function problemIn(folder: TestFolder, api: MessagesApi): string | null {
  const [first, second] = CALLS;
  for (const { left } of CALLS)
    for (const place of [folder.project, folder.sub, folder.home])
      if (existsSync(join(place, left))) return "it ran a call itself instead of what it was given for it";
  const expected = [first.id, folder.project, second.id, folder.sub];
  if (folder.ran.length !== expected.length) return "it didn't run what it was given for a call";
  if (folder.ran.some((line, at) => line !== expected[at]))
    return "a call wasn't run in the folder that the one before had ended in";
  if (api.results[1]?.is_error !== true) return "it took a command that failed for one that didn't";
  for (const [{ id }, event] of [
    [first, "PostToolUse"],
    [second, "PostToolUseFailure"],
  ] as const) {
    const after = folder.noted("after", id);
    if (after?.hook_event_name !== event || !isObject(after.tool_input))
      return `it called no hook after a call (${event})`;
    if (!isConfinedCommand(String(after.tool_input.command))) return "it doesn't say what it ran";
  }
  return null;
}

import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import { visible } from "../../../ipc/base/visible-text.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Check } from "../../check.ts";
import { launcherFile, launcherProblem } from "../../hook/launcher.ts";
import type { CheckContext } from "../adapter.ts";
import { LOADERS } from "../claude-code/dangers.ts";
import { HookReport } from "../hook-report.ts";
import { AppServer } from "./app-server.ts";
import { codexProgram } from "./codex-program.ts";
import {
  type CodexHook,
  type CodexHooks,
  hooksIn,
  isAsking,
  isCalled,
  isOurHook,
  settingsIn,
} from "./codex-settings.ts";
import { EVENTS, hookCommand, isWrittenCommand } from "./entries.ts";

/** Whether Codex calls the gate in a folder, by what Codex itself says. */

const REPORT = new HookReport("codex");
const failed = REPORT.failed.bind(REPORT);

/** Events whose hooks can change a call or answer Codex's own question, beside the gate's. */
const REACHING = ["preToolUse", "permissionRequest"];

interface Said extends CodexHooks {
  config: Json;
  origin(name: string): string;
}

export async function codexChecks({ cwd, env, answerSeconds, client }: CheckContext): Promise<Check[]> {
  let said: Said;
  try {
    const program = codexProgram(env, client);
    said = await AppServer.use({ program, env, cwd }, async (server) => ({
      ...(await hooksIn(server, cwd)),
      ...(await settingsIn(server, cwd)),
    }));
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return [failed(visible(error.message), error.hint)];
  }
  const ours = said.hooks.filter(isAsking);
  const problems = [
    ...unreadable(said),
    ...hookProblems(said, ours, env, answerSeconds),
    ...interactive(said),
    ...environment(said),
  ];
  const detail = `trusted by Codex, in ${[...new Set(ours.map(({ file }) => file))].join(" and ")}`;
  return [...REPORT.of(problems, detail), ...REPORT.others(others(said, launcherFile(env))), ...search(said)];
}

function unreadable({ problems }: Said): Check[] {
  return problems.map((problem) => failed(visible(problem), "mend that file, then see doctor again"));
}

function hookProblems(
  said: Said,
  ours: readonly CodexHook[],
  env: CheckContext["env"],
  answerSeconds: number,
): Check[] {
  const { features } = said.config;
  if (isObject(features) && features.hooks === false) {
    const file = visible(said.origin("features.hooks"));
    return [failed(`switched off here: ${file} has features.hooks = false`, `take it out of ${file}`)];
  }
  if (ours.length === 0) return [REPORT.notInstalled()];
  const called = ours.filter(isCalled);
  if (called.length === 0) {
    const { trust, isEnabled } = ours[0] as CodexHook;
    const why = isEnabled ? `it is ${trust}` : "it is not enabled";
    return [failed(`Codex does not call the gate's hook, and lets everything run: ${why}`)];
  }
  const launcher = launcherFile(env);
  const expected = hookCommand(launcher, answerSeconds);
  const isCurrent = ({ command, matcher, timeout_seconds }: CodexHook) =>
    command === expected && (matcher === null || matcher === "*") && timeout_seconds > answerSeconds;
  if (!called.some(isCurrent)) return [failed("the hook is not the one that this version writes for gate.toml")];
  const reports = said.hooks.filter((hook) => isOurHook(hook) && !isAsking(hook) && isCalled(hook));
  if (reports.length < EVENTS.length - 1)
    return [failed("Codex does not call all of the gate's hooks after calls and for sessions")];
  const problem = launcherProblem(launcher);
  return problem === undefined ? [] : [failed(problem)];
}

function interactive({ config, hooks, origin }: Said): Check[] {
  // Connecting sets it.
  if (!hooks.some(isAsking)) return [];
  if (isObject(config.features) && config.features.unified_exec_tty === false) return [];
  const file = isObject(config.features) && config.features.unified_exec_tty === true;
  const where = file ? ` in ${visible(origin("features.unified_exec_tty"))}` : "";
  return [
    failed(
      `Codex's model may start programs that it types into later, past the gate: features.unified_exec_tty is on${where}`,
      file ? `set it to false${where}` : undefined,
    ),
  ];
}

/** What a project's settings have each command begin with: another program's words, or other programs. */
function environment({ config, origin }: Said): Check[] {
  const { shell_environment_policy: policy } = config;
  const set = isObject(policy) && isObject(policy.set) ? Object.keys(policy.set) : [];
  const names = set.filter((name) => name === "PATH" || name === "HOME" || LOADERS.test(name));
  return names.map((name) => {
    const file = visible(origin(`shell_environment_policy.set.${name}`));
    return failed(
      `every command gets another ${name} than the gate knows of: ${file} sets it (shell_environment_policy)`,
      `take it out of ${file}`,
    );
  });
}

function others({ hooks }: Said, launcher: string): string[] {
  const isOther = ({ command }: CodexHook) => !isWrittenCommand(command, launcher);
  const found = hooks.filter((hook) => REACHING.includes(hook.event) && isOther(hook) && isCalled(hook));
  return found.map(({ command, file }) => `${visible(command.slice(0, 200))} (${visible(file)})`);
}

function search({ config }: Said): Check[] {
  if (config.web_search === "disabled") return [];
  const detail = `passes no gate: its provider does it; off with web_search = "disabled" in config.toml`;
  return [{ check: "codex web search", ok: true, detail }];
}

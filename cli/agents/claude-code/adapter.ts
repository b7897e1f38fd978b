import { settingsSources } from "../../../main/hooks/claude-code/effective-settings.ts";
import { launcherFile, writeLauncher } from "../../hook/launcher.ts";
import type { Adapter } from "../adapter.ts";
import { withClientCheck } from "../client-check.ts";
import { callsForAllTools, launchedEntries, withEntries } from "./entries.ts";
import { claudeCodeChecks } from "./hook-check.ts";
import { connectManaged, disconnectManaged } from "./managed.ts";
import { connectClaudeCode, disconnectClaudeCode } from "./settings.ts";

export const claudeCode: Adapter = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  has_managed: true,
  async connect({ project, answer_seconds, managed }) {
    return managed ? connectManaged(answer_seconds) : connectClaudeCode({ project, answer_seconds });
  },
  async disconnect({ project, managed }) {
    return managed ? disconnectManaged() : disconnectClaudeCode({ project });
  },
  checks(context) {
    const checks = claudeCodeChecks(context, launcherFile(context.env), context.answer_seconds);
    return withClientCheck(claudeCode, context, checks);
  },
  async launch({ args, cwd, env, answer_seconds }) {
    const launcher = writeLauncher(env);
    const user = settingsSources({ cwd, env }).find(({ kind }) => kind === "user")?.settings ?? {};
    // The same entries twice would ask twice.
    const hooks = callsForAllTools(user, launcher) ? {} : withEntries({}, launchedEntries(launcher, answer_seconds));
    const settings = { disableAllHooks: false, ...hooks };
    return { program: "claude", args: ["--settings", JSON.stringify(settings), ...args], env: {} };
  },
};

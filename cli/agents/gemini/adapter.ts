import { join } from "node:path";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { userSettingsFile } from "../../../main/hooks/gemini/settings-sources.ts";
import { launcherFile, writeLauncher } from "../../hook/launcher.ts";
import type { Adapter } from "../adapter.ts";
import { withClientCheck } from "../client-check.ts";
import { putIntoSettings, takeOutOfSettings } from "../settings-edit.ts";
import { EVENTS, holdsOurs, ourGroups, withOurs, withoutOurs } from "./entries.ts";
import { geminiChecks } from "./hook-check.ts";

const TWICE =
  "where its own mode asks, Gemini asks you, too, after the gate: gemini --approval-mode yolo leaves the question to the gate alone, but then what keeps the hook from running lets calls run";
const EDITORS = "an editor that starts Gemini (gemini --acp) calls no hook: put metnos-gate acp before that";

export const gemini: Adapter = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  async connect({ project, answerSeconds }) {
    const launcher = writeLauncher();
    const result = putIntoSettings({
      file: settingsFile(project),
      events: EVENTS,
      change: (settings) => withOurs(settings, ourGroups(launcher, answerSeconds)),
      holdsOurs,
    });
    return { ...result, notes: [TWICE, EDITORS] };
  },
  async disconnect({ project }) {
    return takeOutOfSettings({ file: settingsFile(project), events: EVENTS, change: withoutOurs });
  },
  checks(context) {
    return withClientCheck(gemini, context, geminiChecks({ ...context, launcher: launcherFile(context.env) }));
  },
  async launch({ args, ...context }) {
    const wrong = geminiChecks({ ...context, launcher: launcherFile(context.env) }).find(({ ok }) => !ok);
    if (wrong !== undefined)
      throw new GateError(
        "hook_unusable",
        `Gemini would not ask the gate here: ${wrong.detail}`,
        `it takes hooks from its settings files alone; ${wrong.fix}`,
      );
    return { program: "gemini", args, env: {}, notes: [TWICE] };
  },
};

function settingsFile(project: boolean): string {
  return project ? join(process.cwd(), ".gemini", "settings.json") : userSettingsFile(process.env);
}

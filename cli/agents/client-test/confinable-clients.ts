import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { pluginText } from "../../hook/opencode-plugin.ts";
import type { TestPlace } from "../../self-test/test-place.ts";
import type { AdapterName } from "../adapter.ts";
import { PLUGIN_NAME } from "../opencode/places.ts";

/** How each client is made to call the test's hook, and what it then has to do. */

interface TestHook {
  launcher: string;
  words: readonly string[];
  test_folder: string;
}

export interface ConfinableClient {
  /** Writes the settings that have it call the hook before and after each tool. */
  settle(place: TestPlace, hook: TestHook): void;
  /** What it is started with besides. */
  args?: readonly string[];
  /** Each call runs in the folder that the one before has ended in. */
  keeps_folder: boolean;
  /** Its model learns that a command failed. */
  tells_failure: boolean;
  /** The events after the call that succeeds, and after the one that fails. */
  after: readonly [string, string];
}

const line = ({ launcher, words }: TestHook): string => [launcher, ...words].map(shellQuoted).join(" ");

export const CONFINABLE_CLIENTS: Readonly<Partial<Record<AdapterName, ConfinableClient>>> = {
  "claude-code": {
    settle(place, { launcher, words }) {
      const group = [{ matcher: "*", hooks: [{ type: "command", command: launcher, args: words, timeout: 15 }] }];
      const hooks = { PreToolUse: group, PostToolUse: group, PostToolUseFailure: group };
      place.write(".claude/settings.json", { hooks });
    },
    keeps_folder: true,
    tells_failure: true,
    after: ["PostToolUse", "PostToolUseFailure"],
  },
  codex: {
    settle(place, hook) {
      const group = [{ matcher: "*", hooks: [{ type: "command", command: line(hook), timeout: 15 }] }];
      place.write(".codex/hooks.json", { hooks: { PreToolUse: group, PostToolUse: group } });
    },
    // It calls no other hook than one that its user trusts: this home has no user.
    args: ["--dangerously-bypass-hook-trust"],
    keeps_folder: false,
    tells_failure: true,
    after: ["PostToolUse", "PostToolUse"],
  },
  gemini: {
    settle(place, hook) {
      const hooks = [{ type: "command", command: line(hook), timeout: 15_000 }];
      const group = [{ matcher: "*", hooks }];
      place.write("project/.gemini/settings.json", { hooks: { BeforeTool: group, AfterTool: group } });
    },
    keeps_folder: false,
    tells_failure: true,
    after: ["AfterTool", "AfterTool"],
  },
  opencode: {
    settle: (place, { test_folder }) =>
      place.write(`.config/opencode/plugin/${PLUGIN_NAME}`, pluginText(place.env, 1, test_folder)),
    keeps_folder: false,
    // Its user alone sees the exit code.
    tells_failure: false,
    after: ["tool.execute.after", "tool.execute.after"],
  },
};

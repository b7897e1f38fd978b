import { gatePaths } from "../ipc/base/paths.ts";
import type { ProposedCall } from "../ipc/contract/wire.ts";
import { ExecutorCatalog } from "../main/decide/executors/catalog.ts";
import { examineCall } from "../main/decide/pipeline.ts";
import { GateFiles } from "../main/decide/places/gate-files.ts";
import { DEVELOPER } from "../test/decide/guard/shell/cases/developer.ts";
import { HARMLESS } from "../test/decide/guard/shell/cases/harmless.ts";
import { CWD, HOME } from "../test/decide/guard/shell/cases/shell-case.ts";
import { READING_COMMANDS, READING_ROOT } from "../test/support/reading-commands.ts";
import { type Figure, figure } from "./figure.ts";
import { inSessionHome } from "./session-home.ts";

/** How often a command that only reads is asked about at Supervised, with reading granted in its project and nothing else. */

/** Percent. With the closed grammar it is reached, and may not get worse; expansions, comments and patterns in front are asked about. */
const LEAST_SHARE = 89;
/** As many as are listed by name. */
const LISTED = 10;

export async function readingCommands(): Promise<Figure[]> {
  return inSessionHome(({ home, cwd, grants }) => {
    const principal = { channel: "local", sender_id: "ada" };
    grants.recordGrant({ ...principal, capability: "fs:read", target: `${cwd}/**` });
    const catalog = new ExecutorCatalog();
    const outcomeOf = (command: string, home: string, cwd: string) => {
      const call: ProposedCall = { intent: "", executor: "Bash", args: { command }, context: { cwd } };
      const subject = { agent: null, level: "Supervised" as const, principal };
      const gateFiles = new GateFiles(gatePaths({ HOME: home }), home);
      const settings = { home, grants, gateFiles, pause: null, judge_threshold: 0, now: Date.now };
      const { x, denial } = examineCall(call, subject, catalog, settings);
      return denial === null ? x.outcome : "denied";
    };
    const read = READING_COMMANDS.map((command) => ({
      command,
      outcome: outcomeOf(command.replaceAll(READING_ROOT, cwd), home, cwd),
    }));
    const of = (outcome: string) => read.filter((one) => one.outcome === outcome).map(({ command }) => command);
    const harmless = [...HARMLESS, ...DEVELOPER];
    const blocked = harmless.filter((one) => outcomeOf(one.command, HOME, one.cwd ?? CWD) === "denied");
    const share = (of("allowed").length / read.length) * 100;
    return [
      figure(
        "ordinary reading commands without an ask",
        share,
        "%",
        LEAST_SHARE,
        `${of("allowed").length} of ${read.length}${listed("asked about", of("approval_required"))}`,
        false,
      ),
      figure(
        "ordinary reading commands denied",
        of("denied").length,
        "",
        0,
        `of ${read.length}${listed("denied", of("denied"))}`,
      ),
      figure(
        "harmless commands denied by the guard",
        blocked.length,
        "",
        0,
        `of ${harmless.length}${listed(
          "denied",
          blocked.map(({ command }) => command),
        )}`,
      ),
    ];
  });
}

/** The first of them, one a line. */
function listed(title: string, commands: readonly string[]): string {
  if (commands.length === 0) return "";
  const lines = commands.slice(0, LISTED).map((command) => `\n       ${JSON.stringify(command)}`);
  const more = commands.length > LISTED ? `\n       and ${commands.length - LISTED} more` : "";
  return `\n     ${title}:${lines.join("")}${more}`;
}

import { type Command, Option } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import type { ApprovalView, OperatorApi, OperatorEvent } from "../../ipc/contract/operator-api.ts";
import { callFacts } from "../../ipc/words/card-facts.ts";
import { DATABASES, type DatabaseName } from "../../main/base/sqlite/database-names.ts";
import {
  deathNotice,
  isHowItEnded,
  PAUSED_FLAG,
  RESTARTED_FLAG,
  SUPERVISED_FLAG,
  tellSupervisor,
} from "../../main/core/restart.ts";
import { shownInBrowser } from "../browser.ts";
import { EXIT, type ExitCode, reportFailure, say, usageError } from "../output.ts";
import { folded, widthOf } from "../watch/rows.ts";

/** `serve`: the gate itself, until SIGINT or SIGTERM. */
export function serveCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("serve")
    .description("starts the gate: decides, asks, remembers and logs, until it is interrupted")
    .option("--no-notifications", "shows no desktop notifications")
    .option("--web", "serves the page on 127.0.0.1, too, behind a link that works once")
    .option("--no-link", "with --web prints no link, for a gate whose output is kept: open gives one")
    .addOption(acceptEmptyOption())
    // For `start` alone, which runs it as a child process.
    .addOption(new Option(SUPERVISED_FLAG).hideHelp())
    .addOption(new Option(PAUSED_FLAG).hideHelp())
    .addOption(new Option(BROWSER_FLAG).hideHelp())
    .addOption(new Option(`${RESTARTED_FLAG} <how>`).argParser(howItEnded).hideHelp())
    .action(async (options: Partial<ServeCommandOptions>) => done(await serve(options)));
}

/** Opens the page, where a browser can be. */
export const BROWSER_FLAG = "--browser";

/** How the last line begins that it prints as it starts. */
export const LAST_LINE = "the audit trail is";

interface ServeCommandOptions {
  web: boolean;
  browser: boolean;
  link: boolean;
  notifications: boolean;
  acceptEmpty: DatabaseName[];
  /** It ends when its standard input does. */
  supervised: boolean;
  restartedAfter: string;
  startPaused: boolean;
}

/** For a database that is missing, or has nothing in it, beside others that were used. */
export function acceptEmptyOption(): Option {
  return new Option(
    "--accept-empty <names...>",
    "begins without what was in a database that is missing or empty; without it the gate doesn't start then",
  ).choices(DATABASES);
}

function howItEnded(text: string): string {
  if (!isHowItEnded(text)) throw usageError(`${RESTARTED_FLAG} takes a signal's name or an exit code`);
  return text;
}

/** Runs the gate in this process. Gives the exit code once it was interrupted, or can't continue. */
async function serve({
  web = false,
  link = true,
  browser = false,
  notifications = true,
  acceptEmpty = [],
  supervised = false,
  restartedAfter,
  startPaused = false,
}: Partial<ServeCommandOptions>): Promise<ExitCode> {
  // Loaded here: no other command needs the gate itself.
  const [{ serveGate }, { gateService, serviceLoginItem }, { LINK_SECONDS }] = await Promise.all([
    import("../../main/serve.ts"),
    import("../../main/core/service/gate-service.ts"),
    import("../../main/surfaces/web/web-sessions.ts"),
  ]);
  const log = lineLog();
  const interrupted = interruption(supervised);
  const gate = await serveGate({
    log: log.line,
    logsDecisions: process.stdout.isTTY !== true,
    web,
    acceptEmpty: acceptEmpty,
    login_item: serviceLoginItem(gateService(process.env)),
    ...(notifications ? {} : { notifications: false }),
    ...(restartedAfter === undefined ? {} : { restartedAfter: restartedAfter }),
    startsPaused: startPaused,
  });
  if (supervised) tellSupervisor(gate.core);
  process.on("uncaughtException", (error) => {
    say(`metnos-gate: ${deathNotice(error)}`);
    process.exit(EXIT.died);
  });
  const { paths } = gate.core;
  if (process.stdout.isTTY) liveLines(gate.operator, log.line, web ? "page, or watch" : "watch");
  say("Metnos Gate is running.");
  say(`  agents connect to   ${paths.agent_socket}`);
  say(`  you answer with     ${ownCommand("watch")}   (${paths.operator_socket})`);
  if (web && !link) say(`  or in a browser at  the link that this prints: ${ownCommand("open")}`);
  else if (web) {
    const { url } = await gate.operator.call("web.link", {});
    if (browser && (await shownInBrowser(url)))
      say(`  or in a browser     that was opened just now; for another link: ${ownCommand("open")}`);
    else {
      say(`  or in a browser at  ${url}`);
      say(`                      once, within ${LINK_SECONDS / 60} minutes; for another link: ${ownCommand("open")}`);
    }
  }
  say(`  notifications are   ${gate.notifications.status}`);
  say(`  ${LAST_LINE}  ${paths.auditDir}`);
  const end = await Promise.race([interrupted, gate.ended]);
  if (typeof end === "string") say(`${end}: closing; waiting requests are kept for the next start`);
  await gate.close();
  log.flush();
  if (typeof end === "string") return EXIT.ok;
  reportFailure(end);
  return EXIT.replaced;
}

/** A signal, or the end of standard input in its place. */
function interruption(supervised: boolean): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve(signal));
    if (!supervised) return;
    const end = () => resolve("the process that started this one has ended");
    process.stdin.once("end", end).once("error", end).resume();
    process.stdin.unref(); // it must not keep the process alive
  });
}

const LOG_DELAY_MS = 20;
/** A burst is written in pieces of so many lines, so that no call waits for a long one. */
const LOG_PIECE = 100;

/** One line per event on stdout, at most 20 ms late: no decision waits for it. */
function lineLog(): { line: (text: string) => void; flush: () => void } {
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const text = waiting.join("");
    waiting = [];
    // A reader that doesn't read must not fill our memory: beyond this its lines are lost, the audit trail has them.
    if (process.stdout.writableLength < 8 * 1024 * 1024) process.stdout.write(text);
  };
  // The log's reader may end, too: that ends other commands, but no gate.
  process.stdout.removeAllListeners("error").on("error", () => {
    waiting = [];
  });
  process.stderr.on("error", () => undefined);
  return {
    line(text) {
      const stamp = process.stdout.isTTY
        ? stamped(visible(text), Date.now(), process.stdout.columns || 80)
        : `${isoSeconds(Date.now())} ${text}`;
      if (waiting.push(`${stamp}\n`) >= LOG_PIECE) flush();
      else timer ??= setTimeout(flush, LOG_DELAY_MS).unref();
    },
    flush,
  };
}

// What happens at the gate, a line each, for the person in whose terminal it runs. A log gets no values; this does.

const EVENTS = [
  "approval.waiting",
  "approval.closed",
  "decision",
  "pairing.requested",
  "safety.paused",
  "safety.resumed",
] as const;

/** @param answerIn where requests are answered: `page, or watch`. Returns what ends it. */
function liveLines(api: OperatorApi, print: (line: string) => void, answerIn: string): () => void {
  return api.subscribe((event) => {
    const line = lineOf(event, answerIn);
    if (line !== undefined) print(line);
  }, EVENTS);
}

/** One line of at most `width` columns: `00:28  text`. @param at Unix milliseconds */
function stamped(text: string, at: number, width: number): string {
  const time = new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const room = Math.max(20, width - time.length - 2);
  return `${time}  ${widthOf(text) > room ? (folded(text, room, 1)[0] ?? "") : text}`;
}

function lineOf(event: OperatorEvent, answerIn: string): string | undefined {
  switch (event.type) {
    case "approval.waiting":
      return `${asked(event.data)}   (${answerIn})`;
    case "approval.closed":
      return ended(event.data);
    case "decision":
      return decided(event.data);
    case "pairing.requested": {
      const { name } = event.data;
      return `${visible(name)} asks to be paired: ${ownCommand(`agents pair ${name} --level Supervised`)}`;
    }
    case "safety.paused":
      return `paused: ${visible(event.data.reason ?? "by you")}; to resume: ${ownCommand("resume")}`;
    case "safety.resumed":
      return "resumed";
    default:
      return undefined;
  }
}

function asked(view: ApprovalView): string {
  const { hazards } = callFacts(view.description, "en");
  const what = visible(`${view.agent_name} asks: ${view.action_verb} ${view.target_summary}`);
  return hazards.length === 0 ? what : `${what}: ${visible(hazards.join("; "))}`;
}

const ENDS = {
  approved: "approved",
  rejected: "denied",
  expired: "nobody answered in time",
  cancelled: "withdrawn",
  pending: "waits",
} as const;

function ended({ status, agent_name, action_verb, target_summary }: ApprovalView): string {
  return visible(`${ENDS[status]}: ${action_verb} ${target_summary} of ${agent_name}`);
}

/** What was decided without asking; the others have lines as they are asked and answered. */
function decided({ agent_name, executor, decision }: Extract<OperatorEvent, { type: "decision" }>["data"]) {
  const { outcome, status, reason, capabilities } = decision;
  if (outcome === "approval_required" || status !== undefined) return undefined;
  const targets = [...new Set(capabilities.map(({ target }) => target))].slice(0, 3).join(", ");
  const what = targets === "" ? executor : `${executor} ${targets}`;
  return visible(outcome === "allowed" ? `${agent_name}: allowed ${what}` : `${agent_name}: denied ${what}: ${reason}`);
}

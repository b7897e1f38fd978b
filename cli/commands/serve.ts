import { type Command, Option } from "commander";
import { isoSeconds } from "../../main/gate/clock.ts";
import { DATABASES, type DatabaseName } from "../../main/storage/database-names.ts";
import { EXIT, type ExitCode, reportFailure, say } from "../output.ts";

/** `serve`: the gate itself, until SIGINT or SIGTERM. */
export function serveCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("serve")
    .description("starts the gate: decides, asks, remembers and logs, until it is interrupted")
    .option("--no-notifications", "shows no desktop notifications")
    .option("--web", "serves the page on 127.0.0.1, too, behind a link that works once")
    .addOption(acceptEmptyOption())
    .action(async ({ web = false, ...options }: Partial<ServeCommandOptions>) =>
      done(await serve({ web, ...options })),
    );
}

export interface ServeCommandOptions {
  web: boolean;
  notifications?: boolean;
  acceptEmpty?: DatabaseName[];
}

/** For a database that is missing, or has nothing in it, beside others that were used. */
export function acceptEmptyOption(): Option {
  return new Option(
    "--accept-empty <names...>",
    "begins without what was in a database that is missing or empty; without it the gate doesn't start then",
  ).choices(DATABASES);
}

/** Runs the gate in this process. Gives the exit code once it was interrupted, or can't go on. */
export async function serve({ web, notifications = true, acceptEmpty = [] }: ServeCommandOptions): Promise<ExitCode> {
  // Loaded here: no other command needs the gate itself.
  const [{ serveGate }, { LINK_SECONDS }] = await Promise.all([
    import("../../main/serve.ts"),
    import("../../main/web/visitors.ts"),
  ]);
  const log = lineLog();
  const interrupted = interruption();
  const gate = await serveGate({
    log: log.line,
    web,
    accept_empty: acceptEmpty,
    ...(notifications ? {} : { notifications: false }),
  });
  const { places } = gate.core;
  say("Metnos Gate is running.");
  say(`  agents connect to   ${places.agent_socket}`);
  say(`  you answer with     metnos-gate watch   (${places.operator_socket})`);
  if (web) {
    const { url } = await gate.operator.call("web.link", {});
    say(`  or in a browser at  ${url}`);
    say(`                      once, within ${LINK_SECONDS / 60} minutes; for another link: metnos-gate open`);
  }
  say(`  notifications are   ${gate.notifications.status}`);
  say(`  the audit trail is  ${places.audit_dir}`);
  const end = await Promise.race([interrupted, gate.ended]);
  if (typeof end === "string") say(`${end}: closing; what waits is kept for the next start`);
  await gate.close();
  log.flush();
  return typeof end === "string" ? EXIT.ok : reportFailure(end);
}

function interruption(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve(signal));
  });
}

const LOG_DELAY_MS = 20;
/** A burst is written in pieces of so many lines, so that no call waits for a long one. */
const LOG_PIECE = 100;

/** One line a thing on stdout, at most 20 ms late: no decision waits for it. */
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
  process.stdout.on("error", () => {
    waiting = []; // nobody reads any more
  });
  return {
    line(text) {
      if (waiting.push(`${isoSeconds(Date.now())} ${text}\n`) >= LOG_PIECE) flush();
      else timer ??= setTimeout(flush, LOG_DELAY_MS).unref();
    },
    flush,
  };
}

import { Command } from "commander";
import { VERSION } from "../main/base/version.ts";
import { acpCommand } from "./commands/acp.ts";
import { activityCommands, todayCommand } from "./commands/activity.ts";
import { agentsCommands } from "./commands/agents.ts";
import { alarmsCommands } from "./commands/alarms.ts";
import { answerCommands, approvalsCommands } from "./commands/approvals.ts";
import { auditCommands } from "./commands/audit.ts";
import { backupCommands } from "./commands/backup.ts";
import { benchCommand } from "./commands/bench.ts";
import { boxCommands } from "./commands/box.ts";
import { channelsCommands } from "./commands/channels.ts";
import { completionCommand } from "./commands/completion.ts";
import { connectCommand } from "./commands/connect.ts";
import { costsCommand } from "./commands/costs.ts";
import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { guardCommands } from "./commands/guard.ts";
import { judgeCommands } from "./commands/judge.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { metricsCommand } from "./commands/metrics.ts";
import { offlineCommands } from "./commands/offline.ts";
import { openCommand } from "./commands/open.ts";
import { outsideCommand } from "./commands/outside.ts";
import { policyCommands } from "./commands/policy.ts";
import { receiptsCommands } from "./commands/receipts.ts";
import { runCommand } from "./commands/run.ts";
import { pauseOrResume, safetyCommands } from "./commands/safety.ts";
import { serveCommand } from "./commands/serve.ts";
import { serviceCommands } from "./commands/service.ts";
import { sessionCommands } from "./commands/sessions.ts";
import { startCommand } from "./commands/start.ts";
import { statusCommand } from "./commands/status.ts";
import { telegramCommands } from "./commands/telegram.ts";
import { undoCommands } from "./commands/undo.ts";
import { watchCommand } from "./commands/watch.ts";
import { reportFailure } from "./output.ts";
import { parseAndRun } from "./parse-and-run.ts";
import { runOutside } from "./running-program.ts";
import { reportAsOthers } from "./usage-errors.ts";

/** The `metnos-gate` command. Gives the exit code. `hook` is never handled here: the launcher starts it directly. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === "outside") {
    const ended = await runOutside(argv.slice(1));
    if (ended !== undefined) return ended;
  }
  if (argv.length === 0 && process.stdin.isTTY && process.stderr.isTTY) return await firstMinuteHere();
  return parseAndRun(argv, commandLine);
}

async function firstMinuteHere(): Promise<number> {
  try {
    const { firstMinute } = await import("./commands/first-minute.ts");
    return await firstMinute();
  } catch (error) {
    return reportFailure(error);
  }
}

/** Every command with its options. `done` gets the exit code of one that has its own. */
export function commandLine(done: (code: number) => void): Command {
  const program = new Command("metnos-gate");
  program.description("A local gate between AI agents and your machine.").version(VERSION);
  startCommand(program, done);
  serveCommand(program, done);
  serviceCommands(program, done);
  openCommand(program);
  watchCommand(program);
  connectCommand(program, done);
  // What follows an agent's name is the agent's.
  program.enablePositionalOptions();
  runCommand(program, done);
  agentsCommands(program);
  approvalsCommands(program, done);
  answerCommands(program);
  policyCommands(program, done);
  todayCommand(program);
  activityCommands(program);
  sessionCommands(program, done);
  auditCommands(program, done);
  receiptsCommands(program, done);
  safetyCommands(program);
  pauseOrResume(program);
  statusCommand(program);
  telegramCommands(program);
  alarmsCommands(program);
  channelsCommands(program);
  costsCommand(program, done);
  metricsCommand(program);
  doctorCommand(program, done);
  backupCommands(program, done);
  demoCommand(program);
  completionCommand(program);
  offlineCommands(program, done);
  guardCommands(program, done);
  boxCommands(program, done);
  undoCommands(program, done);
  judgeCommands(program, done);
  benchCommand(program, done);
  outsideCommand(program);
  mcpCommand(program);
  acpCommand(program, done);
  program
    .command("hook <agent>")
    .description("what an agent's own hook calls (claude-code): reads its JSON on stdin, answers on stdout")
    .option("--wait <seconds>", "how long it waits for you", "590")
    .option(
      "--offline <permission>",
      "ask or deny: its answer while no gate runs, where the guard denies nothing",
      "ask",
    );
  program.addHelpText(
    "after",
    "\nOn a terminal listings are tables; piped, or with --json, JSON lines on stdout, and words are on stderr.\nExit codes: 0 done, 1 failed, 2 usage, 3 no gate answers, 4 refused, 5 a problem was found, 6 replaced, 7 died.",
  );
  reportAsOthers(program);
  return program;
}

import { type Command, Option } from "commander";
import { REACHES, type Reach } from "../../ipc/decision.ts";
import type { Answer } from "../../ipc/operator-api.ts";
import { parseExpiry } from "../durations.ts";
import { withOperator } from "../operator.ts";
import { printLine, say, usageError } from "../output.ts";

interface ApproveOptions {
  session?: boolean;
  permanent?: boolean;
  target?: string;
  reach?: Reach;
  expires?: string;
}

/** `approvals ...`: requests that wait for an answer, and answering them. */
export function approvalsCommands(program: Command): void {
  const approvals = program.command("approvals").description("requests that wait for your answer, and answering them");

  approvals
    .command("list")
    .description("the waiting requests, newest first, a JSON line each")
    .option("--all", "ended ones too")
    .action((options: { all?: boolean }) =>
      withOperator(async (api) => {
        const list = await api.call("approvals.list", { include_resolved: options.all === true, limit: 1000 });
        for (const approval of list) printLine(approval);
        if (list.length === 0) say("nothing is waiting");
      }),
    );

  approvals
    .command("approve <token>")
    .description("says yes: once, or remembered")
    .option("--session", "remember it for the rest of the agent's session")
    .option("--permanent", "remember it until it is revoked or expires")
    .addOption(
      new Option("--reach <reach>", "which of the card's choices, by how far it reaches; left out: the first").choices(
        REACHES,
      ),
    )
    .option("--target <glob>", "what to remember instead of exactly this: a folder/*, folder/**, a host")
    .option("--expires <when>", "2h, 30d or an ISO date")
    .action((token: string, options: ApproveOptions) => resolve(approval(token, options)));

  approvals
    .command("reject <token>")
    .description("says no")
    .option("--message <text>", "for the agent: why, or what would be fine instead")
    .action((token: string, options: { message?: string }) =>
      resolve({ token, decision: "rejected", ...(options.message === undefined ? {} : { message: options.message }) }),
    );

  approvals
    .command("cleanup")
    .description("marks requests that were not answered in time as expired")
    .action(() => withOperator(async (api) => printLine(await api.call("approvals.cleanup", {}))));
}

function approval(token: string, options: ApproveOptions): Answer {
  if (options.session && options.permanent) throw usageError("--session and --permanent exclude each other");
  const scope = options.permanent ? "permanent" : options.session ? "session" : "none";
  if (scope === "none" && (options.target ?? options.expires ?? options.reach) !== undefined) {
    throw usageError("--reach, --target and --expires need --session or --permanent");
  }
  return {
    token,
    decision: "approved",
    scope,
    ...(options.reach === undefined ? {} : { reach: options.reach }),
    ...(options.target === undefined ? {} : { target: options.target }),
    ...(options.expires === undefined ? {} : { expires_at: parseExpiry(options.expires) }),
  };
}

function resolve(answer: Answer): Promise<void> {
  return withOperator(async (api) => {
    const ended = await api.call("approvals.resolve", answer);
    printLine(ended);
    say(`${ended.status === "approved" ? "approved" : "denied"}: ${ended.action_verb} ${ended.target_summary}`);
    if (ended.note !== undefined) say(ended.note);
  });
}

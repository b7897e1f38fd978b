import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import { isConfirmed } from "../confirmed.ts";
import { OUTCOME_WORDS } from "../listings.ts";
import { withOperator } from "../operator.ts";
import { EXIT, type ExitCode, list, printWord, say, tell, usageError } from "../output.ts";
import type { GrantsToTravel } from "../policy/export-policy.ts";
import type { Change } from "../policy/import-policy.ts";
import type { Column } from "../table.ts";

/** `policy export`, `policy import`: the user's rules as a file, for another machine. */
export function policyFileCommands(policy: Command, done: (code: ExitCode) => void): void {
  policy
    .command("export [file]")
    .description("writes what is made stricter and the agents' levels into a file, or to stdout")
    .option("--grants [ids]", "grants, too: all that last, or those with these ids (3,7)")
    .action(async (file: string | undefined, { grants }: { grants?: string | true }) => {
      if (file !== undefined && existsSync(file)) throw usageError(`${file} is there already`, "give another name");
      const travelling = grantsToTravel(grants);
      const { exportedPolicy } = await import("../policy/export-policy.ts");
      const { file: exported, left } = await withOperator((api) => exportedPolicy(api, travelling));
      const text = JSON.stringify(exported, null, 2);
      if (file === undefined) printWord(text);
      else {
        const { writeDurably } = await import("../../main/base/files/durable-file.ts");
        writeDurably(resolve(file), `${text}\n`, "the policy's file");
        for (const { agent, capability, target } of exported.grants)
          say(visible(`travels: ${capability} on ${target}, for ${agent ?? "every agent"}`));
        const counts = { cells: exported.cells.length, levels: exported.levels.length, grants: exported.grants.length };
        tell({ file, ...counts }, `written: ${file} (${countsText(counts)})`);
      }
      for (const sentence of left) say(visible(`stays here: ${sentence}`));
    });

  policy
    .command("import <file>")
    .description("shows what a file of policy export would change, asks, and changes it")
    .option("--yes", "doesn't ask")
    .action(async (file: string, { yes }: { yes?: true }) => {
      const [{ readPolicyFile }, { planOf }, { homeFolder }] = await Promise.all([
        import("../policy/policy-file.ts"),
        import("../policy/import-policy.ts"),
        import("../../ipc/base/paths.ts"),
      ]);
      const home = homeFolder(process.env);
      const read = readPolicyFile(file, home);
      await withOperator(async (api) => {
        const { changes, left } = await planOf(api, read, home);
        list(
          changes.map(({ act: _, ...change }) => change),
          CHANGE_COLUMNS,
        );
        for (const sentence of left) say(visible(`left out: ${sentence}`));
        if (changes.length === 0) return say("nothing to change: all else is as the file says, or stricter");
        const loosened = changes.filter(({ isLooser }) => isLooser).length;
        if (loosened > 0) say(`${loosened} of ${changes.length} let agents do more than now`);
        if (yes !== true && !(await isWanted())) {
          say("nothing was changed");
          return done(EXIT.refused);
        }
        await carryOut(api, changes);
      });
    });
}

async function carryOut(api: Parameters<Change["act"]>[0], changes: readonly Change[]): Promise<void> {
  let made = 0;
  try {
    for (const { act } of changes) {
      await act(api);
      made++;
    }
  } finally {
    // An import that was interrupted can be made again: what is done already is no change any more.
    const rest = made === changes.length ? "" : ` of ${changes.length}; import the file again for the others`;
    tell({ changed: made }, `changed: ${made}${rest}`);
  }
}

/** @throws GateError `usage` where nobody can be asked */
async function isWanted(): Promise<boolean> {
  if (process.stdin.isTTY === true) return await isConfirmed("Change this? [y/N] ");
  throw usageError("nobody can be asked here, and nothing was changed", "look at what it would change, and give --yes");
}

const CHANGE_COLUMNS: readonly Column<Omit<Change, "act">>[] = [
  { title: "WHAT", text: ({ what }) => (what === "cell" ? "stricter" : what) },
  { title: "FOR", text: ({ whom }) => whom ?? "every agent", shrinksTo: 12 },
  { title: "OF", text: ({ detail }) => detail, shrinksTo: 24, wraps: true },
  { title: "NOW", text: ({ from }) => wordOf(from) },
  { title: "THEN", text: ({ to }) => wordOf(to) },
  { title: "", text: ({ isLooser }) => (isLooser ? "may do more" : "") },
];

/** An outcome as listings say it; a level as it is. */
function wordOf(text: string): string {
  return (OUTCOME_WORDS as Readonly<Record<string, string>>)[text] ?? text;
}

function countsText(counts: { cells: number; levels: number; grants: number }): string {
  const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return [
    counted(counts.cells, "stricter cell"),
    counted(counts.levels, "level"),
    counted(counts.grants, "grant"),
  ].join(", ");
}

/** @throws GateError `usage` */
function grantsToTravel(given: string | true | undefined): GrantsToTravel {
  if (given === undefined) return "none";
  if (given === true || given === "all") return "all";
  const ids = given.split(",");
  if (!ids.every((id) => /^\d{1,15}$/.test(id)))
    throw usageError(`${JSON.stringify(given)} are not ids of grants`, `see: ${ownCommand("policy grants")}`);
  return [...new Set(ids.map(Number))];
}

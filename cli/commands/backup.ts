import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { Preview, Restored } from "../backup/restore-backup.ts";
import { isConfirmed } from "../confirmed.ts";
import { EXIT, type ExitCode, say, tell, usageError } from "../output.ts";

/** `backup` and `restore`: all of a gate but its secrets, in one file. */
export function backupCommands(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("backup <file>")
    .description("writes settings, policy, grants, history and trail into one file (0600), without secrets")
    .action(async (given: string) => {
      const file = resolve(given);
      if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
        throw usageError(`${given} is there already`, "give another name");
      const paths = await configuredPaths();
      const { makeBackup } = await import("../backup/make-backup.ts");
      const { manifest, fingerprint, left } = await makeBackup(file, paths, process.env);
      const { files, trail } = manifest;
      tell(
        { file: given, fingerprint, files: files.length, trail },
        `written: ${given} (${files.length} files, ${trail.lines} lines of the trail)`,
        `its SHA-256, to compare when it is restored: ${fingerprint}`,
        "not in it: tokens, keys, the chat that is linked, and what waits for an answer",
        ...left.map((key) => `not in it either: ${key} of gate.toml`),
      );
      if (trail.problems === 0) return;
      say(`the trail has problems, in the backup as here (${trail.problems}); see: ${ownCommand("audit verify")}`);
      done(EXIT.problemFound);
    });

  program
    .command("restore [file]")
    .description("brings a backup back: checks all of it, shows what is in it, asks, and moves what is here aside")
    .option("--yes", "doesn't ask")
    .option("--finish", "finishes a restore that was interrupted")
    .action(async (file: string | undefined, { yes, finish }: { yes?: true; finish?: true }) => {
      refuseMoved();
      const paths = gatePaths(process.env);
      const { finishRestore, restoreBackup } = await import("../backup/restore-backup.ts");
      if (finish === true) {
        const finished = await finishRestore(paths);
        if (finished === undefined) return say("no restore was interrupted");
        return tellOf(finished, []);
      }
      if (file === undefined) throw usageError("the backup's file is missing", `see: ${ownCommand("restore --help")}`);
      let agents: Preview["agents"] = [];
      const restored = await restoreBackup(file, paths, process.env, async (preview) => {
        ({ agents } = preview);
        for (const line of previewLines(preview)) say(visible(line));
        return yes === true || (await isWanted());
      });
      if (restored !== undefined) return tellOf(restored, agents);
      say("nothing was restored");
      done(EXIT.refused);
    });
}

function previewLines(preview: Preview): string[] {
  const { manifest, fingerprint, agents, grants, stricter, trailLines, trailProblems, config } = preview;
  const named = agents.map(({ name, level }) => `${name} (${level})`).join(", ");
  return [
    `made ${manifest.made_at} by version ${manifest.gate_version}; its SHA-256: ${fingerprint}`,
    `agents: ${named || "none"}`,
    `grants: ${grants}; cells made stricter by hand: ${stricter}`,
    `trail: ${trailLines} lines${trailProblems === 0 ? ", whole" : `, with ${trailProblems} problems that it had then`}`,
    `settings: ${config.join(", ") || "none"}`,
    "its settings, grants and levels count from then on: restore only a backup that you made",
    ...(preview.isInUse ? ["what is here now is moved aside"] : []),
  ];
}

function tellOf({ kept }: Restored, agents: Preview["agents"]): void {
  const [first] = agents;
  const again = `agents have to be connected again, and keep their grants: ${ownCommand(`connect ${first?.name ?? "claude-code"}`)}`;
  tell(
    { restored: true, kept },
    "restored",
    ...kept.map((folder) => `what was there before: ${folder}`),
    again,
    `keys aren't in a backup: ${ownCommand("receipts rotate-key --lost")} makes another one; a bot's token, a model's key and a linked chat are to be set again`,
    `start the gate: ${ownCommand("start")}`,
  );
}

/** @throws GateError `usage` where nobody can be asked */
async function isWanted(): Promise<boolean> {
  if (process.stdin.isTTY === true) return await isConfirmed("Restore this? [y/N] ");
  throw usageError("nobody can be asked here, and nothing was restored", "look at what it holds, and give --yes");
}

/** Where the configuration puts a database somewhere else, it is copied from there. */
async function configuredPaths() {
  const { gatePathsWith, loadConfig } = await import("../../main/config/index.ts");
  return gatePathsWith(loadConfig(gatePaths(process.env).configFile, process.env), process.env);
}

/** A restore writes into the three folders, and nowhere else. @throws GateError `usage` */
function refuseMoved(): void {
  const moved = ["METNOS_CONFIG", "METNOS_GRANTS_DB", "METNOS_APPROVALS_DB"].find((name) => process.env[name]);
  if (moved !== undefined)
    throw new GateError("usage", `${moved} puts a file somewhere else`, "restore without it, then move the file");
}

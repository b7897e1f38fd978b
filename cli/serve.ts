// In one file with the command, which would ask for it in any case.
import "../main/core/service/gate-service.ts";
import "../main/serve.ts";
import "../main/surfaces/web/web-sessions.ts";
import { Command } from "commander";
import { serveCommand } from "./commands/serve.ts";
import { parseAndRun } from "./parse-and-run.ts";
import { reportAsOthers } from "./usage-errors.ts";

/** The launcher's short way to `serve`: no other command is loaded. @param argv the whole command's words */
export function main(argv: readonly string[]): Promise<number> {
  return parseAndRun(argv, (done) => {
    const program = new Command("metnos-gate");
    serveCommand(program, done);
    reportAsOthers(program);
    return program;
  });
}

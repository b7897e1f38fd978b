import { Command } from "commander";
import { acpCommand } from "../commands/acp.ts";
import { EXIT, reportFailure } from "../output.ts";
import { reportAsOthers } from "../usage-errors.ts";

/** The launcher's short way: of all commands this one alone. @param argv the whole command's words */
export async function main(argv: readonly string[]): Promise<number> {
  const own = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
  if (own.length === 1 || own.includes("--help") || own.includes("-h"))
    return await (await import("../main.ts")).main(argv);
  let code: number = EXIT.ok;
  const program = new Command("metnos-gate").enablePositionalOptions();
  acpCommand(program, (given) => {
    code = given;
  });
  reportAsOthers(program);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    return reportFailure(error);
  }
}

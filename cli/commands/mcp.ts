import type { Command } from "commander";
import { usageError } from "../output.ts";

/** `mcp`: its help, and what is said where there is no server; the launcher runs it by itself. */
export function mcpCommand(program: Command): void {
  program
    .command("mcp")
    .usage("[--name <server>] [--agent <name>] [--wait <seconds>] (--http <url> | -- <command...>)")
    .argument("[command...]", "the server's program with its words; not read by any shell")
    .description("what an MCP client starts in its server's place: the gate decides on each call of a tool")
    .option("--name <server>", "what the server is called; left out, by its program or address")
    .option("--agent <name>", "the paired agent; left out, by what the client says it is")
    .option("--wait <seconds>", "after how long the client is answered that you haven't decided yet")
    .option("--http <url>", "the address of a streamable HTTP server, in a program's place")
    .action(() => {
      throw usageError("no server to start", "give it: mcp --name files -- npx -y @scope/files-server ~/notes");
    });
}

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { commandLine } from "../../cli/main.ts";
import { EXIT } from "../../cli/output.ts";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { refusedCallSchema } from "../../ipc/contract/judges.ts";
import {
  agentSchema,
  approvalSchema,
  grantSchema,
  pairingRequestSchema,
  statusSchema,
} from "../../ipc/contract/operator-api.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { type Example, example, patternOf, ran } from "../support/documented-commands.ts";
import { LAUNCHER, runGate, startServe } from "../support/gate-process.ts";
import { readToken } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const TEXT = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");

type Step = Example | { asks: string; args: Record<string, unknown> };

/** What the document shows, in its order: commands with what they print, and calls that an agent makes in between. */
function steps(): Step[] {
  return [...TEXT.matchAll(/<!-- claude-code asks: (\w+) (.+) -->|```console\n([\s\S]*?)```/g)].flatMap(
    ([, asks, args, block]): Step[] => {
      if (asks !== undefined && args !== undefined) return [{ asks, args: JSON.parse(args) }];
      return (block ?? "").split(/^\$ /m).slice(1).map(example);
    },
  );
}

test("every example prints what the document says", async () => {
  const home = temporaryHome();
  const bin = join(home.home, "bin");
  mkdirSync(bin);
  symlinkSync(LAUNCHER, join(bin, "metnos-gate"));
  const env = { ...home.env, PATH: [bin, dirname(process.execPath), home.env.PATH].join(delimiter) };
  let token = "";
  for (const step of steps()) {
    if ("asks" in step) {
      const { agent_socket } = home.paths;
      const agent = await AgentConnection.open(agent_socket);
      await agent.hello("claude-code", { token: readToken(agentTokenFile(home.paths, "claude-code")), session: "s" });
      const { decision } = await agent.ask({ executor: step.asks, args: step.args });
      expect(decision.outcome).toBe("approval_required");
      continue;
    }
    const { command, printed, code } = step;
    if (command === "npx metnos-gate serve --web") {
      const { stderr } = await startServe(home, ["--web"]);
      expect(stderr.replaceAll(home.home, "~")).toMatch(patternOf(printed));
      continue;
    }
    const line = command.replace("npx metnos-gate", "metnos-gate").replace("<token>", token);
    const ended = await ran(line, env, home.home);
    expect(ended.code, command).toBe(code);
    const found = ended.text.replaceAll(home.home, "~");
    expect(found, command).toMatch(patternOf(printed));
    token = /"token":"([0-9a-f]{16})"/.exec(found)?.[1] ?? token;
  }
});

/** Each command without subcommands, as its help names it, with its options. */
function commandsBelow(parent: Command, words: readonly string[] = []): { command: string; options: string[] }[] {
  const help = parent.createHelp();
  const below = help.visibleCommands(parent).filter((command) => command.name() !== "help");
  if (below.length > 0) return below.flatMap((command) => commandsBelow(command, [...words, command.name()]));
  const options = help.visibleOptions(parent).flatMap(({ long }) => long ?? []);
  return [{ command: words.join(" "), options }];
}

test("every command has an example, and every option is named", () => {
  const commands = commandsBelow(commandLine(() => undefined));
  expect(commands.length).toBeGreaterThan(20);
  for (const { command, options } of commands) {
    expect(TEXT.includes(`npx metnos-gate ${command}`), command).toBe(true);
    expect(options.filter((option) => option !== "--help" && !TEXT.includes(option))).toEqual([]);
  }
});

test("the exit codes are the code's", () => {
  const documented = [...TEXT.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code));
  expect(documented).toEqual(Object.values(EXIT));
});

/** The names in a listing's row, without the text in brackets after one. */
function fieldsOf(listing: string): string[] {
  const row = TEXT.split("\n").find((line) => line.startsWith(`| \`${listing}\` |`)) ?? "";
  const text = (row.split("|")[2] ?? "").replace(/\([^)]*\)/g, "");
  return [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name);
}

test("the fields of each listing are the contract's", async () => {
  expect(fieldsOf("policy grants")).toEqual(Object.keys(grantSchema.shape));
  expect(fieldsOf("approvals list")).toEqual(Object.keys(approvalSchema.shape));
  const waiting = Object.keys(pairingRequestSchema.shape);
  expect(fieldsOf("agents list")).toEqual([...Object.keys(agentSchema.shape), ...waiting]);
  expect(fieldsOf("judge refusals")).toEqual(Object.keys(refusedCallSchema.shape));
  expect(fieldsOf("status")).toEqual(Object.keys(statusSchema.shape));
  const home = temporaryHome();
  const { lines: registry } = await runGate(home, ["policy", "registry"]);
  expect(fieldsOf("policy registry")).toEqual(Object.keys(registry[0] ?? {}));
  const { lines: checks } = await runGate(home, ["doctor"]);
  expect(fieldsOf("doctor").sort()).toEqual([...new Set(checks.flatMap((check) => Object.keys(check)))].sort());
});

test("the fields of a decision in the trail are those of the file", async () => {
  const home = temporaryHome();
  await startServe(home);
  await runGate(home, ["agents", "pair", "my-agent", "--level", "Full"]);
  const agent = await AgentConnection.open(home.paths.agent_socket);
  await agent.hello("my-agent", { token: readToken(agentTokenFile(home.paths, "my-agent")) });
  await agent.ask({ executor: "time_now" });
  await agent.close();
  const { lines } = await runGate(home, ["audit", "tail"]);
  const decision = lines.find(({ event }) => event === "decision") ?? {};
  const documented = fieldsOf("audit tail").filter((name) => name !== "decision" && name !== "plan");
  expect(documented.sort()).toEqual(Object.keys(decision).sort());
});

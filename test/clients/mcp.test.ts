import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { AdapterName } from "../../cli/agents/adapter.ts";
import { connectMcp, disconnectMcp } from "../../cli/mcp/connect/connect.ts";
import { MCP_SERVER } from "../support/mcp-proxy.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { answerCards } from "./answer-cards.ts";
import { CodexSeat } from "./codex-run.ts";
import { installedClient } from "./installed-client.ts";
import { bash, Seat } from "./seat.ts";

/** The real clients, whose own settings start a small MCP server behind the proxy. */

const home = process.env.HOME;
let gate: GateUnderTest;
beforeEach(async () => {
  gate = await startGate();
  return () => {
    process.env.HOME = home;
  };
});

const log = () => join(gate.home.home, "server.log");

/** The names of the tools that ran. */
function ran(): string[] {
  const lines = readFileSync(log(), "utf8").split("\n").slice(0, -1);
  return lines.flatMap((line) => (JSON.parse(line).method === "tools/call" ? [JSON.parse(line).params.name] : []));
}

/** Answers each card, in order. @returns the executors that were asked about */
async function answerAll(answers: readonly ("approved" | "rejected")[]): Promise<string[]> {
  const cards = await answerCards(
    gate,
    answers.map((decision) => [decision]),
  );
  return cards.map(({ executor }) => executor);
}

function connected(agent: AdapterName, file: string, client: string) {
  const options = { agent, project: false, client, env: process.env, cwd: gate.home.home };
  const before = readFileSync(file, "utf8");
  return {
    before,
    connect: () => connectMcp(options),
    disconnect: () => disconnectMcp(options),
  };
}

describe("codex, with the proxy in front of its server", () => {
  const binary = installedClient("codex");
  if (binary === undefined) return;

  it("asks once for a call that its hook asked about, and the proxy alone where the hook is off; --remove restores every byte", async () => {
    await gate.operator.call("agents.pair", { name: "codex", level: "Supervised" });
    const seat = await CodexSeat.take(gate, binary);
    const words = [process.execPath, MCP_SERVER, log()];
    const servers = `\n# mine\n[mcp_servers.notes]\ncommand = ${JSON.stringify(words[0])}\nargs = [\n  ${JSON.stringify(words[1])}, # the server\n  ${JSON.stringify(words[2])},\n]\n`;
    writeFileSync(seat.config, readFileSync(seat.config, "utf8") + servers);
    const proxy = connected("codex", seat.config, binary);
    expect(await proxy.connect()).toMatchObject({ changed: ["notes"], left: [] });
    expect((await proxy.connect()).changed).toEqual([]);

    const call = (n: number) => [{ name: "look", namespace: "mcp__notes", input: { n } }];
    const first = answerAll(["approved", "rejected"]);
    const [allowed, denied] = await seat.results([call(1), call(2)]);
    expect(await first).toEqual(["mcp__notes__look", "mcp__notes__look"]);
    expect(allowed).toContain('look ran with {"n":1}');
    expect(denied).toContain("Metnos Gate: the user said no");

    const second = answerAll(["approved", "rejected"]);
    const [alone, refused] = await seat.results([call(3), call(4)], { args: ["--disable", "hooks"] });
    expect(await second).toEqual(["mcp__notes__look", "mcp__notes__look"]);
    expect(alone).toContain('look ran with {"n":3}');
    expect(refused).toContain("Metnos Gate: the user said no");
    expect(ran()).toEqual(["look", "look"]);

    await proxy.disconnect();
    expect(readFileSync(seat.config, "utf8")).toBe(proxy.before);
  });
});

describe("claude-code, with the proxy in front of its server", () => {
  const binary = installedClient("claude-code");
  if (binary === undefined) return;

  it("asks once for a call that its hook asked about, and shows the model what the proxy alone denies", async () => {
    await gate.operator.call("agents.pair", { name: "claude-code", level: "Supervised" });
    const seat = new Seat(gate, binary);
    const settings = join(gate.home.home, ".claude.json");
    const entry = { type: "stdio", command: process.execPath, args: [MCP_SERVER, log()] };
    writeFileSync(settings, JSON.stringify({ mcpServers: { notes: entry } }));
    const proxy = connected("claude-code", settings, binary);
    expect(await proxy.connect()).toMatchObject({ changed: ["notes"], left: [] });

    const call = (n: number) => ({ name: "mcp__notes__look", input: { n } });
    const asked = answerAll(["approved", "rejected"]);
    const [allowed, denied] = await seat.results([call(1), call(2)]);
    expect(await asked).toEqual(["mcp__notes__look", "mcp__notes__look"]);
    expect(allowed).toMatchObject({ is_error: false, text: expect.stringContaining('look ran with {"n":1}') });
    expect(denied).toMatchObject({ is_error: true, text: expect.stringContaining("the user said no") });

    writeFileSync(
      join(gate.home.home, ".claude/settings.json"),
      JSON.stringify({ permissions: { allow: ["mcp__notes"] } }),
    );
    const alone = answerAll(["rejected"]);
    const [refused, other] = await seat.results([call(3), bash("echo shell")]);
    expect(await alone).toEqual(["mcp__notes__look"]);
    expect(refused).toMatchObject({ is_error: true, text: expect.stringContaining("Metnos Gate: the user said no") });
    expect(other).toBeDefined();
    expect(ran()).toEqual(["look"]);

    await proxy.disconnect();
    expect(JSON.parse(readFileSync(settings, "utf8")).mcpServers).toEqual({ notes: entry });
  });
});

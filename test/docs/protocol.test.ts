import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { confinedCommand } from "../../ipc/base/confined-command.ts";
import { decisionSchema, readingSchema, STAGES } from "../../ipc/contract/decision.ts";
import {
  agentMessages,
  contextSchema,
  ERROR_CODES,
  gateMessages,
  MAX_ARG_VALUES,
  MAX_PLAN_CALLS,
} from "../../ipc/contract/wire.ts";
import { MAX_PAIRINGS, PAIRING_TIMEOUT_MS } from "../../ipc/socket/agent-server.ts";
import { FRAME_TIMEOUT_MS, MAX_DEPTH, MAX_FRAME_BYTES } from "../../ipc/socket/frames.ts";
import { MAX_UNADMITTED_BYTES, UNGREETED_LIMITS } from "../../ipc/socket/line-server.ts";
import { MAX_WAITING_CHARACTERS, MAX_WAITING_PER_AGENT } from "../../main/calls/approvals/waiting-quota.ts";
import { configSchema } from "../../main/config/config.ts";
import { AGENT_UNREAD } from "../../main/core/gate-port.ts";
import { CLAUDE_CODE_EXECUTORS } from "../../main/decide/executors/claude-code.ts";
import { COMMON_TOOLS } from "../../main/decide/executors/common-tools.ts";
import type { AgentConnection } from "../support/agent-connection.ts";
import { runGate } from "../support/gate-process.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const TEXT = readFileSync(new URL("../../docs/protocol.md", import.meta.url), "utf8");

interface Block {
  kind: "agent" | "gate" | "operator";
  /** Which agent, where there are several. */
  who: string;
  text: string;
}

function blocks(): Block[] {
  return [...TEXT.matchAll(/```(?:json )?(agent|gate|operator) ?(\S*)\n([\s\S]*?)\n```/g)].map((match) => ({
    kind: match[1] as Block["kind"],
    who: match[2] ?? "",
    text: match[3] ?? "",
  }));
}

/** True to the letter, but where the document has a placeholder: then the kind of value counts. */
function matches(documented: unknown, found: unknown, seen: Map<string, unknown>): boolean {
  if (typeof documented === "string" && /^<.+>$/.test(documented)) {
    if (documented.startsWith("<same ")) return found === seen.get(`<${documented.slice("<same ".length)}`);
    seen.set(documented, found);
    if (documented === "<number>") return typeof found === "number";
    if (documented === "<object>") return typeof found === "object" && found !== null;
    if (documented === "<uuid>") return typeof found === "string" && /^[0-9a-f-]{36}$/.test(found);
    if (documented === "<token>") return typeof found === "string" && /^[0-9a-f]{16}$/.test(found);
    if (documented === "<date>") return typeof found === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(found);
    return typeof found === "string" && found !== "";
  }
  if (Array.isArray(documented)) {
    return (
      Array.isArray(found) &&
      documented.length === found.length &&
      documented.every((value, index) => matches(value, found[index], seen))
    );
  }
  if (typeof documented !== "object" || documented === null) return documented === found;
  if (typeof found !== "object" || found === null) return false;
  const [ours, theirs] = [Object.entries(documented), found as Record<string, unknown>];
  return ours.length === Object.keys(theirs).length && ours.every(([key, value]) => matches(value, theirs[key], seen));
}

/** Events that every agent gets, also one that the document isn't about at that point. */
const SENT_TO_ALL = ["safety.paused", "safety.resumed"];

function unexpected(agent: AgentConnection) {
  return agent.unread.filter(({ type }) => !SENT_TO_ALL.includes(type));
}

/** The document's setting: a gate that can end and start again, agents by name, an operator at the command line, a clock. */
class Replay {
  readonly home = temporaryHome();
  readonly seen = new Map<string, unknown>();
  readonly #agents = new Map<string, AgentConnection>();
  #gate: GateUnderTest | undefined;
  #passedMs = 0;

  async start(): Promise<GateUnderTest> {
    this.#gate = await startGate({ home: this.home, now: () => Date.now() + this.#passedMs });
    return this.#gate;
  }

  async agent(name: string): Promise<AgentConnection> {
    const known = this.#agents.get(name);
    if (known !== undefined) return known;
    if (this.#gate === undefined) throw new Error("no gate is running");
    const agent = await this.#gate.connect();
    this.#agents.set(name, agent);
    return agent;
  }

  /** One line of an operator's block: a command, or an event of the gate or its clock. */
  async replay(line: string): Promise<void> {
    const seconds = /^\((\d+) seconds pass\)$/.exec(line)?.[1];
    if (line === "(the gate starts)") await this.start();
    else if (line === "(the gate ends)") {
      await this.#gate?.close();
      for (const agent of this.#agents.values()) expect(unexpected(agent)).toEqual([]);
      this.#agents.clear();
      // A command without a gate answers by the machine's own clock: the next gate has the same one.
      this.#passedMs = 0;
    } else if (seconds !== undefined) {
      this.#passedMs += (Number(seconds) + 1) * 1000;
      await this.#gate?.operator.call("approvals.cleanup", {});
    } else {
      const words = [...this.filled(line).matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
      expect(words.slice(0, 2)).toEqual(["npx", "metnos-gate"]);
      const { code, stderr } = await runGate(this.home, words.slice(2));
      expect(code, stderr).toBe(0);
    }
  }

  /** The text with what was seen in the place of its placeholders. */
  filled(text: string): string {
    return text.replace(/<[^<>"]+>/g, (name) => String(this.seen.get(name) ?? name));
  }

  /** No message was received that the document doesn't show. */
  async isOver(): Promise<void> {
    for (const agent of this.#agents.values()) {
      await agent.ping();
      expect(unexpected(agent)).toEqual([]);
    }
  }
}

test("every example of the document is what a running gate says", async () => {
  const replay = new Replay();
  const gate = await replay.start();
  await gate.operator.call("agents.pair", { name: "my-agent", level: "Supervised" });
  replay.seen.set("<agent token>", gate.token("my-agent"));
  const shown = new Set<string>();
  for (const { kind, who, text } of blocks()) {
    if (kind === "operator") {
      for (const line of text.split("\n")) await replay.replay(line);
      continue;
    }
    const agent = await replay.agent(who);
    shown.add(/"type":"([a-z.]+)"/.exec(text)?.[1] ?? "");
    if (kind === "agent") {
      agent.sendText(`${replay.filled(text)}\n`);
      continue;
    }
    const found = await agent.next(() => true);
    const ok = matches(JSON.parse(text), found, replay.seen);
    expect(ok, `documented: ${text}\nfound:      ${JSON.stringify(found)}`).toBe(true);
  }
  await replay.isOver();
  const all = [...Object.keys(agentMessages), ...Object.keys(gateMessages)];
  expect([...shown].filter((type) => !all.includes(type))).toEqual(["tool.allow"]);
  expect(all.filter((type) => !shown.has(type))).toEqual([]);
});

function cellsOf(head: string): string[][] {
  const rows =
    TEXT.slice(TEXT.indexOf(head))
      .split(/\n(?!\|)/, 1)[0]
      ?.split("\n")
      .slice(2) ?? [];
  return rows.map((row) => row.split("|").map((cell) => cell.trim()));
}

test("every message and every error code is in the document, and no other code", () => {
  for (const type of [...Object.keys(agentMessages), ...Object.keys(gateMessages)]) expect(TEXT).toContain(type);
  expect(cellsOf("| code | means |").map(([, code]) => code)).toEqual(ERROR_CODES.map((code) => `\`${code}\``));
});

test("the executors are those of an agent that isn't Claude Code", () => {
  const rows = [...TEXT.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/gm)].filter(([, , , needs]) =>
    needs?.includes(":"),
  );
  const documented = rows.map(([, name, args, needs]) => [name, args === "none" ? "" : args, needs]);
  const known = COMMON_TOOLS.map(({ name, args_schema, needs }) => {
    const { properties, required } = argumentsSchema.parse(args_schema);
    const args = Object.keys(properties).map((key) => `\`${key}\`${required.includes(key) ? "" : "?"}`);
    return [name, args.join(", "), needs.map(({ capability }) => `\`${capability}\``).join(", ")];
  });
  expect(documented).toEqual(known);
  const also = /as\nClaude Code calls those that need something[^:]*: ([^.]+)\./.exec(TEXT)?.[1] ?? "";
  const usable = CLAUDE_CODE_EXECUTORS.filter(({ needs, agents }) => needs.length > 0 && agents === undefined).map(
    ({ name }) => name,
  );
  expect([...also.matchAll(/`(\w+)`/g)].map((match) => match[1])).toEqual(usable);
});

const argumentsSchema = z.object({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

test("every field of a decision, and of a call's context, is in the document", () => {
  const fields = cellsOf("| field | is |").map(([, field]) => field);
  expect(fields.sort()).toEqual(
    Object.keys(decisionSchema.shape)
      .map((key) => `\`${key}\``)
      .sort(),
  );
  for (const key of Object.keys(contextSchema.shape)) expect(TEXT).toContain(`\`${key}\``);
  const readings = cellsOf("| field | is |").find(([, field]) => field === "`readings`")?.[2] ?? "";
  for (const key of Object.keys(readingSchema.shape)) expect(readings).toContain(`\`${key}\``);
});

test("the stages are the contract's, in its order, in the decision that says why, too", () => {
  const [sentence = ""] =
    cellsOf("| field | is |")
      .find(([, field]) => field === "`stage`")?.[2]
      ?.split(". ") ?? [];
  expect([...sentence.matchAll(/`(\w+)`/g)].map(([, stage]) => stage)).toEqual([...STAGES]);
  const decision = readFileSync(new URL("../../docs/decisions/0002-stages-in-one-order.md", import.meta.url), "utf8");
  const rows = [...decision.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map(([, number, stage]) => `${number} ${stage}`);
  expect(rows).toEqual(STAGES.map((stage, index) => `${index + 1} ${stage}`));
});

test("what a shell runs in the place of a confined command line is the code's", () => {
  expect(TEXT).toContain(`\n    ${confinedCommand(["ARGV"])}\n`);
});

test("the limits are the code's", () => {
  const { socket } = configSchema.parse({});
  expect(cellsOf("| limit | value | beyond it |").map(([, , value]) => Number.parseInt(value ?? "", 10))).toEqual([
    MAX_FRAME_BYTES,
    MAX_DEPTH,
    FRAME_TIMEOUT_MS / 1000,
    UNGREETED_LIMITS.greetingMs / 1000,
    MAX_UNADMITTED_BYTES,
    UNGREETED_LIMITS.max,
    PAIRING_TIMEOUT_MS / 1000,
    MAX_PAIRINGS,
    MAX_WAITING_PER_AGENT,
    MAX_WAITING_CHARACTERS,
    MAX_PLAN_CALLS,
    MAX_ARG_VALUES,
    16_384,
    socket.max_connections,
    socket.max_connections / 2,
    AGENT_UNREAD.pauseBytes,
    socket.max_unread_bytes,
  ]);
  expect(agentMessages["tool.call"].shape.intent.maxLength).toBe(16_384);
});

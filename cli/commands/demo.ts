import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import { shellWord } from "../../ipc/base/shell-quoted.ts";
import type { Decision, GateClient, ProposedCall } from "../../ipc/client.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { shownInBrowser } from "../browser.ts";
import { runningGate } from "../operator.ts";
import { say } from "../output.ts";

/** `demo`: a pretend agent that asks five questions, at the running gate or at one of its own. */
export function demoCommand(program: Command): void {
  program
    .command("demo")
    .description("a pretend agent asks you five questions; nothing is run, and it is gone afterwards")
    .action(async () => {
      const gate = await runningGate();
      const interrupted = new AbortController();
      const interrupt = () => interrupted.abort();
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, interrupt);
      if (gate === undefined) return await atOwnGate(interrupted.signal);
      try {
        await atRunningGate(gate, interrupted.signal);
      } finally {
        await gate.close();
      }
    });
}

/** The user lets it in as any other agent, or has by starting it (`isLetIn`); its pairing ends with it. */
export async function atRunningGate(api: OperatorApi, signal: AbortSignal, isLetIn = false): Promise<void> {
  const name = `demo-${randomBytes(2).toString("hex")}`;
  const agent = await agentNamed(name, gatePaths(process.env).agent_socket);
  try {
    say(`This is a pretend agent, ${name}: it asks five things, and does none of them.`);
    agent.once("pairing", () => {
      if (isLetIn) return void api.call("agents.pair", { name, level: "Supervised" }).catch(() => agent.close());
      say("First let it in: on the page, in watch, or in another terminal with:");
      say(`  ${ownCommand(`agents pair ${name} --level Supervised`)}`);
    });
    if (!(await unlessInterrupted(agent.connect(), signal))) return;
    await askAll(agent, signal);
  } finally {
    agent.close();
    await api.call("agents.revoke", { name }).then(
      () => say(`${name} is gone: its pairing is revoked.`),
      () => undefined, // it was never let in
    );
  }
}

/** A gate in a home of its own, which is removed with it. */
async function atOwnGate(signal: AbortSignal): Promise<void> {
  const { serveGate } = await import("../../main/serve.ts");
  const { readFileSync } = await import("node:fs");
  const home = mkdtempSync(join(tmpdir(), "metnos-demo-home-"));
  try {
    const env = { HOME: home, PATH: process.env.PATH };
    const gate = await serveGate({ env, web: true, notifications: false });
    try {
      const { paths } = gate.core;
      const { token_file } = await gate.operator.call("agents.pair", { name: "demo", level: "Supervised" });
      say("No gate is running: this is a DEMO GATE in a home of its own, which is removed at the end.");
      const { url } = await gate.operator.call("web.link", {});
      say((await shownInBrowser(url)) ? "Answer in the browser that was opened just now," : `Answer at  ${url}`);
      say(
        `or in another terminal with:\n  env -i HOME=${shellWord(home)} PATH="$PATH" TERM="$TERM" ${ownCommand("watch")}`,
      );
      const agent = await agentNamed("demo", paths.agent_socket, readFileSync(token_file, "utf8").trim());
      try {
        if (await unlessInterrupted(agent.connect(), signal)) await askAll(agent, signal);
      } finally {
        agent.close();
      }
      say(`The demo gate is gone. For your own: ${ownCommand("start")}`);
    } finally {
      await gate.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function agentNamed(name: string, socket: string, token?: string): Promise<GateClient> {
  const { GateClient } = await import("../../ipc/client.ts");
  return new GateClient({ name, socket, ...(token === undefined ? {} : { token }) });
}

async function askAll(agent: GateClient, signal: AbortSignal): Promise<void> {
  const project = demoProject();
  try {
    const calls = demoCalls(project);
    for (const [index, { says, ...call }] of calls.entries()) {
      say(`${index + 1} of ${calls.length}  may it ${says}?`);
      const decision = await agent.call(call, { signal }).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (decision === undefined) return say("interrupted: what was asked is withdrawn");
      say(`        ${answerText(decision)}`);
    }
    say("That was all: nothing of it was run.");
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function answerText({ outcome, status, reason, explain }: Decision): string {
  const instead = explain.instead === undefined ? "" : `; ${explain.instead}`;
  if (outcome === "allowed") return status === "approved" ? "you allowed it" : `allowed without asking: ${reason}`;
  return status === "rejected" ? `you denied it: ${reason}` : `denied: ${reason}${instead}`;
}

/** False where the user interrupted it first. */
async function unlessInterrupted(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const ended = new Promise<false>((resolve) => {
    if (signal.aborted) resolve(false);
    signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  return await Promise.race([work.then(() => true), ended]);
}

// The questions of `demo`, about a small project of its own. Nothing of it is ever run.

const PACKAGE = `{
  "name": "demo-shop",
  "scripts": { "test": "node --test test/" }
}
`;
const PRICE = `export function total(prices) {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}
`;
const ROUNDED = PRICE.replace("return sum;", "return Math.round(sum * 100) / 100;");

/** Makes the project in a temporary folder, which the caller removes. */
function demoProject(): string {
  const project = mkdtempSync(join(tmpdir(), "metnos-demo-"));
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "package.json"), PACKAGE);
  writeFileSync(join(project, "src/price.js"), PRICE);
  return project;
}

function demoCalls(project: string): (ProposedCall & { says: string })[] {
  const context = { cwd: project };
  return [
    {
      says: "run the tests",
      executor: "shell_exec",
      args: { command: "npm test" },
      intent: "see whether the tests pass",
      context,
    },
    {
      says: "change a file",
      executor: "fs_write",
      args: { path: join(project, "src/price.js"), content: ROUNDED },
      intent: "round to cents",
      context,
    },
    {
      says: "push over the history of a branch",
      executor: "shell_exec",
      args: { command: "git push --force origin main" },
      intent: "tidy the history up",
      context,
    },
    {
      says: "read the exchange rates from the web",
      executor: "http_get",
      args: { url: "https://rates.example.net/eur.json" },
      intent: "know today's rates",
      context,
    },
    {
      says: "open a pull request through an MCP server",
      executor: "mcp__github__create_pull_request",
      args: { repo: "ada/demo-shop", title: "Round to cents", base: "main", head: "round" },
      intent: "have it reviewed",
      context,
    },
  ];
}

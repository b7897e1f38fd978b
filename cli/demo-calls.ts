import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProposedCall } from "../ipc/client.ts";

/** The questions of `demo`, about a small project of its own. Nothing of it is ever run. */

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
export function demoProject(): string {
  const project = mkdtempSync(join(tmpdir(), "metnos-demo-"));
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "package.json"), PACKAGE);
  writeFileSync(join(project, "src/price.js"), PRICE);
  return project;
}

export function demoCalls(project: string): (ProposedCall & { says: string })[] {
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

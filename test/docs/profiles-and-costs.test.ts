import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { example, patternOf, ran } from "../support/documented-commands.ts";
import { LAUNCHER } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const textOf = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

function tomlIn(text: string): string {
  const found = /```toml [\w.]+\n([\s\S]*?)```/.exec(text)?.[1];
  if (found === undefined) throw new Error("no example");
  return found;
}

/** Runs each command of a document in its order. */
async function replay(text: string, home: TemporaryHome): Promise<number> {
  const bin = join(home.home, "bin");
  mkdirSync(bin);
  symlinkSync(LAUNCHER, join(bin, "metnos-gate"));
  const env = { ...home.env, PATH: [bin, dirname(process.execPath), home.env.PATH].join(delimiter) };
  const examples = [...text.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
    block.split(/^\$ /m).slice(1).map(example),
  );
  for (const { command, printed, code } of examples) {
    const ended = await ran(command.replace("npx metnos-gate", "metnos-gate"), env, home.home);
    expect([command, ended.code]).toEqual([command, code]);
    expect(ended.text.replaceAll(home.home, "~"), command).toMatch(patternOf(printed));
  }
  return examples.length;
}

test("every example of profiles does what the document says", async () => {
  const text = textOf("profiles.md");
  const home = temporaryHome("");
  writeFileSync(home.paths.policy_overrides, tomlIn(text), { mode: 0o600 });
  const gate = await startGate({ home });
  await gate.agent("codex-work", "Full");
  await gate.agent("claude-code", "Full");
  expect(await replay(text, home)).toBe(7);
});

test("every example of costs does what the document says", async () => {
  const text = textOf("costs.md");
  const home = temporaryHome(tomlIn(text));
  const gate = await startGate({ home });
  const agent = await gate.agent("codex-work", "Full");
  const asked = await agent.ask({ executor: "mcp__search__web", args: { query: "x" } });
  const [token = ""] = await gate.waiting();
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  expect((await asked.final()).outcome).toBe("allowed");
  expect(await replay(text, home)).toBe(3);
});

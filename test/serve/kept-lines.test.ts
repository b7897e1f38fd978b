import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { WRITTEN_MS } from "../../main/records/activity/kept-calls.ts";
import { startServe } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { SECRETS } from "../support/secrets.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

// What is kept of calls, by a whole gate: over its death, and byte by byte.

/** In the files of a gate's lines. */
function bytesOf(linesDb: string): string {
  const folder = join(linesDb, "..");
  const files = readdirSync(folder).map((name) => join(folder, name));
  return files
    .filter((file) => file.startsWith(linesDb))
    .map((file) => readFileSync(file).toString("latin1"))
    .join();
}

describe("after a gate was killed", () => {
  it("all but the last second of calls is listed, and the list doesn't say that it is whole", async () => {
    const home = temporaryHome();
    const first = await startServe(home);
    const agent = await pairedAgent(home, await operatorOf(home), "tester", "Full");
    for (let index = 0; index < 20; index++)
      await agent.ask({ executor: "Bash", args: { command: "git push --force" } });
    await after(2 * WRITTEN_MS);
    await agent.ask({ executor: "Bash", args: { command: "ls" } });
    await first.end("SIGKILL");
    await startServe(home);
    const operator = await operatorOf(home);
    const { entries, gaps } = await operator.call("activity.list", { text: "push", limit: 500 });
    expect(entries.map(({ line }) => line)).toEqual(Array(20).fill("git push --force"));
    expect(gaps).toMatchObject([{ why: "killed", calls: null }]);
    const today = await operator.call("activity.today", {});
    expect(today.gaps).toMatchObject([{ why: "killed" }]);
    const total = today.rows.reduce((sum, row) => sum + row.total, 0);
    expect([20, 21]).toContain(total);
    expect(statSync(home.paths.lines_db).mode & 0o777).toBe(0o600);
  });
});

describe("no value of a call", () => {
  it("is in the lines' bytes: secrets in every argument of every tool, and in command lines", async () => {
    const gate = await startGate({ config: "[rate]\nenabled = false\n" });
    const agent = await gate.agent("claude-code", "ReadOnly");
    const marks: string[] = [];
    const marked = () => {
      const mark = `zq${marks.length}xw${marks.length}vk`;
      marks.push(mark);
      return mark;
    };
    const catalog = new ExecutorCatalog();
    for (const executor of catalog.names("any")) {
      const { manifest } = catalog.find(executor, "any");
      const properties = Object.entries(
        (manifest.args_schema as { properties?: Record<string, { type?: unknown }> }).properties ?? {},
      );
      const places = manifest.needs.flatMap(({ target }) =>
        target.from === "path" ? [target.arg] : target.from === "glob" ? [target.arg, target.path_arg] : [],
      );
      const args = Object.fromEntries(
        properties
          .filter(([, { type }]) => type === "string" || type === undefined)
          .map(([name]) => [name, places.includes(name) ? "/srv/project/a.ts" : marked()]),
      );
      await agent.ask({ executor, args, intent: marked(), context: { cwd: "/srv/project" } });
    }
    for (const [, text] of SECRETS)
      await agent.ask({
        executor: "Bash",
        args: { command: text, description: marked() },
        context: { cwd: "/srv/project" },
      });
    const odd = marked();
    await agent.ask({ executor: "mcp__shop__pay", args: { [odd]: odd } });
    await gate.operator.call("activity.list", {});
    const before = bytesOf(gate.paths.lines_db);
    await gate.close();
    const bytes = before + bytesOf(gate.paths.lines_db);
    expect(bytes.length).toBeGreaterThan(20_000);
    expect(marks.length).toBeGreaterThan(60);
    expect(marks.filter((mark) => bytes.includes(mark))).toEqual([]);
    // `hunter` alone is in names of hosts (db.hunter.example) and folders that such texts have.
    const secrets = SECRETS.map(([, , secret]) => secret).filter((secret) => secret.length > 6);
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
  });
});

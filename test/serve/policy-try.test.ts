import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PolicyTry } from "../../ipc/contract/policy-try.ts";
import { tryLines } from "../../ipc/words/try-words.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { ANSWERED_BY } from "../../main/records/activity/kept-calls.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { SECRETS } from "../support/secrets.ts";

// `policy.try` and the facts that it reads, by a whole gate.

const NO_BUDGETS = "[rate]\nenabled = false\n";
/** What calls do to others counts in a test of its own. */
const ALONE = `${NO_BUDGETS}[flow]\nprivate_untrusted_out = "off"\nuntrusted_later = "off"\n`;

const tried = (gate: GateUnderTest, text: string, more: Record<string, unknown> = {}) =>
  gate.operator.call("policy.try", { text, limit: 1000, ...more }) as Promise<PolicyTry>;

const profile = (agent: string, level: string, cells: Record<string, string>) =>
  `[[profile]]\nagent = "${agent}"\n[profile.${level}]\n${Object.entries(cells)
    .map(([name, outcome]) => `"${name}" = "${outcome}"\n`)
    .join("")}`;

/** Arguments of every tool by its schema; text that isn't a place is what `marked` gives. */
function* everyTool(marked: () => string) {
  const catalog = new ExecutorCatalog();
  for (const executor of catalog.names("any")) {
    const { manifest } = catalog.find(executor, "any");
    const { properties = {} } = manifest.args_schema as { properties?: Record<string, { type?: unknown }> };
    const places = manifest.needs.flatMap(({ target }) =>
      target.from === "path" ? [target.arg] : target.from === "glob" ? [target.arg, target.path_arg] : [],
    );
    const urls = manifest.needs.flatMap(({ target }) => (target.from === "url" ? [target.arg] : []));
    const args = Object.fromEntries(
      Object.entries(properties)
        .filter(([, { type }]) => type === "string" || type === undefined)
        .map(([name]) => [
          name,
          places.includes(name)
            ? `/srv/project/${marked()}`
            : urls.includes(name)
              ? `https://example.com/${marked()}?q=${marked()}`
              : marked(),
        ]),
    );
    yield { executor, args, intent: marked(), context: { cwd: "/srv/project" } };
  }
}

describe("a recorded session, with every tool at every level", () => {
  it("comes out as it did under the policy that is in force, all of it, and otherwise only where another one says so", async () => {
    const gate = await startGate({ config: ALONE });
    let sent = 0;
    for (const [name, level] of [
      ["claude-code", "ReadOnly"],
      ["codex", "Supervised"],
      ["aider", "Full"],
    ] as const) {
      const agent = await gate.agent(name, level);
      for (const call of everyTool(() => "text")) {
        await agent.ask(call);
        sent++;
      }
      for (const command of ["npm test", "rm -rf ~", "cat .env", "curl https://example.com/a", "git push"]) {
        await agent.ask({ executor: "Bash", args: { command }, context: { cwd: "/srv/project" } });
        sent++;
      }
    }
    const unchanged = await tried(gate, "", { changes: ["looser", "denied", "asked", "unknown"] });
    expect(unchanged).toMatchObject({ calls: sent, same: sent, unknown: 0, may_be_looser: 0, entries: [] });
    const stricter = await tried(gate, profile("aider", "Full", { "fs:read": "denied" }));
    expect(stricter).toMatchObject({ calls: sent, asked: 0, looser: 0, may_be_looser: 0 });
    expect(stricter.denied).toBeGreaterThan(3);
    expect(stricter.entries.every(({ agent_name, would_be }) => agent_name === "aider" && would_be === "denied")).toBe(
      true,
    );
    const [summary = ""] = tryLines(stricter, "en");
    expect(summary).toMatch(/^of \d+ calls: 0 more asked, \d+ denied, 0 looser$/);
  });

  it("no value is in the facts' bytes", async () => {
    const gate = await startGate({ config: NO_BUDGETS });
    const marks: string[] = [];
    const marked = () => {
      const mark = `zq${marks.length}xw${marks.length}vk`;
      marks.push(mark);
      return mark;
    };
    for (const level of ["Supervised", "Full"] as const) {
      const agent = await gate.agent(level === "Full" ? "aider" : "codex", level);
      for (const call of everyTool(marked)) await agent.ask(call);
      for (const [, command] of SECRETS)
        await agent.ask({ executor: "Bash", args: { command }, context: { cwd: "/srv/project" } });
      await agent.ask({ executor: "Bash", args: { command: `npm ${marked()} && ${marked()} --${marked()}` } });
    }
    await gate.operator.call("activity.list", {});
    const { lines_db } = gate.paths;
    const folder = join(lines_db, "..");
    const files = readdirSync(folder).map((name) => join(folder, name));
    const bytes = () =>
      files
        .filter((file) => file.startsWith(lines_db))
        .map((file) => readFileSync(file, "latin1"))
        .join();
    const { db } = gate.gate.core.lines;
    const facts = db.prepare("SELECT fact FROM facts").pluck().all() as string[];
    expect(facts.length).toBeGreaterThan(50);
    expect(facts.join()).toContain("example.com");
    // The names of files below a project are in their lines, and in nothing else.
    expect(marks.filter((mark) => facts.join().includes(mark))).toEqual([]);
    const names = db.prepare("SELECT name FROM names").pluck().all() as string[];
    expect(marks.filter((mark) => names.join().includes(mark))).toEqual([]);
    const secrets = SECRETS.map(([, , secret]) => secret).filter((secret) => secret.length > 6);
    expect(secrets.filter((secret) => bytes().includes(secret))).toEqual([]);
  });
});

describe("answers", () => {
  it("are kept with who gave them: the user on a surface, a grant, or nobody; the gate's own outcome is what counts", async () => {
    const gate = await startGate({ config: NO_BUDGETS });
    const agent = await gate.agent("aider", "Supervised");
    const read = (path: string) => agent.ask({ executor: "fs_read", args: { path } });
    const asked = [await read("/srv/project/a.txt"), await read("/srv/project/b.txt"), await read("/srv/other/c.txt")];
    const [c = "", b = "", a = ""] = await gate.waiting();
    await gate.operator.on("telegram").call("approvals.resolve", { token: c, decision: "rejected" });
    await gate.operator.on("page").call("approvals.resolve", {
      ...{ token: a, decision: "approved", scope: "permanent", reach: "folder" },
    });
    for (const one of asked) await one.final();
    expect((await gate.request(b)).status).toBe("approved");
    await read("/srv/other/d.txt");
    await gate.operator.call("activity.list", {});
    const { db } = gate.gate.core.lines;
    const by = db.prepare("SELECT answered_by FROM calls ORDER BY id").pluck().all() as number[];
    expect(by.map((one) => ANSWERED_BY[one])).toEqual(["page", "grant", "telegram", "nobody"]);
    // What the user refuses for the session ends others like it: that is no answer of theirs to those.
    const fetched = [];
    for (const path of ["a", "b"])
      fetched.push(await agent.ask({ executor: "http_get", args: { url: `https://a.test/${path}` } }));
    const [, first = ""] = (await gate.operator.call("approvals.list", {}))
      .filter(({ executor }) => executor === "http_get")
      .map(({ token }) => token);
    await gate.operator.on("page").call("approvals.resolve", { token: first, decision: "rejected", refuse: "target" });
    for (const one of fetched) expect((await one.final()).outcome).toBe("denied");
    await gate.operator.call("activity.list", {});
    const later = db.prepare("SELECT answered_by FROM calls WHERE id > 4 ORDER BY id").pluck().all() as number[];
    expect(later.map((one) => ANSWERED_BY[one])).toEqual(["page", "refusal"]);
    const unchanged = await tried(gate, "");
    expect(unchanged).toMatchObject({ calls: 6, same: 6 });
    const denied = await tried(gate, profile("aider", "Supervised", { "fs:read": "denied" }));
    expect(denied).toMatchObject({ denied: 4, looser: 0 });
    expect(denied.entries.map(({ was }) => was)).toEqual(Array(4).fill("approval_required"));
  });
});

describe("what isn't known", () => {
  it("calls of an earlier version are unknown, and where they may be let through more nobody says that none is", async () => {
    const gate = await startGate({ config: NO_BUDGETS });
    const agent = await gate.agent("aider", "Full");
    await agent.ask({ executor: "time_now" });
    await agent.ask({ executor: "mail_send", args: { to: ["a@b.example"], subject: "", body: "" } });
    await gate.operator.call("activity.list", {});
    gate.gate.core.lines.db.exec("UPDATE calls SET fact = 0");
    const result = await tried(gate, "");
    expect(result).toMatchObject({ calls: 2, unknown: 2, may_be_looser: 1, why_unknown: { no_facts: 2 } });
    for (const language of ["en", "it"] as const) {
      const text = tryLines(result, language).join("\n");
      expect(text).not.toMatch(/\b0 (?:looser|più permissive)/);
    }
    const file = "[[profile]]\nagent = 'x'\n[profile.Full]\n'fs:read' = 'allowed'\n";
    await expect(tried(gate, file, { file: "mine.toml" })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("mine.toml, line 4"),
    });
  });

  it("what was stricter only by hand stays so under another file, and the file's own cells that it lacks count as looser", async () => {
    const gate = await startGate({ config: NO_BUDGETS });
    const agent = await gate.agent("aider", "Full");
    await gate.operator.call("policy.tighten", { level: "Full", capability: "network:http", outcome: "denied" });
    await agent.ask({ executor: "http_get", args: { url: "https://example.com/" } });
    expect(await tried(gate, "")).toMatchObject({ same: 1, looser: 0 });
    const [{ by_hand } = {}] = (await gate.operator.call("policy.overrides", {})).overrides;
    await gate.operator.call("policy.loosen", { id: by_hand?.id ?? 0 });
    const loosened = await tried(gate, "");
    expect(loosened).toMatchObject({ looser: 1, entries: [{ was: "denied", would_be: null, change: "looser" }] });
    expect(tryLines(loosened, "en")[0]).toBe("of 1 call: 0 more asked, 0 denied, 1 looser");
  });
});

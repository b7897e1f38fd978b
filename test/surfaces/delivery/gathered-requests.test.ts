import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { commonAnswer, denials, gatheredText } from "../../../main/surfaces/delivery/gathered-requests.ts";
import { approvalView } from "../../support/approval-view.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// main/surfaces/delivery/gathered-requests.ts: what one message about many requests says, and what its answers do.

async function reading(paths: readonly string[]) {
  const gate = await startGate();
  const home = gate.home.home;
  const agent = await gate.agent();
  for (const path of paths) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), "text");
    await agent.ask({ executor: "fs_read", args: { path: join(home, path) }, context: { cwd: home } });
  }
  const list = () => gate.operator.call("approvals.list", { limit: 1000 });
  const views = (await list()).toReversed();
  return { gate, agent, home, views, list };
}

describe("a gathered message", () => {
  it("counts by what is done where, and names the first five objects", async () => {
    const { views, home } = await reading(["a/1", "a/2", "a/3", "a/4", "a/5", "b/1"]);
    const [first] = views;
    const gathered = { agent_id: first?.agent_id ?? "", agent_name: "tester", views };
    expect(gatheredText(gathered, { language: "en", home })).toEqual({
      title: "tester is waiting: 6 requests",
      lines: [
        "5 × reading: ~/a",
        "1 × reading: ~/b",
        ...["1", "2", "3", "4", "5"].map((name) => `│ ${name} from ~/a/`),
        "and 1 more",
      ],
    });
  });

  it("shows what a call could hide", () => {
    const views = [approvalView({ capability_class: "fs_write:/srv/\u202e/*" })];
    const { title, lines } = gatheredText({ agent_id: "1", agent_name: "a\u001b[31m", views }, EN);
    expect([title, lines[0]]).toEqual(["a\\u{1b}[31m is waiting: 1 request", "1 × writing: /srv/\\u{202e}"]);
  });
});

const SECRETS = "Not covered, asked each time: secrets such as .env";
const EN = { language: "en", home: "/home/me" } as const;

describe("one answer to many", () => {
  it("is a choice of one card that the gate then lets the others through by: as many as it says, and it stores what it says", async () => {
    const { gate, home, views, list } = await reading(["a/1", "a/2", "a/3", "a/x/4", "b/1"]);
    const common = commonAnswer(views, { language: "en", home }) ?? expect.unreachable();
    expect(common).toMatchObject({ label: "Allow reading below ~/a", covers: 4 });
    expect(common.stores).toEqual([`fs:read  ${home}/a/**`, "tester, until its session ends", SECRETS]);
    const closed = new Promise<void>((resolve) => {
      let left = common.covers;
      gate.operator.subscribe(() => --left === 0 && resolve(), ["approval.closed"]);
    });
    await gate.operator.call("approvals.resolve", common.answer);
    await closed;
    expect((await list()).map(({ capabilities }) => capabilities[0]?.target)).toEqual([join(home, "b/1")]);
    const grants = await gate.operator.call("grants.list", {});
    expect(grants.map(({ capability, target, session }) => [capability, target, session !== null])).toEqual([
      ["fs:read", `${home}/a/**`, true],
    ]);
  });

  it("of answers that cover as many, the narrowest is offered", () => {
    const grants = (target: string) => [{ capability: "fs:read" as const, target }];
    const choices = ["/srv/**", "/srv/a/**", "/srv/a/*"].map((target) => ({
      scope: "session" as const,
      reach: "tree" as const,
      grants: grants(target),
    }));
    const views = ["1", "2"].map((token) => approvalView({ token, capabilities: grants(`/srv/a/${token}`), choices }));
    expect(commonAnswer(views, { ...EN, language: "it" })?.label).toBe("Consenti: leggere direttamente in /srv/a");
  });

  it("there is none where no choice covers two: other folders, other sessions, what is dangerous, what is asked each time", () => {
    const grants = [{ capability: "fs:read" as const, target: "/srv/a/**" }];
    const choices = [{ scope: "session" as const, reach: "tree" as const, grants }];
    const readsA = (token: string) =>
      approvalView({ token, capabilities: [{ capability: "fs:read", target: `/srv/a/${token}` }], choices });
    expect(commonAnswer([readsA("1"), readsA("2")], EN)).toMatchObject({ covers: 2 });
    expect(commonAnswer([readsA("1")], EN)).toBeNull();
    expect(commonAnswer([readsA("1"), { ...readsA("2"), session: "other" }], EN)).toBeNull();
    expect(commonAnswer([readsA("1"), { ...readsA("2"), choices: [] }], EN)).toBeNull();
    const elsewhere = { capabilities: [{ capability: "fs:read" as const, target: "/srv/b/2" }] };
    expect(commonAnswer([readsA("1"), { ...readsA("2"), ...elsewhere }], EN)).toBeNull();
    const hazards = [{ id: "deletes-files" as const }];
    const description = { ...(approvalView().description ?? {}), hazards } as never;
    expect(commonAnswer([readsA("1"), { ...readsA("2"), description }], EN)).toBeNull();
  });

  it("of 200 requests in as many folders, it is looked for without holding up the gate", () => {
    const home = tempFolder();
    const views = Array.from({ length: 200 }, (_, index) => {
      const folder = join(home, String(index), "deep", "er");
      mkdirSync(folder, { recursive: true });
      const choices = ["file", "*", "**"].map((name) => ({
        ...{ scope: "session" as const, reach: "tree" as const },
        grants: [{ capability: "fs:read" as const, target: join(folder, name) }],
      }));
      const capabilities = [{ capability: "fs:read" as const, target: join(folder, "file") }];
      return approvalView({ token: String(index), capabilities, choices });
    });
    const began = performance.now();
    expect(commonAnswer(views, { language: "en", home })).toBeNull();
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("a choice whose folder leads nowhere meanwhile is left out", () => {
    const home = tempFolder();
    symlinkSync(join(home, "loop"), join(home, "loop"));
    const grants = (target: string) => [{ capability: "fs:read" as const, target }];
    const views = ["1", "2"].map((token) => {
      const choices = [{ scope: "session" as const, reach: "tree" as const, grants: grants(join(home, "loop", "**")) }];
      return approvalView({ token, capabilities: grants(join(home, "loop", token)), choices });
    });
    expect(commonAnswer(views, { language: "en", home })).toBeNull();
  });

  it("never answers a request that needs more than what is offered: a confined call beside two that read", () => {
    const grants = [{ capability: "fs:read" as const, target: "/srv/a/**" }];
    const choices = [{ scope: "session" as const, reach: "tree" as const, grants }];
    const reads = ["1", "2"].map((token) =>
      approvalView({ token, capabilities: [{ capability: "fs:read", target: `/srv/a/${token}` }], choices }),
    );
    const confined = { network: false } as NonNullable<ApprovalView["confined"]>;
    const runs = approvalView({ token: "runs", capabilities: grants, confined, choices });
    const more = [...grants, { capability: "fs:write" as const, target: "/srv/b" }];
    const writes = approvalView({ token: "writes", capabilities: more, choices });
    expect(commonAnswer([runs, writes, ...reads], EN)).toMatchObject({ covers: 2, answer: { token: "1" } });
  });

  it("no to all of them is a no to each", () => {
    expect(denials([approvalView({ token: "1" }), approvalView({ token: "2" })])).toEqual([
      { token: "1", decision: "rejected" },
      { token: "2", decision: "rejected" },
    ]);
  });
});

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import { describe, expect, it } from "vitest";
import { type RefusableCall, refusedNeeds, SessionRefusals } from "../../../main/calls/approvals/session-refusals.ts";
import type { AskedNeed } from "../../../main/calls/approvals/stored-request.ts";
import { callHash } from "../../../main/decide/executors/canonical.ts";
import type { ResolvedRequirement } from "../../../main/targets/target.ts";
import { extraOf, openedApprovals, pendingOf } from "../../support/gate-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = (capability: "fs:read" | "fs:write", name: string, isTree = false): ResolvedRequirement => ({
  capability,
  target: pathTarget(name, "/home/me", undefined, isTree),
});
const host = (name: string): ResolvedRequirement => ({
  capability: "network:http",
  target: { kind: "host", host: name },
});
const command = (value: string): ResolvedRequirement => ({ capability: "code:exec", target: { kind: "exact", value } });
const calls = (...needs: ResolvedRequirement[]): RefusableCall => ({ call: { executor: "box", args: {} }, needs });

function opened(file = join(tempFolder(), "approvals.db"), clock = new ManualClock()) {
  const { registry, db } = openedApprovals(file, clock);
  const { refusals } = registry;
  const refuse = (asked: AskedNeed[], session = "s", agentId = "agent-1") =>
    refusals.write(
      registry.createPending(pendingOf({ extra: extraOf({ asked }), session, agent_id: agentId })),
      asked.length === 0 ? "call" : "target",
      86_400,
    )();
  const denies = (call: RefusableCall, session = "s", agentId = "agent-1") =>
    refusals.find(agentId, session, call) !== undefined;
  return { registry, refusals, refuse, denies, db, file, clock };
}

describe("what a refused target denies", () => {
  it("a path: that path for that capability, and a tree that holds it, but where only names are listed", () => {
    const { refuse, denies } = opened();
    refuse([path("fs:read", "/srv/p/src/a")]);
    expect(denies(calls(path("fs:read", "/srv/p/src/a")))).toBe(true);
    expect(denies(calls(path("fs:read", "/srv/other"), path("fs:read", "/srv/p/src/a")))).toBe(true);
    expect(denies(calls(path("fs:read", "/srv/p", true)))).toBe(true);
    expect(denies(calls({ ...path("fs:read", "/srv/p", true), access: "list" }))).toBe(false);
    expect(denies(calls(path("fs:write", "/srv/p/src/a")))).toBe(false);
    expect(denies(calls(path("fs:read", "/srv/p/src/ab")))).toBe(false);
    expect(denies(calls(path("fs:read", "/srv/p/src")))).toBe(false);
  });

  it("a tree: all below it", () => {
    const { refuse, denies } = opened();
    refuse([path("fs:write", "/srv/p", true)]);
    expect(denies(calls(path("fs:write", "/srv/p/src/a")))).toBe(true);
    expect(denies(calls(path("fs:write", "/srv/px")))).toBe(false);
  });

  it("a path by every name that leads to it", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    const byLink = opened();
    byLink.refuse([path("fs:read", join(folder, "link/a"))]);
    expect(byLink.denies(calls(path("fs:read", join(folder, "real/a"))))).toBe(true);
    const byName = opened();
    byName.refuse([path("fs:read", join(folder, "real/a"))]);
    expect(byName.denies(calls(path("fs:read", join(folder, "link/a"))))).toBe(true);
  });

  it("a host, a command line, a target that isn't known: the same one", () => {
    const { refuse, denies } = opened();
    const unknown: ResolvedRequirement = { capability: "fs:read", target: { kind: "unknown", shown: "x" } };
    for (const need of [host("example.org"), command("make"), unknown]) refuse([need]);
    expect([host("example.org"), command("make"), unknown].map((need) => denies(calls(need)))).toEqual([
      true,
      true,
      true,
    ]);
    expect([host("a.example.org"), command("make x"), path("fs:read", "y")].map((need) => denies(calls(need)))).toEqual(
      [false, false, false],
    );
  });

  it("of what runs code the command alone, not what it touches besides", () => {
    expect(refusedNeeds([command("make"), host("example.org")])).toEqual([command("make")]);
    expect(refusedNeeds([host("example.org"), path("fs:read", "/a")])).toHaveLength(2);
  });
});

it("a refused call denies exactly the executor with these arguments", () => {
  const { registry, refusals } = opened();
  const hash = callHash("box", { path: "/a" });
  refusals.write(registry.createPending(pendingOf({ call_hash: hash, session: "s" })), "call", 60)();
  const denies = (args: Record<string, unknown>, executor = "box") =>
    refusals.find("agent-1", "s", { call: { executor, args }, needs: [] }) !== undefined;
  expect([denies({ path: "/a" }), denies({ path: "/b" }), denies({ path: "/a" }, "crate")]).toEqual([
    true,
    false,
    false,
  ]);
});

it("one agent's session is none of another's, nor another session of the same one", () => {
  const { refuse, denies } = opened();
  refuse([command("make")]);
  const make = calls(command("make"));
  expect([denies(make), denies(make, "t"), denies(make, "s", "agent-2")]).toEqual([true, false, false]);
});

it("it survives a restart, ends by the first of both clocks, and leaves nothing behind in the file", () => {
  const first = opened();
  first.refuse([command("make")]);
  const make = calls(command("make"));
  const second = opened(first.file, first.clock);
  expect(second.denies(make)).toBe(true);
  first.clock.jump(-604_800);
  first.clock.advance(86_401);
  expect(second.denies(make)).toBe(false);
  expect(second.refusals.list()).toEqual([]);
  second.refusals.flush();
  expect(second.db.prepare("SELECT count(*) AS count FROM refusals").get()).toEqual({ count: 0 });
});

it("while nothing is refused, and while something is, a call costs no statement", () => {
  const { refuse, denies, db, registry } = opened();
  const prepared: string[] = [];
  const { prepare } = db;
  db.prepare = ((sql: string) => {
    prepared.push(sql);
    return prepare.call(db, sql);
  }) as typeof db.prepare;
  const fresh = new SessionRefusals(db, new ManualClock());
  prepared.length = 0;
  fresh.find("agent-1", "s", calls(command("make")));
  expect(prepared).toEqual([]);
  db.prepare = prepare;
  refuse([command("make")]);
  expect(registry.refusals.list()).toHaveLength(1);
  const before = db.prepare("SELECT total_changes() AS n").get();
  expect(denies(calls(command("make")))).toBe(true);
  expect(db.prepare("SELECT total_changes() AS n").get()).toEqual(before);
});

it("a row that can't be read refuses nothing, is reported, and can be revoked", () => {
  const first = opened();
  first.refuse([command("make")]);
  first.db.exec("UPDATE refusals SET names = 'x'");
  const reported: string[] = [];
  const report = {
    damaged: (what: string) => reported.push(what),
    resolved: (what: string) => reported.push(`${what} is gone`),
  };
  const read = new SessionRefusals(first.db, first.clock, report);
  expect(read.find("agent-1", "s", calls(command("make")))).toBeUndefined();
  expect(read.revoke(1)).toBe(true);
  expect(reported).toEqual(["refusal 1", "refusal 1 is gone"]);
});

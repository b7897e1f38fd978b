import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GrantHolder, NewGrant } from "../../../main/decide/grants/store.ts";
import { type CallTarget, namedTarget } from "../../../main/targets/target.ts";
import { freshGrants, openedGrants, ROBERTO } from "../../support/gate-stores.ts";

const ASKER: GrantHolder = { ...ROBERTO, agent: "agent-1", session: "session-1" };
const FILE: CallTarget = { kind: "path", lexical: "/srv/a.txt", real: "/srv/a.txt", is_tree: false };

function granted(more: Partial<NewGrant> = {}) {
  const { grants, clock, file, home } = freshGrants();
  const { id } = grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: "/srv/**", ...more });
  const find = (holder: Partial<GrantHolder> = {}) => grants.find({ ...ASKER, ...holder }, "fs:read", FILE);
  return { grants, clock, file, home, id, find };
}

describe("a grant counts", () => {
  it("for the user who gave it, on the channel that they gave it on", () => {
    const { id, find } = granted();
    expect(find()).toBe(id);
    expect(find({ sender_id: "another" })).toBeUndefined();
    expect(find({ channel: "telegram" })).toBeUndefined();
  });

  it("for its capability alone", () => {
    const { grants, id, find } = granted();
    expect(grants.find(ASKER, "fs:write", FILE)).toBeUndefined();
    expect(find()).toBe(id);
  });

  it("for its agent, or for all where it names none", () => {
    const own = granted({ agent: "agent-1" });
    expect([own.find(), own.find({ agent: "agent-2" }), own.find({ agent: undefined })]).toEqual([
      own.id,
      undefined,
      undefined,
    ]);
    const all = granted();
    expect([all.find({ agent: "agent-2" }), all.find({ agent: undefined })]).toEqual([all.id, all.id]);
  });

  it("for its session, until that is over", () => {
    const { grants, id, find } = granted({ agent: "agent-1", session: "session-1" });
    expect([find(), find({ session: "session-2" }), find({ session: undefined })]).toEqual([id, undefined, undefined]);
    grants.endSession("agent-1", "session-1");
    expect(find()).toBeUndefined();
  });

  it("of a session that is over no more, though that can't be written", () => {
    const { grants, file, home, clock, find } = granted({ agent: "agent-1", session: "session-1" });
    const other = openedGrants(file, home, clock);
    other.db.exec("BEGIN IMMEDIATE");
    expect(() => grants.endSession("agent-1", "session-1")).toThrow();
    expect(find()).toBeUndefined();
    other.db.exec("ROLLBACK");
    grants.flush();
    expect([find(), grants.countActive()]).toEqual([undefined, 0]);
  });

  it("until it ends, and not in that second", () => {
    const { clock, id, find } = granted({ expires_at: new Date(freshGrants().clock.ms + 60_000).toISOString() });
    clock.advance(59);
    expect(find()).toBe(id);
    clock.advance(1);
    expect(find()).toBeUndefined();
  });

  it("until it is revoked", () => {
    const { grants, id, find } = granted();
    grants.revokeGrant(id);
    expect([find(), grants.countActive()]).toEqual([undefined, 0]);
  });

  it("as soon as it is given, and as another program has left it", () => {
    const { grants, file, home, clock, find, id } = granted();
    expect(grants.find(ASKER, "fs:write", FILE)).toBeUndefined();
    const { id: later } = grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: "/srv/**" });
    expect(grants.find(ASKER, "fs:write", FILE)).toBe(later);
    openedGrants(file, home, clock).grants.revokeGrant(id);
    grants.freshen();
    expect(find()).toBeUndefined();
  });
});

describe("a grant on a path covers a call", () => {
  it("where the path is below its folder, however deep", () => {
    const { grants, id } = granted();
    for (const path of ["/srv/a", "/srv/a/b/c/d"])
      expect([path, grants.find(ASKER, "fs:read", namedTarget("fs:read", path, "/home/r"))]).toEqual([path, id]);
    for (const path of ["/srv2/a", "/a", "/srv/../etc/hosts"])
      expect([path, grants.find(ASKER, "fs:read", namedTarget("fs:read", path, "/home/r"))]).toEqual([path, undefined]);
  });

  it("only where the path leads below it as well, and nowhere that can't be known", () => {
    const { grants, home } = freshGrants();
    mkdirSync(join(home, "work"));
    mkdirSync(join(home, "other"));
    symlinkSync("../other", join(home, "work/out"));
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${home}/work/**` });
    const find = (path: string) => grants.find(ASKER, "fs:read", namedTarget("fs:read", join(home, path), home));
    expect(find("work/a.txt")).toBeTypeOf("number");
    expect(find("work/out/a.txt")).toBeUndefined();
    rmSync(join(home, "work/out"));
    expect(find("work/out/a.txt")).toBeTypeOf("number");
    symlinkSync("loop", join(home, "work/loop"));
    expect(find("work/loop/a.txt")).toBeUndefined();
    const processFolder: CallTarget = {
      kind: "path",
      lexical: join(home, "work/cwd"),
      real: join(home, "work/cwd"),
      is_tree: false,
      is_process_relative: true,
    };
    expect(grants.find(ASKER, "fs:read", processFolder)).toBeUndefined();
  });
});

import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import { describe, expect, it } from "vitest";
import { type Capability, capabilitySchema } from "../../../ipc/contract/decision.ts";
import { namedTarget } from "../../../main/targets/target.ts";
import { freshGrants, openedGrants, ROBERTO } from "../../support/gate-stores.ts";
import { refusalOf } from "../../support/refusals.ts";

/** Waits until the next lookup checks the file again. */
function aMillisecondLater(): void {
  const start = performance.now();
  while (performance.now() - start < 1);
}

const TELEGRAM = { channel: "telegram", sender_id: "42" };

describe("recording and revoking", () => {
  // record_grant_e_has_grant_round_trip
  it("a recorded grant is there for exactly its four-tuple", () => {
    const { grants } = freshGrants();
    const grant = grants.recordGrant({
      ...ROBERTO,
      capability: "network:http",
      target: "API.example.com.",
      granted_by: "test",
    });
    expect(grant).toMatchObject({
      ...ROBERTO,
      capability: "network:http",
      target: "api.example.com",
      granted_by: "test",
      expires_at: null,
      revoked_at: null,
    });
    expect(grant.granted_at).toBe("2026-05-04T10:00:00Z");
    expect(grants.hasGrant("local", "roberto", "network:http", "api.example.com")).toBe(true);
    expect(grants.hasGrant("telegram", "roberto", "network:http", "api.example.com")).toBe(false);
    expect(grants.hasGrant("local", "anna", "network:http", "api.example.com")).toBe(false);
    expect(grants.hasGrant("local", "roberto", "network:http", "example.com")).toBe(false);
    expect(grants.hasGrant("local", "roberto", "mail:read", "api.example.com")).toBe(false);
  });

  // record_grant_capability_sconosciuta_solleva
  it("a capability outside the registry is refused, the inherited names of objects too", () => {
    const { grants } = freshGrants();
    for (const name of ["fs:delete", "", "toString", "__proto__", "constructor"]) {
      expect(capabilitySchema.safeParse(name).success).toBe(false);
      const refusal = refusalOf(() => grants.recordGrant({ ...ROBERTO, capability: name as Capability, target: "*" }));
      expect(refusal.code).toBe("unknown_capability");
    }
    expect(grants.countActive()).toBe(0);
  });

  it("nothing is ever granted for a capability marked always, nor where nothing is asked", () => {
    const { grants } = freshGrants();
    for (const name of ["code:exec", "mail:send", "llm:local", "channel:in", "time:read", "parse:local"] as const) {
      expect(refusalOf(() => grants.recordGrant({ ...ROBERTO, capability: name, target: "*" })).code).toBe(
        "never_granted",
      );
    }
    expect(grants.listGrants({ include_revoked: true })).toEqual([]);
  });

  // revoke_grant_disattiva_has_grant
  it("a revoked grant covers nothing any more, and can be revoked once", () => {
    const { grants, home } = freshGrants();
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: "~/notes/*" });
    const target = namedTarget("fs:read", "~/notes/a", home);
    expect(grants.find(ROBERTO, "fs:read", target)).toBe(id);
    expect(grants.revokeGrant(id)).toBe(true);
    expect(grants.hasGrant("local", "roberto", "fs:read", "~/notes/*")).toBe(false);
    expect(grants.find(ROBERTO, "fs:read", target)).toBeUndefined();
    expect(grants.revokeGrant(id)).toBe(false);
    expect(grants.revokeGrant(999)).toBe(false);
  });

  it("an expired grant covers nothing, from the second it expires", () => {
    const { grants, home, clock } = freshGrants();
    const { id, expires_at } = grants.recordGrant({
      ...ROBERTO,
      capability: "fs:read",
      target: "~/notes/*",
      expires_at: "2026-05-04T12:00:00+01:00",
    });
    expect(expires_at).toBe("2026-05-04T11:00:00Z");
    const target = namedTarget("fs:read", "~/notes/a", home);
    clock.advance(3599);
    expect(grants.find(ROBERTO, "fs:read", target)).toBe(id);
    clock.advance(1);
    expect(grants.find(ROBERTO, "fs:read", target)).toBeUndefined();
    expect(grants.hasGrant("local", "roberto", "fs:read", "~/notes/*")).toBe(false);
    expect(grants.countActive()).toBe(0);
    expect(grants.listGrants()).toEqual([]);
  });

  it("an expiry that is no date, or has passed, is refused", () => {
    const { grants } = freshGrants();
    for (const expiresAt of ["tomorrow", "", "2026-05-04T10:00:00Z", "2020-01-01T00:00:00Z"]) {
      expect(
        refusalOf(() =>
          grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: "inbox", expires_at: expiresAt }),
        ).code,
      ).toBe("invalid_expiry");
    }
    expect(grants.listGrants({ include_revoked: true })).toEqual([]);
  });

  it("another process's grant and revocation count within a millisecond, the gate's own at once", () => {
    const one = freshGrants();
    const inbox = { kind: "exact", value: "inbox" } as const;
    const find = () => one.grants.find(ROBERTO, "mail:read", inbox);
    expect(find()).toBeUndefined();
    const other = openedGrants(one.file, one.home, one.clock);
    const { id } = other.grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: "inbox" });
    aMillisecondLater();
    expect(find()).toBe(id);
    other.grants.revokeGrant(id);
    aMillisecondLater();
    expect(find()).toBeUndefined();
    const own = one.grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: "inbox" });
    expect(find()).toBe(own.id);
    const session = one.grants.recordGrant({
      ...ROBERTO,
      capability: "mail:read",
      target: "inbox",
      agent: "a",
      session: "s",
    });
    expect(one.grants.revokeGrant(own.id)).toBe(true);
    expect(find()).toBeUndefined();
    const holder = { ...ROBERTO, agent: "a", session: "s" };
    expect(one.grants.find(holder, "mail:read", inbox)).toBe(session.id);
    one.grants.revokeAgent("a", "the session ended", "s");
    expect(one.grants.find(holder, "mail:read", inbox)).toBeUndefined();
  });

  it("every grant is found, however many are given while the gate runs, and nothing beside them", () => {
    const { db, grants } = freshGrants();
    const ids = new Map<string, number>();
    // Written at once, which takes no time: a transaction for each waits for the disk 2,500 times.
    db.transaction(() => {
      for (let number = 0; number < 2500; number++) {
        const target = `box-${number}`;
        ids.set(target, grants.recordGrant({ ...ROBERTO, capability: "mail:read", target }).id);
      }
    })();
    const find = (value: string) => grants.find(ROBERTO, "mail:read", { kind: "exact", value });
    for (const [target, id] of ids) expect(find(target)).toBe(id);
    for (let number = 0; number < 2500; number++) expect(find(`box-${number}-other`)).toBeUndefined();
  });

  it("a session that is over covers nothing also while that can't be written, and is revoked once it can", () => {
    const { db, grants } = freshGrants();
    const holder = { ...ROBERTO, agent: "a", session: "s" };
    const { id } = grants.recordGrant({ ...holder, capability: "mail:read", target: "inbox" });
    const find = (session: string) =>
      grants.find({ ...holder, session }, "mail:read", { kind: "exact", value: "inbox" });
    expect(find("s")).toBe(id);
    db.pragma("query_only = 1");
    expect(() => grants.endSession("a", "s")).toThrow(/readonly/);
    expect(find("s")).toBeUndefined();
    expect(() => grants.flush()).toThrow(/readonly/);
    db.pragma("query_only = 0");
    grants.flush();
    expect(grants.listGrants({ include_revoked: true })[0]).toMatchObject({ id, revoked_reason: "the session ended" });
    const next = grants.recordGrant({ ...holder, capability: "mail:read", target: "inbox" });
    expect(find("s")).toBe(next.id);
  });

  it("asking about paths without a grant leaves nothing behind, however long they are", () => {
    const { db, grants } = freshGrants();
    db.transaction(() => {
      for (let number = 0; number < 2000; number++)
        grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: `box-${number}` });
    })();
    const before = process.memoryUsage().heapUsed;
    // About one in sixteen matches a place in the index.
    for (let number = 0; number < 600; number++)
      grants.find(ROBERTO, "mail:read", { kind: "exact", value: `${number} ${"x".repeat(1_000_000)}`.normalize() });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
    // Some hundred megabytes of text are compared.
  });

  it("a file that can't be read covers nothing until it can", () => {
    const { db, grants } = freshGrants();
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: "inbox" });
    const find = () => grants.find(ROBERTO, "mail:read", { kind: "exact", value: "inbox" });
    db.exec("ALTER TABLE grants RENAME TO gone");
    expect(find).toThrow(/no such table/);
    db.exec("ALTER TABLE gone RENAME TO grants");
    expect(find()).toBe(id);
  });
});

describe("listing", () => {
  // list_grants_filtra_per_canale_e_revoked
  it("filters by channel and sender, leaves revoked ones out by default, newest first", () => {
    const { grants, clock } = freshGrants();
    const record = (who: typeof ROBERTO, target: string) => {
      clock.advance(1);
      return grants.recordGrant({ ...who, capability: "mail:read", target }).id;
    };
    const first = record(ROBERTO, "inbox");
    const second = record(TELEGRAM, "inbox");
    const third = record(ROBERTO, "archive");
    grants.revokeGrant(first);
    const ids = (filter: Parameters<typeof grants.listGrants>[0]) => grants.listGrants(filter).map((grant) => grant.id);
    expect(ids({})).toEqual([third, second]);
    expect(ids({ include_revoked: true })).toEqual([third, second, first]);
    expect(ids({ channel: "telegram" })).toEqual([second]);
    expect(ids({ sender_id: "roberto", include_revoked: true })).toEqual([third, first]);
    expect(ids({ channel: "telegram", sender_id: "roberto" })).toEqual([]);
    expect(ids({ limit: 1 })).toEqual([third]);
    expect(ids({ before_id: third })).toEqual([second]);
    expect(grants.listGrants({ include_revoked: true }).at(-1)?.revoked_reason).toBe("revoked by the user");
  });

  it("shows when a grant was last used", () => {
    const { grants, clock } = freshGrants();
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: "inbox" });
    clock.advance(60);
    grants.noteUse(id);
    expect(grants.listGrants()[0]?.last_used_at).toBe("2026-05-04T10:01:00Z");
  });
});

describe("whose a grant is", () => {
  it("belongs to the agent that asked, unless it is for all of them", () => {
    const { grants } = freshGrants();
    const inbox = { kind: "exact", value: "inbox" } as const;
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: "inbox", agent: "agent-1" });
    expect(grants.find({ ...ROBERTO, agent: "agent-1" }, "mail:read", inbox)).toBe(id);
    expect(grants.find({ ...ROBERTO, agent: "agent-2" }, "mail:read", inbox)).toBeUndefined();
    expect(grants.find(ROBERTO, "mail:read", inbox)).toBeUndefined();
    const { id: forAll } = grants.recordGrant({ ...ROBERTO, capability: "calendar:read", target: "home" });
    expect(grants.find({ ...ROBERTO, agent: "agent-2" }, "calendar:read", { kind: "exact", value: "home" })).toBe(
      forAll,
    );
  });

  it("a session's grant holds in that session only, and ends with it", () => {
    const { grants } = freshGrants();
    const inbox = { kind: "exact", value: "inbox" } as const;
    const { id } = grants.recordGrant({
      ...ROBERTO,
      capability: "mail:read",
      target: "inbox",
      agent: "agent-1",
      session: "s1",
    });
    grants.recordGrant({ ...ROBERTO, capability: "calendar:read", target: "home", agent: "agent-1" });
    expect(grants.find({ ...ROBERTO, agent: "agent-1", session: "s1" }, "mail:read", inbox)).toBe(id);
    expect(grants.find({ ...ROBERTO, agent: "agent-1", session: "s2" }, "mail:read", inbox)).toBeUndefined();
    expect(grants.find({ ...ROBERTO, agent: "agent-1" }, "mail:read", inbox)).toBeUndefined();
    expect(grants.revokeAgent("agent-1", "the session ended", "s1")).toBe(1);
    expect(grants.countActive()).toBe(1);
    expect(grants.revokeAgent("agent-1", "unpaired")).toBe(1);
    expect(grants.countActive()).toBe(0);
  });
});

describe("paths", () => {
  const INVOICES = "~/Documents/invoices-2026";

  function invoices() {
    const parts = freshGrants();
    const folder = join(parts.home, "Documents/invoices-2026");
    mkdirSync(join(folder, "sub"), { recursive: true });
    mkdirSync(join(parts.home, "Documents/private"));
    writeFileSync(join(parts.home, "Documents/private/key"), "k");
    writeFileSync(join(folder, "03-Acme.pdf"), "");
    const { id } = parts.grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: `${INVOICES}/*` });
    const covers = (path: string) =>
      parts.grants.find(ROBERTO, "fs:write", namedTarget("fs:write", path, parts.home)) === id;
    return { ...parts, folder, covers };
  }

  it("a grant on a folder's files covers a file in it, there or not yet", () => {
    const { covers, folder } = invoices();
    expect(covers(`${INVOICES}/03-Acme.pdf`)).toBe(true);
    expect(covers(`${INVOICES}/04-Acme.pdf`)).toBe(true);
    expect(covers(`${folder}/04-Acme.pdf`)).toBe(true);
    expect(covers(`${INVOICES}/./x/..//.hidden`)).toBe(true);
  });

  it("it covers neither the folder itself, nor what is deeper, nor what .. leads to, nor a name that only begins alike", () => {
    const { covers } = invoices();
    for (const path of [
      INVOICES,
      `${INVOICES}/`,
      `${INVOICES}/sub/x.pdf`,
      `${INVOICES}/../secrets`,
      `${INVOICES}/../../secrets`,
      `${INVOICES}-old/a.pdf`,
      `${INVOICES}/sub/../../x`,
    ]) {
      expect([path, covers(path)]).toEqual([path, false]);
    }
  });

  it("it covers no link in the folder that leads outside, a dangling one neither", () => {
    const { covers, folder, home } = invoices();
    symlinkSync(join(home, "Documents/private/key"), join(folder, "link.pdf"));
    symlinkSync(join(home, "Documents/not-there-yet"), join(folder, "dangling.pdf"));
    symlinkSync("../private/new", join(folder, "relative.pdf"));
    symlinkSync("03-Acme.pdf", join(folder, "inside.pdf"));
    expect(covers(`${INVOICES}/link.pdf`)).toBe(false);
    expect(covers(`${INVOICES}/dangling.pdf`)).toBe(false);
    expect(covers(`${INVOICES}/relative.pdf`)).toBe(false);
    expect(covers(`${INVOICES}/inside.pdf`)).toBe(true);
  });

  it("it does not cover link/.. where the kernel would go somewhere else than the text says", () => {
    const { covers, folder, home } = invoices();
    mkdirSync(join(home, "elsewhere/deep"), { recursive: true });
    symlinkSync(join(home, "elsewhere/deep"), join(folder, "jump"));
    expect(covers(`${INVOICES}/jump/../x.pdf`)).toBe(false);
    expect(covers(`${INVOICES}/sub/../x.pdf`)).toBe(true);
  });

  it("a folder swapped for a link after the grant is not covered any more", () => {
    const { covers, folder, home } = invoices();
    expect(covers(`${INVOICES}/key`)).toBe(true);
    renameSync(folder, `${folder}-moved`);
    symlinkSync(join(home, "Documents/private"), folder);
    expect(covers(`${INVOICES}/key`)).toBe(false);
    rmSync(folder);
    renameSync(`${folder}-moved`, folder);
    expect(covers(`${INVOICES}/key`)).toBe(true);
  });

  it("a grant given through a link covers what the link led to then, under the link's name", () => {
    const { grants, home } = freshGrants();
    mkdirSync(join(home, "real"));
    mkdirSync(join(home, "other"));
    symlinkSync(join(home, "real"), join(home, "link"));
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: "~/link/**" });
    const find = (path: string) => grants.find(ROBERTO, "fs:read", namedTarget("fs:read", path, home));
    expect(find("~/link/a/b")).toBe(id);
    expect(find("~/real/a/b")).toBeUndefined();
    rmSync(join(home, "link"));
    symlinkSync(join(home, "other"), join(home, "link"));
    expect(find("~/link/a/b")).toBeUndefined();
  });

  it("a link to a folder whose name looks like a glob is taken by its name", () => {
    const { grants, home } = freshGrants();
    mkdirSync(join(home, "app[id]"));
    mkdirSync(join(home, "appi"));
    symlinkSync(join(home, "app[id]"), join(home, "link"));
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: "~/link/*" });
    const find = (path: string) => grants.find(ROBERTO, "fs:read", namedTarget("fs:read", path, home));
    expect(find("~/link/page")).toBe(id);
    rmSync(join(home, "link"));
    symlinkSync(join(home, "appi"), join(home, "link"));
    expect(find("~/link/page")).toBeUndefined();
  });

  it("a whole tree is covered by a /** grant at or above it, never by a /* grant", () => {
    const { grants, home } = freshGrants();
    const tree = (path: string) => pathTarget(path, home, undefined, true);
    grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: "~/a/*" });
    expect(grants.find(ROBERTO, "fs:write", tree("~/a/b"))).toBeUndefined();
    const { id } = grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: "~/a/**" });
    expect(grants.find(ROBERTO, "fs:write", tree("~/a/b"))).toBe(id);
    expect(grants.find(ROBERTO, "fs:write", tree("~/a"))).toBe(id);
    expect(grants.find(ROBERTO, "fs:write", tree("~"))).toBeUndefined();
  });

  it("an unknown target is covered by nothing", () => {
    const { grants, home } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: "~/**" });
    symlinkSync("loop", join(home, "loop"));
    expect(grants.find(ROBERTO, "fs:read", namedTarget("fs:read", "~/x", home))).toBe(1);
    for (const path of ["relative", "", "~/a\0b", "~/loop", `~/${"d/".repeat(200)}f`]) {
      expect([path, grants.find(ROBERTO, "fs:read", namedTarget("fs:read", path, home))]).toEqual([path, undefined]);
    }
  });
});

describe("hosts", () => {
  it("a grant on a host covers it alone; one on *.domain covers every host below", () => {
    const { grants, home } = freshGrants();
    const find = (url: string) => grants.find(ROBERTO, "network:http", namedTarget("network:http", url, home));
    const exact = grants.recordGrant({ ...ROBERTO, capability: "network:http", target: "example.com" }).id;
    const below = grants.recordGrant({ ...ROBERTO, capability: "network:http", target: "*.Example.org" }).id;
    expect(find("https://EXAMPLE.com:8443/x?y#z")).toBe(exact);
    expect(find("https://www.example.com/")).toBeUndefined();
    expect(find("https://a.b.example.org/")).toBe(below);
    expect(find("https://example.org/")).toBeUndefined();
    expect(find("https://example.com@evil.test/")).toBeUndefined();
    expect(find("https://evilexample.org/")).toBeUndefined();
    expect(find("https://example.com.evil.test/")).toBeUndefined();
    expect(find("ftp://example.com/")).toBeUndefined();
  });
});

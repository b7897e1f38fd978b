import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Destination } from "../../../ipc/contract/description.ts";
import { UsedDestinations, usedDestinationsTable } from "../../../main/decide/places/used-destinations.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const at = (host: string, path = ""): Destination => ({
  kind: path === "" ? "host" : "remote",
  name: null,
  host,
  domain: null,
  path,
});

function store() {
  const db = new Database(":memory:");
  usedDestinationsTable(db);
  const clock = new ManualClock();
  return { db, clock, used: new UsedDestinations(db, clock) };
}

describe("where a project's calls have gone", () => {
  it("is new until a call that goes there was allowed, and in each project by itself", () => {
    const { used } = store();
    expect(used.isUsed("/srv/a", at("example.org"))).toBe(false);
    used.note("/srv/a", [at("example.org"), at("github.com", "/acme/shop")]);
    expect(used.isUsed("/srv/a", at("example.org"))).toBe(true);
    expect(used.isUsed("/srv/a", { ...at("github.com", "/acme/shop"), name: "origin" })).toBe(true);
    expect(used.isUsed("/srv/a", at("github.com", "/acrne/shop"))).toBe(false);
    expect(used.isUsed("/srv/b", at("example.org"))).toBe(false);
    expect(used.hosts("/srv/a")).toEqual(["example.org"]);
  });

  it("a package is its registry and name", () => {
    const { used } = store();
    const named = (registry: string, name: string): Destination => ({
      kind: "package",
      name,
      host: registry,
      domain: null,
      path: "",
    });
    used.note("/srv/a", [named("npm", "zod")]);
    expect(used.isUsed("/srv/a", named("npm", "zod"))).toBe(true);
    expect(used.isUsed("/srv/a", named("PyPI", "zod"))).toBe(false);
  });

  it("what isn't known is never used, nor what is too long to be kept", () => {
    const { used } = store();
    const unknown: Destination = { kind: "remote", name: "origin", host: null, domain: null, path: "" };
    const long = at("example.org", `/${"a".repeat(400)}`);
    used.note("/srv/a", [unknown, long]);
    expect(used.isUsed("/srv/a", unknown)).toBe(false);
    expect(used.isUsed("/srv/a", long)).toBe(false);
  });

  it("no more than 5,000 are kept: what was used longest ago goes", () => {
    const { db, clock, used } = store();
    const fill = db.prepare("INSERT INTO used_destinations VALUES ('/srv/a', 'host', ?, ?)");
    db.transaction(() => {
      for (let index = 0; index < 5000; index++)
        fill.run(`h${index}.example.org`, `2020-01-01T00:00:${String(index % 60).padStart(2, "0")}Z`);
    })();
    clock.advance?.(1000);
    used.note("/srv/a", [at("new.example.org")]);
    expect(db.prepare("SELECT count(*) AS n FROM used_destinations").get()).toEqual({ n: 5000 });
    expect(used.isUsed("/srv/a", at("new.example.org"))).toBe(true);
  });
});

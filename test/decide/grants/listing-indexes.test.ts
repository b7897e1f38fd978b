import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { PreparedStatements } from "../../../main/base/sqlite/prepared-statements.ts";
import { grantsSchema } from "../../../main/core/storage/grants-schema.ts";
import { searchGrants } from "../../../main/decide/grants/search.ts";
import { ManualClock } from "../../support/manual-clock.ts";

// The gate answers agents in the thread in which it lists grants: nothing may read or sort all of them for a page of them.

const CLOCK = new ManualClock();

/** How SQLite does each statement of one page of the listing: the count, then the page. */
function plans(query: Partial<Parameters<typeof searchGrants>[2]>): string[] {
  const said: string[] = [];
  const db = new Database(":memory:", { verbose: (sql) => said.push(String(sql)) });
  for (const migrate of grantsSchema("/home/ada").migrations) migrate(db);
  said.length = 0;
  const asked = { include_revoked: false, order: "granted_at", descending: true, offset: 0, limit: 100 } as const;
  searchGrants(new PreparedStatements(db), "id, target", { ...asked, ...query }, CLOCK);
  const plan = (sql: string) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  return said.splice(0).map((sql) =>
    plan(sql)
      .map(({ detail }) => detail)
      .join("; "),
  );
}

it.each(["granted_at", "last_used_at", "expires_at", "capability", "target"] as const)(
  "by %s, either way round: counted in an index alone, and never sorted",
  (order) => {
    for (const descending of [true, false]) {
      const [count, page] = plans({ order, descending });
      expect(count).toContain("COVERING INDEX");
      expect(page).not.toContain("TEMP B-TREE");
      if (order !== "granted_at") expect(page).toMatch(/USING (COVERING )?INDEX idx_grants_/);
    }
  },
);

it("of one capability, or with a text in the target: counted in an index alone, too", () => {
  expect(plans({ capability: "fs:write" })[0]).toContain("SEARCH grants USING COVERING INDEX idx_grants_capability");
  expect(plans({ text: "project" })[0]).toContain("COVERING INDEX idx_grants_target");
});

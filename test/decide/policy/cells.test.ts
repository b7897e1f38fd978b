import { describe, expect, it } from "vitest";
import { CAPABILITIES, LEVELS } from "../../../ipc/contract/decision.ts";
import { MAX_CELLS, PolicyCells, storedCells } from "../../../main/decide/policy/cells.ts";
import { isStricter, POLICY_TABLE, PolicyOverrides, policyDigest } from "../../../main/decide/policy/policy.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";

const FILE = new PolicyOverrides([
  {
    holder: { by: "agent", name: "aider" },
    cells: [
      {
        profile: "agent aider",
        level: "Full",
        capability: "fs:write",
        before: "allowed",
        outcome: "approval_required",
        line: 4,
      },
    ],
  },
]);

function cellsOn(stores = freshGrants(), overrides = new PolicyOverrides([])) {
  const damaged: string[] = [];
  const report = {
    damaged: (what: string) => damaged.push(what),
    resolved: (what: string) => damaged.splice(damaged.indexOf(what), 1),
  };
  const cells = new PolicyCells(stores.db, overrides, stores.clock, report);
  const outcome = (name: string, level: (typeof LEVELS)[number], capability: (typeof CAPABILITIES)[number]) =>
    overrides.policyFor({ agent: { name }, principal: ROBERTO }).table[level][capability];
  return { ...stores, cells, overrides, outcome, damaged };
}

const NET = { level: "Full", capability: "network:http" } as const;

describe("a cell that is made stricter by hand", () => {
  it("counts at once for its agent alone, in whatever capitals, or for all; taken back it doesn't", () => {
    const { cells, outcome } = cellsOn();
    const own = cells.tighten({ ...NET, outcome: "denied", agent: "Aider" }, "local:roberto");
    expect(own.before).toBeNull();
    expect([outcome("aider", "Full", "network:http"), outcome("goose", "Full", "network:http")]).toEqual([
      "denied",
      "allowed",
    ]);
    const all = cells.tighten({ ...NET, outcome: "approval_required", agent: null }, "local:roberto");
    expect([outcome("aider", "Full", "network:http"), outcome("goose", "Full", "network:http")]).toEqual([
      "denied",
      "approval_required",
    ]);
    expect(cells.loosen(own.id)).toMatchObject({ agent: "Aider", outcome: "denied" });
    expect(outcome("aider", "Full", "network:http")).toBe("approval_required");
    expect(cells.loosen(own.id)).toBeUndefined();
    cells.loosen(all.id);
    expect(outcome("goose", "Full", "network:http")).toBe("allowed");
  });

  it("is one for each agent, level and capability: set again it changes, and says what it was", () => {
    const { cells, overrides } = cellsOn();
    const first = cells.tighten({ ...NET, outcome: "denied", agent: "aider" }, "local:roberto");
    const again = cells.tighten({ ...NET, outcome: "approval_required", agent: "AIDER" }, "local:roberto");
    expect(again).toEqual({ id: first.id, before: "denied" });
    expect(overrides.list).toMatchObject([{ outcome: "approval_required", line: null, by_hand: { id: first.id } }]);
  });

  it("is never looser than the table, nor as it is, in any cell", () => {
    const { cells, overrides } = cellsOn();
    for (const level of LEVELS)
      for (const capability of CAPABILITIES)
        for (const outcome of ["allowed", "approval_required", "denied"] as const) {
          const tighten = () => cells.tighten({ level, capability, outcome, agent: null }, "local:roberto");
          if (isStricter(outcome, POLICY_TABLE[level][capability])) expect(tighten).not.toThrow();
          else expect(tighten).toThrow(expect.objectContaining({ code: "not_stricter" }));
        }
    expect(overrides.list.every(({ outcome, before }) => isStricter(outcome, before))).toBe(true);
  });

  it("loosens nothing that the file makes stricter, and the strictest of both counts", () => {
    const { cells, outcome } = cellsOn(freshGrants(), FILE);
    const { id } = cells.tighten(
      { level: "Full", capability: "fs:write", outcome: "denied", agent: null },
      "local:roberto",
    );
    expect(outcome("aider", "Full", "fs:write")).toBe("denied");
    cells.loosen(id);
    expect(outcome("aider", "Full", "fs:write")).toBe("approval_required");
  });

  it("is there after a restart, and for whoever only reads the database", () => {
    const stores = freshGrants();
    cellsOn(stores).cells.tighten({ ...NET, outcome: "denied", agent: "aider" }, "local:roberto");
    expect(cellsOn(stores).outcome("aider", "Full", "network:http")).toBe("denied");
    expect(storedCells(stores.db)).toMatchObject([{ holder: { by: "agent", name: "aider" } }]);
  });

  it("damaged it is stricter, never looser: what can't be read counts as all and as denied, is reported, and can be taken back", () => {
    const damages = [
      ["level", "Boundless", "aider", "ReadOnly"],
      ["outcome", "allowed", "aider", "Full"],
      ["outcome", "", "aider", "Full"],
      ["agent", "no\u0007name", "goose", "Full"],
      ["capability", "everything", "aider", "Full"],
    ] as const;
    for (const [column, value, agent, level] of damages) {
      const stores = freshGrants();
      const { id } = cellsOn(stores).cells.tighten({ ...NET, outcome: "denied", agent: "aider" }, "local:roberto");
      stores.db.prepare(`UPDATE policy_cells SET ${column} = ?`).run(value);
      const { outcome, damaged, cells, overrides } = cellsOn(stores);
      expect([column, outcome(agent, level, "network:http")]).toEqual([column, "denied"]);
      expect(damaged).toEqual([`stricter cell ${id}`]);
      expect(cells.loosen(id)).toBeDefined();
      expect([overrides.list, damaged]).toEqual([[], []]);
    }
  });

  it("has a limit, which counts no change of one that is there", () => {
    const { cells, db } = cellsOn();
    cells.tighten({ ...NET, outcome: "denied", agent: "aider" }, "local:roberto");
    const add = db.prepare(
      "INSERT INTO policy_cells (agent, level, capability, outcome, set_at, set_by) VALUES (?, 'Full', 'fs:read', 'denied', '', '')",
    );
    db.transaction(() => {
      for (let index = 1; index < MAX_CELLS; index++) add.run(`agent-${index}`);
    })();
    const { cells: full } = cellsOn({ ...freshGrants(), db });
    const one = { ...NET, outcome: "denied", agent: "one-more" } as const;
    expect(() => full.tighten(one, "local:roberto")).toThrow(expect.objectContaining({ code: "too_many_cells" }));
    expect(full.tighten({ ...one, agent: "aider", outcome: "approval_required" }, "local:roberto").before).toBe(
      "denied",
    );
  });

  it("makes another policy of it, which receipts name: the same cells the same one, whenever they were set", () => {
    const empty = policyDigest(new PolicyOverrides([]).list);
    const digests = [0, 1].map((index) => {
      const { cells, clock, overrides } = cellsOn();
      clock.advance(index * 5000);
      cells.tighten({ ...NET, outcome: "denied", agent: "aider" }, "local:roberto");
      return policyDigest(overrides.list);
    });
    expect(digests[0]).toBe(digests[1]);
    expect(digests[0]).not.toBe(empty);
  });
});

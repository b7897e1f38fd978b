import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import { openDatabase } from "../../../main/base/sqlite/database.ts";
import { grantsSchema } from "../../../main/core/storage/grants-schema.ts";
import { GrantStore } from "../../../main/decide/grants/store.ts";
import { confinedWorld, decidedIn, shellCall } from "../../support/confined-calls.ts";
import { ROBERTO } from "../../support/gate-stores.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** What a plain script of `sed` says is text: no letter of it is a file, whatever follows it. */

const PAIRS: readonly (readonly [string, string])[] = [
  ["old", "new"],
  ["foo", "bar"],
  ["error", "err"],
  ["user", "root"],
  ["for", "sys"],
  ["draw", "boot"],
  ["color", "colour"],
  ["var", "let"],
  ["let", "var"],
  ["width", "height"],
  ["read", "write"],
  ["writer", "reader"],
  ["server", "client"],
  ["dev", "proc"],
  ["number", "order"],
  ["follow", "show"],
  ["a", "b"],
  ["x", "y"],
  ["TODO", "FIXME"],
  ["window", "view"],
  ["http", "https"],
  ["raw", "r"],
  ["R", "W"],
  ["localhost", "server"],
];
const SUBSTITUTIONS = PAIRS.flatMap(([from, to]) => [`s/${from}/${to}/`, `s/${from}/${to}/g`]);

const plainWorld = confinedWorld(tempFolderForFile());
const db = openDatabase(join(tempFolderForFile(), "grants.db"), grantsSchema(plainWorld.home));
afterAll(() => db.close());
const grants = new GrantStore(db, plainWorld.home, systemClock);
for (const capability of ["fs:read", "fs:write"] as const)
  grants.recordGrant({ ...ROBERTO, capability, target: `${plainWorld.project}/**` });
const world = { ...plainWorld, settings: { ...plainWorld.settings, grants } };

/** What becomes of the line, and of what it needs only the paths, within the project. */
function becomes(command: string, canConfine = false) {
  const { decision, x } = decidedIn(world, shellCall(command, world.project), { subject: { can_confine: canConfine } });
  const needs = x.needs?.map(({ capability, target }) => {
    const shown = target.kind === "path" ? target.lexical.replace(`${world.project}/`, "") : target.kind;
    return `${capability} ${shown}`;
  });
  return { outcome: decision.outcome, needs, is_confined: x.confinement !== null };
}

const ALLOWED = { outcome: "allowed", needs: ["fs:read README.md"], is_confined: false };

describe("a plain script of sed names no file", () => {
  it("48 substitutions are 48", () => expect(new Set(SUBSTITUTIONS).size).toBe(48));

  it.each(SUBSTITUTIONS)("sed '%s' needs to read its file and nothing else", (script) => {
    expect(becomes(`sed '${script}' README.md`)).toEqual(ALLOWED);
    expect(becomes(`sed -e '${script}' README.md`)).toEqual(ALLOWED);
    expect(becomes(`cat README.md | sed '${script}'`)).toEqual(ALLOWED);
  });

  it.each(SUBSTITUTIONS)("sed -i '%s' is confined where that can be", (script) => {
    expect(becomes(`sed -i '${script}' README.md`, true)).toMatchObject({ outcome: "allowed", is_confined: true });
    expect(becomes(`sed -i.bak '${script}' README.md`)).toMatchObject({
      outcome: "allowed",
      needs: ["fs:read README.md", "fs:write README.md", "fs:write README.md.bak"],
    });
  });

  it.each(["sed -n '/error/p' README.md", "sed -n '/for/,/bar/p' README.md", "sed -n -e '/war/p' -e '/r/=' README.md"])(
    "%s",
    (line) => {
      expect(becomes(line)).toEqual(ALLOWED);
    },
  );

  it("nor does the name of a file that it edits", () => {
    expect(becomes("sed -n 1p docs/guide.md src/server/r/x.ts")).toEqual({
      ...ALLOWED,
      needs: ["fs:read docs/guide.md", "fs:read src/server/r/x.ts"],
    });
  });
});

describe("any other script may", () => {
  it.each([
    ["sed 'r /srv/x' README.md", "fs:read /srv/x"],
    ["sed 's/a/b/w /srv/x' README.md", "fs:write /srv/x"],
    ["sed -n '/error/w /srv/x' README.md", "fs:write /srv/x"],
    ["sed -e 's/a/b/' -e 'w /srv/x' README.md", "fs:write /srv/x"],
  ])("%s", (line, need) => {
    const { outcome, needs } = becomes(line);
    expect(outcome).toBe("approval_required");
    expect(needs).toContain("code:exec exact");
    expect(needs).toContain(need);
  });

  it("and what it names is denied where the guard denies it", () => {
    const key = join(world.home, ".ssh/id_rsa");
    expect(becomes(`sed 'r ${key}' README.md`).outcome).toBe("denied");
    expect(becomes("sed 's/a/b/w /boot/x' README.md").outcome).toBe("denied");
  });
});

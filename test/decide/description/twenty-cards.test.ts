import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { Description, Destination } from "../../../ipc/contract/description.ts";
import { callFacts, quietText } from "../../../ipc/words/card-facts.ts";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { examinationOf } from "../../support/examinations.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";
import { makeShop, TWENTY_CARDS } from "../../support/twenty-cards.ts";

const NO_GIT = spawnSync("git", ["--version"]).error === undefined ? null : "no git on PATH";
if (NO_GIT !== null) {
  if (process.env.CI === "true") throw new Error(NO_GIT);
  console.log(`skipped: ${NO_GIT}`);
}

/** The one host and the one remote that the shop's calls have gone to before. */
const USED = {
  isUsed: (_project: string, { host, path }: Destination) => host === "docs.example.com" || path === "/acme/shop",
  hosts: () => ["docs.example.com"],
  note: () => undefined,
};

describe.skipIf(NO_GIT !== null)("what must be visible on twenty cards that look alike", () => {
  let home = "";
  let project = "";
  beforeAll(() => {
    home = tempFolderForFile();
    project = `${home}/shop`;
    mkdirSync(project);
    makeShop(project);
  });

  it("are twenty, each with its name", () => {
    expect(new Set(TWENTY_CARDS.map(({ name }) => name)).size).toBe(20);
  });

  it.each(TWENTY_CARDS.map((card) => [card.name, card] as const))(
    "%s",
    (_name, { executor, args, red, says, never = [], shows = [] }) => {
      const settings = { home, destinations: USED };
      const description = describeCall(
        examinationOf({ executor, args: args(project), context: { cwd: project }, settings }),
      );
      const { hazards, ...quiet } = callFacts(description, "en", home);
      const text = quietText(quiet);
      expect(hazards).toEqual(red);
      for (const said of says) expect(text).toMatch(said);
      for (const one of never) expect(`${hazards.join("\n")}\n${text}`).not.toMatch(one);
      expect(shownLines(description)).toEqual(expect.arrayContaining([...shows]));
    },
  );
});

/** The lines of what would run and of what would change; `!`: it is marked. */
function shownLines({ stands_for, changes }: Description): string[] {
  const sign = { same: " ", added: "+", removed: "-" } as const;
  return [
    ...stands_for.flatMap(({ lines }) => lines),
    ...changes.flatMap(({ hunks }) =>
      hunks.flatMap(({ lines }) =>
        lines.map(({ kind, text, risk }) => `${sign[kind]} ${risk === undefined ? "" : "! "}${text}`),
      ),
    ),
  ];
}

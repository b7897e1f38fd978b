import { expect, it } from "vitest";
import type { Requirement } from "../../../ipc/contract/decision.ts";
import { shownChoice } from "../../../main/calls/approvals/choices.ts";
import { extraOf, openedBroker, pendingOf } from "../../support/gate-stores.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const below = (capability: "fs:read" | "fs:write"): Requirement => ({ capability, target: "/srv/work/**" });
const excludes = (language: "en" | "it", ...grants: Requirement[]) =>
  shownChoice({ scope: "permanent", reach: "exact", grants }, language).excludes;

it("a choice that grants a folder and below says what it doesn't cover, in both languages; no other does", () => {
  const written = excludes("en", below("fs:write"));
  expect(written).toMatch(/^Not covered, asked each time: .*\.git.*editor, shell and agent settings.*\.env$/);
  expect(excludes("it", below("fs:write"))).toMatch(/^Non coperti, chiesti ogni volta: .*\.git.*\.env$/);
  // Who may read a folder may read what runs later, too.
  expect(excludes("en", below("fs:read"))).toBe("Not covered, asked each time: secrets such as .env");
  expect(excludes("it", below("fs:read"))).toBe("Non coperti, chiesti ogni volta: i segreti come .env");
  expect(excludes("en", below("fs:read"), below("fs:write"))).toBe(written);
  for (const other of ["/srv/work/*", "/srv/work/a"])
    expect(excludes("en", { capability: "fs:write", target: other })).toBeUndefined();
  expect(excludes("en", { capability: "network:http", target: "example.com" })).toBeUndefined();
  expect(excludes("en")).toBeUndefined();
});

it("every surface gets it with the card, in the card's language", () => {
  const choices = [
    { scope: "none" as const, reach: null, grants: [] },
    { scope: "session" as const, reach: "tree" as const, grants: [below("fs:write")] },
  ];
  for (const language of ["en", "it"] as const) {
    const { broker } = openedBroker(tempFolder(), undefined, { language });
    const { ttl_seconds: _, ...asked } = pendingOf({ extra: extraOf({ choices }) });
    expect(broker.view(broker.ask(asked)).choices.map((choice) => choice.excludes)).toEqual([
      undefined,
      excludes(language, below("fs:write")),
    ]);
  }
});

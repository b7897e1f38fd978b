import { pathTarget } from "@metnos-gate/shell-reading";
import { describe, expect, it } from "vitest";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";

describe("a path that each process sees as its own", () => {
  it.each(["/proc/self/status", "/proc/thread-self/status", "/dev/fd/3"])(
    "is covered by no grant: for the agent it is another file: %s",
    (path) => {
      const { grants, home } = freshGrants();
      for (const target of ["/proc/**", "/dev/**"]) grants.recordGrant({ ...ROBERTO, capability: "fs:read", target });
      expect(grants.find(ROBERTO, "fs:read", pathTarget(path, home, undefined, false))).toBeUndefined();
      expect(grants.find(ROBERTO, "fs:read", pathTarget("/proc/version", home, undefined, false))).toBe(1);
    },
  );
});

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { releaseChangelog } from "../../release/changelog.ts";
import { problemsOf } from "../../release/package-contents.ts";
import { publishedManifest } from "../../release/published-manifest.ts";
import { refuseVersion } from "../../release/version.ts";
import { CHECKOUT } from "../support/gate-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

const CHANGELOG = `# Changelog

What users notice.

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-01-02

- The first.

[Unreleased]: https://metnos-gate.invalid/compare
`;

describe("the changelog of a release", () => {
  it("has what was unreleased under the version and its date; Unreleased is empty, and the rest as it was", () => {
    expect(releaseChangelog(CHANGELOG, "0.2.0", "2026-03-04")).toBe(
      CHANGELOG.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n"),
    );
  });

  it("is refused where nothing is unreleased, the section is missing, or the version is there already", () => {
    const released = releaseChangelog(CHANGELOG, "0.2.0", "2026-03-04");
    expect(() => releaseChangelog(released, "0.3.0", "2026-03-05")).toThrow(/nothing is under Unreleased/);
    expect(() => releaseChangelog(CHANGELOG, "0.1.0", "2026-03-05")).toThrow(/has 0\.1\.0 already/);
    expect(() => releaseChangelog("# Changelog\n\n- x\n", "0.2.0", "2026-03-05")).toThrow(
      /no line "## \[Unreleased\]"/,
    );
  });
});

describe("the version of a release", () => {
  it.each([
    ["0.1.1", "0.1.0"],
    ["0.2.0", "0.1.9"],
    ["1.0.0", "0.99.99"],
    ["0.10.0", "0.9.0"],
    ["1.0.0", "1.0.0-rc.1"],
    ["1.0.0-rc.10", "1.0.0-rc.9"],
    ["1.0.1-rc.1", "1.0.0"],
  ])("%s may come after %s", (next, current) => {
    expect(() => refuseVersion(next, current)).not.toThrow();
  });

  it.each([
    ["0.1.0", "0.1.0"],
    ["0.0.9", "0.1.0"],
    ["1.0.0-rc.1", "1.0.0"],
    ["1.0.0-rc.9", "1.0.0-rc.10"],
    ["v1.0.0", "0.1.0"],
    ["1.0", "0.1.0"],
    ["", "0.1.0"],
  ])("%j may not come after %s", (next, current) => {
    expect(() => refuseVersion(next, current)).toThrow(/does not come after|is no version/);
  });
});

/** What npm would pack, without asking npm: the folders that package.json's `files` names, and what is always in. */
function packedCheckout(): string {
  const folder = tempFolder();
  for (const name of ["package.json", "README.md", "LICENSE", "bin", "docs", "dist"])
    cpSync(join(CHECKOUT, name), join(folder, name), { recursive: true });
  for (const leftOut of ["docs/pictures", "dist/compiled", "dist/packages", "dist/release"])
    rmSync(join(folder, leftOut), { recursive: true, force: true });
  const manifest = join(folder, "package.json");
  writeFileSync(manifest, publishedManifest(readFileSync(manifest, "utf8")));
  return folder;
}

describe("what a package holds", () => {
  it("is all that it needs, and nothing else, as it is built here", () => {
    const { files } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { files: string[] };
    expect(files).toEqual([
      "bin",
      "dist",
      "docs",
      "!docs/pictures",
      "!dist/compiled",
      "!dist/packages",
      "!dist/release",
    ]);
    expect(problemsOf(packedCheckout(), [CHECKOUT])).toEqual([]);
  });

  it("is refused with a test, a source, a map or text with a path of this machine, another folder, or without its command", () => {
    const folder = packedCheckout();
    const put = (file: string, text = "") => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    put("package.json", readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    put("dist/cli/gate.test.js");
    put("dist/cli/main.ts");
    put("dist/cli/metnos-gate.js.map", JSON.stringify({ sources: [`${CHECKOUT}cli/main.ts`] }));
    put("dist/packages/metnos-gate.deb");
    put("bench/run.js");
    put("dist/.env");
    put("docs/pictures/policy.png");
    rmSync(join(folder, "bin/metnos-gate.js"));
    expect(problemsOf(folder, [CHECKOUT]).sort()).toEqual(
      [
        "bench/run.js doesn't belong into the package",
        "bin/metnos-gate.js is missing",
        "dist/.env is a hidden file",
        "dist/cli/gate.test.js is a test",
        "dist/cli/main.ts is a source",
        `dist/cli/metnos-gate.js.map holds the path ${CHECKOUT}`,
        "dist/packages/metnos-gate.deb doesn't belong into the package",
        "docs/pictures/policy.png is a picture",
        "package.json has the script prepare, which would run at an installation",
      ].sort(),
    );
  });
});

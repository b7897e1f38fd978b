import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { releaseChangelog } from "./changelog.ts";
import { packPublished } from "./pack.ts";
import { problemsOf } from "./package-contents.ts";
import { smokeTest } from "./smoke.ts";
import { refuseVersion } from "./version.ts";

/**
 * `npm run release -- VERSION [--dry-run]`: prepares a release and publishes nothing. `--dry-run` changes no file, and continues where
 * the changelog or an unclean tree would end it.
 */

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const CHANGELOG = join(CHECKOUT, "CHANGELOG.md");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { "dry-run": { type: "boolean" } } });
const isDry = values["dry-run"] === true;
const [version] = positionals;
const temporary = mkdtempSync(join(tmpdir(), "metnos-release-"));
try {
  if (version === undefined) throw new Error("which version? npm run release -- 1.2.3");
  await release(version);
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function release(next: string): Promise<void> {
  refuseVersion(next, versionNow());
  refuseUncleanTree();
  step("npm run check");
  npm(["run", "check"], "inherit");
  const changelog = releasedChangelog(next);
  if (!isDry) {
    step(`${next} in package.json, package-lock.json and CHANGELOG.md`);
    npm(["version", next, "--no-git-tag-version", "--ignore-scripts"]);
    writeFileSync(CHANGELOG, changelog);
  }
  const packed = versionNow();
  const folder = isDry ? join(temporary, "out") : join(CHECKOUT, "dist/release");
  mkdirSync(folder, { recursive: true });
  step("build");
  npm(["run", "--silent", "build"]);
  step("SBOM");
  const sbom = join(folder, `metnos-gate-${packed}.cdx.json`);
  writeFileSync(sbom, npm(["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"]));
  step("npm pack");
  const tarball = packPublished(CHECKOUT, folder);
  refuseContents(tarball);
  step("installed in an empty folder, run in an empty home");
  const tried = await smokeTest(tarball, packed, join(temporary, "smoke"));
  console.log("skipped" in tried ? `  SKIPPED: ${tried.skipped}` : `  works: ${tried.did.join(", ")}`);
  say(next, tarball, sbom);
}

function say(next: string, tarball: string, sbom: string): void {
  if (isDry) {
    console.log(`\nA dry run: no file was changed; of ${next} all that can be known without that was checked.`);
    return;
  }
  console.log(`\n${next} is prepared: ${tarball}, ${sbom}. Nothing was published. What is left:
  npm test
  git commit -am "${next}" && git tag -s v${next} -m ${next} && git push --follow-tags
  npm publish ${tarball}     # from CI: package.json asks for a provenance statement, which only CI can give
To undo it: git checkout package.json package-lock.json CHANGELOG.md`);
}

function versionNow(): string {
  return (JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { version: string }).version;
}

function refuseUncleanTree(): void {
  const changes = execFileSync("git", ["status", "--porcelain"], { cwd: CHECKOUT, encoding: "utf8" }).trim();
  if (changes !== "") complain(`the tree isn't clean:\n${changes}`);
}

function releasedChangelog(next: string): string {
  try {
    if (!existsSync(CHANGELOG)) throw new Error("there is no CHANGELOG.md");
    return releaseChangelog(readFileSync(CHANGELOG, "utf8"), next, new Date().toISOString().slice(0, 10));
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return "";
  }
}

function refuseContents(tarball: string): void {
  const unpacked = join(temporary, "unpacked");
  mkdirSync(unpacked);
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", unpacked]);
  const problems = problemsOf(unpacked, [CHECKOUT]);
  if (problems.length > 0) throw new Error(`the package isn't right:\n  ${problems.join("\n  ")}`);
}

/** Ends a release; a dry run only says it. */
function complain(what: string): void {
  if (!isDry) throw new Error(what);
  console.log(`  would end here: ${what}`);
}

function step(what: string): void {
  console.log(`- ${what}`);
}

/** Runs npm in the checkout and gives its stdout. @throws with what it said */
function npm(args: readonly string[], stdio: "pipe" | "inherit" = "pipe"): string {
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: CHECKOUT,
    encoding: "utf8",
    stdio: ["ignore", stdio, stdio],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed${stdio === "pipe" ? `:\n${stdout}${stderr}` : ""}`);
  return stdout ?? "";
}

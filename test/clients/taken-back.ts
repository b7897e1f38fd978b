import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { NO_BROWSER, startBrowser } from "../support/browser.ts";
import { runGate } from "../support/gate-process.ts";
import { openPage } from "../support/page-home.ts";
import type { GateUnderTest } from "../support/running-gate.ts";

/** What a real client's edit and its boxed commands did to a project comes back: by the command, and by the page in a real browser. */

const BEFORE = { "src/cart.ts": "export const vat = 0.22;\n", "src/price.ts": "export {};\n", ".env": "TOKEN=1\n" };
const EDITED = { file: "notes.md", before: "one\n", after: "two\n" } as const;

interface Work {
  agent: string;
  gate: GateUnderTest;
  project: string;
  /** Has the client's model write `after` to a file which holds `before`. */
  edit(edited: typeof EDITED): Promise<unknown>;
  run(lines: readonly string[]): Promise<unknown>;
}

export async function expectAllBack({ agent, gate, project, edit, run }: Work): Promise<void> {
  const path = (name: string) => join(project, name);
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", project, "-c", "user.name=A", "-c", "user.email=a@example.org", ...words], {
      encoding: "utf8",
    });
  mkdirSync(path("src"));
  for (const [name, text] of Object.entries({ ...BEFORE, [EDITED.file]: EDITED.before }))
    writeFileSync(path(name), text);
  writeFileSync(path(".gitignore"), ".env\n");
  // What it runs isn't in its text: such a program is what a box is for.
  writeFileSync(path("words.txt"), "git branch -D feature");
  writeFileSync(path("work.py"), 'import subprocess\nsubprocess.run(open("words.txt").read().split(), check=True)\n');
  git("add", "-A");
  git("commit", "--quiet", "-m", "all");
  git("branch", "feature");
  const seen = () => ({
    edited: readFileSync(path(EDITED.file), "utf8"),
    files: Object.keys(BEFORE).map((name) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : null)),
    hasBranch: git("branch").includes("feature"),
  });
  const before = seen();
  await edit(EDITED);
  // In their box, and without a question.
  await gate.operator.call("agents.level", { name: agent, level: "Full" });
  // A forced one is refused by Codex itself.
  await run([agent === "codex" ? "rm -r src" : "rm -rf src", "python3 work.py"]);
  const after = { edited: EDITED.after, files: [null, null, BEFORE[".env"]], hasBranch: false };
  expect(seen()).toEqual(after);
  const { entries } = await gate.operator.call("activity.list", {});
  expect(entries.slice(0, 2).map(({ is_confined }) => is_confined)).toEqual([true, true]);
  const listed = () => gate.operator.call("undo.list", {});
  await expect.poll(async () => (await listed()).map(({ state }) => state)).toEqual(["kept", "kept", "kept"]);

  const undone = await runGate(gate.home, ["undo", "--since", "1h", "--git", "--yes"]);
  expect([undone.code, seen()], undone.stderr).toEqual([0, before]);
  const again = await runGate(gate.home, ["undo", "redo"]);
  expect([again.code, seen()], again.stderr).toEqual([0, after]);

  if (NO_BROWSER !== null) return;
  const { address, close } = await startBrowser();
  onTestFinished(close);
  const { page, problems } = await openPage(gate.operator, {
    at: "activity",
    browser: await chromium.connect(address),
  });
  const hour = page.getByRole("region", { name: "Take it back" });
  await hour.getByRole("button", { name: "Take all back" }).click();
  await hour.getByRole("heading", { name: /for you to decide/ }).waitFor();
  const choices = hour.getByRole("group", { name: /^(What becomes of|For all)/ });
  for (const choice of await choices.all()) await choice.getByText("as before").click();
  await hour.getByRole("button", { name: /^Take back \d+ files/ }).click();
  await hour.getByText(/files back as before\./).waitFor();
  expect([seen(), problems]).toEqual([before, []]);
}

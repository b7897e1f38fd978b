import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openScreen } from "./notification.ts";
import { openBrowser, openGatePage } from "./page.ts";
import { edit, fetchRates, forcePush, openScene, reads, removeOld, runTests, type Scene } from "./scene.ts";
import { drawTerminal } from "./terminal.ts";

/**
 * Draws every picture of the documents from the running product, so that none is out of date: `npm run pictures`.
 * Needs Chromium, Xvfb, dunst, dbus-daemon, git and script(1).
 */

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** As many in a minute are made without a question (`rate.same_call_per_minute`). */
const SAME_CALLS = 40;
/** In pixels. */
const MARGIN = 12;
const FOLDER = `${ROOT}docs/pictures/`;

// As after an installation, the gate prints its command's bare name: no picture shows where this machine has it.
const bin = mkdtempSync(join(tmpdir(), "pictures-bin-"));
symlinkSync(`${ROOT}bin/metnos-gate.js`, join(bin, "metnos-gate"));
process.env.PATH = [bin, process.env.PATH].join(delimiter);

mkdirSync(FOLDER, { recursive: true });
const browser = await openBrowser();
try {
  await drawPage(browser);
  await drawJudges(browser);
  await drawNotification();
} finally {
  await browser.close();
  rmSync(bin, { recursive: true, force: true });
}

async function drawPage(browser: Browser): Promise<void> {
  const scene = await openScene();
  try {
    await scene.ask([forcePush(scene)]);
    const page = await openGatePage(browser, scene.operator, { width: 1000, height: 680 });
    await drawCard(page, "card.png");
    await drawTerminal(browser, {
      words: [process.execPath, `${ROOT}bin/metnos-gate.js`, "watch"],
      env: scene.env,
      text: "git push --force",
      keys: "q",
      file: `${FOLDER}watch.png`,
    });
    await scene.denyAll();
    await scene.ask([edit(scene)]);
    await drawCard(page, "diff.png");
    await scene.ask([fetchRates(scene), runTests(scene)]);
    await page.getByRole("article").nth(2).waitFor();
    await page.screenshot({ path: `${FOLDER}approvals.png` });
    await scene.denyAll();
    await scene.ask(reads(scene));
    await page.getByText("index.ts").first().waitFor();
    await page.screenshot({ path: `${FOLDER}bundle.png` });
    await scene.denyAll();
    await drawTakeBack(scene, page);
    await drawViews(scene, page);
    await drawRepeated(scene, page);
    await page.context().close();
  } finally {
    await scene.close();
  }
}

/** What a call did to files, with one of the differences. */
async function drawTakeBack(scene: Scene, page: Page): Promise<void> {
  const { project } = scene;
  const id = await scene.carryOut(removeOld(scene), () => {
    for (const name of ["units", "report"]) rmSync(join(project, `src/${name}.ts`));
    writeFileSync(join(project, "src/index.ts"), 'export const index = "new";\n');
  });
  await page.goto(`${new URL(page.url()).origin}/#/activity/${id}`);
  const files = page.locator(".call-files");
  await files.getByRole("button", { name: /^src\/index/ }).click();
  await files.locator(".line.added").waitFor();
  const row = page.locator(".decision.open");
  await page.evaluate("document.querySelector('.decision.open').scrollIntoView()");
  const [whole, part] = [await row.boundingBox(), await files.boundingBox()];
  if (whole === null || part === null) throw new Error("the call isn't open");
  const clip = { ...whole, height: part.y + part.height + MARGIN - whole.y };
  await page.screenshot({ path: `${FOLDER}take-back.png`, clip });
}

/** One card, as wide as it is on the page. */
async function drawCard(page: Page, name: string): Promise<void> {
  const card = page.getByRole("article").first();
  await card.waitFor();
  await card.screenshot({ path: `${FOLDER}${name}` });
}

async function drawViews(scene: Scene, page: Page): Promise<void> {
  const { project } = scene;
  await scene.operator.call("grants.add", { capability: "fs:read", target: `${project}/**` });
  await scene.operator.call("grants.add", {
    capability: "network:http",
    target: "rates.example.net",
    agent: "claude-code",
  });
  for (const name of ["policy.png", "grants.png", "activity.png"]) {
    const view = name.replace(".png", "");
    await page.goto(`${new URL(page.url()).origin}/#/${view}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: `${FOLDER}${name}` });
  }
}

/** A call that a grant allows, made again and again; then where it can be seen that it was stopped. */
async function drawRepeated(scene: Scene, page: Page): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/approvals`);
  const [read] = reads(scene);
  if (read === undefined) throw new Error("there is no read");
  scene.send(Array.from({ length: SAME_CALLS + 1 }, () => read));
  await page.getByText(/^The same call \d+ times/).waitFor();
  await drawCard(page, "repeated.png");
  await scene.denyAll();
}

/** A card with what its judges say, a refusal, and Activity while a call is being judged. */
async function drawJudges(browser: Browser): Promise<void> {
  const scene = await openScene({ judged: true });
  try {
    const page = await openGatePage(browser, scene.operator, { width: 1000, height: 680 });
    await scene.ask([runTests(scene)]);
    await drawCard(page, "judged.png");
    scene.send([forcePush(scene)]);
    const refusal = page.locator("[data-refusal]");
    await refusal.waitFor();
    await refusal.screenshot({ path: `${FOLDER}refusal.png` });
    scene.send([fetchRates(scene)]);
    await page.goto(`${new URL(page.url()).origin}/#/activity`);
    await page.getByText(/^being judged by local-8b, [3-9] s$/).waitFor();
    await page.screenshot({ path: `${FOLDER}judging.png` });
    await page.context().close();
  } finally {
    await scene.close();
  }
}

async function drawNotification(): Promise<void> {
  const screen = await openScreen();
  try {
    const scene = await openScene({ bus: screen.bus });
    try {
      await scene.ask([forcePush(scene)]);
      await screen.draw(`${FOLDER}notification.png`);
    } finally {
      await scene.close();
    }
  } finally {
    await screen.close();
  }
}

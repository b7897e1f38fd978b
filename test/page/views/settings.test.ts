import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEPT_FILES } from "../../../ipc/contract/kept-files.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { partialOperator } from "../../support/partial-operator.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);
const valueOfSetting = async (gate: GateUnderTest, key: string) =>
  (await gate.operator.call("settings.list", {})).find((setting) => setting.key === key)?.value;

describe.skipIf(NO_BROWSER !== null)("settings", () => {
  it("what is chosen here is in force in the gate at once", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { at: "settings", browser: browser() });
    await page.getByLabel("A request waits for").selectOption({ label: "5 minutes" });
    await expect.poll(() => valueOfSetting(gate, "approvals.ttl_seconds")).toBe(300);
    await page.getByLabel("Notifications").uncheck();
    await expect.poll(() => valueOfSetting(gate, "notifications.enabled")).toBe(false);
    await page.getByLabel("Judge's threshold").fill("0.45");
    expect(await valueOfSetting(gate, "judge.threshold")).toBe(0.3);
    await page.getByLabel("Judge's threshold").press("Enter");
    await expect.poll(() => valueOfSetting(gate, "judge.threshold")).toBe(0.45);
    expect(problems).toEqual([]);
  });

  it("what the gate refuses is said, and the value stays", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { at: "settings", browser: browser() });
    await page.getByLabel("Judge's threshold").fill("7");
    await page.getByLabel("Judge's threshold").press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await valueOfSetting(gate, "judge.threshold")).toBe(0.3);
  });

  it("what can't be changed here can't be pressed, and says why", async () => {
    const gate = await startGate({ config: "[approvals]\nttl_seconds = 47\n" });
    const { page } = await openPage(gate.operator, { at: "settings", browser: browser() });
    const ttl = page.getByLabel("A request waits for");
    await ttl.waitFor();
    expect(await ttl.isDisabled()).toBe(true);
    expect(await ttl.locator("option:checked").textContent()).toBe("47 seconds");
    const why = async (label: string) => {
      const ids = await page.getByLabel(label, { exact: true }).getAttribute("aria-describedby");
      return await page.locator(`[id="${ids?.split(" ").at(-1)}"]`).textContent();
    };
    expect(await why("A request waits for")).toContain("gate.toml sets it");
    expect(await page.getByLabel("Judge", { exact: true }).isDisabled()).toBe(true);
    expect(await why("Judge")).toContain("A model that is set up, below or in gate.toml, is the judge.");
    expect(await page.getByLabel("Start at login").isDisabled()).toBe(true);
    expect(await why("Start at login")).toContain("This system has no systemd or launchd: use the desktop app.");
    expect(await page.getByLabel("Notifications").isDisabled()).toBe(false);
  });

  it("the theme wins over the system's, and is there again after a reload", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { at: "settings", scheme: "light", browser: browser() });
    const background = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await page.getByLabel("Theme").waitFor();
    const light = await background();
    await page.getByLabel("Theme").selectOption("dark");
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByLabel("Theme").waitFor();
    expect(await background()).toBe(dark);
    expect(await page.getByLabel("Theme").inputValue()).toBe("dark");
    await page.getByLabel("Theme").selectOption("system");
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background()).toBe(dark);
  });

  it("a language chosen elsewhere is spoken here at once", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { at: "settings", browser: browser() });
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await page.getByRole("heading", { name: "Impostazioni" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("it");
  });

  it.each([
    [
      "en",
      "Room on the disk",
      "2.1 GB",
      "200 MB of 250 GB are free on the disk of /home/me/.local/state/metnos",
      /almost full/,
    ],
    [
      "it",
      "Spazio su disco",
      "2,1 GB",
      "200 MB di 250 GB liberi sul disco di /home/me/.local/state/metnos",
      /quasi pieno/,
    ],
  ] as const)("says how large the gate's files are, and warns of a disk that is almost full (%s)", async (...said) => {
    const [language, title, size, free, warning] = said;
    const gate = await startGate();
    await gate.operator.call("settings.set", { key: "language", value: language });
    const path = "/home/me/.local/state/metnos";
    const files = KEPT_FILES.map((kind, index) => ({
      kind,
      path,
      bytes: index === 0 ? 2_100_000_000 : index * 10_000,
    }));
    const disks = [{ path, free_bytes: 2e8, total_bytes: 25e10, is_low: true }];
    const { api } = partialOperator(gate.operator, { "storage.files": () => ({ files, disks }) });
    const { page } = await openPage(api, { at: "settings", browser: browser() });
    const section = page.getByRole("region", { name: title });
    await section.getByText(size).waitFor();
    await section.getByText(free).waitFor();
    await section.getByText(warning).waitFor();
    expect(await section.locator("dt").count()).toBe(KEPT_FILES.length);
    expect(await seriousProblems(page)).toEqual([]);
    await section.scrollIntoViewIfNeeded();
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}-${language}.png` });
  });

  it("and what waits is asked in it, too", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    await agent.ask({ executor: "shell_exec", args: { command: "node a.js" }, context: { cwd: gate.home.home } });
    const { page } = await openPage(gate.operator, { browser: browser() });
    await page.getByRole("heading", { name: "May I run?" }).waitFor();
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await page.getByRole("heading", { name: "Vuoi che esegua?" }).waitFor();
    expect(await page.getByRole("heading", { name: "May I run?" }).count()).toBe(0);
  });
});

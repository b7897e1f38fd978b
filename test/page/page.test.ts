import { describe, expect, it } from "vitest";
import { NO_BROWSER } from "../support/browser.ts";
import { openPage } from "../support/page-home.ts";
import { startGate } from "../support/running-gate.ts";

describe.skipIf(NO_BROWSER !== null)("the page", () => {
  it("opens under the strict policy, and asks nothing of any other origin", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator);
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    for (const view of ["Policy", "Grants", "Agents", "Activity", "Safety", "Settings"]) {
      await page.getByRole("link", { name: view }).click();
      await page.getByRole("heading", { name: view, level: 1 }).waitFor();
    }
    expect(problems).toEqual([]);
  });
});

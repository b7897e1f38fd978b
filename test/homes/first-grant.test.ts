import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { NO_BROWSER, openContext } from "../support/browser.ts";
import { card, cards } from "../support/card-page.ts";
import { runGate, startServe } from "../support/gate-process.ts";
import { payload, runHook } from "../support/hook-process.ts";
import { settled } from "../support/page-seat.ts";
import { temporaryHome } from "../support/temporary-home.ts";

/** From `connect` to the first remembered grant: keys and clicks of the user's, opening the page counted as one. */
const MAX_PRESSES = 6;

describe.skipIf(NO_BROWSER !== null)("the first minutes, in an empty home", () => {
  it(`from connect to the first remembered grant there are at most ${MAX_PRESSES} presses; the next call isn't asked about`, async () => {
    const home = temporaryHome();
    await startServe(home, ["--web", "--no-notifications"]);
    expect((await runGate(home, ["connect", "claude-code"])).code).toBe(0);
    const since = performance.now();
    let presses = 0;
    const press = async (one: Locator) => {
      presses++;
      await one.click();
    };

    const folder = join(home.home, "project");
    mkdirSync(folder);
    const write = (name: string) =>
      runHook(payload("Write", { file_path: join(folder, name), content: "text" }, { cwd: folder }), home.env);
    const [link] = (await runGate(home, ["open", "--print-link"])).lines;
    const page = await (await openContext({ locale: "en-GB" })).newPage();
    presses++;
    await page.goto(String(link?.url));
    const first = write("a.txt");
    const asking = card(page, "May I write?");
    await asking.waitFor();
    await press(asking.getByRole("button", { name: "Allow more …" }));
    await press(asking.getByRole("radio", { name: "This folder and below", exact: true }));
    await press(asking.getByRole("radio", { name: "30 days" }));
    await asking.getByText("writing ~/project/**").first().waitFor();
    await settled(page); // nobody reads it faster than presses begin to count
    await press(asking.getByRole("button", { name: "Approve and remember" }));
    expect((await first.answer).permission).toBe("allow");
    const seconds = (performance.now() - since) / 1000;
    console.log(
      `from connect to the first remembered grant: ${presses} presses, ${seconds.toFixed(1)} s of the machine's time`,
    );
    expect(presses).toBeLessThanOrEqual(MAX_PRESSES);

    const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
    onTestFinished(() => operator.close());
    const { grants } = await operator.call("grants.search", {});
    expect(grants).toMatchObject([{ capability: "fs:write", target: `${folder}/**`, agent_name: "claude-code" }]);
    expect((await write("deep/b.txt").answer).reason).toContain("allowed by grant");
    expect(await cards(page).count()).toBe(0);
  });
});

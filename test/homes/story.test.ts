import { describe, expect, it } from "vitest";
import { describeDesktop } from "../desktop/driver/launch.ts";
import type { Asked } from "../support/agent-connection.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { card, cards } from "../support/card-page.ts";
import { runGate, startServe } from "../support/gate-process.ts";
import { approveFolder, onlyGrant, revokeOnly, write } from "../support/page-seat.ts";
import { temporaryHome } from "../support/temporary-home.ts";
import { LAUNCHER, Pty } from "../support/watched.ts";
import { type Desk, desk, desktopDesk, openPopup, webDesk } from "./seats.ts";

// The same sequence in every home of the page. Only the operator's surface differs.

/** What the operator sees and does in one home. */
interface Human {
  /** A card for the write is there. */
  sees(name: string): Promise<void>;
  /** This folder and below, 30 days. Gives the agent's answer. */
  approves(asked: Asked): Promise<{ outcome: string }>;
  /** The only grant, as it is listed. */
  lists(): Promise<string>;
  revokes(): Promise<void>;
}

async function story({ agent, operator, folder }: Desk, human: Human): Promise<void> {
  const asked = await agent.ask(write(`${folder}/a.txt`));
  expect(asked.decision.outcome).toBe("approval_required");
  await human.sees("a.txt");
  expect((await human.approves(asked)).outcome).toBe("allowed");

  const { grants } = await operator.call("grants.search", {});
  expect(grants).toMatchObject([{ capability: "fs:write", target: `${folder}/**`, agent_name: "claude-code" }]);
  const days = (Date.parse(grants[0]?.expires_at ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThan(30.1);
  const listed = await human.lists();
  expect(listed).toContain("fs:write");
  expect(listed).toContain("invoices/**");

  const next = await agent.ask(write(`${folder}/2027/b.txt`));
  expect(next.decision).toMatchObject({ outcome: "allowed" });
  expect(await operator.call("approvals.list", {})).toEqual([]);

  await human.revokes();
  const again = await agent.ask(write(`${folder}/2027/c.txt`));
  expect(again.decision.outcome).toBe("approval_required");
  await human.sees("c.txt");
}

describeDesktop("the story in the desktop app", () => {
  it("the popup asks and is answered; the window's table lists the grant and takes it back", async () => {
    const seat = await desktopDesk();
    const { app, popup, window } = seat;
    await story(seat, {
      async sees(name) {
        await openPopup(app);
        await card(popup, "May I write?").getByText(name).first().waitFor();
        await window.getByRole("link", { name: "Approvals" }).click();
        await card(window, "May I write?").getByText(name).first().waitFor();
      },
      async approves(asked) {
        const answer = await approveFolder(popup, "~/invoices", asked.final);
        await popup.getByText("You approved and remembered").waitFor();
        await window.getByText("Approved in the desktop app and remembered").waitFor();
        expect(await cards(popup).count()).toBe(0);
        expect(await cards(window).count()).toBe(0);
        return answer;
      },
      lists: () => onlyGrant(window),
      revokes: () => revokeOnly(window),
    });
  });
});

describe.skipIf(NO_BROWSER !== null)("the story in a browser tab", () => {
  it("opened by its one-time link", async () => {
    const seat = await webDesk();
    const { page } = seat;
    await story(seat, {
      async sees(name) {
        await page.getByRole("link", { name: "Approvals" }).click();
        await card(page, "May I write?").getByText(name).first().waitFor();
      },
      async approves(asked) {
        const answer = await approveFolder(page, "~/invoices", asked.final);
        await page.getByText("You approved and remembered").waitFor();
        return answer;
      },
      lists: () => onlyGrant(page),
      revokes: () => revokeOnly(page),
    });
  });
});

describe("the story in the terminal", () => {
  it("`metnos-gate watch` asks and is answered; `policy` lists the grant and takes it back", async () => {
    const home = temporaryHome();
    await startServe(home, ["--no-notifications"]);
    const seat = await desk(home);
    const pty = new Pty([LAUNCHER, "watch"], home.env, 100, 36);
    await pty.shows("Nothing is waiting for you");
    await story(seat, {
      async sees(name) {
        await pty.shows("May I write?");
        await pty.shows(name);
      },
      async approves(asked) {
        // Again until it counts: not in a card's first 500 ms.
        const again = setInterval(() => pty.type("p"), 150);
        await pty.shows("this folder and below, permanently");
        clearInterval(again);
        for (const next of ["› this folder, permanently", "› this folder and below, permanently"]) {
          pty.type("\u001b[B");
          await pty.shows(next);
        }
        await pty.shows(`writing ${seat.folder}/**`);
        pty.type("x");
        await pty.shows("until: ▏");
        pty.type("30d");
        await pty.shows("until: 30d▏");
        pty.type("\r");
        await pty.shows("until: 30d = ");
        pty.type("\r");
        await pty.shows("You approved permanently: write");
        return await asked.final();
      },
      async lists() {
        const { lines, stdout } = await runGate(home, ["policy", "grants"]);
        expect(lines).toHaveLength(1);
        return stdout;
      },
      async revokes() {
        const { lines } = await runGate(home, ["policy", "grants"]);
        const revoked = await runGate(home, ["policy", "revoke", String(lines[0]?.id)]);
        expect(revoked.stdout.trim()).toBe("revoked");
      },
    });
    pty.type("q");
    await pty.closed;
  });
});

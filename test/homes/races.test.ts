import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { GateError } from "../../ipc/contract/gate-error.ts";
import { describeDesktop } from "../desktop/driver/launch.ts";
import { type Asked, tokenOf } from "../support/agent-connection.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { card, cards } from "../support/card-page.ts";
import { runGate } from "../support/gate-process.ts";
import { least } from "../support/measured.ts";
import { NotificationServer } from "../support/notification-server.ts";
import { lastCardGone, settled, write } from "../support/page-seat.ts";
import { cantRun, PrivateBus } from "../support/private-bus.ts";
import { agentIn, type Desk, desktopDesk, openPopup, webDesk } from "./seats.ts";

// Several surfaces on one gate: one answer counts, and an ended request is removed from all of them.

const NO_BUS = cantRun("two surfaces, one of them on a session bus", ["dbus-run-session"]);
/** From an agent's disconnecting until its card is removed everywhere. */
const GONE_MS = 1000;

/** How the request ended for the agent, once, and in later listings. */
async function ending({ agent, operator }: Desk, asked: Asked): Promise<"approved" | "rejected"> {
  const { outcome, status } = await asked.final();
  const token = tokenOf(asked.decision);
  const { approvals } = await operator.call("approvals.history", {});
  const ended = approvals.filter((approval) => approval.token === token);
  expect(ended.map((approval) => approval.status)).toEqual([status]);
  expect(outcome).toBe(status === "approved" ? "allowed" : "denied");
  await agent.ping(); // a second event would have arrived by now
  expect(agent.unread).toEqual([]);
  if (status !== "approved" && status !== "rejected") throw new Error(`ended as ${status}`);
  return status;
}

/** This page approved: it says so where that counted, else whose answer did; and the card is removed. */
async function approvedThere(page: Page, status: "approved" | "rejected", name: string): Promise<void> {
  const said = status === "approved" ? "You approved: write" : "Denied in (?:the terminal|a notification): write";
  await page.getByText(new RegExp(`^${said} ${name}`)).waitFor();
  expect(await cards(page).count()).toBe(0);
  expect(await page.getByText("That didn't count").count()).toBe(0);
}

let askedToLeave = 0;

/** An agent asks and disconnects: from then until its card is gone from each of these pages and the gate's listing, in milliseconds. */
async function leftAfter({ home, folder, operator }: Desk, pages: readonly Page[]): Promise<number> {
  const name = `${++askedToLeave}.txt`;
  const agent = await agentIn(home);
  await agent.ask(write(`${folder}/${name}`));
  const gone = [];
  for (const page of pages) gone.push(await lastCardGone(page));
  expect(await operator.call("approvals.list", {})).toHaveLength(1);
  const leftAt = Date.now();
  await agent.close();
  const goneAt = await Promise.all(gone.map(({ at }) => at));
  expect(await operator.call("approvals.list", {})).toEqual([]);
  for (const page of pages) await page.getByText(`The agent is gone, so it was withdrawn: write ${name}`).waitFor();
  return Math.max(...goneAt) - leftAt;
}

describe.skipIf(NO_BROWSER !== null)("two surfaces answer at once", () => {
  it("a browser tab and an operator's socket: exactly one counts, the other is informed", async () => {
    const seat = await webDesk();
    const { agent, operator, folder, page, socket } = seat;
    for (const [round, first] of (["page", "socket"] as const).entries()) {
      const name = `${round}.txt`;
      const asked = await agent.ask(write(`${folder}/${name}`));
      const approve = card(page, "May I write?").getByRole("button", { name: "Approve once" });
      await approve.waitFor();
      await settled(page);
      const deny = () =>
        operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "rejected" }).then(
          () => "counted",
          (error: GateError) => error.code,
        );
      // The other one may have removed the button already.
      const click = () => approve.click({ timeout: first === "page" ? 20_000 : 2000 }).catch(() => undefined);
      // The page's answer is on its way, or is made while the other's is.
      const sent = socket.waitForEvent("framesent", ({ payload }) => String(payload).includes("approvals.resolve"));
      const clicked = first === "page" ? Promise.all([click(), sent]) : undefined;
      if (clicked !== undefined) await sent;
      else sent.catch(() => undefined);
      const denied = deny();
      await Promise.all([clicked ?? click(), denied]);
      const status = await ending(seat, asked);
      expect(await denied).toBe(status === "rejected" ? "counted" : "already_resolved");
      await approvedThere(page, status, name);
    }
  });

  it("a browser tab and the command line: the command says that it was too late, or the tab does", async () => {
    const seat = await webDesk();
    const { agent, folder, home, page } = seat;
    const asked = await agent.ask(write(`${folder}/a.txt`));
    const approve = card(page, "May I write?").getByRole("button", { name: "Approve once" });
    await approve.waitFor();
    await settled(page);
    const [command] = await Promise.all([
      runGate(home, ["approvals", "reject", tokenOf(asked.decision)]),
      approve.click({ timeout: 2000 }).catch(() => undefined),
    ]);
    const status = await ending(seat, asked);
    if (status === "rejected") expect(command.code).toBe(0);
    else {
      expect(command.code).not.toBe(0);
      expect(command.stderr).toContain("already resolved");
    }
    await approvedThere(page, status, "a.txt");
  });
});

describeDesktop("the desktop app's surfaces", () => {
  it.skipIf(NO_BUS)("a notification and the window answer at once: exactly one counts, all three clear", async () => {
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const seat = await desktopDesk({ DBUS_SESSION_BUS_ADDRESS: address });
    const { agent, folder, window, popup } = seat;
    for (const first of ["window", "notification"] as const) {
      const name = `${first}.txt`;
      const asked = await agent.ask(write(`${folder}/${name}`));
      const shown = await server.only(({ actions }) => [...actions.values()].includes("Deny"));
      await window.bringToFront();
      const approve = card(window, "May I write?").getByRole("button", { name: "Approve once" });
      await approve.waitFor();
      await settled(window);
      const click = () => approve.click({ timeout: 2000 }).catch(() => undefined);
      const clicked = first === "window" ? click() : undefined;
      server.press(shown, "Deny");
      await (clicked ?? click());
      const status = await ending(seat, asked);
      await approvedThere(window, status, name);
      const elsewhere = status === "approved" ? "Approved in the desktop app" : "Denied in a notification";
      await popup.getByText(`${elsewhere}: write ${name}`).waitFor();
      expect(await cards(popup).count()).toBe(0);
      expect(await server.until((all) => all.length === 0)).toEqual([]);
    }
  });

  it("an agent disconnects: within a second its card is removed from the window and the popup", async () => {
    const seat = await desktopDesk();
    const { app, window, popup } = seat;
    await openPopup(app);
    expect(await least(GONE_MS, () => leftAfter(seat, [window, popup]))).toBeLessThan(GONE_MS);
  });
});

describe.skipIf(NO_BROWSER !== null)("an agent hangs up", () => {
  it("within a second its card is removed from every open tab and from the gate's listing", async () => {
    const seat = await webDesk();
    const { page } = seat;
    const another = await page.context().newPage();
    await another.goto(page.url());
    expect(await least(GONE_MS, () => leftAfter(seat, [page, another]))).toBeLessThan(GONE_MS);
  });
});

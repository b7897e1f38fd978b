import { expect, it } from "vitest";
import type { ChannelName } from "../../../ipc/contract/channels.ts";
import type { OperatorApi } from "../../../ipc/contract/operator-api.ts";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import { routeSchema } from "../../../main/config/channels.ts";
import type { ChannelNote } from "../../../main/core/channel.ts";
import { NoteBoard } from "../../../main/core/note-board.ts";
import { NoteRoute } from "../../../main/surfaces/delivery/note-route.ts";

const NOTE: ChannelNote = { kind: "checkpoint", is_urgent: false, title: "Checkpoint", lines: ["signed"] };

it("what is for one channel alone is said by no other; what is for none in particular by each", async () => {
  const notes = new NoteBoard();
  const said: string[] = [];
  const api = {
    call: () => Promise.resolve({ pause: { by: null, reason: null, since: null, until: null }, alarms: [] }),
    subscribe: () => () => undefined,
  } as unknown as Pick<OperatorApi, "call" | "subscribe">;
  const routes = (["desktop", "telegram", "ntfy"] satisfies ChannelName[]).map(
    (name) =>
      new NoteRoute({
        api,
        name,
        notes,
        channel: { note: ({ title }) => said.push(`${name}: ${title}`) },
        route: routeSchema.parse({}),
        screen: { isLocked: false, subscribe: () => () => undefined },
        clock: systemClock,
        language: () => "en",
        log: () => undefined,
      }),
  );
  await Promise.all(routes.map((route) => route.start()));
  notes.begin();
  notes.say({ ...NOTE, only: ["telegram"] });
  expect(said.splice(0)).toEqual(["telegram: Checkpoint"]);
  notes.say(NOTE);
  expect(said).toEqual(["desktop: Checkpoint", "telegram: Checkpoint", "ntfy: Checkpoint"]);
  for (const route of routes) route.close();
});

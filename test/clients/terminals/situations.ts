import { expect, onTestFailed } from "vitest";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";
import { type SeatedClient, SeatedUser } from "./seated-user.ts";

/** What a user must see of the gate in a client's terminal, situation by situation, and that nothing runs that wasn't allowed. */

export interface ClientInTerminal<Call> extends SeatedClient<Call> {
  call(line: string): Call;
  /** What no agent may read. */
  key: string;
  /** Starts a subagent, whose model calls `touch by-subagent`. */
  subagent: Call;
  /** On the screen once it can be spoken to. */
  ready: string;
  /** That the gate asks, as this client's screen says it: each of these texts. Empty where it can't be. */
  asking: readonly string[];
  /** The same while a subagent's call is asked about, where that is something else. */
  askingForSubagent?: readonly string[];
  /** Seen once a subagent in the background has ended, which its model then learns. */
  subagentEnded?: string;
  /** Why a call didn't run, as its screen says it. */
  denied: (reason: string) => string;
  guard: string;
  /** The keys that stop it, and what its screen says after each of them, where it says anything. */
  stopping: Readonly<Record<string, readonly (readonly [key: string, seen?: string])[]>>;
  /** True where a card stays after such a key. */
  keepsCard?: boolean;
  /** What else is tried with it, after all else but its end. */
  more?: Readonly<Record<string, (user: SeatedUser<Call>) => Promise<void>>>;
  /** True where it continues, and its card stays, after its terminal was closed. */
  outlivesTerminal?: boolean;
  /** What its own prompt asks while no gate runs, which Escape leaves. */
  ownPrompt?: string;
}

/** Longer than any notice is shown, in milliseconds. */
const LONG_MS = 25_000;
const WATCH = ownCommand("watch");
/** As clients with a status line or a hook's name show it. */
export const ASKING = `Metnos Gate asks you: ${WATCH}`;
export const ASKING_TEXTS = ["Metnos Gate asks you", WATCH];
const NO_GATE = "no gate is running; tell the user to start it with:";
const REASON = "the user said no: not on a Friday";

if (!IS_WHOLE_RUN) console.log("clients in their terminals: long waits and subagents only in a whole run");

/** One start of the client serves all of them, in this order. */
export async function inAllSituations<Call>(client: ClientInTerminal<Call>): Promise<void> {
  const user = new SeatedUser(client);
  const situations = {
    "it has started": () => user.sees(client.ready),
    ...beginning(client, user),
    ...(IS_WHOLE_RUN ? lengthy(client, user) : {}),
    ...stopped(client, user),
    ...Object.fromEntries(Object.entries(client.more ?? {}).map(([name, run]) => [name, () => run(user)])),
    "its terminal is closed while the gate asks": () => closed(client, user),
  };
  let current = "";
  let lastScreen = "";
  onTestFailed(() => console.log(`while ${current}, on the screen:\n${lastScreen}`));
  for (const [name, run] of Object.entries(situations)) {
    current = name;
    try {
      await run();
    } catch (error) {
      lastScreen = user.terminal.screen.trimEnd();
      throw error;
    }
  }
}

function beginning<Call>({ call, key, asking, denied, guard }: ClientInTerminal<Call>, user: SeatedUser<Call>) {
  return {
    "the gate asks, and the user says yes": async () => {
      await user.says(call("touch asked"));
      for (const text of asking) await user.sees(text);
      expect(user.hasMade("asked")).toBe(false);
      await user.answers("touch asked", "approved");
      await user.made("asked");
      await user.isDone();
    },
    "the user says no": async () => {
      await user.says(call("touch rejected"));
      await user.answers("touch rejected", "rejected", "not on a Friday");
      await user.sees(denied(REASON));
      expect(user.times(denied(REASON))).toBe(1);
      await user.isDone();
    },
    "the guard denies": async () => {
      await user.says(call(`cat ${key}`));
      await user.sees(denied(guard));
      expect(user.times(denied(guard))).toBe(1);
      await user.isDone();
    },
    "it makes two calls at once": async () => {
      await user.says(call("touch first"), call("touch second"));
      for (const text of asking) await user.sees(text);
      await user.answers("touch first", "rejected");
      await user.answers("touch second", "approved");
      await user.made("second");
      await user.isDone();
      expect([user.hasMade("first"), user.hasMade("rejected")]).toEqual([false, false]);
    },
  };
}

function lengthy<Call>(
  { call, asking, subagent, askingForSubagent = asking, subagentEnded = "" }: ClientInTerminal<Call>,
  user: SeatedUser<Call>,
) {
  return {
    "nobody answers for long": async () => {
      await user.says(call("touch late"));
      await user.card("touch late");
      await new Promise((resolve) => setTimeout(resolve, LONG_MS));
      for (const text of asking) await user.sees(text);
      await user.answers("touch late", "approved");
      await user.made("late");
      await user.isDone();
    },
    "its subagent calls": async () => {
      await user.says(subagent);
      await user.answers("", "approved");
      await user.card("touch by-subagent");
      for (const text of askingForSubagent) await user.sees(text);
      await user.answers("touch by-subagent", "approved");
      await user.made("by-subagent");
      await user.sees(subagentEnded);
      await user.isDone();
    },
  };
}

function stopped<Call>(client: ClientInTerminal<Call>, user: SeatedUser<Call>) {
  const { call, stopping, keepsCard = false, ownPrompt, denied } = client;
  const stops = Object.entries(stopping).map(([name, keys]) => {
    const line = `touch stopped-by-${name}`;
    const run = async () => {
      await user.says(call(line));
      await user.card(line);
      for (const [key, seen] of keys) {
        user.terminal.press(key);
        if (seen !== undefined) await user.sees(seen);
      }
      if (keepsCard) {
        await user.answers(line, "approved");
        await user.hasNoHook();
      }
      await user.hasNoCard();
    };
    return [`${name} is pressed while the gate asks`, run] as const;
  });
  return {
    ...Object.fromEntries(stops),
    "no gate runs": async () => {
      await user.stopsGate();
      await user.says(call("touch without-gate"));
      await user.sees(ownPrompt === undefined ? denied(NO_GATE) : NO_GATE);
      await user.sees(ownCommand("start"));
      if (ownPrompt === undefined) await user.isDone();
      else await user.leaves(ownPrompt);
      await user.startsGate();
    },
    "the gate stops while it asks, and is back": async () => {
      await user.says(call("touch back"));
      const token = await user.card("touch back");
      await user.stopsGate();
      await user.startsGate();
      expect(await user.card("touch back")).toBe(token);
      await user.answers("touch back", "approved");
      await user.made("back");
      await user.isDone();
      const never = ["without-gate", ...Object.keys(stopping).map((name) => `stopped-by-${name}`)];
      expect(never.filter((file) => user.hasMade(file))).toEqual([]);
    },
  };
}

/** How long a card is looked at that is to stay; in milliseconds. */
const STAYS_MS = 3000;

async function closed<Call>(
  { call, outlivesTerminal = false }: ClientInTerminal<Call>,
  user: SeatedUser<Call>,
): Promise<void> {
  await user.says(call("touch closed"));
  const token = await user.card("touch closed");
  user.terminal.close();
  if (outlivesTerminal) {
    await new Promise((resolve) => setTimeout(resolve, STAYS_MS));
    expect(await user.gate.waiting()).toEqual([token]);
    await user.answers("touch closed", "rejected");
  }
  await user.hasNoCard();
  expect(user.hasMade("closed")).toBe(false);
}

import { type IpcMainInvokeEvent, ipcMain, type WebContents } from "electron";
import { z } from "zod";
import type { BridgeAnswer, BridgeChannels } from "../../ipc/bridge.ts";
import { GateError } from "../../ipc/gate-error.ts";
import { type OperatorApi, type OperatorMethod, operatorMethods, PAGE_EVENTS } from "../../ipc/operator-api.ts";
import { isPageUrl } from "./page.ts";
import { isOwnPage } from "./sender.ts";

/** The page's access to the gate: the channels of `ipc/bridge.ts`, open only to our own page in our own windows. */

type PageChannel = {
  [C in keyof BridgeChannels]: BridgeChannels[C]["from"] extends "page" ? C : never;
}[keyof BridgeChannels];
type Arguments<C extends PageChannel> = BridgeChannels[C]["args"];
type Result<C extends PageChannel> = BridgeChannels[C] extends { result: infer R } ? R : never;

/** The arguments from a page; the operator checks the methods' parameters. */
const channelArguments = {
  "operator:call": z.tuple([z.string().max(64), z.unknown()]),
  "popup:resize": z.tuple([z.number().nonnegative().max(100_000)]),
  "window:open": z.tuple([
    z
      .string()
      .regex(/^[a-z]+(\/[A-Za-z0-9_.-]+)*$/)
      .max(128),
  ]),
} as const;

export interface BridgeParts {
  api: OperatorApi;
  /** The current windows of the app. */
  windows(): readonly WebContents[];
  resized(sender: WebContents, height: number): void;
  open(route: string): void;
  log(line: string): void;
}

/** Opens the channels and forwards the gate's events. Returns the function that closes them. */
export function openBridge(parts: BridgeParts): () => void {
  handle(parts, "operator:call", (_sender, method, params) => call(parts, method, params), {
    ok: false,
    code: "not_authorised",
    message: "this page is not the gate's own",
    hint: "",
  });
  handle(
    parts,
    "popup:resize",
    (sender, height) => {
      parts.resized(sender, height);
      return undefined;
    },
    undefined,
  );
  handle(
    parts,
    "window:open",
    (_sender, route) => {
      parts.open(route);
      return undefined;
    },
    undefined,
  );
  const unsubscribe = parts.api.subscribe((event) => {
    for (const contents of parts.windows()) {
      if (!contents.isDestroyed() && isPageUrl(contents.getURL())) contents.send("operator:event", event);
    }
  }, PAGE_EVENTS);
  return () => {
    unsubscribe();
    for (const channel of Object.keys(channelArguments)) ipcMain.removeHandler(channel);
  };
}

/** One channel: checks the sender, then the arguments; responds with `refusal` where either is refused. */
function handle<C extends PageChannel>(
  parts: BridgeParts,
  channel: C,
  answer: (sender: WebContents, ...args: Arguments<C>) => Result<C> | Promise<Result<C>>,
  refusal: Result<C>,
): void {
  ipcMain.handle(channel, async (event: IpcMainInvokeEvent, ...args: unknown[]) => {
    if (!isOwnPage(event, parts.windows())) {
      parts.log(`refused ${channel} from a page that is not the gate's own`);
      return refusal;
    }
    const parsed = channelArguments[channel].safeParse(args);
    if (!parsed.success) {
      parts.log(`refused ${channel}: arguments that don't fit`);
      return refusal;
    }
    return await answer(event.sender, ...(parsed.data as Arguments<C>));
  });
}

async function call({ api, log }: BridgeParts, method: string, params: unknown): Promise<BridgeAnswer<OperatorMethod>> {
  if (!Object.hasOwn(operatorMethods, method)) {
    return { ok: false, code: "unknown_method", message: `there is no ${JSON.stringify(method)}`, hint: "" };
  }
  try {
    return { ok: true, result: await api.call(method as OperatorMethod, params as never) };
  } catch (error) {
    if (error instanceof GateError) {
      return { ok: false, code: error.code, message: error.message, hint: error.hint };
    }
    log(`failed ${method}: ${error instanceof Error ? error.name : "unknown"}`);
    return { ok: false, code: "internal", message: "the gate failed at this", hint: "see the gate's log" };
  }
}

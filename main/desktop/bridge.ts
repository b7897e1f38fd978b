import { type IpcMainInvokeEvent, ipcMain, type WebContents } from "electron";
import { z } from "zod";
import type { Failure } from "../../ipc/contract/gate-error.ts";
import { type OperatorHandler, PAGE_EVENTS } from "../../ipc/contract/operator-api.ts";
import type { AppChannels, PageChannels } from "../../ipc/socket/bridge.ts";
import { dispatch } from "../../ipc/socket/operator-dispatch.ts";
import { isPageUrl } from "./page.ts";
import { isOwnPage } from "./sender.ts";

/** The page's access to the gate: the channels of `ipc/socket/bridge.ts`, open only to our own page in our own windows. */

/** The arguments from a page; the operator checks the methods' parameters. */
const ARGUMENTS: { readonly [C in keyof PageChannels]: z.ZodType<PageChannels[C]["args"]> } = {
  "operator:call": z.tuple([z.string().max(64), z.unknown()]),
  "popup:resize": z.tuple([z.number().nonnegative().max(100_000)]),
  "window:open": z.tuple([
    z
      .string()
      .regex(/^[a-z]+(\/[A-Za-z0-9_.-]+)*$/)
      .max(128),
  ]),
};

export interface BridgeParts {
  api: OperatorHandler;
  /** Calls back when the gate has ended, and when there is one again. Returns the function that ends it. */
  watchGate(listener: (isThere: boolean) => void): () => void;
  /** The current windows of the app. */
  windows(): readonly WebContents[];
  resized(sender: WebContents, height: number): undefined;
  open(route: string): undefined;
  log(line: string): void;
}

const NOT_OURS: Failure = { code: "not_authorised", message: "this page is not the gate's own", hint: "" };

/** Opens the channels and forwards the gate's events. Returns the function that closes them. */
export function openBridge(parts: BridgeParts): () => void {
  const failed = (method: string, error: unknown) =>
    parts.log(`failed ${method}: ${error instanceof Error ? error.name : "unknown"}`);
  handle(parts, "operator:call", (_sender, method, params) => dispatch(parts.api, method, params, { failed }), {
    ok: false,
    failure: NOT_OURS,
  });
  handle(parts, "popup:resize", (sender, height) => parts.resized(sender, height), undefined);
  handle(parts, "window:open", (_sender, route) => parts.open(route), undefined);
  const toPages = <C extends keyof AppChannels>(channel: C, ...args: AppChannels[C]) => {
    for (const contents of parts.windows()) {
      if (!contents.isDestroyed() && isPageUrl(contents.getURL())) send(contents, channel, ...args);
    }
  };
  const unsubscribe = parts.api.subscribe((event) => toPages("operator:event", event), PAGE_EVENTS);
  const unwatch = parts.watchGate((isThere) => toPages("operator:gate", isThere));
  return () => {
    unsubscribe();
    unwatch();
    for (const channel of Object.keys(ARGUMENTS)) ipcMain.removeHandler(channel);
  };
}

function send<C extends keyof AppChannels>(contents: WebContents, channel: C, ...args: AppChannels[C]) {
  contents.send(channel, ...args);
}

/** One channel: checks the sender, then the arguments; responds with `refusal` where either is refused. */
function handle<C extends keyof PageChannels>(
  parts: BridgeParts,
  channel: C,
  answer: (
    sender: WebContents,
    ...args: PageChannels[C]["args"]
  ) => PageChannels[C]["answer"] | Promise<PageChannels[C]["answer"]>,
  refusal: PageChannels[C]["answer"],
): void {
  ipcMain.handle(channel, async (event: IpcMainInvokeEvent, ...args: unknown[]) => {
    if (!isOwnPage(event, parts.windows())) {
      parts.log(`refused ${channel} from a page that is not the gate's own`);
      return refusal;
    }
    const schema: z.ZodType<PageChannels[C]["args"]> = ARGUMENTS[channel];
    const parsed = schema.safeParse(args);
    if (!parsed.success) {
      parts.log(`refused ${channel}: arguments that don't fit`);
      return refusal;
    }
    return await answer(event.sender, ...parsed.data);
  });
}

import type { WebContents, WebFrameMain } from "electron";
import { isPageUrl } from "./page.ts";

/** Who sent a message, as far as the check looks. */
export interface Sender {
  sender: Pick<WebContents, "isDestroyed">;
  senderFrame: Pick<WebFrameMain, "parent" | "url"> | null;
}

/** A window of ours, its main frame, and our page in it. Anything else (a frame, another URL, a window of another maker) is not. */
export function isOwnPage({ sender, senderFrame }: Sender, windows: readonly Sender["sender"][]): boolean {
  if (!windows.includes(sender) || sender.isDestroyed()) return false;
  return senderFrame !== null && senderFrame.parent === null && isPageUrl(senderFrame.url);
}

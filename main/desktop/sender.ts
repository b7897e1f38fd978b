import type { WebContents, WebFrameMain } from "electron";
import { isPageUrl } from "./page.ts";

/** A message's sender: the fields that are checked. */
export interface Sender {
  sender: Pick<WebContents, "isDestroyed">;
  senderFrame: Pick<WebFrameMain, "parent" | "url"> | null;
}

/** True for our page in the main frame of one of our windows; false for any other frame, URL or window. */
export function isOwnPage({ sender, senderFrame }: Sender, windows: readonly Sender["sender"][]): boolean {
  if (!windows.includes(sender) || sender.isDestroyed()) return false;
  return senderFrame !== null && senderFrame.parent === null && isPageUrl(senderFrame.url);
}

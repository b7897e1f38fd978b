import type { WebContents } from "electron";

/** A page whose process has died is loaded again, up to three times in a minute; then it is said. */

const MAX_RELOADS = 3;
const WITHIN_MS = 60_000;

/**
 * Called for each window. `reload` loads its page again; `giveUp` is called once, with the reason that Chromium gives (`crashed`,
 * `oom`, `killed`).
 */
export function reloadAfterCrash(
  contents: Pick<WebContents, "on">,
  { reload, giveUp }: { reload(): void; giveUp(reason: string): void },
  now: () => number = () => performance.now(),
): void {
  let reloads: number[] = [];
  contents.on("render-process-gone", (_event, { reason }) => {
    if (reason === "clean-exit") return;
    reloads = reloads.filter((at) => now() - at < WITHIN_MS);
    if (reloads.length >= MAX_RELOADS) return giveUp(reason);
    reloads.push(now());
    console.error(`metnos-gate: a page's process has ended (${reason}): loading it again`);
    reload();
  });
}

import { join } from "node:path";
import type { Clock } from "../base/clocks/clock.ts";
import { systemClock } from "../base/clocks/system-clock.ts";
import type { Core } from "../core/core.ts";
import { WebPage } from "./web/web-page.ts";

/** The page in a browser; each use of a link is in the log and in the trail. */
export function gatePage(
  { config, audit, paths }: Core,
  log: (line: string) => void,
  clock: Clock = systemClock,
): WebPage {
  const entered = () => {
    audit.append({ event: "web.entered", ts: audit.time() });
    audit.flush();
  };
  return new WebPage(
    {
      ...config.web,
      portFile: join(paths.state_dir, "web-port"),
      hasMetrics: config.metrics.enabled,
      language: () => config.language,
      sessionFile: join(paths.state_dir, "web-sessions.json"),
      clock,
    },
    { log, entered },
  );
}

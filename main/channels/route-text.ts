import type { Route } from "./config.ts";

/** When a channel is used, in one sentence: `when nobody answered for 60 s; from 22:00 to 07:00 only what is urgent`. */
export function routeText(
  { when, after_seconds, quiet_hours, in_quiet_hours }: Route,
  is_screen_known: boolean | null,
): string {
  const times = {
    now: "at once",
    unanswered: `when nobody answered for ${after_seconds} s`,
    locked: is_screen_known === false ? `${LOCKED} (not known here: in doubt it is)` : LOCKED,
  };
  if (quiet_hours === undefined) return times[when];
  const what = in_quiet_hours === "urgent" ? "only what is urgent" : "nothing";
  return `${times[when]}; from ${quiet_hours.from} to ${quiet_hours.to} ${what}`;
}

const LOCKED = "while the screen is locked";

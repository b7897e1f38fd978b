import type { Handlers, OperatorContext } from "./handlers.ts";

export function activityMethods({
  core,
}: OperatorContext): Handlers<"activity.list" | "activity.open" | "activity.counts"> {
  const { activity } = core;
  return {
    "activity.list": ({ since, until, ...query }) =>
      activity.list({ ...query, since: secondsOf(since), until: secondsOf(until) }),
    "activity.open": (wanted) => activity.open(wanted),
    "activity.counts": ({ range }) => activity.counts(range),
  };
}

/** Unix seconds of an ISO-8601 date. */
function secondsOf(date: string | undefined): number | undefined {
  return date === undefined ? undefined : Date.parse(date) / 1000;
}

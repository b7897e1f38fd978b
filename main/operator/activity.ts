import type { Handlers, OperatorContext } from "./handlers.ts";

export function activityMethods({
  core,
}: OperatorContext): Handlers<"activity.list" | "activity.open" | "activity.counts"> {
  const { activity } = core;
  return {
    "activity.list": (query) => activity.list(query),
    "activity.open": ({ decision_id }) => activity.open(decision_id),
    "activity.counts": ({ range }) => activity.counts(range),
  };
}

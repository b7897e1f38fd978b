import { useCallback, useEffect, useRef, useState } from "react";
import type { ActivityEntry } from "../../../ipc/contract/activity.ts";
import { type ActivityFilter, matchesActivity } from "../../../ipc/contract/activity-filter.ts";
import type { GateError } from "../../../ipc/contract/gate-error.ts";
import { isSilent } from "../../gate/link.ts";
import { useCall, useGateEvents, useLinkState } from "../../gate/use-gate.tsx";
import { entryOf, paramsOf, withNewer, withOlder, withReport } from "./feed.ts";

const PAGE = 100;
/** A burst of decisions is drawn a few times a second, not once for each. */
const DRAW_MS = 150;

/** The decisions that match, as they are made. */
export function useFeed(filter: ActivityFilter) {
  const call = useCall();
  const [entries, setEntries] = useState<ActivityEntry[] | null>(null);
  const [hasOlder, setHasOlder] = useState(false);
  const [error, setError] = useState<GateError | undefined>();
  const latest = useRef(filter);
  latest.current = filter;
  const fetchPage = useCallback(
    (wanted: ActivityFilter, before?: string) =>
      call("activity.list", { ...paramsOf(wanted), ...(before === undefined ? {} : { before }), limit: PAGE }),
    [call],
  );
  const isAnswering = !isSilent(useLinkState());
  useEffect(() => {
    // After the connection was lost, missed decisions are fetched.
    if (!isAnswering) return;
    fetchPage(filter).then(
      (page) => {
        if (latest.current !== filter) return;
        setEntries(withNewer(page, []));
        setHasOlder(page.length === PAGE);
        setError(undefined);
      },
      (failure: GateError) => latest.current === filter && setError(failure),
    );
  }, [fetchPage, filter, isAnswering]);
  const coming = useRef<ActivityEntry[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useGateEvents((event) => {
    if (event.type === "call.reported") {
      // Its decision may not be drawn yet.
      coming.current = withReport(coming.current, event.data);
      setEntries((now) => (now === null ? now : withReport(now, event.data)));
    }
    if (event.type !== "decision") return;
    coming.current.unshift(entryOf(event.data));
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const newer = withNewer(coming.current, []);
      coming.current = [];
      setEntries((now) => (now === null ? now : withLive(now, newer, latest.current)));
    }, DRAW_MS);
  });
  const showOlder = () => {
    fetchPage(filter, entries?.at(-1)?.decision_id).then(
      (page) => {
        if (latest.current !== filter) return;
        setEntries((now) => withOlder(now ?? [], page));
        setHasOlder(page.length === PAGE);
      },
      (failure: GateError) => setError(failure),
    );
  };
  return { entries, error, hasOlder, showOlder };
}

/** Decisions that match the filter are added on top; those that were answered meanwhile and don't match any more are removed. */
function withLive(entries: ActivityEntry[], newer: ActivityEntry[], filter: ActivityFilter): ActivityEntry[] {
  const ids = new Set(newer.map(({ decision_id }) => decision_id));
  return withNewer(
    entries.filter(({ decision_id }) => !ids.has(decision_id)),
    newer.filter((entry) => matchesActivity(entry, filter)),
  );
}

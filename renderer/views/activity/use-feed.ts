import { useCallback, useEffect, useRef, useState } from "react";
import type { ActivityEntry, ActivityPage, Reported } from "../../../ipc/contract/activity.ts";
import type { GateError } from "../../../ipc/contract/gate-error.ts";
import { isSilent } from "../../gate/link.ts";
import { useCall, useGateEvents, useLinkState } from "../../gate/use-gate.tsx";
import { type ActivityFilter, PAGE, paramsOf, withNewest, withReport } from "./feed.ts";

/** Reports on calls that aren't listed yet, at most. */
const MOST_REPORTS = 500;
/** A burst of decisions is drawn a few times a second, not once for each. */
const DRAW_MS = 300;

function withOlder(entries: readonly ActivityEntry[], page: readonly ActivityEntry[]): ActivityEntry[] {
  const oldest = entries.at(-1)?.number ?? Number.POSITIVE_INFINITY;
  return [...entries, ...page.filter(({ number }) => number < oldest)];
}

function withReports(entries: readonly ActivityEntry[], reports: ReadonlyMap<string, Reported>): ActivityEntry[] {
  return entries.map((entry) => {
    const reported = reports.get(entry.decision_id);
    return reported === undefined ? entry : { ...entry, reported };
  });
}

/** The calls that match, as they are decided. */
export function useFeed(filter: ActivityFilter) {
  const call = useCall();
  const [entries, setEntries] = useState<ActivityEntry[] | null>(null);
  const [about, setAbout] = useState<Omit<ActivityPage, "entries"> | null>(null);
  const [hasOlder, setHasOlder] = useState(false);
  const [error, setError] = useState<GateError | undefined>();
  const listed = useRef<readonly ActivityEntry[]>([]);
  listed.current = entries ?? [];
  const latest = useRef(filter);
  latest.current = filter;
  /** What came while a page was fetched, which may be of before. */
  const reports = useRef(new Map<string, Reported>());
  const fetchPage = useCallback(
    (wanted: ActivityFilter, before?: number) =>
      call("activity.list", { ...paramsOf(wanted), ...(before === undefined ? {} : { before }), limit: PAGE }),
    [call],
  );
  /** `isAnew`: older pages are of another filter, or of before the connection was lost. */
  const fetchNewest = useCallback(
    (isAnew: boolean) => {
      const wanted = latest.current;
      fetchPage(wanted).then(
        ({ entries, ...rest }) => {
          if (latest.current !== wanted) return;
          const page = withReports(entries, reports.current);
          const now = isAnew ? [] : listed.current;
          const newest = withNewest(now, page);
          setEntries(newest);
          setAbout(rest);
          // Older ones than the page's are there only as far as they were listed.
          if (newest.length === page.length) setHasOlder(page.length === PAGE);
          setError(undefined);
        },
        (failure: GateError) => latest.current === wanted && setError(failure),
      );
    },
    [fetchPage],
  );
  const isAnswering = !isSilent(useLinkState());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter has other entries
  useEffect(() => {
    if (isAnswering) fetchNewest(true);
  }, [fetchNewest, filter, isAnswering]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useGateEvents((event) => {
    if (event.type === "call.reported") {
      if (reports.current.size >= MOST_REPORTS) reports.current.clear();
      reports.current.set(event.data.decision_id, event.data.reported);
      setEntries((now) => (now === null ? now : withReport(now, event.data)));
    }
    if (event.type !== "decision") return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      fetchNewest(false);
    }, DRAW_MS);
  });
  const showOlder = () => {
    const wanted = latest.current;
    fetchPage(wanted, entries?.at(-1)?.number).then(
      ({ entries: page }) => {
        if (latest.current !== wanted) return;
        setEntries((now) => withOlder(now ?? [], page));
        setHasOlder(page.length === PAGE);
      },
      (failure: GateError) => setError(failure),
    );
  };
  return { entries, about, error, hasOlder, showOlder };
}

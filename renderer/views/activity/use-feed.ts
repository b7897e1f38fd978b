import { useCallback, useEffect, useRef, useState } from "react";
import type { ActivityEntry, ActivityPage } from "../../../ipc/contract/activity.ts";
import type { GateError } from "../../../ipc/contract/gate-error.ts";
import { isSilent } from "../../gate/link.ts";
import { useCall, useGateEvents, useLinkState } from "../../gate/use-gate.tsx";
import { type ActivityFilter, PAGE, paramsOf, withNewest, withReport } from "./feed.ts";

/** A burst of decisions is drawn a few times a second, not once for each. */
const DRAW_MS = 300;

/** The calls that match, as they are decided. */
export function useFeed(filter: ActivityFilter) {
  const call = useCall();
  const [entries, setEntries] = useState<ActivityEntry[] | null>(null);
  const [about, setAbout] = useState<Omit<ActivityPage, "entries"> | null>(null);
  const [hasOlder, setHasOlder] = useState(false);
  const [error, setError] = useState<GateError | undefined>();
  const latest = useRef(filter);
  latest.current = filter;
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
        ({ entries: page, ...rest }) => {
          if (latest.current !== wanted) return;
          setEntries((now) => (isAnew || now === null ? page : withNewest(now, page)));
          setAbout(rest);
          if (isAnew || page.length < PAGE) setHasOlder(page.length === PAGE);
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
    if (event.type === "call.reported") setEntries((now) => (now === null ? now : withReport(now, event.data)));
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
        setEntries((now) => {
          const oldest = now?.at(-1)?.number ?? Number.POSITIVE_INFINITY;
          return [...(now ?? []), ...page.filter(({ number }) => number < oldest)];
        });
        setHasOlder(page.length === PAGE);
      },
      (failure: GateError) => setError(failure),
    );
  };
  return { entries, about, error, hasOlder, showOlder };
}

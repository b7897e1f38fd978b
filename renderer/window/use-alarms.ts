import { useEffect, useState } from "react";
import type { Alarm } from "../../ipc/alarms.ts";
import { useGateEvents, useQuery } from "../gate/use-gate.tsx";

const NONE: readonly Alarm[] = [];

/** The active alarms. As last reported: a gate that ends itself can't be asked afterwards. */
export function useAlarms(): readonly Alarm[] {
  const { data: status } = useQuery("status", {});
  const [reported, setReported] = useState<readonly Alarm[] | null>(null);
  useGateEvents((event) => {
    if (event.type === "alarms.changed") setReported(event.data);
  });
  const asked = status?.alarms;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer answer is what ends the older event
  useEffect(() => setReported(null), [asked]);
  return reported ?? asked ?? NONE;
}

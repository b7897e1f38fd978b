import { useEffect, useState } from "react";
import type { Alarm } from "../../ipc/alarms.ts";
import { useGateEvents, useQuery } from "../gate/use-gate.tsx";

const NONE: readonly Alarm[] = [];

/** What keeps the gate from what it promises. As it was told last: one that ends itself can't be asked afterwards. */
export function useAlarms(): readonly Alarm[] {
  const { data: status } = useQuery("status", {});
  const [told, setTold] = useState<readonly Alarm[] | null>(null);
  useGateEvents((event) => {
    if (event.type === "alarms.changed") setTold(event.data);
  });
  const asked = status?.alarms;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer answer is what ends the older event
  useEffect(() => setTold(null), [asked]);
  return told ?? asked ?? NONE;
}

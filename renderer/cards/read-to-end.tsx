import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useMemo, useState } from "react";
import { EndMark } from "./EndMark.tsx";

/** The parts of a card that must have been on the screen up to their ends before it can be approved. */

interface Ends {
  add(id: string): void;
  remove(id: string): void;
  seen(id: string): void;
}

const EndsContext = createContext<Ends | null>(null);

interface Reading {
  /** Every part, and whether its end was on the screen. */
  parts: ReadonlyMap<string, boolean>;
}

export function useReading(): { isRead: boolean; ends: Ends } {
  const [{ parts }, setReading] = useState<Reading>({ parts: new Map() });
  const ends = useMemo((): Ends => {
    const change = (step: (parts: Map<string, boolean>) => void) =>
      setReading((before) => {
        const parts = new Map(before.parts);
        step(parts);
        return { parts };
      });
    return {
      add: (id) => change((parts) => parts.set(id, false)),
      remove: (id) => change((parts) => parts.delete(id)),
      seen: (id) => change((parts) => parts.has(id) && parts.set(id, true)),
    };
  }, []);
  return { isRead: parts.size > 0 && [...parts.values()].every(Boolean), ends };
}

export function EndsProvider({ ends, children }: { ends: Ends | null; children: ReactNode }) {
  return <EndsContext value={ends}>{children}</EndsContext>;
}

/** Whether what is rendered here must be read before an approval. */
export function useMustBeRead(): boolean {
  return useContext(EndsContext) !== null;
}

/** The end of a part: placed after it. Outside of a card that is read it does nothing. */
export function PartEnd({ onSeen }: { onSeen?: () => void }) {
  const ends = useContext(EndsContext);
  const id = useId();
  useLayoutEffect(() => {
    ends?.add(id);
    return () => ends?.remove(id);
  }, [ends, id]);
  if (ends === null) return null;
  return (
    <EndMark
      onSeen={() => {
        ends.seen(id);
        onSeen?.();
      }}
    />
  );
}

import type { Severity } from "../../../ipc/contract/safety.ts";
import { useWords } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";

const SHAPES: Readonly<Record<Severity, string>> = {
  INFO: "M5.25 5 H6.75 V10 H5.25 Z M5.25 2 H6.75 V3.75 H5.25 Z",
  WARN: "M6 1 L11.5 11 H0.5 Z",
  BLOCK: "M1 5 H11 V7 H1 Z",
  CRITICAL: "M3.7 0.5 H8.3 L11.5 3.7 V8.3 L8.3 11.5 H3.7 L0.5 8.3 V3.7 Z",
};

/** A shape for each severity, and its word: what a violation was, or what a rule does. */
export function SeverityMark({ severity, ofRule = false }: { severity: Severity; ofRule?: boolean }) {
  const words = useWords(safetyWords);
  return (
    <span className={`severity ${severity}`}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={SHAPES[severity]} fill="currentColor" />
      </svg>
      {(ofRule ? words.effects : words.severities)[severity]}
    </span>
  );
}

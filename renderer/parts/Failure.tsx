import type { GateError } from "../../ipc/contract/gate-error.ts";
import { VisibleText } from "./VisibleText.tsx";

/** What happened and what to do; nothing where nothing happened. */
export function Failure({ error }: { error: GateError | undefined }) {
  if (error === undefined) return null;
  const text = error.hint === "" ? error.message : `${error.message}. ${error.hint}`;
  return (
    <p className="failure" role="alert">
      <VisibleText text={text} />
    </p>
  );
}

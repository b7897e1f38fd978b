import type { ReactNode } from "react";
import type { Requirement } from "../../ipc/contract/decision.ts";
import { Target } from "./Target.tsx";

/** What is said by a name in a list of facts; where there is nothing to say (null), the name is left out as well. */
export function Fact({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  if (children === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </>
  );
}

/** What a call needs, a line each. */
export function NeededFacts({ name, capabilities }: { name: string; capabilities: readonly Requirement[] }) {
  if (capabilities.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      {capabilities.map(({ capability, target }) => (
        <dd key={`${capability} ${target}`}>
          <span className="mono">{capability}</span> <Target text={target} />
        </dd>
      ))}
    </>
  );
}

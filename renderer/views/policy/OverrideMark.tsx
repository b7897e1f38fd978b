/** A triangle that points down: made stricter. Filled where that is in force for the agent that is looked at. */
export function OverrideMark({ isInForce }: { isInForce: boolean }) {
  return (
    <svg className="override-mark" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <path d="M1.5 2.5 H8.5 L5 8 Z" fill={isInForce ? "currentColor" : "none"} />
    </svg>
  );
}

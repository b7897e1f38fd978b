// biome-ignore-all lint/a11y/useSemanticElements: a real table lays its rows out itself; these are placed one by one
// biome-ignore-all lint/a11y/useFocusableInteractive: cells of a table that is read, not edited, are not stops of the keyboard
import { memo } from "react";
import { visible } from "../../../ipc/base/visible-text.ts";
import type { GrantView } from "../../../ipc/contract/operator-api.ts";
import { Button } from "../../parts/Button.tsx";
import { useNow } from "../../parts/clock.ts";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";
import { stateOf } from "./pages.ts";

interface GrantRowProps {
  index: number;
  top: number;
  /** Undefined while it is on the way. */
  grant: GrantView | undefined;
  /** In characters. */
  targetWidth: number;
  isChosen: boolean;
  onToggle(grant: GrantView): void;
  onRevoke(id: number): void;
}

export const GrantRow = memo(function GrantRow({
  index,
  top,
  grant,
  targetWidth,
  isChosen,
  onToggle,
  onRevoke,
}: GrantRowProps) {
  const words = useWords(grantsWords);
  const position = { role: "row", "aria-rowindex": index + 2, style: { transform: `translateY(${top}px)` } };
  if (grant === undefined) {
    return (
      <div {...position} className="grant-row coming">
        <span role="cell">…</span>
      </div>
    );
  }
  const target = visible(grant.target);
  const isRevocable = grant.revoked_at === null;
  return (
    <div {...position} className={isChosen ? "grant-row chosen" : "grant-row"}>
      <span role="cell" className="pick">
        <input
          type="checkbox"
          aria-label={words.select(target)}
          checked={isChosen}
          disabled={!isRevocable}
          onChange={() => onToggle(grant)}
        />
      </span>
      <span role="cell" className="capability mono">
        {grant.capability}
      </span>
      <span role="cell" className="target">
        <Target text={grant.target} width={targetWidth} />
      </span>
      <span role="cell" className="agent">
        {grant.agent_name ?? words.forEveryAgent}
      </span>
      <span role="cell" className="granted_at">
        <RelativeTime at={grant.granted_at} />
      </span>
      <span role="cell" className="last_used_at">
        <span className="narrow-only">{words.used} </span>
        <RelativeTime at={grant.last_used_at} />
      </span>
      <span role="cell" className="expires_at">
        <End grant={grant} />
      </span>
      <span role="cell" className="act">
        {isRevocable ? (
          <Button size="small" look="plain" aria-label={words.revokeOne(target)} onClick={() => onRevoke(grant.id)}>
            {words.revoke}
          </Button>
        ) : null}
      </span>
    </div>
  );
});

function End({ grant }: { grant: GrantView }) {
  const words = useWords(grantsWords);
  const now = useNow("half_minute");
  const state = stateOf(grant, now);
  if (state === "revoked")
    return (
      <>
        {words.revoked} <RelativeTime at={grant.revoked_at} />
      </>
    );
  if (state === "expired") return <span>{words.expired}</span>;
  if (grant.session !== null) return <span>{words.sessionOnly}</span>;
  return grant.expires_at === null ? <span>{words.forGood}</span> : <RelativeTime at={grant.expires_at} />;
}

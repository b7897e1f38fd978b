import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";
import type { Revocation } from "./use-revocation.ts";

const UNUSED_DAYS = 30;
/** As many as one answer of the gate holds: more are revoked with the next press. */
const AT_ONCE = 500;

interface UnusedGrantsProps {
  revocation: Revocation;
  isShown: boolean;
  onShow(days: number | null): void;
}

/** Proposes to revoke what nobody has used for a month. */
export function UnusedGrants({ revocation, isShown, onShow }: UnusedGrantsProps) {
  const words = useWords(grantsWords);
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const { data } = useQuery("grants.search", { unused_days: UNUSED_DAYS, limit: 1 });
  const total = data?.total ?? 0;
  if (total === 0 && !isShown) return null;
  const revokeAll = async () => {
    const { grants } = await call("grants.search", { unused_days: UNUSED_DAYS, limit: AT_ONCE });
    await revocation.revoke(grants.map(({ id }) => id));
  };
  return (
    <div className="unused">
      <Failure error={error} />
      <p className="figures">{words.unused(total, UNUSED_DAYS)}</p>
      <div>
        <Button size="small" look="plain" onClick={() => onShow(isShown ? null : UNUSED_DAYS)}>
          {isShown ? words.show_all : words.show_unused}
        </Button>
        {total === 0 ? null : (
          <Button size="small" disabled={is_busy || revocation.progress !== null} onClick={() => void run(revokeAll)}>
            {words.revoke_unused(Math.min(total, AT_ONCE))}
          </Button>
        )}
      </div>
    </div>
  );
}

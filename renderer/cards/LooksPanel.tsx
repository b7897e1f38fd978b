import { useEffect, useMemo, useRef } from "react";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import { alsoLooking, asLooking } from "../../ipc/words/looking.ts";
import { runsUnaskedText } from "../../ipc/words/mcp-words.ts";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { useLanguage } from "../words/language.ts";
import { mcpWords } from "../words/mcp.ts";
import { RememberPanel } from "./RememberPanel.tsx";
import { rememberedChoices } from "./remembering.ts";
import type { FilteredPresses } from "./use-press-filter.ts";

interface LooksPanelProps {
  view: ApprovalView;
  guarded: FilteredPresses;
  is_sending: boolean;
  onAnswer(answer: Answer): void;
  onCancel(): void;
}

/** A server's tool only looks: what saying so means, and how much of it is remembered. */
export function LooksPanel({ view, guarded, is_sending, onAnswer, onCancel }: LooksPanelProps) {
  const language = useLanguage();
  const words = mcpWords[language];
  const looking = useMemo(() => asLooking(view), [view]);
  const first = useRef<HTMLDivElement>(null);
  const can_remember = rememberedChoices(looking).length > 0;
  const { mcp } = view;
  useEffect(() => {
    first.current?.querySelector("button")?.focus({ preventScroll: true });
    first.current?.scrollIntoView({ block: "nearest" });
  }, []);
  if (mcp === null) return null;
  return (
    <fieldset className="looks" aria-label={words.looks_title}>
      <p>
        <VisibleText text={words.meaning(mcp.server, mcp.tool)} />
      </p>
      {mcp.runs_unasked ? <p className="has-changed">{runsUnaskedText(language)}.</p> : null}
      {can_remember ? (
        <RememberPanel
          view={looking}
          guarded={guarded}
          is_sending={is_sending}
          is_fixed
          onAnswer={(answer) => onAnswer(alsoLooking(answer))}
          onCancel={onCancel}
        />
      ) : null}
      <div className="row ends" ref={first}>
        {can_remember ? null : <Button onClick={onCancel}>{words.cancel}</Button>}
        <Button
          disabled={is_sending}
          onClick={guarded.answers(() => onAnswer(alsoLooking({ token: view.token, decision: "approved" })))}
        >
          {mcp.runs_unasked ? words.looks.replace(" …", "") : words.once}
        </Button>
      </div>
    </fieldset>
  );
}

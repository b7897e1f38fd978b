import type { ReactNode } from "react";
import type { Answer, ApprovalView } from "../../ipc/operator-api.ts";
import { Button } from "../parts/Button.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { DenyMessage } from "./DenyMessage.tsx";
import { RememberPanel } from "./RememberPanel.tsx";
import { rememberedChoices } from "./remembering.ts";
import type { FilteredPresses } from "./use-press-filter.ts";

/** What is open below a request: the row of answers, or what an answer still needs. */
export type Panel = "none" | "message" | "remember";

interface AnswerRowProps {
  view: ApprovalView;
  guarded: FilteredPresses;
  /** False until everything that is asked about was in sight: nothing is approved before. */
  is_readable: boolean;
  /** The button that shows more of the call, where it belongs to this row. */
  unfold: ReactNode;
  onAnswer(answer: Answer): void;
  onOpen(panel: "message" | "remember"): void;
}

interface AnswerPanelProps extends AnswerRowProps {
  panel: Panel;
  is_sending: boolean;
  onClose(panel: "message" | "remember"): void;
}

export function AnswerPanel({ panel, is_sending, onClose, ...row }: AnswerPanelProps) {
  const { view, guarded, onAnswer } = row;
  if (panel === "remember")
    return (
      <RememberPanel
        view={view}
        guarded={guarded}
        is_sending={is_sending}
        onAnswer={onAnswer}
        onCancel={() => onClose("remember")}
      />
    );
  if (panel === "message")
    return (
      <DenyMessage
        guarded={guarded}
        is_sending={is_sending}
        onCancel={() => onClose("message")}
        onDeny={(message) => onAnswer({ token: view.token, decision: "rejected", message })}
      />
    );
  return <AnswerRow {...row} />;
}

/** The row of answers, Deny first. */
function AnswerRow({ view, guarded, is_readable, unfold, onAnswer, onOpen }: AnswerRowProps) {
  const words = useWords(cardWords);
  const size = view.card.form === "full" ? "normal" : "small";
  return (
    <div className="row answers" data-answers="">
      <span className="row">
        <Button
          data-deny=""
          size={size}
          onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "rejected" }))}
        >
          {words.deny}
        </Button>
        <Button size={size} data-opens="message" onClick={() => onOpen("message")}>
          {words.denyWhy}
        </Button>
      </span>
      <span className="row yes">
        {unfold}
        <Button
          size={size}
          disabled={!is_readable}
          onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "approved" }))}
        >
          {words.approveOnce}
        </Button>
        {rememberedChoices(view).length === 0 ? null : (
          <Button
            size={size}
            disabled={!is_readable}
            data-opens="remember"
            aria-expanded={false}
            onClick={() => onOpen("remember")}
          >
            {words.approveMore}
          </Button>
        )}
      </span>
    </div>
  );
}

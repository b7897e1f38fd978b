import type { ReactNode } from "react";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { CardFacts } from "../../ipc/words/card-facts.ts";
import { looksOf } from "../../ipc/words/looking.ts";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { mcpWords } from "../words/mcp.ts";
import { DenyMessage } from "./DenyMessage.tsx";
import { Key } from "./Key.tsx";
import { LooksPanel } from "./LooksPanel.tsx";
import { RefuseRow } from "./RefuseRow.tsx";
import { RememberPanel } from "./RememberPanel.tsx";
import { rememberedChoices } from "./remembering.ts";
import { StoredTitle } from "./StoredTitle.tsx";
import type { FilteredPresses } from "./use-press-filter.ts";
import type { WiderAnswer } from "./wider-answer.ts";

/** What is open below a request: the row of answers, or what an answer still needs. */
export type Panel = "none" | "message" | "remember" | "looks";

interface AnswerRowProps {
  view: ApprovalView;
  again: CardFacts["again"];
  guarded: FilteredPresses;
  /** False until everything that is asked about was in sight: nothing is approved before. */
  is_readable: boolean;
  wider: WiderAnswer | null;
  onAnswer(answer: Answer): void;
  onOpen(panel: Exclude<Panel, "none">): void;
}

interface StopRowProps extends AnswerRowProps {
  again: NonNullable<CardFacts["again"]>;
}

interface AnswerPanelProps extends AnswerRowProps {
  panel: Panel;
  is_sending: boolean;
  onClose(panel: Exclude<Panel, "none">): void;
}

export function AnswerPanel({ panel, is_sending, onClose, ...row }: AnswerPanelProps) {
  const { view, guarded, onAnswer } = row;
  if (row.again !== null) return <StopRow {...row} again={row.again} />;
  if (panel === "remember")
    return (
      <>
        <RememberPanel
          view={view}
          guarded={guarded}
          is_sending={is_sending}
          onAnswer={onAnswer}
          onCancel={() => onClose("remember")}
        />
        <RefuseRow view={view} guarded={guarded} onAnswer={onAnswer} />
      </>
    );
  if (panel === "looks")
    return (
      <LooksPanel
        view={view}
        guarded={guarded}
        is_sending={is_sending}
        onAnswer={onAnswer}
        onCancel={() => onClose("looks")}
      />
    );
  if (panel === "message")
    return (
      <>
        <DenyMessage
          guarded={guarded}
          is_sending={is_sending}
          onCancel={() => onClose("message")}
          onDeny={(message) => onAnswer({ token: view.token, decision: "rejected", message })}
        />
        <RefuseRow view={view} guarded={guarded} onAnswer={onAnswer} />
      </>
    );
  return <AnswerRow {...row} />;
}

/** Of a call that is made again and again: the no stops it, the yes lets it continue, and nothing is remembered. */
function StopRow({ view: { token }, again, guarded, is_readable, onAnswer }: StopRowProps) {
  return (
    <AnswersRow
      no={
        <Button
          data-deny=""
          data-key="d"
          aria-keyshortcuts="d"
          onClick={guarded.answers(() => onAnswer({ token, decision: "rejected" }))}
        >
          {again.stop}
          <Key>D</Key>
        </Button>
      }
      yes={
        <Button
          data-key="a"
          aria-keyshortcuts="a"
          disabled={!is_readable}
          onClick={guarded.answers(() => onAnswer({ token, decision: "approved" }))}
        >
          {again.let_it}
          <Key>A</Key>
        </Button>
      }
    />
  );
}

/** The row of answers, Deny first. */
function AnswerRow({ view, guarded, is_readable, wider, onAnswer, onOpen }: AnswerRowProps) {
  const mcp = useWords(mcpWords);
  const words = useWords(cardWords);
  const size = view.card.form === "full" ? "normal" : "small";
  const has_more = rememberedChoices(view).length > (wider === null ? 0 : 1);
  return (
    <AnswersRow
      no={
        <>
          <Button
            data-deny=""
            data-key="d"
            aria-keyshortcuts="d"
            size={size}
            onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "rejected" }))}
          >
            {words.deny}
            <Key>D</Key>
          </Button>
          <Button size={size} data-opens="message" data-key="m" aria-keyshortcuts="m" onClick={() => onOpen("message")}>
            {words.denyWhy}
            <Key>M</Key>
          </Button>
        </>
      }
      yes={
        <>
          <Button
            size={size}
            data-key="a"
            aria-keyshortcuts="a"
            disabled={!is_readable}
            onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "approved" }))}
          >
            {words.approveOnce}
            <Key>A</Key>
          </Button>
          {looksOf(view).length === 0 ? null : (
            <Button
              size={size}
              disabled={!is_readable}
              data-opens="looks"
              data-key="l"
              aria-keyshortcuts="l"
              aria-expanded={false}
              onClick={() => onOpen("looks")}
            >
              {mcp.looks}
              <Key>L</Key>
            </Button>
          )}
          <span className="wider">
            {wider === null ? null : (
              <StoredTitle choice={wider.choice}>
                {(title) => (
                  <Button
                    size={size}
                    data-key="s"
                    aria-keyshortcuts="s"
                    title={title}
                    disabled={!is_readable}
                    onClick={guarded.answers(() => onAnswer(wider.answer))}
                  >
                    <VisibleText text={wider.label} />
                    <Key>S</Key>
                  </Button>
                )}
              </StoredTitle>
            )}
            {has_more ? (
              <Button
                size={size}
                disabled={!is_readable}
                data-opens="remember"
                data-key={wider === null ? "s" : undefined}
                aria-keyshortcuts={wider === null ? "s" : undefined}
                aria-label={wider === null ? undefined : words.approveMore}
                aria-expanded={false}
                onClick={() => onOpen("remember")}
              >
                {wider === null ? words.approveMore : "▾"}
                {wider === null ? <Key>S</Key> : null}
              </Button>
            ) : null}
          </span>
        </>
      }
    />
  );
}

/** No on the left, yes on the right; where they don't fit beside each other, yes is below no. */
export function AnswersRow({ no, yes }: { no: ReactNode; yes: ReactNode }) {
  return (
    <div className="row answers" data-answers="">
      <span className="row no">{no}</span>
      <span className="row yes">{yes}</span>
    </div>
  );
}

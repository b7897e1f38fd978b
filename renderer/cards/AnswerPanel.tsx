import { type ComponentProps, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { visible } from "../../ipc/base/visible-text.ts";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { CardFacts } from "../../ipc/words/card-facts.ts";
import { alsoLooking, asLooking, looksOf } from "../../ipc/words/looking.ts";
import { runsUnaskedText } from "../../ipc/words/mcp-words.ts";
import { Button } from "../parts/Button.tsx";
import { Field } from "../parts/Field.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { mcpWords } from "../words/mcp.ts";
import { Key } from "./Key.tsx";
import { RememberPanel, type RememberPanelProps } from "./RememberPanel.tsx";
import type { Seen } from "./read-to-end.tsx";
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
  /** How much of what is asked about was on the screen: nothing is approved before all of it was. */
  seen: Seen;
  wider: WiderAnswer | null;
  /** What the wider answer lets it do from then on, where that is more than its label says. */
  follows: string | null;
  onAnswer(answer: Answer): void;
  onOpen(panel: Exclude<Panel, "none">): void;
}

interface StopRowProps extends AnswerRowProps {
  again: NonNullable<CardFacts["again"]>;
}

interface AnswerPanelProps extends AnswerRowProps {
  panel: Panel;
  isSending: boolean;
  onClose(panel: Exclude<Panel, "none">): void;
}

export function AnswerPanel({ panel, isSending, onClose, ...row }: AnswerPanelProps) {
  const { view, guarded, onAnswer } = row;
  if (row.again !== null) return <StopRow {...row} again={row.again} />;
  if (panel === "remember")
    return (
      <>
        <RememberPanel
          view={view}
          guarded={guarded}
          isSending={isSending}
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
        isSending={isSending}
        onAnswer={onAnswer}
        onCancel={() => onClose("looks")}
      />
    );
  if (panel === "message")
    return (
      <>
        <DenyMessage
          guarded={guarded}
          isSending={isSending}
          onCancel={() => onClose("message")}
          onDeny={(message) => onAnswer({ token: view.token, decision: "rejected", message })}
        />
        <RefuseRow view={view} guarded={guarded} onAnswer={onAnswer} />
      </>
    );
  return <AnswerRow {...row} />;
}

/** Of a call that is made again and again: the no stops it, the yes lets it continue, and nothing is remembered. */
function StopRow({ view: { token }, again, guarded, seen, onAnswer }: StopRowProps) {
  const locked = useLock(seen);
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
          {...locked}
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
function AnswerRow({ view, guarded, seen, wider, follows, onAnswer, onOpen }: AnswerRowProps) {
  const locked = useLock(seen);
  const mcp = useWords(mcpWords);
  const words = useWords(cardWords);
  const hasMore = rememberedChoices(view).length > (wider === null ? 0 : 1);
  return (
    <AnswersRow
      note={follows}
      no={
        <>
          <Button
            data-deny=""
            data-key="d"
            aria-keyshortcuts="d"
            onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "rejected" }))}
          >
            {words.deny}
            <Key>D</Key>
          </Button>
          <Button data-opens="message" data-key="m" aria-keyshortcuts="m" onClick={() => onOpen("message")}>
            {words.denyWhy}
            <Key>M</Key>
          </Button>
        </>
      }
      yes={
        <>
          <Button
            data-key="a"
            aria-keyshortcuts="a"
            {...locked}
            onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "approved" }))}
          >
            {words.approveOnce}
            <Key>A</Key>
          </Button>
          {looksOf(view).length === 0 ? null : (
            <Button
              {...locked}
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
                    data-key="s"
                    aria-keyshortcuts="s"
                    title={title}
                    {...locked}
                    onClick={guarded.answers(() => onAnswer(wider.answer))}
                  >
                    <VisibleText text={wider.label} />
                    <Key>S</Key>
                  </Button>
                )}
              </StoredTitle>
            )}
            {hasMore ? (
              <Button
                {...locked}
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

/** Of a yes that doesn't count yet: that, and why. */
export function useLock(seen: Seen): Pick<ComponentProps<"button">, "disabled" | "title" | "aria-description"> {
  const { readOn } = useWords(cardWords);
  return seen === "whole" ? {} : { disabled: true, title: readOn[seen], "aria-description": readOn[seen] };
}

/** No on the left, yes on the right; where they don't fit beside each other, yes is below no. */
export function AnswersRow({ no, yes, note = null }: { no: ReactNode; yes: ReactNode; note?: string | null }) {
  return (
    <div className="row answers" data-answers="">
      <span className="row no">{no}</span>
      <span className="row yes">{yes}</span>
      {note === null ? null : (
        <p className="quiet answer-note">
          <VisibleText text={note} />.
        </p>
      )}
    </div>
  );
}

interface DenyMessageProps extends Pick<RememberPanelProps, "guarded" | "isSending" | "onCancel"> {
  onDeny(message: string): void;
}

/** Longer messages are refused by the gate. */
const MAX_MESSAGE = 2000;

/** A no with a reason, which the agent reads. */
function DenyMessage({ guarded, isSending, onDeny, onCancel }: DenyMessageProps) {
  const words = useWords(cardWords);
  const [message, setMessage] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      className="deny-message"
      onSubmit={(event) => {
        event.preventDefault();
        guarded.answers(() => onDeny(message))({ detail: 0 });
      }}
    >
      <Field label={words.whyNot}>
        {(id) => (
          <input
            ref={input}
            id={id}
            className="input"
            value={message}
            maxLength={MAX_MESSAGE}
            onChange={({ target }) => setMessage(target.value)}
          />
        )}
      </Field>
      <div className="row ends">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <button type="submit" className="button" disabled={isSending || message.trim() === ""}>
          {words.sendDenial}
        </button>
      </div>
    </form>
  );
}

/** A no that holds for the session: it is denied from then on without asking. */
function RefuseRow({ view, guarded, onAnswer }: Pick<AnswerRowProps, "view" | "guarded" | "onAnswer">) {
  const words = useWords(cardWords);
  if (view.refusals.length === 0) return null;
  return (
    <div className="refuse">
      <p className="quiet">{words.denyForSession}</p>
      <div className="row">
        {view.refusals.map(({ refuse, targets }) => (
          <Button
            key={refuse}
            size="small"
            title={
              targets.length === 0
                ? undefined
                : visible(targets.map(({ capability, target }) => `${words.doing(capability)} ${target}`).join("; "))
            }
            onClick={guarded.answers(() => onAnswer({ token: view.token, decision: "rejected", refuse }))}
          >
            {refuse === "call" ? words.refuseCall : <VisibleText text={words.refuseTarget(refusedText(targets))} />}
          </Button>
        ))}
      </div>
    </div>
  );

  function refusedText(targets: ApprovalView["refusals"][number]["targets"]): string {
    const [first, ...more] = targets;
    if (first === undefined) return "";
    const name = first.target.split("/").filter(Boolean).at(-1) ?? first.target;
    return `${words.doing(first.capability)} ${name}${more.length > 0 ? ` ${words.andMore(more.length)}` : ""}`;
  }
}

/** A server's tool only looks: what saying so means, and how much of it is remembered. */
function LooksPanel({ view, guarded, isSending, onAnswer, onCancel }: Omit<RememberPanelProps, "isFixed">) {
  const language = useLanguage();
  const words = mcpWords[language];
  const looking = useMemo(() => asLooking(view), [view]);
  const first = useRef<HTMLDivElement>(null);
  const canRemember = rememberedChoices(looking).length > 0;
  const { mcp } = view;
  useEffect(() => {
    first.current?.querySelector("button")?.focus({ preventScroll: true });
    first.current?.scrollIntoView({ block: "nearest" });
  }, []);
  if (mcp === null) return null;
  return (
    <fieldset className="looks" aria-label={words.looksTitle}>
      <p>
        <VisibleText text={words.meaning(mcp.server, mcp.tool)} />
      </p>
      {mcp.runs_unasked ? <p className="has-changed">{runsUnaskedText(language)}.</p> : null}
      {canRemember ? (
        <RememberPanel
          view={looking}
          guarded={guarded}
          isSending={isSending}
          isFixed
          onAnswer={(answer) => onAnswer(alsoLooking(answer))}
          onCancel={onCancel}
        />
      ) : null}
      <div className="row ends" ref={first}>
        {canRemember ? null : <Button onClick={onCancel}>{words.cancel}</Button>}
        <Button
          disabled={isSending}
          onClick={guarded.answers(() => onAnswer(alsoLooking({ token: view.token, decision: "approved" })))}
        >
          {mcp.runs_unasked ? words.looks.replace(" …", "") : words.once}
        </Button>
      </div>
    </fieldset>
  );
}
